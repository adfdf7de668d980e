//! How a history is introduced to a newcomer: its first commit, and who signed it.
//! Border: text only; comparing it with what was told is `membership`'s.

use crate::base::id::ObjectId;

/// `COMMIT:FINGERPRINT`, as `join --introduction` takes it.
pub fn shown_introduction(root: ObjectId, signer: Option<&str>) -> String {
    signer.map_or_else(|| root.to_string(), |signer| format!("{root}:{signer}"))
}
