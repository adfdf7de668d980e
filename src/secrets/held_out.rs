//! Measures the scanner on the held-out set below `tests/held-out/`, which no rule is written for.
//! Border: assembles and counts; prints figures, never a text, so that nobody tunes on one.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::secrets::rules::sample;
use crate::secrets::scanner::Scanner;

/// Least share of credentials found, in percent.
const FOUND_MIN: f64 = 85.0;
/// Most look-alikes flagged, in percent.
const FLAGGED_MAX: f64 = 12.0;

/// How many sentences each value stands in, and how often each other text is drawn.
const DRAWN: u64 = 3;

/// One text of the set.
pub(crate) struct Text {
    /// What it is a text of.
    pub(crate) kind: String,
    pub(crate) text: String,
    /// Where the credential stands; empty where any place will do, `None` in a look-alike.
    pub(crate) value: Option<Range<usize>>,
}

/// The whole set, the same every time.
pub(crate) fn texts() -> Vec<Text> {
    let sentences = Sentences::read();
    let mut texts = Vec::new();
    for (name, spoken, value) in columns(include_str!("../../tests/held-out/marked.txt")) {
        sentences.with(&["any", "marked"], name, spoken, value, "marked", &mut texts);
    }
    for (name, spoken, value) in columns(include_str!("../../tests/held-out/named.txt")) {
        sentences.with(&["any", "named"], name, spoken, value, "named", &mut texts);
    }
    sentences.with_passwords(&mut texts);
    for (kind, template) in lines(include_str!("../../tests/held-out/whole.txt")) {
        texts.extend((0..DRAWN).map(|n| whole(kind, template, n, Some(0..0))));
    }
    for (kind, template) in lines(include_str!("../../tests/held-out/look-alikes.txt")) {
        let drawn = if template.contains(':') && template.contains('{') { DRAWN } else { 1 };
        texts.extend((0..drawn).map(|n| whole(kind, template, n, None)));
    }
    texts
}

fn lines(file: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    file.lines().map(|line| line.split_once(" | ").expect("because each line has a kind"))
}

fn columns(file: &'static str) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    lines(file).map(|(name, rest)| {
        let (spoken, value) = rest.split_once(" | ").expect("because each value has a name");
        (name, spoken, value)
    })
}

fn whole(kind: &str, template: &str, number: u64, value: Option<Range<usize>>) -> Text {
    let text = sample::variant(&unescaped(template), number)
        .unwrap_or_else(|| panic!("no generator: {template}"));
    let group = if value.is_some() { "whole" } else { "look-alike" };
    Text { kind: format!("{group} {kind}"), text, value }
}

fn unescaped(template: &str) -> String {
    template.replace("\\n", "\n").replace("\\|", "|")
}

/// What stands before and behind a value while its text is assembled.
const MARKS: [char; 2] = ['\u{E000}', '\u{E001}'];

/// Sentences by the values they are for.
struct Sentences(Vec<(&'static str, &'static str)>);

impl Sentences {
    fn read() -> Self {
        let lines = include_str!("../../tests/held-out/sentences.txt").lines();
        let split = |line: &'static str| line.split_once(' ').expect("because each has a group");
        Self(lines.map(split).collect())
    }

    /// Puts a value into some of the sentences of the groups.
    fn with(
        &self,
        groups: &[&str],
        name: &str,
        spoken: &str,
        value: &str,
        kind: &str,
        texts: &mut Vec<Text>,
    ) {
        let fit: Vec<_> = self.0.iter().filter(|(group, _)| groups.contains(group)).collect();
        let start = name.bytes().fold(7_usize, |sum, b| sum * 31 % 9973 + usize::from(b));
        for turn in 0..DRAWN {
            let at = (start + turn as usize * (fit.len() / DRAWN as usize)) % fit.len();
            texts.push(sentence(fit[at].1, spoken, value, turn, kind));
        }
    }

    /// Every sentence about passwords with some passwords.
    fn with_passwords(&self, texts: &mut Vec<Text>) {
        let names = ["DB password", "admin password", "VPN password", "SMTP password"];
        let passwords: Vec<_> =
            include_str!("../../tests/held-out/passwords.txt").lines().collect();
        for (at, (_, said)) in self.0.iter().filter(|(group, _)| *group == "password").enumerate() {
            for turn in 0..DRAWN {
                let value = passwords[(at * 7 + turn as usize * 11) % passwords.len()];
                texts.push(sentence(said, names[at % names.len()], value, turn, "password"));
            }
        }
        for (at, value) in passwords.iter().enumerate() {
            self.with(&["any"], value, names[at % names.len()], value, "password", texts);
        }
    }
}

fn sentence(said: &str, spoken: &str, value: &str, number: u64, kind: &str) -> Text {
    let words = || spoken.split_ascii_whitespace();
    let snake = words().collect::<Vec<_>>().join("_").to_lowercase().replace(['.', '&', '-'], "");
    let camel: String = words()
        .enumerate()
        .map(|(at, word)| match at {
            0 => word.to_lowercase(),
            _ => format!("{}{}", word[..1].to_uppercase(), word[1..].to_lowercase()),
        })
        .collect();
    let [open, close] = MARKS;
    let template = unescaped(said)
        .replace("{P}", spoken)
        .replace("{I}", &snake)
        .replace("{E}", &snake.to_uppercase())
        .replace("{C}", &camel)
        .replace("{S}", &format!("{open}{value}{close}"));
    let text = sample::variant(&template, number).unwrap_or_else(|| panic!("{template}"));
    let start = text.find(open).expect("because each sentence has a value");
    let end = text.find(close).expect("because each sentence has a value") - open.len_utf8();
    Text { kind: kind.to_owned(), text: text.replace(MARKS, ""), value: Some(start..end) }
}

/// Tells whether the scanner reports the credential of a text, or anything in a look-alike.
pub(crate) fn is_reported(text: &Text) -> bool {
    let findings = Scanner::builtin().scan("memory.md", text.text.as_bytes());
    let over = |at: &Range<usize>, value: &Range<usize>| {
        value.is_empty() || at.start < value.end && value.start < at.end
    };
    match &text.value {
        Some(value) => findings.iter().any(|finding| over(&finding.bytes, value)),
        None => !findings.is_empty(),
    }
}

fn share(part: usize, all: usize) -> f64 {
    100.0 * part as f64 / all.max(1) as f64
}

#[test]
fn the_bars_hold_on_a_set_that_no_rule_was_written_for() {
    let mut counts: BTreeMap<(bool, String), (usize, usize)> = BTreeMap::new();
    for text in texts() {
        let reported = usize::from(is_reported(&text));
        for kind in ["all".to_owned(), text.kind.clone()] {
            let count = counts.entry((text.value.is_some(), kind)).or_default();
            count.0 += reported;
            count.1 += 1;
        }
    }
    let figures: Vec<String> = counts
        .iter()
        .map(|((secret, kind), (part, all))| {
            let word = if *secret { "found" } else { "flagged" };
            format!("{word:<8} {kind:<24} {part:>5} of {all:>5} {:6.1} %", share(*part, *all))
        })
        .collect();
    let figures = figures.join("\n");
    let total = |secret: bool| counts[&(secret, "all".to_owned())];
    let (found, flagged) = (total(true), total(false));
    assert!(found.1 > 1_000 && flagged.1 > 400, "the set is as large as it was\n{figures}");
    assert!(share(found.0, found.1) >= FOUND_MIN, "\n{figures}");
    assert!(share(flagged.0, flagged.1) <= FLAGGED_MAX, "\n{figures}");
}
