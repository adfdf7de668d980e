//! The index as a push would share it: without the entries of memories that the gate keeps out.
//! Border: text in, text out; what is really committed is decided by `stage_index`.

use std::collections::BTreeSet;

use crate::base::display::Escaped;
use crate::memory::index::{Block, Index};
use crate::secrets::masking::masked;

/// The index on disk less what belongs to kept-out memories, and a sentence for each entry that is
/// left out. An entry that the committed index has already stays as it is there.
pub(crate) fn shared_index(
    disk: &[u8],
    committed: &[u8],
    kept_out: &BTreeSet<String>,
) -> (Vec<u8>, Vec<String>) {
    let (disk, committed) = (String::from_utf8_lossy(disk), String::from_utf8_lossy(committed));
    let (disk, committed) = (Index::parse(&disk), Index::parse(&committed));
    let (mut text, mut names) = (String::new(), BTreeSet::new());
    for block in disk.blocks() {
        let drop: Vec<bool> =
            block.entries.iter().map(|entry| kept_out.contains(&entry.target)).collect();
        if !drop.contains(&true) || committed.blocks().iter().any(|old| old.raw == block.raw) {
            text.push_str(&block.raw);
            continue;
        }
        let left_out = block.entries.iter().zip(&drop).filter(|(_, drop)| **drop);
        names.extend(left_out.map(|(entry, _)| entry.target.clone()));
        match committed.blocks().iter().find(|old| targets(old) == targets(block)) {
            Some(old) => text.push_str(&old.raw),
            None => text.push_str(&block.without(&drop).unwrap_or_default()),
        }
    }
    let said = names.iter().map(|name| {
        format!("the entry of `{}` is not shown: the gate keeps it out", Escaped(&masked(name)))
    });
    (text.into_bytes(), said.collect())
}

fn targets(block: &Block) -> Vec<&str> {
    block.entries.iter().map(|entry| entry.target.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_belongs_to_kept_out_memories_is_left_out() {
        let kept_out = BTreeSet::from(["s.md".to_owned()]);
        let old = "# Team\n\n- [A](a.md) — one\n";
        let check = |disk: &str, committed: &str| {
            let (text, names) = shared_index(disk.as_bytes(), committed.as_bytes(), &kept_out);
            (String::from_utf8(text).unwrap(), names.len())
        };
        assert_eq!(check(&format!("{old}- [S](s.md) — the key\n"), old), (old.to_owned(), 1));
        let both = format!("{old}- [S](s.md) — before\n");
        let edited = format!("{old}- [S](s.md) — the key\n");
        assert_eq!(check(&edited, &both), (both.clone(), 1));
        assert_eq!(check(&both, &both), (both.clone(), 0));
        let (text, names) = check(&format!("{old}- [B](b.md) · [S](s.md) — the key\n"), old);
        assert!(!text.contains("the key") && names == 1, "{text}");
    }
}
