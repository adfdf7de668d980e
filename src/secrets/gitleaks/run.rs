//! Runs the rules and allow lists of a gitleaks configuration over one text.
//! Border: as gitleaks decides; the order and the overlaps are `engine`'s.

use std::ops::Range;

use aho_corasick::AhoCorasick;

use super::{ForeignAllow, ForeignRule, GitleaksConfig, Target};
use crate::secrets::engine::Hit;
use crate::secrets::evidence;
use crate::secrets::finding::{Confidence, Severity};

/// What an allow list looks at.
struct Seen<'a> {
    rule: &'a str,
    path: &'a str,
    secret: &'a [u8],
    whole: &'a [u8],
    line: &'a [u8],
}

impl GitleaksConfig {
    /// What its rules find.
    pub(crate) fn hits(&self, path: &str, text: &[u8]) -> Vec<Hit> {
        if self.rules.is_empty() {
            return Vec::new();
        }
        let named = self.named(text);
        let mut hits = Vec::new();
        let rules = self.rules.iter().zip(named);
        for (rule, named) in rules.filter(|(rule, _)| !self.disabled.contains(&rule.id)) {
            if named && rule.path.as_ref().is_none_or(|pattern| pattern.is_match(path.as_bytes())) {
                rule.hits(path, text, &mut hits);
            }
        }
        hits
    }

    /// Which rules may match: those with a keyword in the text, and those without keywords.
    fn named(&self, text: &[u8]) -> Vec<bool> {
        let mut named: Vec<bool> = self.rules.iter().map(|rule| rule.keywords.is_empty()).collect();
        let words = || self.rules.iter().flat_map(|rule| &rule.keywords);
        let owners: Vec<usize> = self
            .rules
            .iter()
            .enumerate()
            .flat_map(|(at, rule)| rule.keywords.iter().map(move |_| at))
            .collect();
        let automaton = self.keywords.get_or_init(|| {
            AhoCorasick::builder().ascii_case_insensitive(true).build(words()).ok()
        });
        match automaton {
            Some(automaton) => {
                automaton
                    .find_overlapping_iter(text)
                    .for_each(|hit| named[owners[hit.pattern().as_usize()]] = true);
            }
            None => named.fill(true),
        }
        named
    }

    /// Tells whether a global allow list accepts a hit of any rule, ours too.
    pub(crate) fn allows(&self, path: &str, text: &[u8], rule: &str, value: &Range<usize>) -> bool {
        let seen = seen(path, text, rule, value, value);
        self.disabled.iter().any(|id| id == rule)
            || self.allow.iter().any(|allow| allow.accepts(&seen))
    }

    /// Tells whether a global allow list passes by a whole commit.
    pub fn allows_commit(&self, commit: &str) -> bool {
        self.allow.iter().any(|allow| allow.commits.iter().any(|known| known == commit))
    }
}

fn holds(lower: &[u8], word: &str) -> bool {
    lower.windows(word.len().max(1)).any(|part| part == word.as_bytes())
}

fn seen<'a>(
    path: &'a str,
    text: &'a [u8],
    rule: &'a str,
    value: &Range<usize>,
    whole: &Range<usize>,
) -> Seen<'a> {
    let from = text[..whole.start].iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    let to =
        text[whole.end..].iter().position(|b| *b == b'\n').map_or(text.len(), |at| whole.end + at);
    Seen {
        rule,
        path,
        secret: &text[value.clone()],
        whole: &text[whole.clone()],
        line: &text[from..to],
    }
}

impl ForeignRule {
    fn hits(&self, path: &str, text: &[u8], hits: &mut Vec<Hit>) {
        let Some(regex) = &self.regex else {
            // A rule with a path alone is about the file; its first line stands for it.
            if self.path.is_some() && !text.is_empty() {
                let end = text.iter().position(|b| *b == b'\n').unwrap_or(text.len()).max(1);
                hits.push(self.hit(0..end.min(text.len())));
            }
            return;
        };
        for captures in regex.captures_iter(text) {
            let Some(whole) = captures.get(0) else { continue };
            // Without a number gitleaks takes the only group where there is exactly one.
            let group = match (self.group, captures.len()) {
                (0, 2) => 1,
                (group, _) => group,
            };
            let Some(value) = captures.get(group).or(Some(whole)).filter(|value| !value.is_empty())
            else {
                continue;
            };
            let value = value.range();
            let seen = seen(path, text, &self.id, &value, &whole.range());
            let random = self.entropy == 0.0 || evidence::entropy(seen.secret) > self.entropy;
            if random && !self.allow.iter().any(|allow| allow.accepts(&seen)) {
                hits.push(self.hit(value));
            }
        }
    }

    fn hit(&self, value: Range<usize>) -> Hit {
        Hit {
            rule: self.id.clone(),
            about: self.about.clone(),
            severity: Severity::High,
            confidence: Confidence::High,
            value,
            plain: None,
        }
    }
}

impl ForeignAllow {
    fn accepts(&self, seen: &Seen<'_>) -> bool {
        if !self.rules.is_empty() && !self.rules.iter().any(|rule| rule == seen.rule) {
            return false;
        }
        let target = match self.target {
            Target::Secret => seen.secret,
            Target::Match => seen.whole,
            Target::Line => seen.line,
        };
        let lower = seen.secret.to_ascii_lowercase();
        let checks = [
            (!self.regexes.is_empty(), self.regexes.iter().any(|regex| regex.is_match(target))),
            (
                !self.paths.is_empty(),
                self.paths.iter().any(|regex| regex.is_match(seen.path.as_bytes())),
            ),
            (!self.stopwords.is_empty(), self.stopwords.iter().any(|word| holds(&lower, word))),
        ];
        let mut asked = checks.iter().filter(|(asked, _)| *asked).peekable();
        if asked.peek().is_none() {
            return false;
        }
        if self.all { asked.all(|(_, met)| *met) } else { asked.any(|(_, met)| *met) }
    }
}
