//! Measures the secret scanner on labelled texts: recall, look-alikes flagged, precision, misses.
//! Border: reads JSON lines or a folder of documents and prints; changes nothing.
//!
//! `cargo run --release --example secret_eval -- FILE.jsonl [--show-missed] [--show-flagged]`
//! `cargo run --release --example secret_eval -- --docs FOLDER…` counts flagged documents.
#![expect(clippy::print_stdout, reason = "an example prints its result")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use memsync::secrets::{Finding, Scanner};
use serde::Deserialize;

/// One labelled text.
#[derive(Deserialize)]
struct Case {
    id: String,
    source: String,
    #[serde(default)]
    group: String,
    rule: String,
    text: String,
    secret: bool,
    #[serde(default)]
    expected_match: Option<String>,
}

/// Which cases are listed.
struct Shown {
    missed: bool,
    flagged: bool,
}

#[derive(Default)]
struct Score {
    secrets: usize,
    found: usize,
    look_alikes: usize,
    flagged: usize,
}

impl Score {
    fn add(&mut self, case: &Case, reported: bool) {
        if case.secret {
            self.secrets += 1;
            self.found += usize::from(reported);
        } else {
            self.look_alikes += 1;
            self.flagged += usize::from(reported);
        }
    }

    fn line(&self, name: &str) -> String {
        let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        format!(
            "{name:<28} recall {:6.2} % ({}/{})   look-alikes flagged {:5.2} % ({}/{})   precision {:6.2} %",
            share(self.found, self.secrets),
            self.found,
            self.secrets,
            share(self.flagged, self.look_alikes),
            self.flagged,
            self.look_alikes,
            share(self.found, self.found + self.flagged),
        )
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|a| a == name);
    let files: Vec<&String> = arguments.iter().filter(|a| !a.starts_with("--")).collect();
    if has("--docs") {
        return docs(&files, has("--show-flagged"));
    }
    let shown = Shown { missed: has("--show-missed"), flagged: has("--show-flagged") };
    for file in files {
        evaluate(Path::new(file), &shown)?;
    }
    Ok(())
}

fn evaluate(file: &Path, shown: &Shown) -> Result<(), Box<dyn std::error::Error>> {
    let text = std::fs::read_to_string(file)?;
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    let mut kinds: BTreeMap<(String, String), Score> = BTreeMap::new();
    for line in text.lines() {
        let case: Case = serde_json::from_str(line)?;
        let findings = Scanner::builtin().scan("case.md", case.text.as_bytes());
        let reported = !findings.is_empty();
        let memory = case.source == "generated-memory";
        let total = if memory { "memories" } else { "rule tests" };
        for name in [total.to_owned(), format!("  {}", case.source), format!("    {}", case.group)]
        {
            if !name.trim().is_empty() {
                scores.entry(name).or_default().add(&case, reported);
            }
        }
        let kind = (case.source.clone(), case.rule.clone());
        kinds.entry(kind).or_default().add(&case, reported);
        show(&case, &findings, shown);
    }
    println!();
    for (name, score) in &scores {
        println!("{}", score.line(name));
    }
    println!("\nkinds with misses:");
    for ((source, kind), score) in kinds.iter().filter(|(_, s)| s.found < s.secrets) {
        println!("  {source:<24} {kind:<44} {}/{}", score.found, score.secrets);
    }
    Ok(())
}

fn show(case: &Case, findings: &[Finding], shown: &Shown) {
    if case.secret && findings.is_empty() && shown.missed {
        let why = Scanner::builtin().explain("case.md", case.text.as_bytes());
        let why =
            if why.is_empty() { "no rule saw a candidate".to_owned() } else { why.join("; ") };
        let text = around(&case.text, case.expected_match.as_deref());
        println!("MISSED  {}\n        {text:?}\n        {why}", case.id);
    }
    if !case.secret && !findings.is_empty() && shown.flagged {
        for finding in findings {
            println!("FLAGGED {}  {}  {:?}", case.id, finding.rule, around(&case.text, None));
        }
    }
}

/// The part of a text that matters, short enough for one line.
fn around(text: &str, value: Option<&str>) -> String {
    let at = value.and_then(|value| text.find(value)).unwrap_or(0);
    let from = text.floor_char_boundary(at.saturating_sub(90));
    let to = text.floor_char_boundary((at + 140).min(text.len()));
    text[from..to].to_owned()
}

/// Counts documents with findings below folders.
fn docs(folders: &[&String], show: bool) -> Result<(), Box<dyn std::error::Error>> {
    let (mut files, mut bytes, mut flagged) = (0_usize, 0_usize, 0_usize);
    let mut rules: BTreeMap<String, usize> = BTreeMap::new();
    for folder in folders {
        for entry in walkdir::WalkDir::new(folder).into_iter().filter_map(Result::ok) {
            let path: PathBuf = entry.into_path();
            let name = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
            if !matches!(name, "md" | "markdown" | "adoc" | "rst" | "mdx") || !path.is_file() {
                continue;
            }
            let Ok(content) = std::fs::read(&path) else { continue };
            files += 1;
            bytes += content.len();
            let findings = Scanner::builtin().scan(&path.to_string_lossy(), &content);
            flagged += usize::from(!findings.is_empty());
            for finding in findings {
                *rules.entry(finding.rule.clone()).or_default() += 1;
                if show {
                    let value =
                        String::from_utf8_lossy(&content[finding.bytes.clone()]).into_owned();
                    println!(
                        "{}:{} {} {} «{value}»",
                        path.display(),
                        finding.start.line,
                        finding.rule,
                        finding.excerpt
                    );
                }
            }
        }
    }
    println!("{flagged} of {files} documents flagged ({bytes} bytes): {rules:?}");
    Ok(())
}
