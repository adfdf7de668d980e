//! What a branch or tag is called: its name travels with what it points at, and every clone shows it.
//! Border: the name alone; which refs a server takes is the hook's business.

use super::Gate;
use super::envelope::of_ref;
use super::verdict::{Reason, ReasonKind, Weight};
use crate::base::display::{Escaped, is_unsafe_to_show};
use crate::secrets::masking::masked;

/// Why a full ref name must not be sent; `None` when it may.
pub fn check_reference(gate: &Gate<'_>, name: &str) -> Option<Reason> {
    if name.contains(is_unsafe_to_show) {
        return Some(Reason {
            kind: ReasonKind::Rule,
            path: Escaped(&masked(name)).to_string(),
            position: None,
            rule: "ref-name".to_owned(),
            weight: Weight::Forbidden,
            message: "the name holds a character that nobody sees".to_owned(),
            next_step: "choose another name".to_owned(),
        });
    }
    // A part may be a value that the slash before it hides.
    let pieces = std::iter::once(name).chain(name.split('/')).flat_map(of_ref);
    gate.envelope(&pieces.collect::<Vec<_>>()).into_iter().next()
}
