//! Lets an entry follow its memory: a new path, and a name or description that nobody wrote over.
//! Border: one block; a line is rewritten only where reading it again gives just what was meant.

use super::compose;
use super::known::{Known, Meaning};
use super::since::Said;
use crate::memory::index::{Block, Entry, Index, link_at, written_target};

/// What came of a block.
pub(super) enum Followed {
    /// Every entry says what it should.
    Nothing,
    /// The new text, and the entries that changed, as they read now.
    Text(String, Vec<Entry>),
    /// An entry should change, but not without touching what it shares its line with.
    Stuck(Vec<Entry>),
}

/// Rewrites the entries of a block whose memories were renamed or described anew.
pub(super) fn follow(block: &Block, meanings: &[Meaning<'_>], known: &Known<'_>) -> Followed {
    let mut text = block.raw.clone();
    let mut wanted: Vec<Entry> = block.entries.clone();
    let mut changed = Vec::new();
    // From the end, so that places before it stay where they are.
    for at in (0..block.entries.len()).rev() {
        let Some(new) = target_of(&block.entries[at], &meanings[at], known) else { continue };
        let Some(range) = block.range(at) else { return Followed::Stuck(vec![new]) };
        let Some(written) = rewritten(&text[range.clone()], &block.entries[at], &new) else {
            return Followed::Stuck(vec![new]);
        };
        text.replace_range(range, &written);
        wanted[at] = new.clone();
        changed.insert(0, new);
    }
    if changed.is_empty() {
        return Followed::Nothing;
    }
    let shown = |entry: &Entry| (entry.target.clone(), entry.title.clone(), entry.hook.clone());
    let again = Index::parse(&text);
    if again.blocks().len() == 1 && again.entries().map(shown).eq(wanted.iter().map(shown)) {
        Followed::Text(text, changed)
    } else {
        Followed::Stuck(changed)
    }
}

/// The entry as it should read; `None` where it reads so already.
fn target_of(entry: &Entry, meaning: &Meaning<'_>, known: &Known<'_>) -> Option<Entry> {
    let (path, is_renamed) = match meaning {
        Meaning::File(path) => (*path, false),
        Meaning::Renamed(path) => (*path, true),
        _ => return None,
    };
    let mut new = entry.clone();
    if is_renamed {
        let old_name = entry.target.rsplit('/').next().unwrap_or(&entry.target);
        let new_name = path.rsplit('/').next().unwrap_or(path);
        // One title in seven is the file name.
        let stem = |name: &str| name.strip_suffix(".md").unwrap_or(name).to_owned();
        if entry.title == entry.target || entry.title == old_name {
            new.title = if entry.title == entry.target { path } else { new_name }.to_owned();
        } else if entry.title == stem(old_name) && known.name(path).as_ref() != Some(&entry.title) {
            new.title = compose::title(&stem(new_name));
        }
        new.target = path.to_owned();
    }
    if let Some((was, is)) = known.said(path) {
        let words = (new.title.clone(), new.hook.clone());
        for was in was {
            follow_words(&mut new, path, was, &is);
            if (&new.title, &new.hook) != (&words.0, &words.1) {
                break;
            }
        }
    }
    (new != *entry).then_some(new)
}

/// A title or hook that is what the memory said follows what it says now.
fn follow_words(entry: &mut Entry, path: &str, was: &Said, is: &Said) {
    let title = |said: &Said| said.name.as_deref().map(compose::title);
    if let (Some(old), Some(new)) = (title(was), title(is))
        && entry.title == old
        && entry.target == path
    {
        entry.title = new;
    }
    let (Some(old), Some(new)) = (&was.description, &is.description) else { return };
    if entry.hook == compose::hook(old) {
        entry.hook = compose::hook(new);
    } else if entry.hook == compose::whole_hook(old) {
        entry.hook = compose::whole_hook(new);
    }
}

/// The text of one entry with another target, title and hook; `None` where they are not found.
fn rewritten(text: &str, old: &Entry, new: &Entry) -> Option<String> {
    let link = text.match_indices('[').find_map(|(at, _)| {
        link_at(text, at).filter(|(_, title, target)| *title == old.title && *target == old.target)
    });
    let (range, link) = match link {
        Some((range, ..)) => (range.clone(), relinked(&text[range], new)?),
        None => {
            // A name in backticks or bare is its own title.
            let at = text.find(old.title.as_str())?;
            (at..at + old.title.len(), new.title.clone())
        }
    };
    let after = &text[range.end..];
    let after = if old.hook == new.hook {
        after.to_owned()
    } else {
        let at = after.rfind(old.hook.as_str()).filter(|_| !old.hook.is_empty())?;
        format!("{}{}{}", &after[..at], new.hook, &after[at + old.hook.len()..])
    };
    Some(format!("{}{link}{after}", &text[..range.start]))
}

/// A link as written, to another target.
fn relinked(written: &str, new: &Entry) -> Option<String> {
    if let Some(inner) = written.strip_prefix("[[").and_then(|w| w.strip_suffix("]]")) {
        let (name, title) =
            inner.split_once('|').map_or((inner, None), |(name, title)| (name, Some(title)));
        let has_end = name.trim().ends_with(".md");
        let target = if has_end {
            &new.target
        } else {
            new.target.strip_suffix(".md").unwrap_or(&new.target)
        };
        return Some(match title {
            Some(title) => format!("[[{target}|{title}]]"),
            None => format!("[[{target}]]"),
        });
    }
    Some(format!("[{}]({})", new.title, written_target(&new.target)))
}
