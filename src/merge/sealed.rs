//! Merges a sealed memory: opened in memory when a key is held, merged as a plain one, sealed again.
//! Border: pure but for the `Unlock` it is given; no plain text leaves it, not in a record either.
//!
//! A text that one side left as it was is taken as it is, without a key and without sealing anew.

use std::collections::BTreeSet;

use crate::base::path::MemoryPath;
use crate::memory::document::{Document, Frontmatter};
use crate::merge::inside::{FileMerge, Input, conflict, is_one_question, merge_text, whole};
use crate::merge::kinds::frontmatter::merge_frontmatter;
use crate::merge::kinds::index::IndexContext;
use crate::merge::unresolved::{Clash, Part, Pick, Reason};
use crate::seal::audience::Audience;
use crate::seal::envelope::{
    Envelope, SEALED_FIELD, SEALED_FOR_FIELD, is_sealed, is_sealed_text, seal_head,
};
use crate::seal::unlock::{Plain, Unlock};

/// What one side of a merge has.
struct Side<'a> {
    raw: &'a [u8],
    document: Document,
    sealed: bool,
}

/// What a closed merge needs of an opened side.
struct Opened {
    envelope: Envelope,
    /// Frontmatter and text, as if it had never been sealed.
    plain: Plain,
}

impl<'a> Side<'a> {
    fn read(raw: &'a [u8]) -> Option<Self> {
        let document = Document::parse(std::str::from_utf8(raw).ok()?);
        let sealed = is_sealed(&document);
        Some(Self { raw, document, sealed })
    }

    /// The envelope, if nobody tampered with it.
    fn envelope(&self) -> Option<Envelope> {
        Envelope::read(&self.document).ok()
    }

    fn open(&self, unlock: &dyn Unlock) -> Option<Opened> {
        let envelope = self.envelope()?;
        let head = self.document.frontmatter()?.render();
        let body = unlock.open(&envelope)?;
        let plain = Plain::new(format!("{head}{}", body.as_str()));
        Some(Opened { envelope, plain })
    }
}

/// Merges two versions of which one is sealed, or was; `None` when none is: then it is a plain merge.
pub(crate) fn merge_sealed(
    path: &MemoryPath,
    base: Option<&[u8]>,
    first: Input<'_>,
    second: Input<'_>,
    around: &IndexContext,
    unlock: &dyn Unlock,
) -> Option<FileMerge> {
    let seems = |raw: &[u8]| std::str::from_utf8(raw).is_ok_and(is_sealed_text);
    if !path.is_memory() || ![first.content, second.content].iter().any(|raw| seems(raw)) {
        return None;
    }
    let closed = || {
        // The sealed side stays: a text must not become readable because two changes met.
        let (kept, other) = if seems(first.content) { (first, second) } else { (second, first) };
        let sides = ((kept.origin, Some(kept.content)), (other.origin, Some(other.content)));
        let conflict = whole(path, Reason::Sealed, base, sides.0, sides.1);
        FileMerge { content: kept.content.to_vec(), conflicts: vec![conflict] }
    };
    let (Some(one), Some(two)) = (Side::read(first.content), Side::read(second.content)) else {
        return Some(closed());
    };
    if !one.sealed || !two.sealed {
        return Some(closed());
    }
    let base_side = base.and_then(Side::read);
    let merge = Merge { path, base, base_side: base_side.as_ref(), first, second };
    let merged = merge
        .unopened(&one, &two)
        .or_else(|| merge.opened(&one, &two, around, unlock))
        .unwrap_or_else(closed);
    Some(merged)
}

struct Merge<'a> {
    path: &'a MemoryPath,
    base: Option<&'a [u8]>,
    base_side: Option<&'a Side<'a>>,
    first: Input<'a>,
    second: Input<'a>,
}

