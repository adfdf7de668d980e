//! No two files of one module import each other: what both need is a file below them.
//! Border: reads the source as text; the order of the top-level modules is `architecture`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Modules whose rooms are declared from the ground up, checked as `lib.rs` is.
const HOUSES: &[&str] = &[
    "audit",
    "base",
    "instructions",
    "local",
    "merge",
    "merge::conflict",
    "merge::kinds",
    "merge::units",
    "report::json",
    "secrets",
    "secrets::encoding",
    "secrets::finding",
    "secrets::gitleaks",
    "secrets::named",
    "secrets::rules",
    "sync",
    "sync::exchange",
    "sync::githooks",
    "sync::inspect",
    "sync::membership",
    "sync::sealed",
    "sync::verify",
    "sync::worktree",
    "sync::write",
];

/// The library, and the program beside it.
const LIBRARY: &str = "src";
const PROGRAM: &str = "src/bin/memsync";

/// Every module of a crate by its path below `crate`, with its text up to its tests.
fn modules(of: &str) -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(of);
    let mut found = BTreeMap::new();
    let mut open = vec![root.clone()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && path != root.join("bin") {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let below = path.strip_prefix(&root).unwrap().with_extension("");
                let names: Vec<&str> = below.iter().filter_map(|part| part.to_str()).collect();
                let module = names.join("::");
                let text = fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
                let module = module.strip_suffix("::mod").unwrap_or(&module);
                found.insert(module.to_owned(), code.to_owned());
            }
        }
    }
    with_other_names(found)
}

/// The same with modules whose files have another name (`#[path = "unix.rs"] mod platform;`) under both.
fn with_other_names(mut modules: BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut named = Vec::new();
    for (module, text) in &modules {
        for part in text.split("#[path = \"").skip(1) {
            let Some((file, rest)) = part.split_once(".rs\"]") else { continue };
            let Some(name) = rest.trim_start().strip_prefix("mod ") else { continue };
            let name = name.split(';').next().unwrap_or_default();
            let code = modules.get(&format!("{module}::{file}")).cloned().unwrap_or_default();
            named.push((format!("{module}::{name}"), code));
        }
    }
    modules.extend(named);
    modules
}

/// The paths that a piece of a `use` stands for: groups are written out.
fn written_out(tree: &str) -> Vec<String> {
    let Some((before, group)) = tree.split_once('{') else { return vec![tree.trim().to_owned()] };
    let group = &group[..group.rfind('}').unwrap_or(group.len())];
    let mut depth = 0;
    let parts = group.split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    let parts = parts.filter(|part| !part.trim().is_empty());
    parts
        .flat_map(|part| written_out(part.trim()))
        .map(|rest| format!("{}{rest}", before.trim()))
        .collect()
}

/// Every path of this crate that a module names, from the root.
fn named(module: &str, text: &str) -> Vec<String> {
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let code = text.lines().filter(is_code).collect::<Vec<_>>().join("\n");
    let parent = module.rsplit_once("::").map_or("", |(parent, _)| parent);
    let mut paths = Vec::new();
    for statement in code.split(';') {
        let uses = statement.rfind("use ").map(|at| statement[at + 4..].trim());
        for tree in uses.into_iter().flat_map(written_out) {
            let path = tree.strip_prefix("crate::").map(str::to_owned);
            let path =
                path.or_else(|| Some(format!("{parent}::{}", tree.strip_prefix("super::")?)));
            // A module's own files are named without a prefix.
            paths.push(path.unwrap_or_else(|| format!("{module}::{tree}")));
        }
        for (at, _) in statement.match_indices("crate::") {
            let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
            let path: String = statement[at + 7..].chars().take_while(|c| is_path(*c)).collect();
            paths.push(path);
        }
    }
    paths
}

/// The module that a path leads into: the longest part of it that is one.
fn target<'m>(modules: &'m BTreeMap<String, String>, path: &str) -> Option<&'m str> {
    let mut part = path.trim_start_matches("::").trim_end_matches("::");
    loop {
        if let Some((module, _)) = modules.get_key_value(part) {
            return Some(module);
        }
        part = part.rsplit_once("::")?.0;
    }
}

fn imports(of: &str) -> BTreeMap<String, BTreeSet<String>> {
    let modules = modules(of);
    let imports_of = |(module, text): (&String, &String)| {
        let paths = named(module, text);
        let targets = paths.iter().filter_map(|path| target(&modules, path));
        (module.clone(), targets.filter(|other| other != module).map(str::to_owned).collect())
    };
    modules.iter().map(imports_of).collect()
}

/// The pairs of files that import each other.
fn circles(of: &str) -> BTreeSet<(String, String)> {
    let imports = imports(of);
    let has = |one: &str, other: &str| imports.get(one).is_some_and(|names| names.contains(other));
    let mut circles = BTreeSet::new();
    for (one, others) in &imports {
        for other in others.iter().filter(|other| one < *other && has(other, one)) {
            circles.insert((one.clone(), other.clone()));
        }
    }
    circles
}

#[test]
fn no_two_files_import_each_other() {
    for (root, files_min) in [(LIBRARY, 200), (PROGRAM, 40)] {
        let count = modules(root).len();
        assert!(count > files_min, "{root} was not understood: {count}");
        let circles = circles(root);
        assert!(circles.is_empty(), "files of {root} that import each other: {circles:?}");
    }
}

/// What a module's text declares, in its order.
fn declared(text: &str) -> Vec<&str> {
    let lines =
        text.lines().map(|line| line.trim_start_matches("pub(crate) ").trim_start_matches("pub "));
    lines.filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';')).collect()
}

#[test]
fn a_room_imports_only_rooms_declared_above_it() {
    let (modules, imports, mut wrong) = (modules(LIBRARY), imports(LIBRARY), Vec::new());
    for house in HOUSES {
        let rooms = declared(&modules[*house]);
        assert!(rooms.len() >= 4, "{house} was not understood: {rooms:?}");
        let room_of = |module: &str| {
            let below = module.strip_prefix(house)?.strip_prefix("::")?;
            let room = below.split("::").next()?;
            rooms.iter().position(|name| *name == room)
        };
        for (module, others) in &imports {
            let Some(floor) = room_of(module) else { continue };
            for other in others.iter().filter(|other| *other != house) {
                let Some(above) = room_of(other) else { continue };
                if above > floor {
                    wrong.push(format!("`{module}` imports `{other}`, declared below it"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn imports_are_written_out() {
    let text = "use super::{a::X, b::{self, Y}};\nuse c::Z;\nfn f() { crate::m::d::g() }\n// use super::e;";
    assert_eq!(named("m::n", text), ["m::a::X", "m::b::self", "m::b::Y", "m::n::c::Z", "m::d::g"]);
}
