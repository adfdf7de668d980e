//! Whose business a record is: a conflict about a path needs the rights of that path.
//! Border: bytes in, a kind of change out; which role may make it is `trust`'s rule.

use super::record::Conflict;
use crate::trust::verdict::Area;

/// The kind of change that adding, editing or removing a record is: that of the most powerful path it
/// names. `path` is the record's own; a record that cannot be read is an admin's business.
pub fn record_area(path: &str, content: &[u8]) -> Area {
    let Ok(conflict) = Conflict::parse(path, content) else { return Area::Policy };
    let named = [Some(&conflict.path), conflict.other_path.as_ref()];
    let kinds = named.into_iter().flatten().map(|path| Area::of(path.as_str()));
    kinds.max().unwrap_or(Area::Policy)
}
