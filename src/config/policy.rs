//! `team/.memsync/policy.yaml`: what a team allows. Loaded closed: what is not understood refuses.
//! Border: the shape and its defaults; the gate applies it.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::base::display::Escaped;
use crate::memory::kind::Kind;
use crate::memory::limits::MEMORY_BYTES_MAX;
use crate::secrets::Scanner;
use crate::secrets::rules::ruleset::Ruleset;
use crate::secrets::rules::spec::{RuleError, RuleSpec};

/// Where the policy is in a team repository.
pub const POLICY_PATH: &str = ".memsync/policy.yaml";

/// The format this version reads and writes.
pub const POLICY_FORMAT: &str = "memsync.policy/1";

/// Who may change team memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// Only members in the roster, by signed commits.
    Roster,
    /// Anyone who may push to the remote.
    #[default]
    Open,
}

/// Limits a team may lower.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Bytes of one memory.
    pub memory_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { memory_bytes: MEMORY_BYTES_MAX }
    }
}

/// Which secret rules apply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SecretPolicy {
    /// Keys the fingerprints of findings: whoever sees only a report or a log of this team cannot
    /// look up a weak password by its fingerprint. Whoever has the repository has the salt too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub salt: Option<String>,
    /// Ids of rules that are off.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub off: BTreeSet<String>,
    /// The team's own rules, in the shape of the rule files of memsync.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleSpec>,
    /// The scanner all this gives, made when it is first asked for.
    #[serde(skip)]
    scanner: Made,
}

/// A scanner made from the rest of a policy; two are equal because the rest is.
#[derive(Debug, Default)]
struct Made(OnceLock<Scanner>);

impl Clone for Made {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Made {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A shorter salt could be guessed.
const SALT_CHARS_MIN: usize = 32;

/// A team's policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Always [`POLICY_FORMAT`].
    pub format: String,
    /// Who may change team memory.
    pub trust: Trust,
    /// The project this team memory belongs to, for example `github.com/acme/widgets`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Kinds of memory the team keeps. `user` is never one of them.
    #[serde(default = "default_kinds")]
    pub kinds: BTreeSet<Kind>,
    /// Limits.
    #[serde(default)]
    pub limits: Limits,
    /// Secret rules.
    #[serde(default)]
    pub secrets: SecretPolicy,
}

impl SecretPolicy {
    /// The team's own rules, compiled and proven; `text` is what they were read from.
    fn own_rules(&self, text: &str) -> Result<Ruleset, RuleError> {
        Ruleset::admitted(POLICY_PATH, text, self.rules.clone())
    }

    /// The team's own rules, held to their limits.
    fn agreed_rules(&self) -> Result<Ruleset, RuleError> {
        Ruleset::agreed(POLICY_PATH, self.rules.clone())
    }

    /// The first id in `off` that is neither a rule of the program nor one of the team's own.
    fn unknown_off(&self) -> Option<&String> {
        let own = |id: &&String| self.rules.iter().any(|rule| rule.id() == id.as_str());
        self.off.iter().find(|id| !own(id) && !Scanner::is_builtin(id))
    }

