//! A detection rule as its TOML file writes it, and what makes one acceptable.
//! Border: shapes and their limits; matching is `prefixed` and `vendor_context`.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

use crate::secrets::finding::Severity;
use crate::secrets::rules::keyword_index::Case;
use crate::secrets::rules::prefilter::Outline;
use crate::secrets::value::structure::Check;

/// Text of a rule: part of the program, or read from a file.
pub(crate) type Words = Cow<'static, str>;

/// A compiled pattern may not need more memory than this, so that no rule is a bomb.
pub(crate) const PATTERN_BYTES_MAX: usize = 4 * 1024 * 1024;
/// How far a match may reach beyond its keyword unless a rule says otherwise.
pub(crate) const WINDOW_BYTES: usize = 2_048;
/// No rule may look further than this.
pub(crate) const WINDOW_BYTES_MAX: usize = 64 * 1024;
/// A rule from people may look this far: each place of a keyword costs that much.
pub(crate) const CUSTOM_WINDOW_BYTES_MAX: usize = 4_096;
/// A shorter keyword of a rule from people would stand almost everywhere.
pub(crate) const CUSTOM_KEYWORD_BYTES_MIN: usize = 3;
/// So many rules from people at most; each costs time whenever it is loaded.
pub(crate) const CUSTOM_RULES_MAX: usize = 200;
/// A pattern from people is at most this long.
pub(crate) const CUSTOM_PATTERN_BYTES_MAX: usize = 4_096;

/// One file of rules.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RuleFile {
    #[serde(default)]
    pub(crate) rule: Vec<RuleSpec>,
}

/// One rule, as written in a rule file or a policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleSpec {
    /// Stable name, `vendor-kind`.
    pub(crate) id: Words,
    /// What it finds, as a noun.
    pub(crate) description: Words,
    /// Literals one of which stands in every match; where the search starts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) keywords: Vec<Words>,
    /// Words of the vendor; the value has no mark of its own and stands near one of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) context_words: Vec<Words>,
    /// With `context_words`: no word such as `key` or `token` is needed between the two.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) context_word_is_enough: bool,
    /// The pattern; group `v` is the value where the match holds more than it.
    pub(crate) pattern: Words,
    /// Proofs and structure tests of the value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) check: Vec<Words>,
    /// Least Shannon entropy of the value in bits per character.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) entropy: f32,
    #[serde(default = "high")]
    pub(crate) severity: Severity,
    /// How many bytes before the keyword a match may begin.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) bytes_before: usize,
    /// How many bytes after the keyword a match may end; 0 stands for the default.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) bytes_after: usize,
    /// The match may stand inside a longer word.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) inside_word: bool,
    /// Texts the rule must find something in; see `sample` for the generators.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) examples: Vec<String>,
    /// Texts the rule must find nothing in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) counter_examples: Vec<String>,
}

impl RuleSpec {
    /// The stable name.
    pub fn id(&self) -> &str {
        &self.id
    }
}

/// Tells that a field needs not be written.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The severity of a rule that names none.
pub(crate) fn high() -> Severity {
    Severity::High
}

/// A rule ready to run. Its pattern is compiled when a keyword first hits.
#[derive(Debug)]
pub struct Rule {
    pub(crate) spec: RuleSpec,
    pub(crate) checks: Vec<Check>,
    outline: OnceLock<Outline>,
    regex: OnceLock<Option<Regex>>,
}

/// Why a rule was not accepted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    /// The file is not TOML or not of the rule shape.
    #[error("rule file `{file}` cannot be read")]
    Syntax {
        /// The rule file, and the line where it is known.
        file: String,
        /// What the parser says, with line and column.
        #[source]
        source: Box<toml::de::Error>,
    },
    /// The pattern is not a pattern, or needs too much memory.
    #[error("the pattern of rule `{rule}` in `{file}` cannot be compiled")]
    Pattern {
        /// The rule file, and the line where it is known.
        file: String,
        /// The rule.
        rule: String,
        /// What the compiler says.
        #[source]
        source: Box<regex::Error>,
    },
    /// A file has more rules than are loaded.
    #[error("`{file}` has more than {CUSTOM_RULES_MAX} rules")]
    TooMany {
        /// The rule file, and the line where it is known.
        file: String,
    },
    /// A field has a value that makes no sense.
    #[error("rule `{rule}` in `{file}`: {problem}")]
    Field {
        /// The rule file, and the line where it is known.
        file: String,
        /// The rule.
        rule: String,
        /// What is wrong with which field.
        problem: String,
    },
    /// The rule misses its own example.
    #[error("rule `{rule}` in `{file}` does not find its example {number}")]
    Example {
        /// The rule file, and the line where it is known.
        file: String,
        /// The rule.
        rule: String,
        /// Which example, from 1.
        number: usize,
    },
    /// The rule finds something in its own counter-example.
    #[error("rule `{rule}` in `{file}` finds something in its counter-example {number}")]
    CounterExample {
        /// The rule file, and the line where it is known.
        file: String,
        /// The rule.
        rule: String,
        /// Which counter-example, from 1.
        number: usize,
    },
}

