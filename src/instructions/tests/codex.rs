//! What the real Codex loads, one row per measured layout.
//! Border: tests of `codex`.

use std::collections::BTreeMap;

use super::*;
use crate::instructions::reader::Item;

struct Table(BTreeMap<PathBuf, Vec<u8>>);

impl Files for Table {
    fn real(&self, path: &Path) -> Option<PathBuf> {
        Some(path.to_owned())
    }

    fn read(&self, path: &Path, _: u64) -> Result<Vec<u8>, Unread> {
        self.0.get(path).cloned().ok_or(Unread::NotThere)
    }

    fn list(&self, _: &Path, _: usize) -> Vec<Item> {
        Vec::new()
    }
}

fn around(folder: &str) -> CodexSurroundings {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    CodexSurroundings {
        folder: PathBuf::from(folder),
        user: Some(PathBuf::from("/h/.codex")),
        top: PathBuf::from("/w/p"),
        names: names(&["AGENTS.override.md", "AGENTS.md"]),
        user_names: names(&["AGENTS.override.md", "AGENTS.md"]),
        bytes_max: 32 * 1024,
    }
}

fn told(files: &[(&str, &str)], around: &CodexSurroundings) -> Vec<String> {
    let files = files.iter().map(|(name, text)| (PathBuf::from(name), text.as_bytes().to_vec()));
    let entries = chain(&Table(files.collect()), around);
    entries.into_iter().filter(|e| e.state.is_loaded()).map(|e| e.told).collect()
}

#[test]
fn the_persons_file_comes_first_then_each_folder_down() {
    let files = [
        ("/h/.codex/AGENTS.md", "GLOBAL\n"),
        ("/w/AGENTS.md", "ABOVE"),
        ("/w/p/AGENTS.md", "\nROOT @x.md <!-- c -->\n\n"),
        ("/w/p/CLAUDE.md", "C"),
        ("/w/p/s/AGENTS.md", "SUB\n"),
        ("/w/p/s/t/AGENTS.md", "DEEP"),
    ];
    assert_eq!(told(&files, &around("/w/p/s")), ["GLOBAL", "\nROOT @x.md <!-- c -->\n\n", "SUB\n"]);
    let mut fallback = around("/w/p");
    fallback.names.push("CLAUDE.md".to_owned());
    assert_eq!(told(&files[3..4], &fallback), ["C"]);
}

#[test]
fn an_override_takes_the_place_of_the_other_even_when_it_is_empty() {
    let files = [
        ("/h/.codex/AGENTS.override.md", "GO"),
        ("/h/.codex/AGENTS.md", "G"),
        ("/w/p/AGENTS.override.md", "RO"),
        ("/w/p/AGENTS.md", "R"),
    ];
    assert_eq!(told(&files, &around("/w/p")), ["GO", "RO"]);
    let blank = [
        ("/h/.codex/AGENTS.override.md", " \n"),
        ("/h/.codex/AGENTS.md", "G"),
        ("/w/p/AGENTS.override.md", " \n"),
        ("/w/p/AGENTS.md", "R"),
    ];
    assert_eq!(told(&blank, &around("/w/p")), ["G"]);
}

#[test]
fn all_files_of_a_project_share_one_limit() {
    let long = "a".repeat(33_000);
    let files = [("/w/p/AGENTS.md", long.as_str()), ("/w/p/s/AGENTS.md", "S")];
    let found = told(&files, &around("/w/p/s"));
    assert_eq!(found.iter().map(String::len).collect::<Vec<_>>(), [32_768]);
    let files = [("/w/p/AGENTS.md", &long[..32_000]), ("/w/p/s/AGENTS.md", &long[..2_000])];
    let found = told(&files, &around("/w/p/s"));
    assert_eq!(found.iter().map(String::len).collect::<Vec<_>>(), [32_000, 768]);
    let own = [("/h/.codex/AGENTS.md", long.as_str()), ("/w/p/AGENTS.md", "é")];
    assert_eq!(told(&own, &around("/w/p")).len(), 2, "the person's own has no limit");
    let tiny = CodexSurroundings { bytes_max: 1, ..around("/w/p") };
    assert_eq!(told(&own[1..], &tiny), [""]);
}