    /// A new scanner with all of this, to be extended.
    pub fn make(&self) -> Scanner {
        let salt = self.salt.clone().unwrap_or_default();
        let scanner = Scanner::to_extend().with_key(salt).without(self.off.iter().cloned());
        if self.rules.is_empty() {
            return scanner;
        }
        let rules =
            self.agreed_rules().expect("because the rules were bounded when they were read");
        scanner.with_rules(rules)
    }
}

/// Says which rules an unknown id may mean: those of the same vendor.
fn likely(unknown: &str) -> String {
    let vendor = unknown.split(['-', '_', '.', ' ']).next().unwrap_or_default();
    let mut same = Scanner::builtin_ids();
    same.retain(|id| !vendor.is_empty() && id.starts_with(&vendor.to_ascii_lowercase()));
    same.truncate(LIKELY_MAX);
    match same[..] {
        [] => String::new(),
        _ => format!("; there is `{}`", same.join("`, `")),
    }
}

/// So many ids are proposed for an unknown one.
const LIKELY_MAX: usize = 5;

fn default_kinds() -> BTreeSet<Kind> {
    BTreeSet::from([Kind::Project, Kind::Reference, Kind::Feedback])
}

/// Why a policy was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// Not YAML of this shape.
    #[error("`{POLICY_PATH}` cannot be read: {0}")]
    Shape(String),
    /// Another format.
    #[error("`{POLICY_PATH}` has format `{0}`; this memsync reads `{POLICY_FORMAT}`")]
    Format(String),
    /// A rule of the team's own that does not load.
    #[error(transparent)]
    Rule(#[from] RuleError),
    /// A rule that is off and that nobody knows: switching off another one was meant.
    #[error("`{POLICY_PATH}` switches off `{0}`, but no rule is called so{1}")]
    UnknownRule(String, String),
    /// A value that would weaken a rule every team relies on.
    #[error("`{POLICY_PATH}` sets {0}, which no policy may")]
    Forbidden(String),
}

impl Policy {
    /// The policy of a new team.
    pub fn new(trust: Trust, project: Option<String>) -> Self {
        Self {
            format: POLICY_FORMAT.to_owned(),
            trust,
            project,
            kinds: default_kinds(),
            limits: Limits::default(),
            secrets: SecretPolicy::default(),
        }
    }

    /// Reads a policy file and proves its rules.
    pub fn parse(text: &str) -> Result<Self, PolicyError> {
        let policy = Self::read(text)?;
        if !policy.secrets.rules.is_empty() {
            drop(policy.secrets.own_rules(text)?);
        }
        policy.refuse_unknown_off()
    }

    /// Reads a policy that its team agreed to, so that its rules were proven then. No pattern is
    /// compiled before a text holds its keyword; where one does not compile after all, the keyword is
    /// what it finds.
    ///
    /// # Errors
    /// What [`Policy::parse`] refuses, but for patterns and samples.
    pub fn parse_agreed(text: &str) -> Result<Self, PolicyError> {
        let policy = Self::read(text)?;
        drop(policy.secrets.agreed_rules()?);
        policy.refuse_unknown_off()
    }

    /// Compiles and proves the rules of a policy that was read as agreed to.
    ///
    /// # Errors
    /// The first rule that does not compile or fails a sample of its own.
    pub fn prove(&self) -> Result<(), PolicyError> {
        drop(self.secrets.own_rules("")?);
        Ok(())
    }

    fn refuse_unknown_off(self) -> Result<Self, PolicyError> {
        match self.secrets.unknown_off() {
            None => Ok(self),
            Some(unknown) => {
                let shown = Escaped(unknown).to_string();
                Err(PolicyError::UnknownRule(shown, likely(unknown)))
            }
        }
    }

    /// Reads a policy file without its rules being proven: enough to know who may change what, and
    /// a thousand times faster where somebody sends many.
    pub(crate) fn read(text: &str) -> Result<Self, PolicyError> {
        let policy: Self = serde_yaml::from_str(text).map_err(|error| {
            let first = error.to_string().lines().next().unwrap_or_default().to_owned();
            PolicyError::Shape(Escaped(&first).to_string())
        })?;
        if policy.format != POLICY_FORMAT {
            return Err(PolicyError::Format(Escaped(&policy.format).to_string()));
        }
        if policy.kinds.contains(&Kind::User) {
            return Err(PolicyError::Forbidden("`kinds` with `user`".to_owned()));
        }
        if policy.limits.memory_bytes > MEMORY_BYTES_MAX {
            return Err(PolicyError::Forbidden(format!(
                "`limits.memory_bytes` over {MEMORY_BYTES_MAX}"
            )));
        }
        if policy.secrets.salt.as_ref().is_some_and(|key| key.len() < SALT_CHARS_MIN) {
            return Err(PolicyError::Forbidden(format!(
                "a `secrets.salt` of less than {SALT_CHARS_MIN} characters"
            )));
        }
        Ok(policy)
    }

