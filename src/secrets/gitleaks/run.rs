//! Runs the rules and allow lists of a gitleaks configuration over one text.
//! Border: as gitleaks decides; the order and the overlaps are `scanner`'s.

use std::ops::Range;

use aho_corasick::AhoCorasick;

use super::config::{ForeignAllow, ForeignRule, GitleaksConfig, Target};
use crate::secrets::finding::hit::Hit;
use crate::secrets::finding::{Confidence, Severity};
use crate::secrets::value::randomness;

/// What an allow list looks at.
struct Seen<'a> {
    rule: &'a str,
    path: &'a str,
    commit: Option<&'a str>,
    secret: &'a [u8],
    whole: &'a [u8],
    line: &'a [u8],
}

impl GitleaksConfig {
    /// What its rules find.
    pub(crate) fn hits(&self, path: &str, commit: Option<&str>, text: &[u8]) -> Vec<Hit> {
        if self.rules.is_empty() {
            return Vec::new();
        }
        let named = self.named(text);
        let mut hits = Vec::new();
        let rules = self.rules.iter().zip(named);
        let reports = |rule: &ForeignRule| !rule.is_helper && !self.disabled.contains(&rule.id);
        for (rule, named) in rules.filter(|(rule, _)| reports(rule)) {
            if named && rule.path.as_ref().is_none_or(|pattern| pattern.is_match(path.as_bytes())) {
                rule.hits((path, commit), text, &mut hits);
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
    pub(crate) fn allows(
        &self,
        at: (&str, Option<&str>),
        text: &[u8],
        rule: &str,
        value: &Range<usize>,
    ) -> bool {
        let seen = seen(at, text, rule, value, value);
        self.disabled.iter().any(|id| id == rule)
            || self.allow.iter().any(|allow| allow.accepts(&seen))
    }

    /// Every allow list, of all rules and of one.
    fn allow_lists(&self) -> impl Iterator<Item = &ForeignAllow> {
        self.allow.iter().chain(self.rules.iter().flat_map(|rule| &rule.allow))
    }

    /// The commits that some allow list names.
    pub(crate) fn commits(&self) -> impl Iterator<Item = &str> {
        self.allow_lists().flat_map(|allow| allow.commits.iter().map(String::as_str))
    }

    /// Whether what is found in a text depends on its path.
    pub(crate) fn looks_at_paths(&self) -> bool {
        self.rules.iter().any(|rule| rule.path.is_some())
            || self.allow_lists().any(|allow| !allow.paths.is_empty())
    }
}

fn holds(lower: &[u8], word: &str) -> bool {
    lower.windows(word.len().max(1)).any(|part| part == word.as_bytes())
}

fn seen<'a>(
    (path, commit): (&'a str, Option<&'a str>),
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
        commit,
        secret: &text[value.clone()],
        whole: &text[whole.clone()],
        line: &text[from..to],
    }
}

impl ForeignRule {
    fn hits(&self, at: (&str, Option<&str>), text: &[u8], hits: &mut Vec<Hit>) {
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
            let seen = seen(at, text, &self.id, &value, &whole.range());
            let random = self.entropy == 0.0 || randomness::entropy(seen.secret) > self.entropy;
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
            (
                !self.commits.is_empty(),
                seen.commit.is_some_and(|commit| self.commits.iter().any(|known| known == commit)),
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

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "0123456789012345678901234567890123456789";
    const OTHER: &str = "abcdefabcdefabcdefabcdefabcdefabcdefabcd";

    /// Whether a list accepts a value at a path and commit.
    fn accepts(list: &str, path: &str, commit: Option<&str>) -> bool {
        let config = GitleaksConfig::parse("g.toml", &format!("[[allowlists]]\n{list}")).unwrap();
        config.allows((path, commit), b"a value", "rule", &(2..7))
    }

    #[test]
    fn commits_of_an_allow_list_count_with_or_and_with_and() {
        let commits = format!("commits = ['{}']\n", COMMIT.to_uppercase());
        let with_path = format!("{commits}paths = ['^fixtures/']\n");
        let all = format!("condition = 'AND'\n{with_path}");
        let with_word = format!("condition = 'AND'\n{commits}stopwords = ['value']\n");
        let other_word = format!("condition = 'AND'\n{commits}stopwords = ['none']\n");
        for (list, path, commit, accepted) in [
            (&commits, "a", Some(COMMIT), true),
            (&commits, "a", Some(OTHER), false),
            (&commits, "a", None, false),
            (&with_path, "a", Some(COMMIT), true),
            (&with_path, "fixtures/a", Some(OTHER), true),
            (&with_path, "fixtures/a", None, true),
            (&with_path, "a", Some(OTHER), false),
            (&all, "fixtures/a", Some(COMMIT), true),
            (&all, "fixtures/a", Some(OTHER), false),
            (&all, "fixtures/a", None, false),
            (&all, "a", Some(COMMIT), false),
            (&with_word, "a", Some(COMMIT), true),
            (&with_word, "a", None, false),
            (&other_word, "a", Some(COMMIT), false),
        ] {
            assert_eq!(accepts(list, path, commit), accepted, "{list} {path} {commit:?}");
        }
    }
}
