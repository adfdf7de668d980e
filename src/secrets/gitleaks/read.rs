//! Reads a gitleaks configuration as it is written.
//! Border: text to values; a key that is not known is refused by `keys`, patterns are translated by `dialect`.

use std::sync::OnceLock;

use regex::bytes::Regex;
use serde::Deserialize;

use super::config::{ForeignAllow, ForeignRule, GitleaksConfig, Target};
use super::error::{At, GitleaksError};
use super::{dialect, keys};
use crate::base::text::place_of;

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
}

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