    /// The scanner of this team; `None` where the built-in one is all it takes.
    pub fn scanner(&self) -> Option<&Scanner> {
        let secrets = &self.secrets;
        if secrets.salt.is_none() && secrets.off.is_empty() && secrets.rules.is_empty() {
            return None;
        }
        Some(secrets.scanner.0.get_or_init(|| secrets.make()))
    }

    /// Writes the policy file.
    pub fn render(&self) -> String {
        serde_yaml::to_string(self).expect("because a policy holds only strings and numbers")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_round_trips() {
        for trust in [Trust::Open, Trust::Roster] {
            let policy = Policy::new(trust, Some("github.com/acme/widgets".to_owned()));
            assert_eq!(Policy::parse(&policy.render()).unwrap(), policy);
        }
    }

    #[test]
    fn what_is_not_understood_refuses() {
        for (text, part) in [
            ("", "cannot be read"),
            ("format: memsync.policy/2\ntrust: open\n", "has format"),
            ("format: memsync.policy/1\ntrust: maybe\n", "cannot be read"),
            ("format: memsync.policy/1\ntrust: open\nextra: 1\n", "cannot be read"),
            ("format: memsync.policy/1\ntrust: open\nkinds: [user]\n", "no policy may"),
            (
                "format: memsync.policy/1\ntrust: open\nlimits: {memory_bytes: 999999999}\n",
                "no policy may",
            ),
            ("- a\n- b\n", "cannot be read"),
            ("format: memsync.policy/1\ntrust: open\nsecrets: {salt: short}\n", "no policy may"),
            (
                "format: memsync.policy/1\ntrust: open\nsecrets: {off: [github-token]}\n",
                "no rule is called so; there is `github-",
            ),
            (
                "format: memsync.policy/1\ntrust: open\nsecrets: {off: [\"a\\e[2J\"]}\n",
                "`a\\u{1b}[2J`",
            ),
            (
                "format: memsync.policy/1\ntrust: open\nsecrets:\n  rules:\n    - id: acme\n      \
                 description: key\n      keywords: [acme_]\n      pattern: 'acme_('\n      examples: [x]\n",
                "policy.yaml:5",
            ),
        ] {
            let error = Policy::parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text:?} gave {error}");
        }
    }

    #[test]
    fn a_rule_of_an_agreed_policy_that_does_not_compile_finds_its_keyword() {
        for (words, pattern) in
            [("keywords: [acme_]", "acme_("), ("context_words: [acme]", "([0-9")]
        {
            let text = format!(
                "format: memsync.policy/1\ntrust: open\nsecrets:\n  rules:\n    - id: acme\n      \
                 description: key\n      {words}\n      pattern: '{pattern}'\n      examples: [x]\n"
            );
            assert!(Policy::parse(&text).is_err());
            let policy = Policy::parse_agreed(&text).unwrap();
            assert!(policy.prove().is_err());
            let found = |text: &str| policy.scanner().unwrap().scan("a.md", text.as_bytes());
            assert_eq!(found("nothing of theirs is here"), []);
            let named = found("the acme acme_12345678 and so on");
            assert!(named.iter().any(|finding| finding.rule == "acme"), "{pattern}: {named:?}");
        }
    }

    #[test]
    fn only_known_rules_can_be_off() {
        for off in ["generic-password", "kubernetes-secret", "github-personal-token"] {
            let text =
                format!("format: memsync.policy/1\ntrust: open\nsecrets: {{off: [{off}]}}\n");
            assert!(Policy::parse(&text).is_ok(), "{off}");
        }
        let own = "format: memsync.policy/1\ntrust: open\nsecrets:\n  off: [acme-key]\n  rules:\n    \
                   - id: acme-key\n      description: key\n      keywords: [acme_]\n      \
                   pattern: 'acme_[0-9]{8}'\n      examples: ['acme_{digit:8}']\n";
        assert!(Policy::parse(own).is_ok(), "{:?}", Policy::parse(own));
    }
}
