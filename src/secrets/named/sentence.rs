//! Values that a name or a sentence calls a credential: `DB_PASSWORD=…`, "the password is …".
//! Border: says what is called so; whether it looks like one is `value`.

use super::candidate::Candidate;
use super::{names, value, value_after_name, value_before_name, value_below_name, value_in_column};
use crate::secrets::finding::hit::{Hit, Rejection};
use crate::secrets::finding::{Confidence, Severity};

/// Looks at the name around a keyword. Gives the end of the name, where the next keyword counts
/// again, and the values it calls credentials.
pub(crate) fn hits(
    text: &[u8],
    keyword: std::ops::Range<usize>,
) -> (usize, Result<Vec<Hit>, Rejection>) {
    let Some(name) = names::name_at(text, keyword.clone()) else {
        return (keyword.end, Err(Rejection::Boundary));
    };
    let end = name.span.end;
    let mut worst = Rejection::Pattern;
    let mut fits = |candidate: &Candidate| match value::judge(text, &name, candidate) {
        Ok(()) => true,
        Err(refusal) => {
            worst = worst.max(refusal);
            false
        }
    };
    let mut hits: Vec<Hit> = Vec::new();
    if let Some(mut column) = value_in_column::column(text, &name) {
        // What stands beside the heading of a column is a heading.
        column.retain(&mut fits);
        hits.extend(column.into_iter().map(|candidate| found(&name, candidate)));
    } else {
        let beside = [value_after_name::after(text, &name), value_before_name::before(text, &name)];
        if let Some(candidate) = beside.into_iter().flatten().find(&mut fits) {
            hits.push(found(&name, candidate));
        }
        let mut below = value_below_name::values(text, &name);
        below.retain(&mut fits);
        hits.extend(below.into_iter().map(|candidate| found(&name, candidate)));
    }
    (end, if hits.is_empty() { Err(worst) } else { Ok(hits) })
}

fn found(name: &names::Name, candidate: Candidate) -> Hit {
    let (rule, about) = match name.kind {
        names::Kind::Password => ("generic-password", "value that the text calls a password"),
        names::Kind::Secret => {
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
