//! The walls of the code base, checked: import order, banned pairs, headers, file length, no lost test.
//! Border: reads the source as text; the lints do the rest.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// No file may grow past this; split it by idea instead.
const FILE_LINES_MAX: usize = 400;

/// No folder of the source may hold more files than this; a room more is easier to find one's way in.
const FOLDER_FILES_MAX: usize = 15;

/// Pairs that must not meet even where the order would allow it: importer, imported.
const BANNED: [(&str, &str); 3] = [("sync", "local"), ("local", "git"), ("local", "sync")];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn rust_files(below: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![root().join(below)];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let name = path.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/");
                found.push((name, fs::read_to_string(path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// The top-level modules in the order lib.rs declares them.
fn storeys() -> BTreeMap<String, usize> {
    let text = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let names = text.lines().filter_map(|l| l.strip_prefix("pub mod ")?.strip_suffix(';'));
    names.enumerate().map(|(floor, name)| (name.to_owned(), floor)).collect()
}

/// Every top-level module of this crate that a file names after `crate::`, grouped imports too.
fn imported(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        let rest = &text[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let end = group.find("};").unwrap_or(group.len());
            let mut depth = 0;
            let mut name = String::new();
            for c in group[..end].chars() {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    ',' if depth == 0 => names.push(std::mem::take(&mut name)),
                    c if depth == 0 => name.push(c),
                    _ => {}
                }
            }
            names.push(name);
        } else {
            names.push(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
        }
    }
    let head = |name: String| name.trim().split("::").next().unwrap_or_default().to_owned();
    names.into_iter().map(head).filter(|name| !name.is_empty()).collect()
}

/// Where patterns are compiled: each when a text may match it, with a limit on its size.
const PATTERNS: [&str; 2] = ["src/git/redact/", "src/secrets/"];

#[test]
fn patterns_are_compiled_only_where_each_is_compiled_when_it_is_needed() {
    let names = |text: &str| {
        let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        lines.collect::<Vec<_>>().concat().contains("regex::")
    };
    let others: Vec<String> = rust_files("src")
        .into_iter()
        .filter(|(file, text)| {
            names(text) && !PATTERNS.iter().any(|folder| file.starts_with(folder))
        })
        .map(|(file, _)| file)
        .collect();
    assert!(others.is_empty(), "match by hand what every command needs: {others:?}");
    for (file, text) in rust_files("src/git/redact") {
        let builds = text.matches("RegexBuilder::new(").count();
        assert_eq!(builds, text.matches(".size_limit(").count(), "{file}: a pattern has a limit");
    }
}

#[test]
fn a_module_imports_only_what_is_declared_above_it() {
    let storeys = storeys();
    assert!(storeys.len() >= 8, "lib.rs was not understood: {storeys:?}");
    for (file, text) in rust_files("src") {
        if file == "src/lib.rs" || file.starts_with("src/bin/") {
            continue;
        }
        let own = file.split('/').nth(1).unwrap().trim_end_matches(".rs");
        let floor = storeys.get(own).unwrap_or_else(|| panic!("{file} is in no module of lib.rs"));
        for name in imported(&text) {
            let Some(other) = storeys.get(&name) else { continue };
            assert!(other <= floor, "{file} imports `{name}`, which lib.rs declares below `{own}`");
            let pair = (own, name.as_str());
            assert!(!BANNED.contains(&pair), "{file} imports `{name}`, a banned pair");
        }
        assert!(
            !text.contains("super::super"),
            "{file} climbs with super::super; import from crate::"
        );
    }
}

#[test]
fn the_program_sees_only_public_items() {
    for (file, text) in rust_files("src/bin") {
        assert!(!text.contains("#[path"), "{file} reaches around the library");
        assert!(
            !text.contains("memsync::system::files::"),
            "{file} writes files itself; call a flow"
        );
    }
}

#[test]
fn every_file_says_what_it_answers_for_and_stays_short() {
    for folder in ["src", "tests", "examples", "benches"] {
        for (file, text) in rust_files(folder) {
            assert!(text.starts_with("//!"), "{file} does not open with //!");
            let lines = text.lines().count();
            assert!(lines <= FILE_LINES_MAX, "{file} has {lines} lines, over {FILE_LINES_MAX}");
        }
    }
}

#[test]
fn no_folder_of_the_source_holds_more_files_than_one_sees_at_a_glance() {
    let mut open = vec![root().join("src")];
    while let Some(folder) = open.pop() {
        let entries: Vec<PathBuf> =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) =
            entries.into_iter().partition(|path| path.is_dir());
        assert!(files.len() <= FOLDER_FILES_MAX, "{}: {} files", folder.display(), files.len());
        open.extend(folders);
    }
}

#[test]
fn no_test_file_is_forgotten() {
    for (file, _) in rust_files("tests/it") {
        let path = Path::new(&file);
        if file.ends_with("main.rs") || file.ends_with("mod.rs") {
            continue;
        }
        let folder = root().join(path.parent().unwrap());
        let parent = ["main.rs", "mod.rs"]
            .map(|name| fs::read_to_string(folder.join(name)).unwrap_or_default());
        let declared = format!("mod {};", path.file_stem().unwrap().to_str().unwrap());
        assert!(parent.iter().any(|text| text.contains(&declared)), "{file} is declared nowhere");
    }
}

#[test]
fn imports_are_read_in_every_shape() {
    let text = "use crate::{base::path::X, git, sync::{a, b}};\nlet x = crate::gate::check();";
    assert_eq!(imported(text), ["base", "git", "sync", "gate"]);
}
