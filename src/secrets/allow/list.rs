//! Accepted findings: `allow.yaml`, `.gitleaksignore`, baselines.
//! Border: text and values; which files hold them is for the callers, comments beside a value are `inline`.
//!
//! **Which version of a team's `allow.yaml` counts**, everywhere the same: a commit is judged by the list
//! in its own tree, and by that of the newest commit it is judged together with (the one that is sent,
//! offered or checked out), so that a finding can be accepted in the commit that brings it, or later. A
//! list that lets its own commit pass is no hole: in a team with a roster only an admin's change of it is
//! taken, and an open team trusts everybody. Where a server takes a proposal, whose rights are judged
//! later, the list of the shared branch counts alone. What is not committed yet is judged by the list in
//! the work tree, which goes into the same commit, unless the gate keeps that list out or it is not the
//! person's to change: then by the last committed one. An entry without a reason accepts nothing anywhere. `scan` outside a team memory goes by the files beside what it reads.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::base::display::{Escaped, is_invisible};
use crate::base::text::place_of;
use crate::base::time::Timestamp;
use crate::secrets::allow::inline::is_commit;
use crate::secrets::finding::Finding;

/// The list of a repository.
pub const ALLOW_PATH: &str = ".memsync/allow.yaml";

/// One accepted finding in `allow.yaml`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allowed {
    /// The fingerprint of the value.
    pub fingerprint: String,
    /// Why it is no secret, or why it may stay.
    pub reason: String,
    /// Who accepted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub who: Option<String>,
    /// From when on it counts as a finding again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
}

impl Allowed {
    /// Whether it says why, in something that a person sees.
    fn has_reason(&self) -> bool {
        self.reason.chars().any(|c| !c.is_whitespace() && !is_invisible(c) && c != BRAILLE_BLANK)
    }
}

/// The only letter that shows nothing.
const BRAILLE_BLANK: char = '\u{2800}';

/// Why a list of accepted findings was refused. A list that is not understood accepts nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AllowError {
    /// The file is not YAML of the right shape.
    #[error("`{file}` is no list of accepted findings: {problem}")]
    Syntax {
        /// The file.
        file: String,
        /// What the parser says, with its line.
        problem: String,
    },
    /// An expiry is no date.
    #[error("`{file}`: the expiry `{expires}` of {fingerprint} is no RFC 3339 time")]
    Expiry {
        /// The file.
        file: String,
        /// The entry.
        fingerprint: String,
        /// What stands there.
        expires: String,
    },
    /// An entry says nothing of why.
    #[error("`{file}`: {fingerprint} has no reason, so it accepts nothing")]
    Reason {
        /// The file.
        file: String,
        /// The entry.
        fingerprint: String,
    },
    /// A line of a gitleaks ignore file has no known shape.
    #[error(
        "`{file}` line {line} is neither `path:rule:line`, `commit:path:rule:line` nor a fingerprint"
    )]
    Line {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
    },
}

/// Everything that is accepted for one scan.
#[derive(Clone, Debug, Default)]
pub struct AllowList {
    fingerprints: HashSet<String>,
    places: HashSet<(Option<String>, String, String, usize)>,
}

impl AllowList {
    /// Reads `allow.yaml`; entries that expired before `now` or have no reason accept nothing.
    ///
    /// # Errors
    /// Text that is no list of entries, or an expiry that is no time.
    pub fn add_yaml(&mut self, file: &str, text: &str, now: Timestamp) -> Result<(), AllowError> {
        for entry in entries(file, text)? {
            let expired = match &entry.expires {
                None => false,
                Some(expires) => {
                    let at = expiry(expires).ok_or_else(|| AllowError::Expiry {
                        file: place_of(file, text, expires),
                        fingerprint: entry.fingerprint.clone(),
                        expires: expires.clone(),
                    })?;
                    at <= now
                }
            };
            if !expired && entry.has_reason() {
                self.fingerprints.insert(entry.fingerprint);
            }
        }
        Ok(())
    }

    /// Reads a `.gitleaksignore`: places as gitleaks writes them, or fingerprints of ours.
    ///
    /// # Errors
    /// A line of another shape.
    pub fn add_gitleaks_ignore(&mut self, file: &str, text: &str) -> Result<(), AllowError> {
        for (at, line) in text.lines().enumerate() {
            let line = line.split(" #").next().unwrap_or_default().trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if is_fingerprint(line) {
                self.fingerprints.insert(line.to_owned());
                continue;
            }
            let wrong = || AllowError::Line { file: file.to_owned(), line: at + 1 };
            let mut parts = line.rsplitn(3, ':');
            let number = parts.next().and_then(|n| n.parse().ok()).ok_or_else(wrong)?;
            let rule = parts.next().ok_or_else(wrong)?.to_owned();
            let place = parts.next().ok_or_else(wrong)?;
            let commit = place.split_once(':').filter(|(commit, _)| is_commit(commit));
            let (commit, path) = match commit {
                Some((commit, path)) => (Some(commit.to_owned()), path),
                None => (None, place),
            };
            self.places.insert((commit, path.to_owned(), rule, number));
        }
        Ok(())
    }

