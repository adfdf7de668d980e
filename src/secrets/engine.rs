//! Scans a text: keyword hits, patterns at the hits, proofs, then findings without values.
//! Border: one text at a time, in memory; which texts is for the callers.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use super::allowlist;
use super::assign;
use super::check::Verdict;
use super::decode;
use super::disguise;
use super::evidence;
use super::finding::{Confidence, Finding, Lines, Masked, Severity, fingerprint};
use super::gitleaks::GitleaksConfig;
use super::keywords::{Case, Keywords, Trigger};
use super::kubernetes;
use super::placeholder;
use super::published;
use super::rule::Rule;
use super::ruleset::Ruleset;

/// A set of rules ready to scan.
#[derive(Debug)]
pub struct Scanner {
    rules: Vec<Rule>,
    keywords: Keywords,
    key: Vec<u8>,
    foreign: Option<GitleaksConfig>,
}

/// A shorter keyword is no mark of a vendor.
const MARK_BYTES_MIN: usize = 3;
/// A value this long is reported whatever mark it begins with.
const UNMARKED_BYTES_MIN: usize = 48;

/// A value found, still as a place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) rule: String,
    pub(crate) about: String,
    pub(crate) severity: Severity,
    pub(crate) confidence: Confidence,
    pub(crate) value: Range<usize>,
    /// The value in plain where the text holds it in disguise; for the fingerprint only.
    pub(crate) plain: Option<Vec<u8>>,
}

/// Why something that was looked at is no finding. Later ones came closer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Refusal {
    /// The pattern does not match at the keyword.
    Pattern,
    /// It is part of a longer word.
    Boundary,
    /// The words around do not link it.
    Context,
    /// A structure test says it cannot be one.
    Structure,
    /// It is made of words.
    Words,
    /// It does not vary enough.
    Entropy,
    /// It stands for a value.
    Placeholder,
}

