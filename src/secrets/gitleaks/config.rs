//! A gitleaks configuration as values: its rules, its allow lists, what it builds on.
//! Border: shapes; how it is written is `read`, what it finds is `run`.

use std::sync::OnceLock;

use aho_corasick::AhoCorasick;
use regex::bytes::Regex;

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

impl GitleaksConfig {
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
