//! Puts lines back that reconciling took out of the index of a team memory.
//! Border: the newest batch of the local record, on disk only; sharing is `push`.

use std::time::Duration;

use crate::base::text::{dominant_eol, lines, without_eol};
use crate::memory::limits::INDEX_FILE_BYTES_MAX;
use crate::memory::reconcile::Removed;
use crate::store::locate::TeamPlace;
use crate::store::state::{self, RemovedLines};
use crate::sync::error::SyncError;
use crate::sync::worktree::writable::writable;
use crate::system::files::Durability;

const INDEX: &str = "MEMORY.md";

/// Puts back what the newest run took out, each line below the one it stood below. Gives what came
/// back; nothing when nothing was taken out since.
pub fn put_back(place: &TeamPlace, wait: Duration) -> Result<Vec<Removed>, SyncError> {
    let team = writable(place, wait)?;
    let mut kept = state::read::<RemovedLines>(&team.git_root)?.unwrap_or_default();
    let Some(batch) = kept.batches.pop() else { return Ok(Vec::new()) };
    let before = team.root.read_if_there(INDEX, INDEX_FILE_BYTES_MAX as u64)?.unwrap_or_default();
    let Ok(mut text) = String::from_utf8(before) else {
        return Err(SyncError::IndexNotUtf8(team.path.join(INDEX)));
    };
    // The last first, so that lines of one place come back in their order.
    for removed in batch.removed.iter().rev() {
        text = with(&text, removed);
    }
    team.root.write_atomic(INDEX, text.as_bytes(), Durability::Durable)?;
    state::write(&team.git_root, &kept)?;
    Ok(batch.removed)
}

/// The text with lines put back: below the line they stood below, else at the end.
fn with(text: &str, removed: &Removed) -> String {
    let mut at = removed.above.is_none().then_some(0);
    let mut end = 0;
    let mut blank = removed.blank;
    for line in lines(text) {
        let was = end;
        end += line.len();
        if removed.above.as_deref() == Some(without_eol(line)) {
            (at, blank) = (Some(end), removed.blank);
        } else if line.trim().is_empty() && blank > 0 && at == Some(was) {
            (at, blank) = (Some(end), blank - 1);
        }
    }
    let at = at.unwrap_or(text.len());
    let eol = dominant_eol(text);
    let (above, below) = text.split_at(at);
    let gap = if above.is_empty() || above.ends_with('\n') { "" } else { eol };
    let end = if removed.text.ends_with('\n') { "" } else { eol };
    format!("{above}{gap}{}{end}{below}", removed.text)
}

#[cfg(test)]
mod tests {
    use super::{Removed, with};

    #[test]
    fn a_line_comes_back_where_it_stood_else_at_the_end() {
        let removed = |above: Option<&str>| Removed {
            target: "b.md".to_owned(),
            text: "- [B](b.md)\n".to_owned(),
            above: above.map(str::to_owned),
            blank: 1,
        };
        let text = "# M\n\n- [A](a.md)\n- [C](c.md)";
        let table = [
            (Some("- [A](a.md)"), "# M\n\n- [A](a.md)\n- [B](b.md)\n- [C](c.md)"),
            (Some("# M"), "# M\n\n- [B](b.md)\n- [A](a.md)\n- [C](c.md)"),
            (Some("- [C](c.md)"), "# M\n\n- [A](a.md)\n- [C](c.md)\n- [B](b.md)\n"),
            (Some("gone"), "# M\n\n- [A](a.md)\n- [C](c.md)\n- [B](b.md)\n"),
            (None, "- [B](b.md)\n# M\n\n- [A](a.md)\n- [C](c.md)"),
        ];
        for (above, expected) in table {
            assert_eq!(with(text, &removed(above)), expected);
        }
        assert_eq!(with("", &removed(None)), "- [B](b.md)\n");
    }
}