    /// Accepts a fingerprint.
    pub fn add_fingerprint(&mut self, fingerprint: impl Into<String>) {
        self.fingerprints.insert(fingerprint.into());
    }

    /// Whether some are accepted at one place only.
    pub fn has_places(&self) -> bool {
        !self.places.is_empty()
    }

    /// The commits in which some are accepted.
    pub fn commits(&self) -> impl Iterator<Item = &str> {
        self.places.iter().filter_map(|(commit, ..)| commit.as_deref())
    }

    /// Tells whether a finding at a place is accepted.
    pub fn allows(&self, finding: &Finding, path: &str, commit: Option<&str>) -> bool {
        if self.fingerprints.contains(&finding.fingerprint) {
            return true;
        }
        let place = |commit: Option<&str>| {
            (commit.map(str::to_owned), path.to_owned(), finding.rule.clone(), finding.start.line)
        };
        !self.places.is_empty()
            && (self.places.contains(&place(None))
                || commit.is_some() && self.places.contains(&place(commit)))
    }
}

/// Checks an `allow.yaml` that is about to be shared: every entry must say why.
///
/// # Errors
/// Text that is no list of entries, an expiry that is no time, a blank reason.
pub fn check_list(file: &str, text: &str) -> Result<(), AllowError> {
    // Whether an entry has expired is no question of form.
    AllowList::default().add_yaml(file, text, Timestamp::utc(0))?;
    match entries(file, text)?.into_iter().find(|entry| !entry.has_reason()) {
        None => Ok(()),
        Some(entry) => Err(AllowError::Reason {
            file: file.to_owned(),
            fingerprint: Escaped(&entry.fingerprint).to_string(),
        }),
    }
}

/// The entries of `allow.yaml`.
///
/// # Errors
/// Text that is no list of entries.
pub fn entries(file: &str, text: &str) -> Result<Vec<Allowed>, AllowError> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    serde_yaml::from_str(text).map_err(|error| {
        // Without the lines of the file, which may hold the value that somebody wanted to accept.
        let problem = error.without_snippet().to_string();
        AllowError::Syntax { file: file.to_owned(), problem }
    })
}

/// One entry as `allow.yaml` writes it, to be put at the end of the file.
pub fn entry_text(entry: &Allowed) -> String {
    let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
    let mut text =
        format!("- fingerprint: {}\n  reason: {}\n", entry.fingerprint, quoted(&entry.reason));
    if let Some(who) = &entry.who {
        text.push_str(&format!("  who: {}\n", quoted(who)));
    }
    if let Some(expires) = &entry.expires {
        text.push_str(&format!("  expires: {}\n", quoted(expires)));
    }
    text
}

/// Tells that text has the shape of a fingerprint of ours.
pub fn is_fingerprint(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// A time, or a date that stands for its first moment.
pub fn expiry(text: &str) -> Option<Timestamp> {
    Timestamp::parse(text).or_else(|| Timestamp::parse(&format!("{text}T00:00:00Z")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        Timestamp::parse("2026-06-01T00:00:00Z").unwrap()
    }

    #[test]
    fn an_expired_entry_accepts_nothing() {
        let list = |expires: &str| {
            let entry = Allowed {
                fingerprint: "0".repeat(32),
                reason: "sample: \"x\"".to_owned(),
                who: Some("maria".to_owned()),
                expires: Some(expires.to_owned()),
            };
            let mut list = AllowList::default();
            list.add_yaml("allow.yaml", &entry_text(&entry), now())
                .map(|()| list.fingerprints.len())
        };
        assert_eq!(list("2026-06-02").unwrap(), 1);
        assert_eq!(list("2026-05-31").unwrap(), 0);
        assert!(matches!(list("soon"), Err(AllowError::Expiry { .. })));
    }

    #[test]
    fn a_list_that_is_not_understood_is_refused() {
        let mut list = AllowList::default();
        assert!(list.add_yaml("allow.yaml", "- fingerprint: x\n  resaon: y\n", now()).is_err());
        assert!(list.add_gitleaks_ignore(".gitleaksignore", "# c\nsrc/a.rs:rule:7\n\n").is_ok());
        let wrong = list.add_gitleaks_ignore(".gitleaksignore", "\nnonsense\n");
        assert!(matches!(wrong, Err(AllowError::Line { line: 2, .. })));
    }
}
