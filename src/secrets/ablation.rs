//! Names the entries of word lists that change nothing: candidates to delete.
//! Border: a tool for whoever changes a list; what a rule finds is proven in `ruleset`.
//!
//! `MEASURED=FILE.jsonl:FOLDER… cargo test --lib ablation -- --ignored --nocapture` takes each entry
//! out and compares what is found in the held-out set, in labelled texts (JSON lines with `text`)
//! and in the documents below the folders.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use super::{Scanner, held_out};
use crate::secrets::entries::measured::{self, Listed, of_bytes, of_list, of_text};
use crate::secrets::named::measured_lists;
use crate::secrets::named::{recovery_codes, wallet};
use crate::secrets::rules::vendor_context;
use crate::secrets::value::{identifiers, passphrase, password, placeholder};

/// A larger document is left out.
const DOCUMENT_BYTES_MAX: u64 = 1_000_000;

/// The lists whose entries are keywords: what is met is not seen, and a scanner has to be made.
fn keyword_lists() -> Vec<Listed> {
    vec![
        of_list("name keywords", crate::secrets::named::KEYWORDS),
        of_list("wallet keywords", wallet::KEYWORDS),
        of_list("recovery code keywords", recovery_codes::KEYWORDS),
    ]
}

fn lists() -> Vec<Listed> {
    let mut lists = measured_lists();
    lists.extend([
        of_bytes("context credential", &vendor_context::CREDENTIAL),
        of_bytes("context other", &vendor_context::OTHER),
        of_bytes("common passwords", &password::COMMON_PASSWORDS),
        of_text("before password placeholders", &password::BEFORE_PLACEHOLDER),
        of_bytes("password placeholders", &password::PLACEHOLDER_WORDS),
        of_text("placeholder", &placeholder::PLACEHOLDER_WORDS),
        of_bytes("identifier starts", &identifiers::STARTS),
        of_bytes("passphrase placeholders", &passphrase::PLACEHOLDER_WORDS),
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
