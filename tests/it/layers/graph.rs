//! Which file of a folder of sources uses which, by their `use` declarations and paths.
//!
//! A name that a module re-exports counts as a use of the file that defines it, so that the face of
//! a module may list what is in it. Tests are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A module's path: `["splice", "page"]`.
pub(crate) type Module = Vec<String>;

#[derive(Default)]
struct Source {
    /// Names that `use` brings in, and what they are the names of.
    names: BTreeMap<String, Module>,
    /// Modules that the file names outside of its re-exports.
    used: BTreeSet<Module>,
}

/// The files, and the files that each uses.
pub(crate) struct Graph {
    edges: BTreeMap<Module, BTreeSet<Module>>,
}

impl Graph {
    /// The files of a crate whose root is in this folder.
    pub(crate) fn read(folder: &str) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let texts: BTreeMap<Module, String> = files(&root)
            .into_iter()
            .map(|file| (module(file.strip_prefix(&root).unwrap()), code(&file)))
            .collect();
        let sources: BTreeMap<Module, Source> = texts
            .iter()
            .map(|(module, text)| (module.clone(), source(module, text, &texts)))
            .collect();
        let mut edges = BTreeMap::new();
        for (module, source) in &sources {
            let used = source.used.iter().filter_map(|path| definition(path, &sources, 0));
            let used = used.filter(|used| used != module && !used.is_empty());
            edges.insert(module.clone(), used.collect());
        }
        edges.remove(&Module::new());
        Self { edges }
    }

    /// Each file with each that it uses.
    pub(crate) fn edges(&self) -> impl Iterator<Item = (&Module, &Module)> {
        self.edges.iter().flat_map(|(user, used)| used.iter().map(move |used| (user, used)))
    }

    /// The groups of files that use each other.
    pub(crate) fn circles(&self) -> Vec<BTreeSet<&Module>> {
        let reach: BTreeMap<&Module, BTreeSet<&Module>> =
            self.edges.keys().map(|module| (module, self.reached(module))).collect();
        let mut circles = BTreeSet::new();
        for (module, reached) in &reach {
            if reached.contains(module) {
                let back =
                    |other: &&Module| reach.get(other).is_some_and(|back| back.contains(module));
                circles.insert(reached.iter().copied().filter(back).collect());
            }
        }
        circles.into_iter().collect()
    }

    fn reached<'g>(&'g self, module: &'g Module) -> BTreeSet<&'g Module> {
        let mut reached = BTreeSet::new();
        let mut work = vec![module];
        while let Some(next) = work.pop() {
            let used = self.edges.get(next).into_iter().flatten();
            work.extend(used.filter(|used| reached.insert(*used)));
        }
        reached
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
    found
}

/// The module that a file is.
fn module(file: &Path) -> Module {
    let mut path: Module =
        file.with_extension("").iter().map(|name| name.to_str().unwrap().to_owned()).collect();
    if path == ["lib"] {
        path.pop();
    }
    path
}

/// The code of a file without comments, and without its tests at the end.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    let text = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = text.lines().map(|line| line.split("//").next().unwrap());
    lines.collect::<Vec<_>>().join("\n")
}

fn source(module: &Module, text: &str, texts: &BTreeMap<Module, String>) -> Source {
    let mut source = Source::default();
    let mut body = String::new();
    let mut rest = text;
    while let Some((before, visibility, tree, after)) = next_use(rest) {
        body.push_str(before);
        for (path, name) in leaves("", tree) {
            let Some(path) = absolute(module, &path, texts) else { continue };
            let name = name.or_else(|| path.last().cloned()).unwrap_or_default();
            if visibility.is_empty() {
                source.used.insert(path.clone());
            }
            source.names.insert(name, path);
        }
        rest = after;
    }
    body.push_str(rest);
    for path in paths(&body) {
        let first = path.split("::").next().unwrap();
        let found = match source.names.get(first) {
            Some(of) if texts.contains_key(of) => {
                let inner = path.split("::").skip(1).map(str::to_owned);
                Some(of.iter().cloned().chain(inner).collect())
            }
            _ => absolute(module, path, texts),
        };
        source.used.extend(found);
    }
    source
}

/// The text before the next `use`, its visibility, its tree, and the text after it.
fn next_use(text: &str) -> Option<(&str, &str, &str, &str)> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        let (visibility, rest) = match trimmed.strip_prefix("pub") {
            Some(rest) if rest.starts_with('(') => trimmed.split_at(3 + rest.find(')')? + 1),
            Some(rest) => ("pub", rest),
            None => ("", trimmed),
        };
        if rest.trim_start().starts_with("use ") {
            let start = at + line.len() - rest.trim_start().len() + 4;
            let end = start + text[start..].find(';')?;
            return Some((&text[..at], visibility, &text[start..end], &text[end + 1..]));
        }
        at += line.len();
    }
    None
}

/// The paths of a `use` tree, each with the name that `as` gives it.
fn leaves(prefix: &str, tree: &str) -> Vec<(String, Option<String>)> {
    let tree = tree.trim();
    let Some(open) = tree.find('{') else {
        let (path, name) = tree
            .split_once(" as ")
            .map_or((tree, None), |(path, name)| (path, Some(name.trim().to_owned())));
        return vec![(format!("{prefix}{}", path.trim()), name)];
    };
    let prefix = format!("{prefix}{}", &tree[..open]);
    let inner = &tree[open + 1..tree.rfind('}').unwrap()];
    let (mut found, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, character) in inner.char_indices().chain([(inner.len(), ',')]) {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !inner[start..at].trim().is_empty() {
                    found.extend(leaves(&prefix, &inner[start..at]));
                }
                start = at + 1;
            }
            _ => {}
        }
    }
    found
}

/// The paths of two names or more in code.
fn paths(code: &str) -> impl Iterator<Item = &str> {
    let words = code.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
    words.filter(|word| word.contains("::") && word.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// A path from the root of the crate; nothing for other crates and for names of values.
fn absolute(module: &Module, path: &str, texts: &BTreeMap<Module, String>) -> Option<Module> {
    let names =
        path.trim_end_matches("::").split("::").filter(|name| *name != "self" && *name != "*");
    let mut names = names.map(str::to_owned).peekable();
    let mut found = match names.peek()?.as_str() {
        "crate" => Module::new(),
        "super" => module.clone(),
        first => {
            let inner: Module = module.iter().cloned().chain([first.to_owned()]).collect();
            if !path.starts_with("self::") && !texts.contains_key(&inner) {
                return None;
            }
            module.clone()
        }
    };
    for name in names {
        match name.as_str() {
            "crate" => {}
            "super" => drop(found.pop()),
            _ => found.push(name),
        }
    }
    Some(found)
}

/// The file that defines what a path names, through re-exports.
fn definition(path: &Module, sources: &BTreeMap<Module, Source>, depth: usize) -> Option<Module> {
    let length = (0..=path.len()).rev().find(|&length| sources.contains_key(&path[..length]))?;
    let (file, inner) = path.split_at(length);
    if let Some(target) = inner.first().and_then(|name| sources[file].names.get(name))
        && target != path
        && depth < 20
    {
        let target = target.iter().chain(&inner[1..]).cloned().collect();
        return definition(&target, sources, depth + 1);
    }
    Some(file.to_vec())
}