impl Rule {
    /// Accepts the shape of a rule; the pattern is compiled only by [`Rule::compile`] or first use.
    pub(crate) fn new(spec: RuleSpec, file: &str) -> Result<Self, RuleError> {
        let field = |problem: String| RuleError::Field {
            file: file.to_owned(),
            rule: spec.id.to_string(),
            problem,
        };
        let mut words = spec.keywords.iter().chain(&spec.context_words);
        if spec.id.is_empty() || words.any(|word| word.is_empty()) {
            return Err(field("`id`, `keywords` and `context_words` must not be empty".to_owned()));
        }
        if spec.keywords.is_empty() == spec.context_words.is_empty() {
            return Err(field("needs either `keywords` or `context_words`".to_owned()));
        }
        if spec.bytes_before > WINDOW_BYTES_MAX || spec.bytes_after > WINDOW_BYTES_MAX {
            return Err(field(format!(
                "`bytes_before` and `bytes_after` are at most {WINDOW_BYTES_MAX}"
            )));
        }
        let checks = spec.check.iter().map(|name| {
            Check::parse(name).ok_or_else(|| field(format!("no check is called `{name}`")))
        });
        let checks = checks.collect::<Result<_, _>>()?;
        Ok(Self { spec, checks, outline: OnceLock::new(), regex: OnceLock::new() })
    }

    /// Holds a rule from people to the limits that keep a scan bounded; its pattern is not compiled.
    pub(crate) fn bound(&self, file: &str) -> Result<(), RuleError> {
        let spec = &self.spec;
        let problem = if spec.bytes_before.max(spec.bytes_after) > CUSTOM_WINDOW_BYTES_MAX {
            format!("`bytes_before` and `bytes_after` are at most {CUSTOM_WINDOW_BYTES_MAX}")
        } else if spec.keywords.iter().any(|word| word.len() < CUSTOM_KEYWORD_BYTES_MIN) {
            format!("a keyword has at least {CUSTOM_KEYWORD_BYTES_MIN} bytes")
        } else if spec.pattern.len() > CUSTOM_PATTERN_BYTES_MAX {
            format!("a pattern has at most {CUSTOM_PATTERN_BYTES_MAX} bytes")
        } else if spec.examples.is_empty() {
            "`examples` must hold a text that the rule finds something in".to_owned()
        } else {
            return Ok(());
        };
        Err(RuleError::Field { file: file.to_owned(), rule: spec.id.to_string(), problem })
    }

    /// Compiles the pattern now instead of at the first hit.
    pub(crate) fn compile(&self, file: &str) -> Result<(), RuleError> {
        let pattern = |source| RuleError::Pattern {
            file: file.to_owned(),
            rule: self.spec.id.to_string(),
            source: Box::new(source),
        };
        let regex = build(&self.spec).map_err(pattern)?;
        drop(self.regex.set(Some(regex)));
        Ok(())
    }

    /// The compiled pattern; `None` for one that nobody has proven and that does not compile. Who asks
    /// reports the keyword then: what cannot be looked for counts as found.
    pub(crate) fn regex(&self) -> Option<&Regex> {
        self.regex.get_or_init(|| build(&self.spec).ok()).as_ref()
    }

    /// Whether the pattern was compiled already.
    #[cfg(test)]
    pub(crate) fn is_compiled(&self) -> bool {
        self.regex.get().is_some()
    }

    /// What the pattern cannot match, known without compiling it.
    pub(crate) fn outline(&self) -> &Outline {
        self.outline.get_or_init(|| Outline::of(&self.spec.pattern, self.is_near()))
    }

    /// Tells that the value has no mark and stands near its vendor's word.
    pub(crate) fn is_near(&self) -> bool {
        !self.spec.context_words.is_empty()
    }

    /// How the keywords are compared: a pattern that minds the case cannot match another one.
    pub(crate) fn case(&self) -> Case {
        if self.is_near() || self.spec.pattern.contains("(?i") { Case::Any } else { Case::Exact }
    }

    /// Tells that a match begins where its keyword does.
    pub(crate) fn begins_at_keyword(&self) -> bool {
        self.spec.bytes_before == 0 && !self.is_near()
    }

    /// Bytes after a keyword that a match may use.
    pub(crate) fn window(&self) -> usize {
        if self.spec.bytes_after == 0 { WINDOW_BYTES } else { self.spec.bytes_after }
    }
}

/// Anchors the pattern where nothing can stand before the keyword, so that it never searches.
fn build(spec: &RuleSpec) -> Result<Regex, regex::Error> {
    let near = !spec.context_words.is_empty();
    let pattern = match spec.bytes_before {
        0 if !near => format!(r"\A(?:{})", spec.pattern),
        _ => spec.pattern.to_string(),
    };
    RegexBuilder::new(&pattern)
        .unicode(false)
        .case_insensitive(near)
        .size_limit(PATTERN_BYTES_MAX)
        .dfa_size_limit(PATTERN_BYTES_MAX)
        .build()
}
