//! Creates the rewriter of a run, with the form of links and their moves.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use absolve::url::Maps;
use absolve::{Diagnosis, Direction, Form, Learn, Rewriter, Targets};
use absolve_files::{BaseMap, Globs, Origins, RecordedUrl, Symlinks};
use absolve_site::{
    Deployment, HostTargets, RecordedTargets, Redirects, Server, Site, SiteTargets, path_of,
};

use super::failure::{Failure, reason};
use super::paths::is_folder_given;
use super::redirects;

use crate::args::RewriteArgs;
use crate::terminal::printable_path;

/// Returns the rewriter of a run, without the URL of a document.
pub fn make_rewriter(args: &RewriteArgs) -> Result<Rewriter, Failure> {
    let rewriter = args.document.rewriter(&args.base);
    let options = &args.direction;
    if let Some(problem) = options.explain_misplaced() {
        return Err(Failure::message(problem));
    }
    if options.is_default() {
        return Ok(rewriter);
    }
    let form = options.form();
    let mut direction = Direction::new(form).maps(read_maps(args)?);
    if form == Form::Relative {
        direction = direction.targets(find_targets(args)?);
        // Each page has the URL of its path, whatever URL it records.
        return Ok(rewriter.learn(Learn::NONE).policy(direction.into()));
    }
    Ok(rewriter.policy(direction.into()))
}

/// Returns the sources of the URLs of documents. For relative links, these are only the URLs
/// recorded outside documents, which are read for all files of the folder.
pub fn find_origins(args: &RewriteArgs) -> Result<Origins, Failure> {
    let origins = args.base.origins()?;
    if args.direction.form() != Form::Relative {
        return Ok(origins);
    }
    if !args.base.has_records() {
        return Ok(origins.learn(Learn::NONE));
    }
    let root = find_root(args, args.direction.form_name())?;
    let mut seen_urls = HashSet::new();
    // Links in a second file with the same URL would be written as if from the path of the first.
    let mut records =
        read_records(&origins.learn(args.base.stored_sources()), root, &walk_site(root)?)?;
    records
        .retain(|(_, file)| !file.is_converted && seen_urls.insert(file.url.as_str().to_owned()));
    let urls = records.into_iter().map(|(path, file)| (path, file.url));
    Ok(args.base.origins()?.learn(Learn::NONE).map(BaseMap::from_urls(urls)))
}

/// Lists the files of a site with recorded URLs. Files whose links name files come last, since such
/// links do not resolve against the URL.
fn read_records(
    origins: &Origins,
    root: &Path,
    site: &Site,
) -> Result<Vec<(PathBuf, RecordedUrl)>, Failure> {
    let mut records = Vec::new();
    for (path, _) in site.files().iter() {
        let path = path_of(path);
        let url = origins.recorded(root, &path);
        let url = url.map_err(|why| Failure::new(&printable_path(&root.join(&path)), why))?;
        records.extend(url.map(|url| (path, url)));
    }
    records.sort_by_key(|(_, file)| file.is_converted);
    Ok(records)
}

/// Walks all files of a folder.
fn walk_site(root: &Path) -> Result<Site, Failure> {
    let site = Site::walk(root, root, &Globs::default(), Symlinks::Followed);
    site.map_err(|failure| Failure::new(&printable_path(root), failure))
}

fn read_maps(args: &RewriteArgs) -> Result<Maps, Failure> {
    let mut maps = args.direction.maps().map_err(|error| Failure::message(error.to_string()))?;
    let Some(path) = &args.direction.map_file else { return Ok(maps) };
    let failed = |problem: String| Failure::new(&printable_path(path), problem);
    let bytes = absolve_files::open_list(path).and_then(absolve_files::read_list);
    let bytes = bytes
        .map_err(|error| failed(format!("cannot read the list of moves: {}", reason(&error))))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.split(|&byte| byte == b'\n').count();
        failed(format!("line {line}: the list of moves is not UTF-8"))
    })?;
    maps.add_lines(&text).map_err(|error| failed(error.to_string()))?;
    Ok(maps)
}

/// Returns the files that relative links may lead to.
fn find_targets(args: &RewriteArgs) -> Result<Arc<dyn Targets>, Failure> {
    let form = args.direction.form_name();
    let base = args.base.base_url();
    if base.is_none() && !args.base.has_layout() && !args.base.has_records() {
        let words = "{to _} needs the URLs of files: {base-url}, that of the folder, \
                     {layout host-path}, {base-map} or {learn xattr}";
        return Err(Diagnosis::from_words(words, &[&form]).into());
    }
    let root = find_root(args, form)?;
    let failed = |why: &dyn absolve::HasAdvice| Failure::new(&printable_path(root), why);
    let site = walk_site(root)?;
    let profile = args.direction.server();
    let mut server = Server::new(profile);
    let deployment = base.map(Deployment::new).unwrap_or_default();
    let mut rules = Redirects::new(deployment.base_path());
    for file in redirects::find_files(profile, root, |file| site.find(file).is_some()) {
        // A `netlify.toml` in a parent of the root is not a file of the site.
        let bytes = site.read(&file).or_else(|| std::fs::read(&file).ok());
        let bytes = bytes
            .ok_or_else(|| Failure::new(&printable_path(&file), "cannot read the redirects"))?;
        rules = redirects::add_rules(rules, &file, &String::from_utf8_lossy(&bytes))
            .map_err(|why| Failure::new(&printable_path(&file), why))?;
    }
    server = server.with_redirects(rules);
    let opened_by = args.direction.opened_by();
    let records = if args.base.has_records() {
        read_records(&args.base.origins()?.learn(args.base.stored_sources()), root, &site)?
    } else {
        Vec::new()
    };
    let list_recorded = |url_of: &dyn Fn(&Path) -> String| {
        let files = records.iter().map(|(path, file)| (file.url.clone(), url_of(path)));
        files.collect::<Vec<_>>()
    };
    if let Some(base) = base {
        let site = SiteTargets::new(site, Deployment::new(base), server, opened_by);
        let recorded = list_recorded(&|path| site.url_of(path));
        return Ok(Arc::new(RecordedTargets::new(Box::new(site), recorded)));
    }
    let hosts = HostTargets::new(root, site, server, opened_by);
    let hosts = hosts.map_err(|error| failed(&absolve_files::Failure::read(&error)))?;
    let recorded = list_recorded(&|path| hosts.url_of(path));
    Ok(Arc::new(RecordedTargets::new(Box::new(hosts), recorded)))
}

/// Returns the folder that corresponds to the base URL.
fn find_root<'a>(args: &'a RewriteArgs, form: &str) -> Result<&'a Path, Failure> {
    let inputs = &args.inputs;
    if let Some(root) = &inputs.files.root_dir {
        return Ok(root);
    }
    match &inputs.paths[..] {
        [path] if path != Path::new("-") && is_folder_given(path)? => return Ok(path),
        [path] if path != Path::new("-") => path
            .metadata()
            .map_err(|error| Failure::unreadable(&printable_path(path), &error))
            .map(drop)?,
        _ => {}
    }
    let words = "{to _} needs the folder of the site; give that folder, or {root-dir} DIR";
    Err(Diagnosis::from_words(words, &[&form]).into())
}
