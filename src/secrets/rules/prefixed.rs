//! Values with a vendor's mark: the pattern at a keyword, its boundaries, its proofs.
//! Border: one rule at one keyword; values without a mark of their own are `vendor_context` and `named`.

use std::borrow::Cow;
use std::ops::Range;

use crate::secrets::encoding::obfuscation;
use crate::secrets::finding::Confidence;
use crate::secrets::finding::hit::{Hit, MARK_BYTES_MIN, Rejection};
use crate::secrets::rules::keyword_index::{Case, Keywords, Trigger};
use crate::secrets::rules::spec::Rule;
use crate::secrets::value::placeholder;
use crate::secrets::value::randomness;
use crate::secrets::value::structure::Verdict;

impl Rule {
    /// The words that lead to this rule, each with the trigger of its kind.
    pub(crate) fn words(
        &self,
        rule: Trigger,
        near: Trigger,
    ) -> impl Iterator<Item = (Cow<'static, str>, Case, Trigger)> {
        let case = self.case();
        let marks = self.spec.keywords.iter().map(move |word| (word.clone(), case, rule));
        marks.chain(self.spec.context_words.iter().map(move |word| (word.clone(), case, near)))
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
    pub(crate) fn hit(&self, text: &[u8], keyword: Range<usize>) -> Result<Hit, Rejection> {
        if self.begins_at_keyword() && !self.spec.inside_word && !starts_word(text, keyword.start) {
            return Err(Rejection::Boundary);
        }
        let from = keyword.start.saturating_sub(self.spec.bytes_before);
        let to = text.len().min(keyword.end + self.window());
        let possible = match self.begins_at_keyword() {
            true => self.outline().may_begin(&text[from..to]),
            false => self.outline().may_hold(&text[from..to]),
        };
        if !possible {
            return self.hit_joined(text, &keyword);
        }
        let Some(regex) = self.regex() else { return Ok(self.found(keyword, Confidence::High)) };
        let captures = regex.captures_iter(&text[from..to]).find(|found| {
            found.get(0).is_some_and(|m| {
                let (start, end) = (from + m.start(), from + m.end());
                end > keyword.start && start < keyword.end
            })
        });
        let Some(captures) = captures else { return self.hit_joined(text, &keyword) };
        let whole = captures.get(0).ok_or(Rejection::Pattern)?;
        let value = captures.name("v").unwrap_or(whole);
        let start = from + whole.start();
        let value = from + value.start()..from + value.end();
        let stands_alone = starts_word(text, start) && ends_word(text, value.end);
        if !(self.spec.inside_word || stands_alone) {
            return Err(Rejection::Boundary);
        }
        let confidence = self.judge(&text[value.clone()], keyword.len())?;
        Ok(self.found(value, confidence))
    }

    /// The value where line ends, emphasis or string joints interrupt it. Only behind a mark that
    /// starts the value, and only if the value goes beyond the first break.
    fn hit_joined(&self, text: &[u8], keyword: &Range<usize>) -> Result<Hit, Rejection> {
        let whole = self.spec.bytes_before == 0
            && keyword.len() >= MARK_BYTES_MIN
            && !self.spec.inside_word;
        if !whole || !starts_word(text, keyword.start) {
            return Err(Rejection::Pattern);
        }
        let plain = obfuscation::joined(text, keyword.start).ok_or(Rejection::Pattern)?;
        if !self.outline().may_begin(&plain.text) {
            return Err(Rejection::Pattern);
        }
        let Some(regex) = self.regex() else {
            return Ok(self.found(keyword.clone(), Confidence::High));
        };
        let found = regex.find(&plain.text).ok_or(Rejection::Pattern)?;
        if !ends_word(&plain.text, found.end()) || !randomness::is_mixed(found.as_bytes()) {
            return Err(Rejection::Boundary);
        }
        let confidence = self.judge(found.as_bytes(), keyword.len())?;
        let value = plain.original(&found.range());
        Ok(Hit { plain: Some(found.as_bytes().to_vec()), ..self.found(value, confidence) })
    }

    /// Tells that a keyword is the vendor's mark at the start of its tokens (`ghp_`, `sk-ant-`, `AKCp`).
    pub(crate) fn is_marked_by(&self, keyword: &[u8]) -> bool {
        let joint = keyword.last().is_some_and(|b| matches!(b, b'_' | b'-' | b'.'));
        let plain = self.begins_at_keyword()
            && self.case() == Case::Exact
            && keyword.iter().all(u8::is_ascii_alphanumeric);
        joint && keyword.len() >= MARK_BYTES_MIN || plain && keyword.len() >= JOINTLESS_BYTES_MIN
    }

    /// A hit of this rule.
    pub(crate) fn found(&self, value: Range<usize>, confidence: Confidence) -> Hit {
        Hit {
            rule: self.spec.id.to_string(),
            about: self.spec.description.to_string(),
            severity: self.spec.severity,
            confidence,
            value,
            plain: None,
        }
    }

    /// How sure the value's own structure makes us.
    fn judge(&self, value: &[u8], prefix: usize) -> Result<Confidence, Rejection> {
        let verdicts = self.checks.iter().map(|check| check.verdict(value));
        let (worst, best) = verdicts
            .fold((Verdict::Proven, Verdict::Plausible), |(worst, best), v| {
                (worst.min(v), best.max(v))
            });
        if worst == Verdict::Reject {
            return Err(Rejection::Structure);
        }
        if best == Verdict::Proven {
            return Ok(Confidence::Proven);
        }
        let body = &value[prefix.min(value.len() / 2)..];
        if randomness::entropy(value) < self.spec.entropy {
            return Err(Rejection::Entropy);
        }
        if placeholder::is_placeholder(body) {
            return Err(Rejection::Placeholder);
        }
        // What only looks drawn, behind a header's or a parameter's name, may bear another mark.
        let looks = self.checks.contains(&crate::secrets::value::structure::Check::Random)
            && self.spec.pattern.contains("(?P<v>");
        Ok(if looks { Confidence::Medium } else { Confidence::High })
    }
}

/// A keyword without a joint at its end is a mark from this length on: fewer letters are chance.
const JOINTLESS_BYTES_MIN: usize = 4;

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
