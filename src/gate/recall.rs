//! What agents' own recall does not see of a memory: deeper folders, and what comes after its limit.
//! Border: advice, never a refusal; a missing description is the document's fault.

use super::verdict::{Reason, ReasonKind, Weight};
use crate::base::path::MemoryPath;

/// Folders that agents look into for memories.
const FOLDERS_MAX: usize = 1;

/// Bytes of a memory that an agent is given.
const SEEN_BYTES_MAX: usize = 4_096;

/// Says what of a memory agents do not see by themselves.
pub(super) fn unseen(path: &MemoryPath, text: &str) -> Vec<Reason> {
    let reason = |rule: &str, message: String, next_step: &str| Reason {
        kind: ReasonKind::Rule,
        path: path.to_string(),
        position: None,
        rule: rule.to_owned(),
        weight: Weight::Advice,
        message,
        next_step: next_step.to_owned(),
    };
    let mut reasons = Vec::new();
    if path.components().count() > FOLDERS_MAX + 1 {
        let message = "it lies deeper than one folder, where agents do not look by themselves";
        reasons.push(reason(
            "memory-deep",
            message.to_owned(),
            "move it up, or link it from a memory",
        ));
    }
    if text.len() > SEEN_BYTES_MAX {
        let bytes = text.len();
        let message = format!("of its {bytes} bytes agents are given the first {SEEN_BYTES_MAX}");
        reasons.push(reason("memory-long", message, "split it, or say the main thing first"));
    }
    reasons
}
