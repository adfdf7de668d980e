//! The `allowed_signers` file that lets plain git and ssh-keygen check what members signed.
//! Border: text only (ssh-keygen(1), ALLOWED SIGNERS); git knows keys, not roles or repositories.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::trust::roster::Roster;
use crate::trust::signature::NAMESPACE_COMMIT;

/// Renders every key of these rosters, the newest roster first; a key keeps its first line.
///
/// Give earlier rosters as well, so that history signed by removed members still verifies.
/// A revoked key is valid before its day of revocation only.
pub fn render<'a>(rosters: impl IntoIterator<Item = &'a Roster>) -> String {
    let mut text =
        String::from("# Written by memsync from .memsync/roster.yaml; changes are lost.\n");
    let mut seen = BTreeSet::new();
    for member in rosters.into_iter().flat_map(Roster::members) {
        for entry in &member.keys {
            if !seen.insert(entry.key) {
                continue;
            }
            let until = entry.revoked.as_ref().map_or_else(String::new, |day| {
                format!(",valid-before=\"{}\"", day.as_str().replace('-', ""))
            });
            writeln!(text, "{} namespaces=\"{NAMESPACE_COMMIT}\"{until} {}", member.id, entry.key)
                .expect("because writing to a string cannot fail");
        }
    }
    text
}
