//! What a branch or tag is called: its name travels with what it points at, and every clone shows it.
//! Border: the name alone; which refs a server takes is the hook's business.

use super::Gate;
use super::verdict::{Reason, Weight};
use crate::base::display::{Escaped, is_unsafe_to_show};
use crate::secrets::Confidence;
use crate::secrets::finding::Finding;
use crate::secrets::sighting::without_values;

/// Why a full ref name must not be sent; `None` when it may.
pub fn check_reference(gate: &Gate<'_>, name: &str) -> Option<Reason> {
    if name.contains(is_unsafe_to_show) {
        return Some(Reason {
            path: Escaped(&without_values(name, b"", &[])).to_string(),
            position: None,
            rule: "ref-name".to_owned(),
            weight: Weight::Forbidden,
            message: "the name holds a character that nobody sees".to_owned(),
            next_step: "choose another name".to_owned(),
        });
    }
    let scanner = gate.policy.scanner().unwrap_or_else(|| (gate.scanner)());
    // Names are words, so only what proves itself counts.
    let counts = |finding: &Finding| {
        finding.confidence > Confidence::Medium
            && !gate.policy.secrets.off.contains(&finding.rule)
            && !(gate.is_allowed)(finding)
    };
    // A part may be a value that the slash before it hides.
    let parts = std::iter::once(name).chain(name.split('/'));
    let found = parts.map(|part| (part, scanner.scan("", part.as_bytes())));
    let (part, finding) = found
        .flat_map(|(part, found)| found.into_iter().map(move |finding| (part, finding)))
        .find(|(_, finding)| counts(finding))?;
    let shown = without_values(name, part.as_bytes(), std::slice::from_ref(&finding));
    Some(Reason {
        next_step: "choose another name, and rotate what this one gave away".to_owned(),
        ..Reason::of_name(&shown, &finding)
    })
}
