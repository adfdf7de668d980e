//! Rules read from their files, and the proof that each one does what its examples say.
//! Border: knows the built-in rules and texts handed in; reads no disk.

use crate::secrets::rules::builtin_format;
use crate::secrets::rules::sample;
use crate::secrets::rules::spec::{CUSTOM_RULES_MAX, Rule, RuleError, RuleFile, RuleSpec};

/// Rules in the order of their files.
#[derive(Debug, Default)]
pub struct Ruleset {
    pub(crate) rules: Vec<Rule>,
}

impl Ruleset {
    /// The rules that are part of the program. Their proof is a test, not every start.
    pub fn builtin() -> Self {
        let rules = builtin_format::read(builtin_format::BUILTIN).map(|spec| {
            Rule::new(spec, "built-in").expect("because a test reads every built-in rule")
        });
        Self { rules: rules.collect() }
    }

    /// Reads a file of rules that come from people: each is compiled and proven, or all are refused.
    ///
    /// # Errors
    /// The first rule that is no rule, cannot be compiled or fails an example of its own.
    pub fn custom(file: &str, text: &str) -> Result<Self, RuleError> {
        let syntax = |source: toml::de::Error| {
            let line = source.span().map(|span| line_at(text, span.start));
            let file = line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"));
            RuleError::Syntax { file, source: Box::new(source) }
        };
        let parsed: RuleFile = toml::from_str(text).map_err(syntax)?;
        Self::admitted(file, text, parsed.rule)
    }

    /// Accepts rules that stand in a text: each is compiled and proven, or all are refused.
    ///
    /// # Errors
    /// The first rule that breaks a limit, cannot be compiled or fails an example of its own.
    pub fn admitted(file: &str, text: &str, specs: Vec<RuleSpec>) -> Result<Self, RuleError> {
        Self::read(file, text, specs, |rule, file| {
            rule.compile(file)?;
            rule.prove(file)
        })
    }

    /// Accepts rules that were proven when a team agreed to them: a pattern is compiled when a text
    /// holds its keyword. Where one does not compile after all, its keyword is what it finds.
    ///
    /// # Errors
    /// The first rule that breaks a limit.
    pub fn agreed(file: &str, specs: Vec<RuleSpec>) -> Result<Self, RuleError> {
        Self::read(file, "", specs, |_, _| Ok(()))
    }

    fn read(
        file: &str,
        text: &str,
        specs: Vec<RuleSpec>,
        check: impl Fn(&Rule, &str) -> Result<(), RuleError>,
    ) -> Result<Self, RuleError> {
        if specs.len() > CUSTOM_RULES_MAX {
            return Err(RuleError::TooMany { file: file.to_owned() });
        }
        let mut set = Self::default();
        for spec in specs {
            let file = line_of(text, &spec.id)
                .map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"));
            let rule = Rule::new(spec, &file)?;
            rule.bound(&file)?;
            check(&rule, &file)?;
            set.rules.push(rule);
        }
        Ok(set)
    }

    #[cfg(test)]
    fn parse(&mut self, file: &str, text: &str) -> Result<(), RuleError> {
        let parsed: RuleFile = toml::from_str(text).map_err(|source| RuleError::Syntax {
            file: file.to_owned(),
            source: Box::new(source),
        })?;
        for spec in parsed.rule {
            self.rules.push(Rule::new(spec, file)?);
        }
        Ok(())
    }
}

impl Rule {
    /// Scans this rule's examples and counter-examples with the rule alone.
    fn prove(&self, file: &str) -> Result<(), RuleError> {
        let name = || (file.to_owned(), self.spec.id.to_string());
        let text = |template: &String, number: usize| {
            let (file, rule) = name();
            let problem = format!("sample {number} uses a generator that does not exist");
            sample::expand(template).ok_or(RuleError::Field { file, rule, problem })
        };
        for (at, template) in self.spec.examples.iter().enumerate() {
            if !self.finds_in(text(template, at + 1)?.as_bytes()) {
                let (file, rule) = name();
                return Err(RuleError::Example { file, rule, number: at + 1 });
            }
        }
        for (at, template) in self.spec.counter_examples.iter().enumerate() {
            if self.finds_in(text(template, at + 1)?.as_bytes()) {
                let (file, rule) = name();
                return Err(RuleError::CounterExample { file, rule, number: at + 1 });
            }
        }
        Ok(())
    }
}