impl Scanner {
    /// The scanner with the built-in rules, built once per process.
    pub fn builtin() -> &'static Self {
        static SCANNER: OnceLock<Scanner> = OnceLock::new();
        SCANNER.get_or_init(|| Self::new(Ruleset::builtin()))
    }

    /// A scanner with exactly these rules.
    pub fn new(set: Ruleset) -> Self {
        let rules = set.rules.iter().enumerate();
        let entries = rules.flat_map(|(at, rule)| rule.words(Trigger::Rule(at), Trigger::Near(at)));
        let fixed = |words: &'static [&str], trigger| {
            words.iter().map(move |word| (Cow::Borrowed(*word), Case::Any, trigger))
        };
        let names = fixed(assign::KEYWORDS, Trigger::Name);
        let secrets = fixed(kubernetes::KEYWORDS, Trigger::Kubernetes);
        let keywords = Keywords::new(entries.chain(names).chain(secrets));
        Self { rules: set.rules, keywords, key: Vec::new(), foreign: None }
    }

    /// Adds the rules and allow lists of a gitleaks configuration.
    pub fn with_gitleaks(mut self, config: GitleaksConfig) -> Self {
        self.foreign = Some(config);
        self
    }

    /// Keys the fingerprints, so that those of weak values cannot be looked up in a table.
    pub fn with_key(mut self, key: impl Into<Vec<u8>>) -> Self {
        self.key = key.into();
        self
    }

    /// Finds credentials in one text. `path` is where it stands, for rules that care.
    ///
    /// Findings are in the order of the text and do not overlap.
    pub fn scan(&self, path: &str, content: &[u8]) -> Vec<Finding> {
        let mut hits = self.hits(content, &mut |_, _| ());
        if let Some(foreign) = &self.foreign {
            let added = foreign.hits(path, content).into_iter();
            hits.extend(added.filter(|hit| !allowlist::is_allowed_inline(content, &hit.value)));
            hits.retain(|hit| !foreign.allows(path, content, &hit.rule, &hit.value));
        }
        self.findings(content, hits)
    }

    /// Says what was looked at in a text and why it is no finding; for measuring and for people
    /// who write rules.
    pub fn explain(&self, path: &str, content: &[u8]) -> Vec<String> {
        let _ = path;
        let mut reasons = Vec::new();
        self.hits(content, &mut |rule, refusal| {
            let reason = format!("{rule}: {refusal:?}");
            if refusal > Refusal::Boundary && !reasons.contains(&reason) {
                reasons.push(reason);
            }
        });
        reasons
    }

    fn hits(&self, content: &[u8], refused: &mut dyn FnMut(&str, Refusal)) -> Vec<Hit> {
        let mut hits = self.plain_hits(content, refused);
        for plain in disguise::plain_lines(content) {
            hits.extend(self.plain_hits(&plain.text, refused).into_iter().map(|hit| Hit {
                plain: Some(plain.text[hit.value.clone()].to_vec()),
                value: plain.original(&hit.value),
                ..hit
            }));
        }
        hits.extend(self.decoded_hits(content, 1));
        hits.retain(|hit| {
            let value = hit.plain.as_deref().unwrap_or(&content[hit.value.clone()]);
            !published::is_published(value) && !allowlist::is_allowed_inline(content, &hit.value)
        });
        hits
    }

    /// What encoded runs hold. Only values with a mark or structure of their own count there.
    fn decoded_hits(&self, content: &[u8], depth: usize) -> Vec<Hit> {
        let mut hits = Vec::new();
        for decoded in decode::runs(content) {
            let mut inner = self.plain_hits(&decoded.text, &mut |_, _| ());
            if depth < decode::DEPTH_MAX {
                inner.extend(self.decoded_hits(&decoded.text, depth + 1));
            }
            hits.extend(inner.into_iter().filter(|hit| hit.confidence > Confidence::Medium).map(
                |hit| Hit {
                    plain: Some(
                        hit.plain.unwrap_or_else(|| decoded.text[hit.value.clone()].to_vec()),
                    ),
                    value: decoded.run.clone(),
                    ..hit
                },
            ));
        }
        hits
    }

    fn plain_hits(&self, content: &[u8], refused: &mut dyn FnMut(&str, Refusal)) -> Vec<Hit> {
        let mut hits: Vec<Hit> = Vec::new();
        let mut half_marked = Vec::new();
        let mut named_to = 0;
        self.keywords.hits(content, &mut |at, trigger| {
            let (rule, result) = match trigger {
                Trigger::Rule(rule) => {
                    let result = self.rules[rule].hit(content, at.clone());
                    if result.is_err() && is_mark(&content[at.clone()]) {
                        half_marked.push(at.start);
                    }
                    (&*self.rules[rule].spec.id, result)
                }
                Trigger::Near(rule) => {
                    (&*self.rules[rule].spec.id, self.rules[rule].hit_near(content, at))
                }
                // The name that the last keyword was part of is done.
                Trigger::Name if at.start < named_to => return,
                Trigger::Name => {
                    let (end, result) = assign::hit(content, at);
                    named_to = end;
                    ("generic", result)
                }
                Trigger::Kubernetes => ("kubernetes-secret", kubernetes_hit(content, &at)),
            };
            match result {
                Ok(hit) => hits.push(hit),
                Err(refusal) => refused(rule, refusal),
            }
        });
        // A vendor's mark on a value that is not of the vendor's form: a sample, cut or mistyped.
        hits.retain(|hit| {
            let short =
                hit.value.len() < UNMARKED_BYTES_MIN && hit.confidence == Confidence::Medium;
            !(short && half_marked.contains(&hit.value.start))
        });
        hits
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
        let mut masked = Masked::default();
        for hit in &kept {
            masked.add(hit.value.clone());
            masked.add_value(&content[hit.value.clone()]);
            masked.add_value(hit.plain.as_deref().unwrap_or_default());
        }
        let mut lines = Lines::new(content);
        let finding = |hit: Hit| Finding {
            start: lines.position(hit.value.start),
            end: lines.position(hit.value.end),
            fingerprint: fingerprint(
                &self.key,
                hit.plain.as_deref().unwrap_or(&content[hit.value.clone()]),
            ),
            excerpt: masked.excerpt(content, &hit.value),
            rule: hit.rule,
            severity: hit.severity,
            confidence: hit.confidence,
            message: hit.about,
            bytes: hit.value,
        };
        kept.into_iter().map(finding).collect()
    }
}

/// The value in a Kubernetes secret.
fn kubernetes_hit(content: &[u8], keyword: &Range<usize>) -> Result<Hit, Refusal> {
    let value = kubernetes::value(content, keyword).ok_or(Refusal::Pattern)?;
    Ok(Hit {
        rule: "kubernetes-secret".to_owned(),
        about: "value in a Kubernetes secret".to_owned(),
        severity: Severity::High,
        confidence: Confidence::High,
        value,
        plain: None,
    })
}

impl Rule {
    /// The words that lead to this rule, each with the trigger of its kind.
    fn words(
        &self,
        rule: Trigger,
        near: Trigger,
    ) -> impl Iterator<Item = (Cow<'static, str>, Case, Trigger)> {
        let case = self.case();
        let marks = self.spec.keywords.iter().map(move |word| (word.clone(), case, rule));
        marks.chain(self.spec.near.iter().map(move |word| (word.clone(), case, near)))
    }

    /// Tells whether this rule alone finds anything in a text.
    pub(crate) fn finds_in(&self, text: &[u8]) -> bool {
        let keywords = Keywords::new(self.words(Trigger::Rule(0), Trigger::Near(0)));
        let mut found = false;
        keywords.hits(text, &mut |at, trigger| {
            found |= match trigger {
                Trigger::Near(_) => self.hit_near(text, at).is_ok(),
                _ => self.hit(text, at).is_ok(),
            };
        });
        found
    }

