//! A trial for each deployment of each case, and some about all of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};

use crate::case::{Case, Checked};
use crate::comparison::{self, Comparison};
use crate::deployment::{Deployment, Variant};
use crate::differences;
use crate::nginx::{Nginx, no_nginx};

/// All that is served, with the server.
struct Served {
    deployments: BTreeMap<String, Deployment>,
    nginx: Nginx,
}

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    if let Some(why) = no_nginx() {
        let trial = Trial::test(format!("sites served by nginx ({why})"), || Ok(()));
        return libtest_mimic::run(arguments, vec![trial.with_ignored_flag(true)]).exit_code();
    }
    let served = match serve() {
        Ok(served) => Arc::new(served),
        Err(why) => {
            let trial = Trial::test("nginx serves the cases", || Err(why.into()));
            return libtest_mimic::run(arguments, vec![trial]).exit_code();
        }
    };
    let mut trials = vec![
        trial("each_rule_is_compared", &served, each_rule_is_compared),
        trial("known_differences_are_about_deployments", &served, known_ones_are_served),
    ];
    trials.extend(served.deployments.keys().map(|name| {
        let (served, name) = (Arc::clone(&served), name.clone());
        Trial::test(name.clone(), move || Ok(check(&served, &name)?))
    }));
    libtest_mimic::run(arguments, trials).exit_code()
}

fn trial(name: &str, served: &Arc<Served>, test: fn(&Served) -> Checked<()>) -> Trial {
    let served = Arc::clone(served);
    Trial::test(name, move || Ok(test(&served)?))
}

fn serve() -> Checked<Served> {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/audit");
    let mut deployments = BTreeMap::new();
    for entry in fs::read_dir(cases).unwrap() {
        let folder = entry.unwrap().path();
        if !folder.is_dir() {
            continue;
        }
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let case = Case::read(&folder).map_err(|why| format!("{name}: {why}"))?;
        // Not every file system has every name.
        if cfg!(not(target_os = "linux")) && case.lay_out().is_err() {
            continue;
        }
        for variant in Variant::ALL {
            let deployment = Deployment::new(&name, &case, variant);
            if let Some(deployment) = deployment.map_err(|why| format!("{name}: {why}"))? {
                deployments.insert(deployment.name.clone(), deployment);
            }
        }
    }
    let hosts: Vec<_> = deployments.values().map(Deployment::host).collect();
    let nginx = Nginx::start(&hosts)?;
    Ok(Served { deployments, nginx })
}

fn check(served: &Served, name: &str) -> Checked<()> {
    let Comparison { differences, .. } =
        comparison::compare(&served.deployments[name], &served.nginx)?;
    let known = differences::known()?.remove(name).unwrap_or_default();
    let new: Vec<_> =
        differences.difference(&known).map(|line| format!("{name}\t{line}")).collect();
    let old: Vec<_> =
        known.difference(&differences).map(|line| format!("{name}\t{line}")).collect();
    if new.is_empty() && old.is_empty() {
        return Ok(());
    }
    Err(format!("new differences:\n{}\nnot found any more:\n{}", new.join("\n"), old.join("\n")))
}

/// Links with a finding of each rule are requested, so that the comparison is not about nothing.
fn each_rule_is_compared(served: &Served) -> Checked<()> {
    for (rule, case) in comparison::rules() {
        let name = format!("{case}.{}", Variant::AsGiven.name());
        let site = served.deployments.get(&name).ok_or(format!("there is no case {case}"))?;
        let compared = comparison::compare(site, &served.nginx)?.compared;
        if !compared.contains_key(rule) {
            return Err(format!("{rule} is not in {case}: {compared:?}"));
        }
    }
    Ok(())
}

fn known_ones_are_served(served: &Served) -> Checked<()> {
    let known = differences::known()?;
    match known.keys().find(|name| !served.deployments.contains_key(**name)) {
        Some(name) => Err(format!("{name}: not served")),
        None => Ok(()),
    }
}
