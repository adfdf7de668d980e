//! Scans a text: keyword hits, patterns at the hits, proofs, then findings without values.
//! Border: one text at a time, in memory; which texts is for the callers.

use std::ops::Range;
use std::sync::OnceLock;

use super::check::Verdict;
use super::evidence;
use super::finding::{Confidence, Finding, Lines, Severity, excerpt, fingerprint};
use super::keywords::{Keywords, Trigger};
use super::rule::Rule;
use super::ruleset::Ruleset;

/// A set of rules ready to scan.
#[derive(Debug)]
pub struct Scanner {
    rules: Vec<Rule>,
    keywords: Keywords,
    key: Vec<u8>,
}

/// A value found, still as a place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) rule: String,
    pub(crate) about: String,
    pub(crate) severity: Severity,
    pub(crate) confidence: Confidence,
    pub(crate) value: Range<usize>,
}

impl Scanner {
    /// The scanner with the built-in rules, built once per process.
    pub fn builtin() -> &'static Self {
        static SCANNER: OnceLock<Scanner> = OnceLock::new();
        SCANNER.get_or_init(|| Self::new(Ruleset::builtin()))
    }

    /// A scanner with exactly these rules.
    pub fn new(set: Ruleset) -> Self {
        let entries = set.rules.iter().enumerate().flat_map(|(at, rule)| {
            rule.spec.keywords.iter().map(move |word| (word.clone(), Trigger::Rule(at)))
        });
        let keywords = Keywords::new(entries);
        Self { rules: set.rules, keywords, key: Vec::new() }
    }

    /// Finds credentials in one text. `path` is where it stands, for rules that care.
    ///
    /// Findings are in the order of the text and do not overlap.
    pub fn scan(&self, path: &str, content: &[u8]) -> Vec<Finding> {
        let _ = path;
        let mut hits = Vec::new();
        for (at, trigger) in self.keywords.hits(content) {
            let Trigger::Rule(rule) = trigger;
            hits.extend(self.rules[rule].hit(content, at));
        }
        self.findings(content, hits)
    }

    /// Drops what overlaps a better hit, and turns the rest into findings.
    fn findings(&self, content: &[u8], mut hits: Vec<Hit>) -> Vec<Finding> {
        // The surest first, then the longest; what they cover is theirs.
        hits.sort_by(|a, b| {
            let key =
                |hit: &Hit| (std::cmp::Reverse(hit.confidence), std::cmp::Reverse(hit.value.len()));
            key(a).cmp(&key(b)).then(a.value.start.cmp(&b.value.start)).then(a.rule.cmp(&b.rule))
        });
        let mut kept: Vec<Hit> = Vec::new();
        for hit in hits {
            let covered = |other: &Hit| {
                hit.value.start < other.value.end && other.value.start < hit.value.end
            };
            if !kept.iter().any(covered) {
                kept.push(hit);
            }
        }
        kept.sort_by_key(|hit| hit.value.start);
        let ranges: Vec<Range<usize>> = kept.iter().map(|hit| hit.value.clone()).collect();
        let mut lines = Lines::new(content);
        let finding = |hit: Hit| Finding {
            start: lines.position(hit.value.start),
            end: lines.position(hit.value.end),
            fingerprint: fingerprint(&self.key, &content[hit.value.clone()]),
            excerpt: excerpt(content, &hit.value, &ranges),
            rule: hit.rule,
            severity: hit.severity,
            confidence: hit.confidence,
            message: hit.about,
            bytes: hit.value,
        };
        kept.into_iter().map(finding).collect()
    }
}

impl Rule {
    /// Tells whether this rule alone finds anything in a text.
    pub(crate) fn finds_in(&self, text: &[u8]) -> bool {
        let entries = self.spec.keywords.iter().map(|word| (word.clone(), Trigger::Rule(0)));
        Keywords::new(entries).hits(text).any(|(at, _)| self.hit(text, at).is_some())
    }

    /// The value this rule sees at a keyword, if it is one.
    pub(crate) fn hit(&self, text: &[u8], keyword: Range<usize>) -> Option<Hit> {
        let from = keyword.start.saturating_sub(self.spec.lead);
        let to = text.len().min(keyword.end + self.window());
        let captures = self.regex()?.captures_iter(&text[from..to]).find(|found| {
            found.get(0).is_some_and(|m| {
                let (start, end) = (from + m.start(), from + m.end());
                end > keyword.start && start < keyword.end
            })
        })?;
        let (whole, value) = (captures.get(0)?, captures.name("v").or_else(|| captures.get(0))?);
        let whole = from + whole.start()..from + whole.end();
        let value = from + value.start()..from + value.end();
        let stands_alone = starts_word(text, whole.start) && ends_word(text, value.end);
        if !(self.spec.inside || stands_alone) {
            return None;
        }
        let confidence = self.judge(&text[value.clone()], keyword.len())?;
        Some(Hit {
            rule: self.spec.id.clone(),
            about: self.spec.about.clone(),
            severity: self.spec.severity,
            confidence,
            value,
        })
    }

    /// How sure the value's own structure makes us; `None` where it is no value.
    fn judge(&self, value: &[u8], prefix: usize) -> Option<Confidence> {
        let verdicts = self.checks.iter().map(|check| check.verdict(value));
        let (worst, best) = verdicts
            .fold((Verdict::Proven, Verdict::Plausible), |(worst, best), v| {
                (worst.min(v), best.max(v))
            });
        if worst == Verdict::Reject && !self.checks.is_empty() {
            return None;
        }
        if best == Verdict::Proven {
            return Some(Confidence::Proven);
        }
        let body = &value[prefix.min(value.len() / 2)..];
        if evidence::entropy(value) < self.spec.entropy || evidence::is_placeholder(body) {
            return None;
        }
        Some(Confidence::High)
    }
}

/// Tells that a token may start here: no letter or digit before it, but for an escape (`\n`).
pub(crate) fn starts_word(text: &[u8], at: usize) -> bool {
    match text[..at] {
        [.., b'\\', b'n' | b't' | b'r'] => true,
        [.., b] => !b.is_ascii_alphanumeric(),
        [] => true,
    }
}

/// Tells that a token may end here. Any punctuation ends it; only what continues a word does not.
pub(crate) fn ends_word(text: &[u8], at: usize) -> bool {
    match text[at..] {
        [b'-' | b'+', next, ..] => !next.is_ascii_alphanumeric(),
        [b, ..] => !b.is_ascii_alphanumeric() && b != b'_',
        [] => true,
    }
}