    /// The value this rule sees at a keyword, if it is one.
    pub(crate) fn hit(&self, text: &[u8], keyword: Range<usize>) -> Result<Hit, Refusal> {
        if self.begins_at_keyword() && !self.spec.inside && !starts_word(text, keyword.start) {
            return Err(Refusal::Boundary);
        }
        let from = keyword.start.saturating_sub(self.spec.lead);
        let to = text.len().min(keyword.end + self.window());
        let possible = match self.begins_at_keyword() {
            true => self.outline().may_begin(&text[from..to]),
            false => self.outline().may_hold(&text[from..to]),
        };
        if !possible {
            return self.hit_joined(text, &keyword);
        }
        let regex = self.regex().ok_or(Refusal::Pattern)?;
        let captures = regex.captures_iter(&text[from..to]).find(|found| {
            found.get(0).is_some_and(|m| {
                let (start, end) = (from + m.start(), from + m.end());
                end > keyword.start && start < keyword.end
            })
        });
        let Some(captures) = captures else { return self.hit_joined(text, &keyword) };
        let whole = captures.get(0).ok_or(Refusal::Pattern)?;
        let value = captures.name("v").unwrap_or(whole);
        let start = from + whole.start();
        let value = from + value.start()..from + value.end();
        let stands_alone = starts_word(text, start) && ends_word(text, value.end);
        if !(self.spec.inside || stands_alone) {
            return Err(Refusal::Boundary);
        }
        let confidence = self.judge(&text[value.clone()], keyword.len())?;
        Ok(self.found(value, confidence))
    }

    /// The value where line ends, emphasis or string joints interrupt it. Only behind a mark that
    /// starts the value, and only if the value goes beyond the first break.
    fn hit_joined(&self, text: &[u8], keyword: &Range<usize>) -> Result<Hit, Refusal> {
        let whole = self.spec.lead == 0 && keyword.len() >= MARK_BYTES_MIN && !self.spec.inside;
        if !whole || !starts_word(text, keyword.start) {
            return Err(Refusal::Pattern);
        }
        let plain = disguise::joined(text, keyword.start).ok_or(Refusal::Pattern)?;
        if !self.outline().may_begin(&plain.text) {
            return Err(Refusal::Pattern);
        }
        let found =
            self.regex().and_then(|regex| regex.find(&plain.text)).ok_or(Refusal::Pattern)?;
        if !ends_word(&plain.text, found.end()) || !evidence::is_mixed(found.as_bytes()) {
            return Err(Refusal::Boundary);
        }
        let confidence = self.judge(found.as_bytes(), keyword.len())?;
        let value = plain.original(&found.range());
        Ok(Hit { plain: Some(found.as_bytes().to_vec()), ..self.found(value, confidence) })
    }

    /// A hit of this rule.
    pub(crate) fn found(&self, value: Range<usize>, confidence: Confidence) -> Hit {
        Hit {
            rule: self.spec.id.to_string(),
            about: self.spec.about.to_string(),
            severity: self.spec.severity,
            confidence,
            value,
            plain: None,
        }
    }

    /// How sure the value's own structure makes us.
    fn judge(&self, value: &[u8], prefix: usize) -> Result<Confidence, Refusal> {
        let verdicts = self.checks.iter().map(|check| check.verdict(value));
        let (worst, best) = verdicts
            .fold((Verdict::Proven, Verdict::Plausible), |(worst, best), v| {
                (worst.min(v), best.max(v))
            });
        if worst == Verdict::Reject {
            return Err(Refusal::Structure);
        }
        if best == Verdict::Proven {
            return Ok(Confidence::Proven);
        }
        let body = &value[prefix.min(value.len() / 2)..];
        if evidence::entropy(value) < self.spec.entropy {
            return Err(Refusal::Entropy);
        }
        if placeholder::is_placeholder(body) {
            return Err(Refusal::Placeholder);
        }
        Ok(Confidence::High)
    }
}

/// Tells that a keyword is a vendor's mark at the start of its tokens (`ghp_`, `sk-ant-`).
fn is_mark(keyword: &[u8]) -> bool {
    keyword.len() >= MARK_BYTES_MIN
        && keyword.last().is_some_and(|b| matches!(b, b'_' | b'-' | b'.'))
}

/// Tells that a token may start here: no letter or digit before it, but for an escape (`\n`).
pub(crate) fn starts_word(text: &[u8], at: usize) -> bool {
    if text.get(at).is_some_and(|b| !b.is_ascii_alphanumeric()) {
        return true;
    }
    match text[..at] {
        [.., b'\\', b'n' | b't' | b'r'] => true,
        [.., b] => !b.is_ascii_alphanumeric(),
        [] => true,
    }
}

/// Tells that a token may end here. Any punctuation ends it; only what continues a word does not.
pub(crate) fn ends_word(text: &[u8], at: usize) -> bool {
    match text[at..] {
        // A masked rest (`-####`) means that the front is no value either.
        [b'-', b'#' | b'*', ..] | [b'#', b'#', b'#', ..] => false,
        [b'-' | b'+', next, ..] => !next.is_ascii_alphanumeric(),
        [b, ..] => !b.is_ascii_alphanumeric() && b != b'_',
        [] => true,
    }
}