impl Merge<'_> {
    /// Both have the same sealed text, or one left it as it was: only the frontmatter is merged.
    fn unopened(&self, one: &Side<'_>, two: &Side<'_>) -> Option<FileMerge> {
        let base = self.base_side.filter(|base| base.sealed);
        let (first, second) = (one.document.body(), two.document.body());
        let left_by = |text: &str| base.is_some_and(|base| base.document.body() == text);
        let taken = match () {
            () if first == second || left_by(second) => one,
            () if left_by(first) => two,
            () => return None,
        };
        let base = self.base_side.and_then(|base| base.document.frontmatter());
        let heads = (one.document.frontmatter()?, two.document.frontmatter()?);
        let head = merge_frontmatter(base, heads.0, heads.1);
        let text = head.text + taken.document.body();
        // Where the lists were changed without the text, they are not what was sealed.
        let found = Envelope::read(&Document::parse(&text)).ok()?;
        (found.audience == taken.envelope()?.audience).then(|| self.done(text, head.clashes))
    }

    /// Merged as plain texts and sealed again, unless the result is what one side sealed.
    fn opened(
        &self,
        one: &Side<'_>,
        two: &Side<'_>,
        around: &IndexContext,
        unlock: &dyn Unlock,
    ) -> Option<FileMerge> {
        let base = match self.base_side {
            None => None,
            Some(base) if base.sealed => Some(base.open(unlock)?),
            Some(base) => Some(Opened {
                envelope: one.envelope()?,
                plain: Plain::new(String::from_utf8(base.raw.to_vec()).ok()?),
            }),
        };
        let (first, second) = (one.open(unlock)?, two.open(unlock)?);
        // A list that opening does not prove could name someone the author never meant.
        if !first.envelope.is_named() || !second.envelope.is_named() {
            return None;
        }
        let text = |side: &Opened| side.plain.as_bytes().to_vec();
        let base_text = base.as_ref().map(text);
        let merged = merge_text(
            self.path,
            base_text.as_deref(),
            first.plain.as_bytes(),
            second.plain.as_bytes(),
            around,
        )?;
        if is_one_question(self.path, &merged) {
            return Some(self.kept_first(Reason::BothEdited));
        }
        let document = Document::parse(&merged.text);
        let was_sealed = self.base_side.is_some_and(|base| base.sealed);
        let base_audience = base.as_ref().filter(|_| was_sealed).map(|b| &b.envelope.audience);
        let wanted =
            merge_wanted(base_audience, &first.envelope.audience, &second.envelope.audience);
        let (audience, armor) = self.reused(&document, &wanted, [&first, &second], unlock)?;
        let mut head: Frontmatter = document.frontmatter()?.clone();
        seal_head(&mut head, &audience).ok()?;
        Some(self.done(head.render() + &armor, merged.clashes))
    }

    /// The sealed text of the side whose text and readers are the result's; else a fresh one.
    fn reused(
        &self,
        merged: &Document,
        wanted: &Audience,
        sides: [&Opened; 2],
        unlock: &dyn Unlock,
    ) -> Option<(Audience, String)> {
        let same = |side: &&&Opened| {
            let body = Document::parse(&side.plain);
            body.body() == merged.body() && side.envelope.audience.wanted == wanted.wanted
        };
        if let Some(side) = sides.iter().find(same) {
            return Some((side.envelope.audience.clone(), side.envelope.armor.clone()));
        }
        unlock.seal(merged.body(), wanted)
    }

    /// The merged file. Clashes of clear fields are told as ever; all others become one record that
    /// holds both sealed files, because a piece of the text would be readable there.
    fn done(&self, text: String, clashes: Vec<Clash>) -> FileMerge {
        let is_list = |part: &Part| matches!(part, Part::Field(name) if name == SEALED_FIELD || name == SEALED_FOR_FIELD);
        let (fields, inner): (Vec<Clash>, Vec<Clash>) = clashes
            .into_iter()
            .filter(|clash| !is_list(&clash.part))
            .partition(|clash| matches!(clash.part, Part::Field(_)));
        let of = |clash| conflict(self.path, clash, self.first.origin, self.second.origin);
        let mut conflicts: Vec<_> = fields.into_iter().map(of).collect();
        if let Some(clash) = inner.first() {
            let favours_first = inner.iter().all(|clash| clash.kept == Pick::First);
            let pair = (self.first, self.second);
            let (kept, other) = if favours_first { pair } else { (pair.1, pair.0) };
            let sides = ((kept.origin, Some(kept.content)), (other.origin, Some(other.content)));
            conflicts.push(whole(self.path, clash.reason, self.base, sides.0, sides.1));
        }
        FileMerge { content: text.into_bytes(), conflicts }
    }

    fn kept_first(&self, reason: Reason) -> FileMerge {
        let (one, two) = (self.first, self.second);
        let sides = ((one.origin, Some(one.content)), (two.origin, Some(two.content)));
        let conflict = whole(self.path, reason, self.base, sides.0, sides.1);
        FileMerge { content: one.content.to_vec(), conflicts: vec![conflict] }
    }
}

/// What was asked for, merged as a set: a reader that one side took out stays out.
fn merge_wanted(base: Option<&Audience>, first: &Audience, second: &Audience) -> Audience {
    let none = Audience::default();
    let base = base.unwrap_or(&none);
    let merged = |of: fn(&Audience) -> BTreeSet<String>| -> BTreeSet<String> {
        let (base, one, two) = (of(base), of(first), of(second));
        one.union(&two)
            .filter(|item| (one.contains(*item) && two.contains(*item)) || !base.contains(*item))
            .cloned()
            .collect()
    };
    let wanted = merged(|audience| audience.wanted.iter().map(ToString::to_string).collect());
    let readers = merged(|audience| audience.readers.iter().map(ToString::to_string).collect());
    let known = |text: &String| crate::seal::audience::Wanted::parse(text).ok();
    let id = |text: &String| crate::trust::roster::MemberId::parse(text).ok();
    Audience {
        wanted: wanted.iter().filter_map(known).collect(),
        readers: readers.iter().filter_map(id).collect(),
    }
}
