//! Structures of real indexes, each read as its `expected.json` says.
//! Border: reading only; reconciliation is `reconcile`, the command is `cli::index`.

use std::fs;
use std::path::PathBuf;

use memsync::memory::index::Index;

/// Cases read differently on purpose, each with its reason.
const CHOSEN_DIFFERENTLY: [(&str, &str); 0] = [];

/// The folder of samples beside the repository; says so when it is not there.
#[expect(clippy::print_stderr, reason = "a skipped test must be seen")]
pub(crate) fn real_indexes() -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let places =
        ["../shared", "../../shared"].map(|shared| root.join(shared).join("data/real-index"));
    let found = places.into_iter().find(|place| place.is_dir());
    if found.is_none() {
        eprintln!("skipped: ../shared/data/real-index is not there");
    }
    found
}

/// Entries and other lines of an index, in the shape of `expected.json`.
fn read(text: &str) -> serde_json::Value {
    let index = Index::parse(text);
    assert_eq!(index.render(), text);
    let entries: Vec<_> = index
        .entries()
        .map(|e| serde_json::json!({"target": e.target, "title": e.title, "hook": e.hook}))
        .collect();
    serde_json::json!({"entries": entries, "other_lines": index.other_lines()})
}

#[test]
fn every_real_structure_is_read_as_expected() {
    let Some(folder) = real_indexes() else { return };
    let mut wrong = Vec::new();
    let mut cases = 0;
    for case in fs::read_dir(folder).unwrap() {
        let case = case.unwrap().path();
        let Ok(expected) = fs::read_to_string(case.join("expected.json")) else { continue };
        let expected: serde_json::Value = serde_json::from_str(&expected).unwrap();
        let text = fs::read_to_string(case.join("MEMORY.md")).unwrap();
        let name = case.file_name().unwrap().to_str().unwrap().to_owned();
        cases += 1;
        let read = read(&text);
        for part in ["entries", "other_lines"] {
            let differs = read[part] != expected[part];
            if differs && !CHOSEN_DIFFERENTLY.iter().any(|(chosen, _)| *chosen == name) {
                wrong.push(format!(
                    "{name}: {part}\n  read {}\n  want {}",
                    read[part], expected[part]
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cases >= 50, "only {cases} cases were found");
}
