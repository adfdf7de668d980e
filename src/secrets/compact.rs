//! The built-in rules in the form the program carries: no examples, read in some ten microseconds.
//! Border: another spelling of `rules/*.toml`; a test proves that the two say the same.
//!
//! One field per line: a letter that names it, then its text to the end of the line. `=` starts a
//! rule. After a change in `rules/`: `cargo test --lib compact -- --ignored` writes the file anew.

use super::finding::Severity;
use super::rule::{RuleSpec, high};

/// The compact form of every rule below `rules/`.
pub(crate) const BUILTIN: &str = include_str!("builtin.rules");

/// Reads rules in their compact form.
pub(crate) fn read(text: &'static str) -> impl Iterator<Item = RuleSpec> {
    let mut lines = text.lines().peekable();
    std::iter::from_fn(move || {
        let mut spec = empty(lines.next()?.strip_prefix('=')?);
        while let Some(line) = lines.next_if(|line| !line.starts_with('=')) {
            field(&mut spec, line);
        }
        Some(spec)
    })
}

fn empty(id: &'static str) -> RuleSpec {
    RuleSpec {
        id: id.into(),
        about: "".into(),
        keywords: Vec::new(),
        near: Vec::new(),
        bare: false,
        pattern: "".into(),
        check: Vec::new(),
        entropy: 0.0,
        severity: high(),
        lead: 0,
        window: 0,
        inside: false,
        examples: Vec::new(),
        counter: Vec::new(),
    }
}

fn field(spec: &mut RuleSpec, line: &'static str) {
    let because = "because a test compares this text with the rule files";
    let Some((name, text)) = line.split_at_checked(1) else { return };
    match name {
        "a" => spec.about = text.into(),
        "k" => spec.keywords.push(text.into()),
        "n" => spec.near.push(text.into()),
        "p" => spec.pattern = text.into(),
        "c" => spec.check.push(text.into()),
        "e" => spec.entropy = text.parse().expect(because),
        "l" => spec.lead = text.parse().expect(because),
        "w" => spec.window = text.parse().expect(because),
        "b" => spec.bare = true,
        "i" => spec.inside = true,
        "s" => {
            spec.severity = match text {
                "critical" => Severity::Critical,
                "medium" => Severity::Medium,
                "low" => Severity::Low,
                _ => Severity::High,
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::builtin;
    use crate::secrets::rule::RuleFile;
    use std::fmt::Write as _;

    /// The compact form of the rule files.
    fn written() -> String {
        let mut text = String::new();
        for (name, file) in builtin::FILES {
            let file: RuleFile = toml::from_str(file).unwrap_or_else(|e| panic!("{name}: {e}"));
            file.rule.iter().for_each(|spec| write(spec, &mut text));
        }
        text
    }

    fn write(spec: &RuleSpec, text: &mut String) {
        let mut put = |name: char, value: &str| {
            assert!(!value.contains('\n'), "`{}` has a field of several lines", spec.id);
            writeln!(text, "{name}{value}").unwrap();
        };
        put('=', &spec.id);
        put('a', &spec.about);
        spec.keywords.iter().for_each(|word| put('k', word));
        spec.near.iter().for_each(|word| put('n', word));
        put('p', &spec.pattern);
        spec.check.iter().for_each(|check| put('c', check));
        if spec.entropy > 0.0 {
            put('e', &spec.entropy.to_string());
        }
        if spec.lead > 0 {
            put('l', &spec.lead.to_string());
        }
        if spec.window > 0 {
            put('w', &spec.window.to_string());
        }
        if spec.bare {
            put('b', "");
        }
        if spec.inside {
            put('i', "");
        }
        if spec.severity != high() {
            put('s', &format!("{:?}", spec.severity).to_ascii_lowercase());
        }
    }

    #[test]
    fn the_program_carries_the_rules_of_the_rule_files() {
        assert!(
            BUILTIN == written(),
            "src/secrets/builtin.rules is older than src/secrets/rules/*.toml: \
             run `cargo test --lib compact -- --ignored`"
        );
        let mut again = String::new();
        read(BUILTIN).for_each(|spec| write(&spec, &mut again));
        assert!(again == BUILTIN, "what is written is not what is read");
    }

    #[test]
    #[ignore = "writes src/secrets/builtin.rules; run after a change of a rule file"]
    #[expect(
        clippy::disallowed_methods,
        reason = "a tool for whoever changes a rule, in the source tree"
    )]
    fn write_the_compact_rules() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/secrets/builtin.rules");
        std::fs::write(file, written()).unwrap();
    }
}
