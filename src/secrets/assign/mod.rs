//! Values that a name or a sentence calls a credential: `DB_PASSWORD=…`, "the password is …".
//! Border: says what is called so; whether it looks like one is `value`.

mod below;
mod link;
mod lists;
mod reverse;
mod table;
mod value;
mod words;

use super::engine::{Hit, Refusal};
use super::entries::{is_in, is_met};
use super::finding::{Confidence, Severity};

pub(crate) use lists::KEYWORDS;

/// How a value is tied to its name, the loosest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Link {
    /// `=`, `:`, `→`, an XML tag, a command line flag.
    Operator,
    /// A cell of the same table row.
    Table,
    /// A verb: is, 是, ist, es, est …
    Verb,
    /// `set("password", "…")`, `the password, …, expires`.
    Beside,
    /// Nothing but a space.
    Space,
}

/// A value as the text presents it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) value: std::ops::Range<usize>,
    pub(crate) link: Link,
    /// Quotes, backticks or emphasis around it.
    pub(crate) quoted: bool,
    /// The quotes or backticks around it.
    pub(crate) quote: Option<u8>,
}

/// Looks at the name around a keyword. Gives the end of the name, where the next keyword counts
/// again, and the values it calls credentials.
pub(crate) fn hits(
    text: &[u8],
    keyword: std::ops::Range<usize>,
) -> (usize, Result<Vec<Hit>, Refusal>) {
    let Some(name) = words::name_at(text, keyword.clone()) else {
        return (keyword.end, Err(Refusal::Boundary));
    };
    let end = name.span.end;
    let mut worst = Refusal::Pattern;
    let mut fits = |candidate: &Candidate| match value::judge(text, &name, candidate) {
        Ok(()) => true,
        Err(refusal) => {
            worst = worst.max(refusal);
            false
        }
    };
    let mut hits: Vec<Hit> = Vec::new();
    if let Some(mut column) = table::column(text, &name) {
        // What stands beside the heading of a column is a heading.
        column.retain(&mut fits);
        hits.extend(column.into_iter().map(|candidate| found(&name, candidate)));
    } else {
        let beside = [link::after(text, &name), reverse::before(text, &name)];
        if let Some(candidate) = beside.into_iter().flatten().find(&mut fits) {
            hits.push(found(&name, candidate));
        }
        let mut below = below::values(text, &name);
        below.retain(&mut fits);
        hits.extend(below.into_iter().map(|candidate| found(&name, candidate)));
    }
    (end, if hits.is_empty() { Err(worst) } else { Ok(hits) })
}

fn found(name: &words::Name, candidate: Candidate) -> Hit {
    let (rule, about) = match name.kind {
        words::Kind::Password => ("generic-password", "value that the text calls a password"),
        words::Kind::Secret => {
            ("generic-secret", "value that the text calls a key, token or secret")
        }
    };
    Hit {
        rule: rule.to_owned(),
        about: about.to_owned(),
        severity: Severity::High,
        confidence: Confidence::Medium,
        value: candidate.value,
        plain: None,
    }
}

/// Phrases by their second byte: most begin with a space, and the byte after it tells them apart.
struct Phrases {
    rows: [Vec<&'static &'static str>; 256],
}

impl Phrases {
    /// Phrases of two bytes or more; each row keeps the order of the list.
    fn new(list: &'static [&'static str]) -> Self {
        let mut rows = [const { Vec::new() }; 256];
        for phrase in list {
            let row = phrase.as_bytes()[1].to_ascii_lowercase();
            rows[usize::from(row)].push(phrase);
        }
        Self { rows }
    }

    /// The length of the first phrase that a text starts with, in whatever case.
    fn length_at(&self, text: &[u8]) -> Option<usize> {
        let row = &self.rows[usize::from(text.get(1)?.to_ascii_lowercase())];
        let starts = |phrase: &&'static str| {
            let start = text.get(..phrase.len());
            is_in(phrase)
                && is_met(phrase, start.is_some_and(|s| s.eq_ignore_ascii_case(phrase.as_bytes())))
        };
        row.iter().copied().find(|phrase| starts(phrase)).map(|phrase| phrase.len())
    }
}

/// The word lists of names and grammar, for measuring.
#[cfg(test)]
pub(crate) fn measured_lists() -> Vec<(&'static str, Vec<(String, usize)>)> {
    use super::ablation::{of_bytes, of_list, of_text};
    vec![
        of_text("passwords", lists::PASSWORDS.entries()),
        of_text("secrets", lists::SECRETS.entries()),
        of_text("endings", &lists::ENDINGS),
        of_text("about", lists::ABOUT.entries()),
        of_text("other keys", lists::OTHER_KEYS.entries()),
        of_text("key qualifiers", lists::KEY_QUALIFIERS.entries()),
        of_text("other tokens", lists::OTHER_TOKENS.entries()),
        of_text("weak", lists::WEAK.entries()),
        of_text("articles", lists::ARTICLES.entries()),
        of_text("nameless", lists::NAMELESS.entries()),
        of_text("foreign passwords", lists::FOREIGN_PASSWORDS.entries()),
        of_text("foreign secrets", &lists::FOREIGN_SECRETS),
        of_text("holders", lists::HOLDERS.entries()),
        of_text("operators", &link::OPERATORS),
        of_list("verbs", &link::VERBS),
        of_text("prepositions", &link::PREPOSITIONS),
        of_text("fillers", &link::FILLERS),
        of_list("ties", &reverse::TIES),
        of_bytes("other values", &value::OTHER_VALUES),
    ]
}

#[cfg(test)]
mod tests {
    use crate::secrets::Scanner;

    /// The rules that find something in a text.
    fn rules(text: &str) -> Vec<String> {
        let findings = Scanner::builtin().scan("note.md", text.as_bytes());
        findings.into_iter().map(|finding| finding.rule).collect()
    }

    #[test]
    fn a_value_before_its_name_stands_in_the_same_sentence() {
        let value = ["Xk29qLm4", "vT8wPz"].concat();
        assert_eq!(rules(&format!("Use {value} as the password.")), ["generic-password"]);
        assert_eq!(rules(&format!("USE {value} AS THE PASSWORD.")), ["generic-password"]);
        for mark in [". ", "; ", " | "] {
            let text = format!("Use {value} as the region{mark}Password rules apply.");
            assert_eq!(rules(&text), [""; 0], "{text}");
        }
    }

    #[test]
    fn a_name_in_capitals_between_humps_is_read_word_by_word() {
        let value = ["aK3jd92LmQx8", "Zt71vWb05RpY"].concat();
        for name in ["acmePRIVATEkey", "acmePrivateKey", "ACME_PRIVATE_KEY", "acme-private-key"] {
            assert_eq!(rules(&format!("{name} = \"{value}\"")), ["generic-secret"], "{name}");
        }
    }
}
