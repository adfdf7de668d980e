//! Reads `.gitleaks.toml` as it is: rules, allow lists, keywords, entropy, secret groups, paths.
//! Border: our own rules stand in for gitleaks' default ones (`useDefault`); `extend.path` is for callers.

mod dialect;
mod keys;
mod run;

use std::sync::OnceLock;

use aho_corasick::AhoCorasick;
use regex::bytes::Regex;
use serde::Deserialize;

use crate::base::text::place_of;

/// A configuration that was understood as a whole.
#[derive(Debug, Default)]
pub struct GitleaksConfig {
    pub(crate) rules: Vec<ForeignRule>,
    pub(crate) allow: Vec<ForeignAllow>,
    /// Rules that are switched off, ours and gitleaks', by their names.
    pub(crate) disabled: Vec<String>,
    /// All keywords of all rules, built on first use.
    pub(crate) keywords: OnceLock<Option<AhoCorasick>>,
    /// Another configuration this one builds on, as it is written.
    pub extend_path: Option<String>,
    /// The configuration as it was written, and what it builds on.
    pub(crate) text: String,
}

/// A rule of gitleaks.
#[derive(Debug)]
pub(crate) struct ForeignRule {
    pub(crate) id: String,
    pub(crate) about: String,
    pub(crate) regex: Option<Regex>,
    pub(crate) group: usize,
    pub(crate) entropy: f32,
    pub(crate) path: Option<Regex>,
    pub(crate) keywords: Vec<String>,
    pub(crate) allow: Vec<ForeignAllow>,
    /// It serves other rules only and reports nothing itself.
    pub(crate) is_helper: bool,
}

/// An allow list of gitleaks.
#[derive(Debug)]
pub(crate) struct ForeignAllow {
    pub(crate) all: bool,
    pub(crate) target: Target,
    pub(crate) regexes: Vec<Regex>,
    pub(crate) stopwords: Vec<String>,
    pub(crate) paths: Vec<Regex>,
    pub(crate) commits: Vec<String>,
    /// The rules it is for; empty for all.
    pub(crate) rules: Vec<String>,
}

/// What the patterns of an allow list look at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Target {
    #[default]
    Secret,
    Match,
    Line,
}

/// Why a configuration was refused. No scan runs with part of its rules.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitleaksError {
    /// It is not TOML or not of gitleaks' shape.
    #[error("`{file}` cannot be read as a gitleaks configuration")]
    Syntax {
        /// The file.
        file: String,
        /// What the parser says, with line and column.
        #[source]
        source: Box<toml::de::Error>,
    },
    /// A pattern cannot be compiled.
    #[error("a pattern of `{owner}` in `{file}` cannot be compiled")]
    Pattern {
        /// The file.
        file: String,
        /// The rule, or `allowlist`.
        owner: String,
        /// What the compiler says.
        #[source]
        source: Box<regex::Error>,
    },
    /// A value makes no sense.
    #[error("`{file}`: {problem}")]
    Field {
        /// The file.
        file: String,
        /// What is wrong.
        problem: String,
    },
}

#[derive(Debug, Deserialize)]
struct RawConfig {
    #[serde(default)]
    extend: RawExtend,
    #[serde(default)]
    rules: Vec<RawRule>,
    #[serde(default)]
    allowlist: Option<RawAllow>,
    #[serde(default)]
    allowlists: Vec<RawAllow>,
}

