//! Runs `examples/merge/<case>`: base, ours, theirs and what comes out, in both directions.
//! Border: one file a case; `conflicts.txt` lists what is recorded. A missing `expected.md` is
//! written for review and the test fails once.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memsync::base::path::MemoryPath;
use memsync::memory::snapshot::Snapshot;
use memsync::merge::conflict::Conflict;
use memsync::merge::{Side, merge};

use crate::merge::origin;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/merge")
}

fn cases() -> Vec<(String, PathBuf)> {
    let mut cases: Vec<(String, PathBuf)> = fs::read_dir(root())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), path))
        .collect();
    cases.sort();
    cases
}

/// The path a case is about, from its name.
fn path_of(case: &str) -> MemoryPath {
    let path = match case.split('-').next().unwrap() {
        "index" => "MEMORY.md",
        "roster" => ".memsync/roster.yaml",
        "policy" => ".memsync/policy.yaml",
        "allow" => ".memsync/allow.yaml",
        _ => "deploy-freeze.md",
    };
    MemoryPath::parse(path).unwrap()
}

/// The memories of a case's folder: each line of `files.txt` is `path: description`.
fn files(folder: &Path) -> Snapshot {
    let text = fs::read_to_string(folder.join("files.txt")).unwrap_or_default();
    let file = |line: &str| {
        let (path, description) = line.split_once(": ").unwrap();
        let name = path.trim_end_matches(".md");
        let content =
            format!("---\nname: {name}\ndescription: {description}\ntype: project\n---\nText.\n");
        (MemoryPath::parse(path).unwrap(), Arc::from(content.into_bytes()))
    };
    text.lines().map(file).collect()
}

/// A file's text and, sorted, what is recorded about it.
fn run(case: &str, folder: &Path, ours_first: bool) -> (String, String) {
    let path = path_of(case);
    let side = |name: &str, number| {
        let content = fs::read(folder.join(format!("{name}.md"))).ok();
        let snapshot = content.into_iter().map(|c| (path.clone(), Arc::from(c))).collect();
        Side::of_one(snapshot, origin(number))
    };
    let (base, ours, theirs) = (side("base", 0), side("ours", 1), side("theirs", 2));
    let (one, two) = if ours_first { (&ours, &theirs) } else { (&theirs, &ours) };
    let unchanged = files(folder);
    let merged = if unchanged.is_empty() && path.is_index() {
        // Without files the index is merged by itself: nothing to reconcile with.
        let input = |side: &'_ Side| side.snapshot.get(&path).cloned().unwrap_or_default();
        let (one_content, two_content) = (input(one), input(two));
        let base = base.snapshot.get(&path).cloned();
        let merged = memsync::merge::file(
            &path,
            base.as_deref(),
            memsync::merge::Input { content: &one_content, origin: &one.origin },
            memsync::merge::Input { content: &two_content, origin: &two.origin },
        );
        (merged.content, merged.conflicts)
    } else {
        let merged = merge(&base.snapshot, one, two, &unchanged);
        (merged.snapshot.get(&path).unwrap().to_vec(), merged.conflicts)
    };
    (String::from_utf8(merged.0).unwrap(), merged.1.iter().map(line).collect())
}

fn line(conflict: &Conflict) -> String {
    let reason = serde_json::to_string(&conflict.reason).unwrap();
    format!("{}: {}\n", conflict.part, reason.trim_matches('"'))
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a new case's outcome is written for review")]
fn every_case_comes_out_as_expected_in_both_directions() {
    let mut wrong = Vec::new();
    for (case, folder) in cases() {
        let (text, conflicts) = run(&case, &folder, true);
        assert_eq!(
            (&text, &conflicts),
            (&run(&case, &folder, false).0, &run(&case, &folder, false).1),
            "{case} swapped"
        );
        let expected = fs::read_to_string(folder.join("expected.md"));
        let recorded = fs::read_to_string(folder.join("conflicts.txt")).unwrap_or_default();
        match expected {
            Ok(expected) if expected == text && recorded == conflicts => {}
            Ok(expected) => {
                wrong
                    .push(format!("{case}\n{expected}----- got\n{text}----- records\n{conflicts}"));
            }
            Err(_) => {
                fs::write(folder.join("expected.md"), &text).unwrap();
                if !conflicts.is_empty() {
                    fs::write(folder.join("conflicts.txt"), &conflicts).unwrap();
                }
                wrong.push(format!("{case} had no expected.md; review what was written"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n=====\n"));
}

#[test]
fn every_case_is_explained_and_there_are_enough() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let told: BTreeMap<&str, &str> =
        readme.lines().filter_map(|line| line.strip_prefix("- `")?.split_once("`: ")).collect();
    let cases = cases();
    for (case, _) in &cases {
        assert!(told.contains_key(case.as_str()), "README.md says nothing about {case}");
    }
    assert_eq!(told.len(), cases.len(), "README.md tells of a case that is gone");
    assert!(cases.len() >= 60, "{}", cases.len());
}
