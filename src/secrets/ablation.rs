//! Names the entries of word lists that change nothing: candidates to delete.
//! Border: a tool for whoever changes a list; what a rule finds is proven in `ruleset`.
//!
//! `MEASURED=FILE.jsonl:FOLDER… cargo test --lib ablation -- --ignored --nocapture` takes each entry
//! out and compares what is found in the held-out set, in labelled texts (JSON lines with `text`)
//! and in the documents below the folders.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use super::assign::measured_lists;
use super::entries::{Entries, measured};
use super::{Scanner, codes, held_out, near, passphrase, password, placeholder, technical, wallet};

/// A larger document is left out.
const DOCUMENT_BYTES_MAX: u64 = 1_000_000;

/// A list with its entries: what they say and where they are in memory.
type Listed = (&'static str, Vec<(String, usize)>);

/// The entries of a list of text.
pub(crate) fn of_text(name: &'static str, list: &Entries<&'static str>) -> Listed {
    (name, list.iter().map(|entry| ((*entry).to_owned(), measured::place(entry))).collect())
}

/// The entries of a list of bytes.
pub(crate) fn of_bytes(name: &'static str, list: &Entries<&'static [u8]>) -> Listed {
    let shown = |entry: &&[u8]| String::from_utf8_lossy(entry).into_owned();
    (name, list.iter().map(|entry| (shown(entry), measured::place(entry))).collect())
}

/// The entries of a plain list.
pub(crate) fn of_list(name: &'static str, list: &'static [&'static str]) -> Listed {
    (name, list.iter().map(|entry| ((*entry).to_owned(), measured::place(entry))).collect())
}

/// The lists whose entries are keywords: what is met is not seen, and a scanner has to be made.
fn keyword_lists() -> Vec<Listed> {
    vec![
        of_list("assign keywords", super::assign::KEYWORDS),
        of_list("wallet keywords", wallet::KEYWORDS),
        of_list("codes keywords", codes::KEYWORDS),
    ]
}

fn lists() -> Vec<Listed> {
    let mut lists = measured_lists();
    lists.extend([
        of_bytes("near credential", &near::CREDENTIAL),
        of_bytes("near other", &near::OTHER),
        of_bytes("password worn out", &password::WORN_OUT),
        of_text("password before spoken", &password::BEFORE_SPOKEN),
        of_bytes("password spoken", &password::SPOKEN),
        of_text("placeholder", &placeholder::PLACEHOLDER_WORDS),
        of_bytes("technical starts", &technical::STARTS),
        of_bytes("passphrase spoken", &passphrase::SPOKEN),
    ]);
    lists
}

fn found(scanner: &Scanner, text: &str) -> Vec<Range<usize>> {
    scanner.scan("note.md", text.as_bytes()).into_iter().map(|finding| finding.bytes).collect()
}

#[expect(clippy::disallowed_methods, reason = "a tool that is told what to measure with")]
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = held_out::texts().into_iter().map(|text| text.text).collect();
    let measured = std::env::var("MEASURED").unwrap_or_default();
    for source in measured.split(':').filter(|source| !source.is_empty()) {
        if source.ends_with(".jsonl") {
            for line in std::fs::read_to_string(source).unwrap().lines() {
                let case: serde_json::Value = serde_json::from_str(line).unwrap();
                texts.push(case["text"].as_str().unwrap().to_owned());
            }
            continue;
        }
        for entry in walkdir::WalkDir::new(source).into_iter().filter_map(Result::ok) {
            let small = entry.metadata().is_ok_and(|m| m.is_file() && m.len() < DOCUMENT_BYTES_MAX);
            let name = entry.path().extension().and_then(|e| e.to_str()).unwrap_or_default();
            if small && matches!(name, "md" | "markdown" | "rst" | "rs" | "js" | "py" | "json") {
                texts.extend(std::fs::read_to_string(Path::new(entry.path())));
            }
        }
    }
    texts
}

#[test]
#[ignore = "measures with texts outside the repository; run when a word list changes"]
#[expect(clippy::print_stdout, reason = "a tool that prints what it measured")]
fn entries_that_change_nothing_are_named() {
    let texts = texts();
    let mut met: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let mut base = Vec::with_capacity(texts.len());
    for (at, text) in texts.iter().enumerate() {
        let (ranges, places) = measured::meeting(|| found(Scanner::builtin(), text));
        base.push(ranges);
        places.into_iter().for_each(|place| met.entry(place).or_default().extend([at]));
    }
    // One after the other, and what goes stays away: two that say the same do not both go.
    let mut lines = Vec::new();
    let mut all = 0;
    for (list, entries) in lists() {
        for (entry, place) in entries.into_iter().rev() {
            all += 1;
            measured::take_out(place);
            let places = met.get(&place).cloned().unwrap_or_default();
            let mut others = Vec::new();
            let same = places.iter().all(|at| {
                let (ranges, met) = measured::meeting(|| found(Scanner::builtin(), &texts[*at]));
                others.push((*at, met));
                ranges == base[*at]
            });
            if !same {
                measured::put_back(place);
                continue;
            }
            for (at, places) in others {
                places.into_iter().for_each(|place| met.entry(place).or_default().extend([at]));
            }
            lines.push(format!("{list}\t{entry}"));
        }
    }
    for (list, entries) in keyword_lists() {
        for (entry, place) in entries.into_iter().rev() {
            all += 1;
            measured::take_out(place);
            let scanner = Scanner::made();
            let lower = entry.to_lowercase();
            let holds = |at: &usize| texts[*at].to_lowercase().contains(&lower);
            if (0..texts.len()).filter(holds).all(|at| found(&scanner, &texts[at]) == base[at]) {
                lines.push(format!("{list}\t{entry}"));
            } else {
                measured::put_back(place);
            }
        }
    }
    println!("{}", lines.join("\n"));
    println!("{} of {all} entries change nothing in {} texts", lines.len(), texts.len());
}