/// The line of a byte offset, from 1.
fn line_at(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|b| *b == b'\n').count() + 1
}

/// The line that names a rule, from 1, in TOML or YAML.
fn line_of(text: &str, id: &str) -> Option<usize> {
    let names = |line: &str| {
        let line = line.trim_start().trim_start_matches("- ").trim_start_matches(['"', '\'']);
        line.strip_prefix("id").is_some_and(|rest| {
            let rest = rest.trim_start_matches(['"', '\'']).trim_start();
            rest.starts_with(['=', ':'])
                && rest[1..]
                    .split('#')
                    .next()
                    .is_some_and(|value| value.trim().trim_matches(['"', '\'']) == id)
        })
    };
    text.lines().position(names).map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::rules::builtin;
    use std::collections::HashSet;

    #[test]
    fn every_built_in_rule_finds_its_examples_and_passes_its_counter_examples() {
        let mut failures = Vec::new();
        for (name, text) in builtin::FILES {
            let mut set = Ruleset::default();
            set.parse(name, text).unwrap();
            for rule in std::mem::take(&mut set.rules) {
                if let Err(error) = rule.compile(name) {
                    failures.push(format!("{error}: {:?}", std::error::Error::source(&error)));
                    continue;
                }
                assert!(!rule.spec.examples.is_empty(), "{} has no example", rule.spec.id);
                failures.extend(rule.prove(name).err().map(|error| error.to_string()));
            }
        }
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }

    #[test]
    fn rule_names_are_unique() {
        let mut seen = HashSet::new();
        for rule in Ruleset::builtin().rules {
            assert!(seen.insert(rule.spec.id.clone()), "{} is there twice", rule.spec.id);
        }
    }

    #[test]
    fn a_rule_that_was_agreed_to_is_compiled_when_a_text_may_hold_its_value() {
        let text = "[[rule]]\nid = 'x'\ndescription = 'x'\nkeywords = ['zqv_']\n\
                    pattern = 'zqv_[a-z0-9]{8}'\nexamples = ['zqv_ab12cd34']\n";
        let specs = || toml::from_str::<RuleFile>(text).unwrap().rule;
        let proven = Ruleset::admitted("x", text, specs()).unwrap();
        assert!(proven.rules[0].is_compiled());
        let agreed = Ruleset::agreed("x", specs()).unwrap();
        for (text, is_compiled) in
            [("zqx_ab12cd34", false), ("zqv_-", false), ("zqv_ab12cd34", true)]
        {
            assert_eq!(agreed.rules[0].finds_in(text.as_bytes()), is_compiled, "{text}");
            assert_eq!(agreed.rules[0].is_compiled(), is_compiled, "{text}");
        }
    }

    #[test]
    fn a_rule_that_fails_its_own_example_does_not_load() {
        let rule = |example: &str, counter: &str| {
            format!(
                "[[rule]]\nid = 'x'\ndescription = 'x'\nkeywords = ['zq_']\npattern = 'zq_[a-z0-9]{{8}}'\n\
                 examples = ['{example}']\ncounter_examples = ['{counter}']\n"
            )
        };
        let load = |text: &str| Ruleset::custom("rules.toml", text);
        assert!(load(&rule("zq_{hex:8}", "zq_short")).is_ok());
        assert!(matches!(load(&rule("zq_short", "")), Err(RuleError::Example { number: 1, .. })));
        let named = load(&rule("zq_short", "")).unwrap_err().to_string();
        assert!(named.contains("rules.toml:2"), "{named}");
        let both = load(&rule("zq_{hex:8}", "zq_{hex:8}"));
        assert!(matches!(both, Err(RuleError::CounterExample { number: 1, .. })));
        assert!(matches!(load("[[rule]]\nid = 3"), Err(RuleError::Syntax { .. })));
        let bomb = rule("", "").replace("{8}", "{1000}{1000}{1000}");
        assert!(matches!(load(&bomb), Err(RuleError::Pattern { .. })));
        let short = rule("zq_{hex:8}", "").replace("['zq_']", "['z']");
        assert!(matches!(load(&short), Err(RuleError::Field { .. })));
        let wide = rule("zq_{hex:8}", "") + "bytes_after = 60000\n";
        assert!(matches!(load(&wide), Err(RuleError::Field { .. })));
        let many = rule("zq_{hex:8}", "").repeat(CUSTOM_RULES_MAX + 1);
        assert!(matches!(load(&many), Err(RuleError::TooMany { .. })));
    }
}
