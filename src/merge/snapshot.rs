//! The merge of two changed team memories: files, then the index over them, then the records.
//! Border: values in, values out; what is read from and written to git is the caller's business.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::base::path::MemoryPath;
use crate::memory::head::Head;
use crate::memory::index::Index;
use crate::memory::index::Mention;
use crate::memory::reconcile::{Setting, Since, reconcile};
use crate::memory::snapshot::{Files, Snapshot, mentions_of};
use crate::merge::conflict::{Conflict, Origin};
use crate::merge::over::{OneBase, one_base};
use crate::merge::plan::Plan;
use crate::seal::unlock::{NoKeys, Unlock};

/// The index of a team memory.
const INDEX_PATH: &str = "MEMORY.md";

/// One side of a merge: its files and whose they are.
#[derive(Clone, Debug)]
pub struct Side {
    /// The files that changed on at least one side, and the index.
    pub snapshot: Snapshot,
    /// Who made this side: its newest change.
    pub origin: Origin,
    /// Who changed single files of it last, where that was somebody else.
    pub origins: BTreeMap<MemoryPath, Origin>,
}

impl Side {
    /// A side that one change made.
    pub fn of_one(snapshot: Snapshot, origin: Origin) -> Self {
        Self { snapshot, origin, origins: BTreeMap::new() }
    }

    /// Whose a file of this side is.
    pub fn origin_of(&self, path: &MemoryPath) -> &Origin {
        self.origins.get(path).unwrap_or(&self.origin)
    }
}

/// A merged team memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The files that changed on at least one side, the index, and the new conflict records.
    pub snapshot: Snapshot,
    /// What could not be reconciled, in path order; each is a record in the snapshot as well.
    pub conflicts: Vec<Conflict>,
}

/// Merges two changes of one team memory. Swapping the sides changes no byte.
///
/// The snapshots hold only the paths that changed on at least one side, and the index; `unchanged`
/// gives the files neither side changed. Where the result is what one side has, that side is given
/// back as it is; else the index is reconciled with the merged files.
pub fn merge(base: &Snapshot, ours: &Side, theirs: &Side, unchanged: &dyn Files) -> Merged {
    merge_unlocked(base, ours, theirs, unchanged, &NoKeys)
}

/// [`merge`] that opens sealed memories where `unlock` can. Only what is sealed anew has other bytes
/// each time: age draws a fresh key.
pub fn merge_unlocked(
    base: &Snapshot,
    ours: &Side,
    theirs: &Side,
    unchanged: &dyn Files,
    unlock: &dyn Unlock,
) -> Merged {
    merge_over_unlocked(std::slice::from_ref(base), ours, theirs, unchanged, unlock)
}

/// [`merge`] over all best merge bases of the two sides, in any order; none where they share no
/// history. Neither the order of the bases nor of the sides changes a byte.
///
/// A member, role or key that is gone against any base is gone. The snapshots hold the paths that a
/// side has otherwise than some base, and the index.
pub fn merge_over(bases: &[Snapshot], ours: &Side, theirs: &Side, unchanged: &dyn Files) -> Merged {
    merge_over_unlocked(bases, ours, theirs, unchanged, &NoKeys)
}

/// [`merge_over`] that opens sealed memories where `unlock` can.
pub fn merge_over_unlocked(
    bases: &[Snapshot],
    ours: &Side,
    theirs: &Side,
    unchanged: &dyn Files,
    unlock: &dyn Unlock,
) -> Merged {
    let (first, second) = favoured_first(ours, theirs);
    let index = MemoryPath::parse(INDEX_PATH).expect("because the index has an allowed name");
    let base = match bases {
        [only] => OneBase { snapshot: only.clone(), policy: BTreeMap::new() },
        several => one_base(several, first, second),
    };
    let mut plan = Plan::new(&base, first, second, unlock);
    plan.merge_files();
    plan.part_names(unchanged);
    plan.merge_index(&index);
    let (mut merged, renamed) = (plan.merged, plan.around.renamed);
    if merged.snapshot != first.snapshot && merged.snapshot != second.snapshot {
        let known = [&base.snapshot, &first.snapshot, &second.snapshot];
        let known: BTreeSet<&MemoryPath> =
            known.iter().flat_map(|snapshot| snapshot.iter()).map(|(path, _)| path).collect();
        reconcile_index(
            &mut merged.snapshot,
            &index,
            (&base.snapshot, &renamed),
            &known,
            unchanged,
        );
    }
    merged.conflicts = merged.conflicts.into_iter().map(Conflict::fitted).collect();
    merged.conflicts.sort_by(|a, b| (&a.path, &a.part).cmp(&(&b.path, &b.part)));
    for conflict in &merged.conflicts {
        merged.snapshot.insert(conflict.record_path(), conflict.render().into_bytes());
    }
    merged
}

/// Puts the side a conflict favours first, the same whichever is ours.
fn favoured_first<'s>(ours: &'s Side, theirs: &'s Side) -> (&'s Side, &'s Side) {
    let order = ours.origin.compare(&theirs.origin);
    let order = order.then_with(|| ours.snapshot.iter().cmp(theirs.snapshot.iter()));
    if order == Ordering::Less { (theirs, ours) } else { (ours, theirs) }
}

/// Brings the merged index in line with the merged files: what the base had and neither side kept
/// is deleted.
fn reconcile_index(
    merged: &mut Snapshot,
    index: &MemoryPath,
    (base, renamed): (&Snapshot, &BTreeMap<String, String>),
    known: &BTreeSet<&MemoryPath>,
    unchanged: &dyn Files,
) {
    let Some(content) = merged.get(index) else { return };
    let Ok(text) = std::str::from_utf8(content) else { return };
    let folder = Folder { merged, known, unchanged };
    let path = |text: &String| MemoryPath::parse(text).ok();
    let renamed = renamed.iter().filter_map(|(old, new)| Some((path(old)?, path(new)?))).collect();
    let since = Since::between(
        |path| base.get(path).cloned(),
        |path| folder.content(path),
        base.iter().map(|(path, _)| path),
        &renamed,
    );
    let reconciled = reconcile(&Index::parse(text), &Setting::of(&folder, &since)).text;
    merged.insert(index.clone(), reconciled.into_bytes());
}

/// The folder as it will be: merged files over those neither side changed.
struct Folder<'a> {
    merged: &'a Snapshot,
    /// Paths a side knows; where the result lacks one, it is gone.
    known: &'a BTreeSet<&'a MemoryPath>,
    unchanged: &'a dyn Files,
}

impl Files for Folder<'_> {
    fn paths(&self) -> Box<dyn Iterator<Item = &MemoryPath> + '_> {
        let untouched = self.unchanged.paths().filter(|path| !self.known.contains(path));
        let all: BTreeSet<&MemoryPath> =
            self.merged.iter().map(|(path, _)| path).chain(untouched).collect();
        Box::new(all.into_iter())
    }

    fn content(&self, path: &MemoryPath) -> Option<Arc<[u8]>> {
        if self.known.contains(path) {
            return self.merged.get(path).cloned();
        }
        self.merged.get(path).cloned().or_else(|| self.unchanged.content(path))
    }

    fn head(&self, path: &MemoryPath) -> Head {
        match self.merged.get(path) {
            Some(content) => Head::of(content),
            None if self.known.contains(path) => Head::default(),
            None => self.unchanged.head(path),
        }
    }

    fn mentions(&self, path: &MemoryPath) -> Arc<[Mention]> {
        match self.merged.get(path) {
            Some(content) => mentions_of(content),
            None if self.known.contains(path) => Arc::default(),
            None => self.unchanged.mentions(path),
        }
    }
}
