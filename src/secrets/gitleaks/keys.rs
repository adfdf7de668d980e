//! The keys a gitleaks configuration may have. One that is not known would be part of a rule that is not
//! followed: an allow list without a condition of its accepts more than its writer meant.
//! Border: names only, in any case as gitleaks takes them; values are read by `read`.

use toml::{Table, Value};

use super::error::{At, GitleaksError};
use crate::base::display::Escaped;

/// What a table is about, and the keys it may have. The last ones say nothing about what is found.
type Known = (&'static str, &'static [&'static str]);

const CONFIG: Known = (
    "the configuration",
    &["extend", "rules", "allowlist", "allowlists", "title", "description", "minversion"],
);

const EXTEND: Known = ("`extend`", &["path", "disabledrules", "usedefault"]);

/// `required` asks for other findings near by; without it a rule finds more, never less.
const RULE: Known = (
    "a rule",
    &[
        "id",
        "regex",
        "secretgroup",
        "entropy",
        "path",
        "keywords",
        "allowlist",
        "allowlists",
        "skipreport",
        "required",
        "description",
        "tags",
    ],
);

const ALLOW: Known = (
    "an allow list",
    &[
        "condition",
        "regextarget",
        "regexes",
        "stopwords",
        "paths",
        "commits",
        "targetrules",
        "description",
    ],
);

/// The same configuration with all keys in lower case.
///
/// # Errors
/// A key that is not known, or that is there twice.
pub(super) fn known(at: At<'_>, config: Table) -> Result<Table, GitleaksError> {
    checked(at, config, CONFIG)
}

fn checked(at: At<'_>, table: Table, known: Known) -> Result<Table, GitleaksError> {
    let (about, keys) = known;
    let mut lower = Table::new();
    for (key, value) in table {
        let name = key.to_lowercase();
        let shown = Escaped(&key).to_string();
        let field = |problem| GitleaksError::Field { file: at(&key), problem };
        if !keys.contains(&name.as_str()) {
            return Err(field(format!("{about} has the key `{shown}`, which is not known there")));
        }
        let value = match (known == CONFIG, name.as_str()) {
            (true, "extend") => below(at, value, EXTEND)?,
            (true, "rules") => below(at, value, RULE)?,
            (_, "allowlist" | "allowlists") => below(at, value, ALLOW)?,
            _ => value,
        };
        if lower.insert(name, value).is_some() {
            return Err(field(format!("{about} has the key `{shown}` twice")));
        }
    }
    Ok(lower)
}

/// A table, or each of several.
fn below(at: At<'_>, value: Value, known: Known) -> Result<Value, GitleaksError> {
    Ok(match value {
        Value::Table(table) => Value::Table(checked(at, table, known)?),
        Value::Array(all) => Value::Array(
            all.into_iter().map(|one| below(at, one, known)).collect::<Result<_, _>>()?,
        ),
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use crate::secrets::gitleaks::GitleaksConfig;

    fn problem(text: &str) -> String {
        GitleaksConfig::parse("g.toml", text)
            .map_or_else(|error| error.to_string(), |_| String::new())
    }

    #[test]
    fn every_key_that_gitleaks_does_not_have_is_refused_with_its_line() {
        for (text, key) in [
            ("[allowlist]\nregexs = ['x']\n", "regexs"),
            ("[[allowlists]]\ncondition = 'AND'\npath = ['x']\n", "path"),
            ("[[rules]]\nid = 'a'\nregex = 'b'\nkeyword = ['c']\n", "keyword"),
            ("[[rules]]\nid = 'a'\n[[rules.allowlists]]\nvalues = ['c']\n", "values"),
            ("[rules]\nid = 'a'\n[rules.allowlist]\nallow = 1\n", "allow"),
            ("[extend]\nurl = 'https://x'\n", "url"),
            ("[extend]\ndisabledRule = ['a']\n", "disabledRule"),
            ("useDefault = true\n", "useDefault"),
            ("[[rule]]\nid = 'a'\n", "rule"),
            ("[allowlist]\npaths = ['a']\nPaths = ['b']\n", "twice"),
        ] {
            let said = problem(text);
            assert!(said.contains(key) && said.contains("g.toml:"), "{text}: {said}");
        }
    }

    #[test]
    fn every_key_that_gitleaks_has_is_taken_in_any_case() {
        let text = "title = 't'\nminVersion = 'v8.25.0'\n[extend]\nuseDefault = true\n\
                    disabledRules = ['a']\n[[rules]]\nid = 'b'\ndescription = 'd'\nregex = 'x(y)'\n\
                    secretGroup = 1\nentropy = 3.5\nkeywords = ['x']\npath = 'p'\ntags = ['t']\n\
                    skipReport = true\n[[rules.required]]\nid = 'c'\nwithinLines = 5\n\
                    [[rules.allowlists]]\ndescription = 'd'\ncondition = 'AND'\nregexTarget = 'line'\n\
                    regexes = ['a']\nstopwords = ['s']\npaths = ['p']\ncommits = ['c']\n\
                    [[allowlists]]\ntargetRules = ['b']\npaths = ['q']\n";
        assert_eq!(problem(text), "");
        assert_eq!(
            problem(&text.replace("secretGroup", "secretgroup").replace("paths", "Paths")),
            ""
        );
    }
}
