//! SECURITY.md promises only what a test proves: each name it gives is a test that exists.
//! Border: whether the tests pass is their own matter.

use std::fs;
use std::path::{Path, PathBuf};

fn sources() -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut open = vec![root.join("src"), root.join("tests")];
    let mut text = String::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                text += &fs::read_to_string(path).unwrap();
            }
        }
    }
    text
}

/// The names in the last column of the promises' tables.
fn named_tests() -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("SECURITY.md");
    let page = fs::read_to_string(page).unwrap();
    let promises = page.split("\n## Promises").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows =
        promises.lines().filter(|line| line.starts_with("| ") && !line.ends_with("| proven by |"));
    let mut names = Vec::new();
    for row in rows {
        let column = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        let found: Vec<_> = column.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        assert!(!found.is_empty(), "a promise without a test: {row}");
        names.extend(found);
    }
    names
}

#[test]
fn every_promise_names_tests_that_exist() {
    let sources = sources();
    let names = named_tests();
    assert!(names.len() > 30, "the page was not understood: {names:?}");
    let missing: Vec<_> =
        names.iter().filter(|name| !sources.contains(&format!("fn {name}("))).collect();
    assert!(missing.is_empty(), "SECURITY.md names tests that do not exist: {missing:#?}");
}