/// Keys are written in any case and read in lower case, see `keys`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawExtend {
    path: Option<String>,
    #[serde(rename = "disabledrules")]
    disabled_rules: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawRule {
    id: String,
    description: String,
    regex: Option<String>,
    #[serde(rename = "secretgroup")]
    secret_group: usize,
    entropy: f32,
    path: Option<String>,
    keywords: Vec<String>,
    allowlist: Option<RawAllow>,
    allowlists: Vec<RawAllow>,
    #[serde(rename = "skipreport")]
    skip_report: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawAllow {
    condition: String,
    #[serde(rename = "regextarget")]
    regex_target: String,
    regexes: Vec<String>,
    stopwords: Vec<String>,
    paths: Vec<String>,
    commits: Vec<String>,
    #[serde(rename = "targetrules")]
    target_rules: Vec<String>,
}

impl GitleaksConfig {
    /// Reads a configuration; it is understood as a whole or refused.
    ///
    /// # Errors
    /// Text that is no configuration, a key that gitleaks does not have, a pattern that cannot be
    /// compiled, a condition or target that does not exist.
    pub fn parse(file: &str, text: &str) -> Result<Self, GitleaksError> {
        let syntax =
            |source| GitleaksError::Syntax { file: file.to_owned(), source: Box::new(source) };
        let at = |written: &str| place_of(file, text, written);
        let table: toml::Table = toml::from_str(text).map_err(syntax)?;
        let raw: RawConfig = keys::known(&at, table)?.try_into().map_err(syntax)?;
        let rules = raw.rules.into_iter().map(|rule| foreign_rule(&at, rule));
        let allow = raw.allowlist.into_iter().chain(raw.allowlists);
        Ok(Self {
            rules: rules.collect::<Result<_, _>>()?,
            allow: allow
                .map(|allow| foreign_allow(&at, "allowlist", allow))
                .collect::<Result<_, _>>()?,
            disabled: raw.extend.disabled_rules,
            extend_path: raw.extend.path,
            text: text.to_owned(),
            keywords: OnceLock::new(),
        })
    }

    /// Adds what this configuration builds on; what stands here wins.
    pub fn extend(&mut self, base: Self) {
        let known: Vec<String> = self.rules.iter().map(|rule| rule.id.clone()).collect();
        let fresh =
            |rule: &ForeignRule| !known.contains(&rule.id) && !self.disabled.contains(&rule.id);
        let added: Vec<ForeignRule> = base.rules.into_iter().filter(fresh).collect();
        self.rules.extend(added);
        self.allow.extend(base.allow);
        self.text.push_str(&base.text);
        self.disabled.extend(base.disabled);
    }
}

/// Gives the place of what is written, see [`place_of`].
type At<'a> = &'a dyn Fn(&str) -> String;

fn foreign_rule(at: At<'_>, raw: RawRule) -> Result<ForeignRule, GitleaksError> {
    if raw.id.is_empty() {
        return Err(GitleaksError::Field {
            file: at(&raw.description),
            problem: "a rule has no `id`".to_owned(),
        });
    }
    let compile = |pattern: &String| pattern_of(at, &raw.id, pattern);
    let allow = raw.allowlist.into_iter().chain(raw.allowlists);
    Ok(ForeignRule {
        about: if raw.description.is_empty() { raw.id.clone() } else { raw.description },
        regex: raw.regex.as_ref().map(compile).transpose()?,
        group: raw.secret_group,
        entropy: raw.entropy,
        path: raw.path.as_ref().map(compile).transpose()?,
        keywords: raw.keywords.iter().map(|word| word.to_lowercase()).collect(),
        allow: allow.map(|allow| foreign_allow(at, &raw.id, allow)).collect::<Result<_, _>>()?,
        is_helper: raw.skip_report,
        id: raw.id.clone(),
    })
}

fn foreign_allow(at: At<'_>, owner: &str, raw: RawAllow) -> Result<ForeignAllow, GitleaksError> {
    let field = |written: &str, problem| GitleaksError::Field { file: at(written), problem };
    let all = match raw.condition.to_ascii_uppercase().as_str() {
        "" | "OR" | "||" => false,
        "AND" | "&&" => true,
        other => {
            let problem =
                format!("`{owner}` has the condition `{other}`, which is neither AND nor OR");
            return Err(field(&raw.condition, problem));
        }
    };
    let target = match raw.regex_target.as_str() {
        "" | "secret" => Target::Secret,
        "match" => Target::Match,
        "line" => Target::Line,
        other => {
            let problem = format!("`{owner}` has the regexTarget `{other}`, which does not exist");
            return Err(field(other, problem));
        }
    };
    let compile = |patterns: &[String]| {
        patterns.iter().map(|pattern| pattern_of(at, owner, pattern)).collect::<Result<Vec<_>, _>>()
    };
    Ok(ForeignAllow {
        all,
        target,
        regexes: compile(&raw.regexes)?,
        paths: compile(&raw.paths)?,
        stopwords: raw.stopwords.iter().map(|word| word.to_lowercase()).collect(),
        commits: raw.commits.iter().map(|commit| commit.to_lowercase()).collect(),
        rules: raw.target_rules,
    })
}

fn pattern_of(at: At<'_>, owner: &str, pattern: &str) -> Result<Regex, GitleaksError> {
    dialect::compile(pattern).map_err(|source| GitleaksError::Pattern {
        file: at(pattern.lines().next().unwrap_or_default()),
        owner: owner.to_owned(),
        source: Box::new(source),
    })
}
