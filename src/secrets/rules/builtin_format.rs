//! The built-in rules in the form the program carries: no examples, read in some ten microseconds.
//! Border: another spelling of `vendors/*.toml`; a test proves that the two say the same.
//!
//! One field per line: a letter that names it, then its text to the end of the line. `=` starts a
//! rule. After a change in `vendors/`: `cargo test --lib builtin_format -- --ignored` writes the file anew.

use crate::secrets::finding::Severity;
use crate::secrets::rules::spec::{RuleSpec, high};

/// The compact form of every rule below `vendors/`.
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
        description: "".into(),
        keywords: Vec::new(),
        context_words: Vec::new(),
        context_word_is_enough: false,
        pattern: "".into(),
        check: Vec::new(),
        entropy: 0.0,
        severity: high(),
        bytes_before: 0,
        bytes_after: 0,
        inside_word: false,
        examples: Vec::new(),
        counter_examples: Vec::new(),
    }
}

fn field(spec: &mut RuleSpec, line: &'static str) {
    let because = "because a test compares this text with the rule files";
    let Some((name, text)) = line.split_at_checked(1) else { return };
    match name {
        "a" => spec.description = text.into(),
        "k" => spec.keywords.push(text.into()),
        "n" => spec.context_words.push(text.into()),
        "p" => spec.pattern = text.into(),
        "c" => spec.check.push(text.into()),
        "e" => spec.entropy = text.parse().expect(because),
        "l" => spec.bytes_before = text.parse().expect(because),
        "w" => spec.bytes_after = text.parse().expect(because),
        "b" => spec.context_word_is_enough = true,
        "i" => spec.inside_word = true,
        "s" => {
            spec.severity = match text {
                "critical" => Severity::Critical,
                "medium" => Severity::Medium,
                "low" => Severity::Low,
                _ => Severity::High,
            }
        }
        other => unreachable!("no field of a rule is written as `{other}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::rules::builtin;
    use crate::secrets::rules::spec::RuleFile;
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
        put('a', &spec.description);
        spec.keywords.iter().for_each(|word| put('k', word));
        spec.context_words.iter().for_each(|word| put('n', word));
        put('p', &spec.pattern);
        spec.check.iter().for_each(|check| put('c', check));
        if spec.entropy > 0.0 {
            put('e', &spec.entropy.to_string());
        }
        if spec.bytes_before > 0 {
            put('l', &spec.bytes_before.to_string());
        }
        if spec.bytes_after > 0 {
            put('w', &spec.bytes_after.to_string());
        }
        if spec.context_word_is_enough {
            put('b', "");
        }
        if spec.inside_word {
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
            "src/secrets/rules/builtin.rules is older than src/secrets/vendors/*.toml: \
             run `cargo test --lib builtin_format -- --ignored`"
        );
        let mut again = String::new();
        read(BUILTIN).for_each(|spec| write(&spec, &mut again));
        assert!(again == BUILTIN, "what is written is not what is read");
    }

    #[test]
    #[ignore = "writes src/secrets/rules/builtin.rules; run after a change of a rule file"]
    #[expect(
        clippy::disallowed_methods,
        reason = "a tool for whoever changes a rule, in the source tree"
    )]
    fn write_the_compact_rules() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/secrets/rules/builtin.rules");
        std::fs::write(file, written()).unwrap();
    }
}
