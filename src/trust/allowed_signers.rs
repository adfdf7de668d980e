//! The `allowed_signers` file that lets plain git and ssh-keygen check what members signed.
//! Border: text only (ssh-keygen(1), ALLOWED SIGNERS); git knows keys, not roles or repositories.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::trust::key::PublicKey;
use crate::trust::roster::{Day, MemberId, Roster};
use crate::trust::signature::NAMESPACE_COMMIT;

/// A key that an earlier roster listed and the current one does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormerKey {
    /// Whose it was.
    pub id: MemberId,
    /// The key.
    pub key: PublicKey,
    /// The last day on which a roster listed it.
    pub until: Day,
}

/// Renders every key of the roster, and former ones so that history by removed members verifies.
///
/// A revoked or former key is valid up to the end of its last day, because git compares with the
/// date of the commit and the member may have signed earlier on that day. `origin` says in a
/// comment what the file was made from.
pub fn render(roster: &Roster, former: &[FormerKey], origin: &str) -> String {
    let mut text = format!("{}\n", heading(origin));
    let mut seen = BTreeSet::new();
    let mut add = |id: &MemberId, key: PublicKey, until: Option<&Day>| {
        if !seen.insert(key) {
            return;
        }
        let until = until.map_or_else(String::new, |day| {
            format!(",valid-before=\"{}\"", day.next().as_str().replace('-', ""))
        });
        writeln!(text, "{id} namespaces=\"{NAMESPACE_COMMIT}\"{until} {key}")
            .expect("because writing to a string cannot fail");
    };
    for member in roster.members() {
        for entry in &member.keys {
            add(&member.id, entry.key, entry.revoked.as_ref());
        }
    }
    for key in former {
        add(&key.id, key.key, Some(&key.until));
    }
    text
}

/// The first line of a file made from `origin`; a file that begins with another is out of date.
pub fn heading(origin: &str) -> String {
    format!("# Written by memsync from .memsync/roster.yaml {origin}; changes are lost.")
}
