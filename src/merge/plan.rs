//! Decides by path: who changed, deleted or renamed what, and what that makes of each memory.
//! Border: renames are recognised by identical content, or by frontmatter `name` and
//! `originSessionId`, never by likeness; what is inside a file is `file`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::base::path::MemoryPath;
use crate::memory::document::Document;
use crate::memory::snapshot::{Files, Snapshot};
use crate::merge::conflict::{CONFLICTS_FOLDER, Conflict};
use crate::merge::file::merge_file;
use crate::merge::inside::{Input, whole};
use crate::merge::kinds::index::IndexContext;
use crate::merge::name_collisions::renames_beside;
use crate::merge::over::{OneBase, merge_policy_over};
use crate::merge::unresolved::{Part, Reason};
use crate::merge::{Merged, Side};
use crate::seal::unlock::Unlock;

/// Where each side has what the base has at `from`, and the paths only one side or both added.
pub(crate) struct Plan<'s> {
    base: &'s Snapshot,
    first: &'s Side,
    second: &'s Side,
    unlock: &'s dyn Unlock,
    /// The policy files that several bases have differently.
    policy: &'s BTreeMap<MemoryPath, Vec<Arc<[u8]>>>,
    renamed_first: BTreeMap<MemoryPath, MemoryPath>,
    renamed_second: BTreeMap<MemoryPath, MemoryPath>,
    /// What the index must know about files.
    pub(crate) around: IndexContext,
    /// The result so far.
    pub(crate) merged: Merged,
}

impl<'s> Plan<'s> {
    /// Finds the renames of both sides. The first side is the favoured one.
    pub(crate) fn new(
        base: &'s OneBase,
        first: &'s Side,
        second: &'s Side,
        unlock: &'s dyn Unlock,
    ) -> Self {
        let (base, policy) = (&base.snapshot, &base.policy);
        let mut renamed_first = renames(base, &first.snapshot);
        let mut renamed_second = renames(base, &second.snapshot);
        // A new name the other side uses for something else is no rename: both files must stay.
        let (one, two) = (renamed_first.clone(), renamed_second.clone());
        let free = |from: &MemoryPath,
                    to: &MemoryPath,
                    other: &Side,
                    others: &BTreeMap<MemoryPath, MemoryPath>| {
            other.snapshot.get(to).is_none() || others.get(from) == Some(to)
        };
        renamed_first.retain(|from, to| free(from, to, second, &two));
        renamed_second.retain(|from, to| free(from, to, first, &one));
        let around = IndexContext::default();
        let merged = Merged { snapshot: Snapshot::default(), conflicts: Vec::new() };
        Self { base, first, second, unlock, policy, renamed_first, renamed_second, around, merged }
    }

    /// Merges every file but the index.
    pub(crate) fn merge_files(&mut self) {
        let old: Vec<MemoryPath> = self.base.iter().map(|(path, _)| path.clone()).collect();
        for path in old.iter().filter(|path| !path.is_index()) {
            self.merge_known(path);
        }
        let taken: BTreeSet<MemoryPath> =
            self.renamed_first.values().chain(self.renamed_second.values()).cloned().collect();
        let added = |side: &Side| -> Vec<MemoryPath> {
            let new = |path: &&MemoryPath| self.base.get(path).is_none() && !taken.contains(*path);
            side.snapshot.iter().map(|(path, _)| path).filter(new).cloned().collect()
        };
        let all: BTreeSet<MemoryPath> =
            added(self.first).into_iter().chain(added(self.second)).collect();
        for path in all.iter().filter(|path| !path.is_index()) {
            self.merge_at(path, None, path, path);
        }
    }

    /// Gives way where two sides' files, or one and an unchanged file, end up under one name.
    ///
    /// What was there before keeps its name, then what the favoured side added.
    pub(crate) fn part_names(&mut self, unchanged: &dyn Files) {
        let known = [self.base, &self.first.snapshot, &self.second.snapshot];
        let merged = &self.merged.snapshot;
        if merged.iter().all(|(path, _)| self.base.get(path).is_some()) {
            return;
        }
        let stays = |path: &&MemoryPath| merged.get(path).is_some();
        let is_untouched = |path: &&MemoryPath| known.iter().all(|side| side.get(path).is_none());
        let untouched: Vec<&MemoryPath> = unchanged.paths().filter(is_untouched).collect();
        let in_order =
            known.iter().flat_map(|side| side.iter().map(|(path, _)| path)).filter(stays);
        let in_order: Vec<&MemoryPath> = in_order.collect();
        let renames = renames_beside(untouched.iter().copied(), &in_order);
        for (from, to) in renames {
            let Some(content) = self.merged.snapshot.remove(&from) else { continue };
            self.around.renamed.insert(from.as_str().to_owned(), to.as_str().to_owned());
            let there = self.merged.snapshot.get(&to).cloned().or_else(|| unchanged.content(&to));
            let Some(there) = there else {
                self.merged.snapshot.insert(to, content);
                continue;
            };
            let first = Input { content: &there, origin: self.first.origin_of(&to) };
            let second = Input { content: &content, origin: self.second.origin_of(&from) };
            let merge = merge_file(&to, None, first, second, &self.around, self.unlock);
            self.merged.conflicts.extend(merge.conflicts);
            self.merged.snapshot.insert(to, merge.content);
        }
    }

    /// Merges the index, once the files are known.
    pub(crate) fn merge_index(&mut self, path: &MemoryPath) {
        let gone = |path: &&MemoryPath| self.merged.snapshot.get(path).is_none();
        let known = self.base.iter().map(|(path, _)| path).filter(|path| path.is_memory());
        let gone = known.filter(gone);
        self.around.gone = gone.map(|path| path.as_str().to_owned()).collect();
        let base = self.base.get(path).cloned();
        let found = self.merged.conflicts.len();
        self.merge_at(path, base.as_deref(), path, path);
        // That an entry outlived its deletion is said once, by the record about its file.
        let of_entries = self.merged.conflicts.split_off(found);
        let is_open = |conflict: &Conflict| !is_entry_of(conflict, &self.around.survived);
        self.merged.conflicts.extend(of_entries.into_iter().filter(is_open));
    }

    /// A file the base has, under whatever name each side has it now.
    fn merge_known(&mut self, path: &MemoryPath) {
        let base = self.base.get(path).cloned();
        let one = self.renamed_first.get(path).unwrap_or(path).clone();
        let two = self.renamed_second.get(path).unwrap_or(path).clone();
        for to in [&two, &one].into_iter().filter(|to| *to != path) {
            self.around.renamed.insert(path.as_str().to_owned(), to.as_str().to_owned());
        }
        self.merge_at(path, base.as_deref(), &one, &two);
    }

    /// One thing: what each side made of it, and where it goes.
    fn merge_at(
        &mut self,
        from: &MemoryPath,
        base: Option<&[u8]>,
        one: &MemoryPath,
        two: &MemoryPath,
    ) {
        let content_one = self.first.snapshot.get(one).cloned();
        let content_two = self.second.snapshot.get(two).cloned();
        let (origin_one, origin_two) = (self.first.origin_of(one), self.second.origin_of(two));
        let first = content_one.as_deref().map(|content| Input { content, origin: origin_one });
        let second = content_two.as_deref().map(|content| Input { content, origin: origin_two });
        let (path, kept, deleted_by) = match (first, second) {
            (Some(first), Some(second)) => {
                return self.merge_both(from, base, (one, first), (two, second));
            }
            (Some(first), None) => (one, first, origin_two),
            (None, Some(second)) => (two, second, origin_one),
            (None, None) => return,
        };
        // A new name is a change as well: whoever renamed it wants it.
        let untouched = base == Some(kept.content) && path == from;
        if untouched || (base.is_some() && from.as_str().starts_with(CONFLICTS_FOLDER)) {
            return;
        }
        if base.is_some() {
            let sides = ((kept.origin, Some(kept.content)), (deleted_by, None));
            let conflict = whole(path, Reason::EditedAndDeleted, base, sides.0, sides.1);
            self.merged.conflicts.push(conflict);
            self.around.survived.insert(path.as_str().to_owned());
        }
        let content: Arc<[u8]> = kept.content.into();
        self.merged.snapshot.insert(path.clone(), content);
    }

    fn merge_both(
        &mut self,
        from: &MemoryPath,
        base: Option<&[u8]>,
        (one, first): (&MemoryPath, Input<'_>),
        (two, second): (&MemoryPath, Input<'_>),
    ) {
        let path = if one == from { two } else { one };
        let merge = match self.policy.get(path) {
            Some(bases) => merge_policy_over(path, bases, first, second),
            None => merge_file(path, base, first, second, &self.around, self.unlock),
        };
        self.merged.conflicts.extend(merge.conflicts);
        if one != from && two != from && one != two {
            let sides =
                ((first.origin, Some(first.content)), (second.origin, Some(second.content)));
            let mut conflict = whole(path, Reason::RenamedTwice, base, sides.0, sides.1);
            conflict.other_path = Some(two.clone());
            self.merged.conflicts.push(conflict);
        }
        self.merged.snapshot.insert(path.clone(), merge.content);
    }
}

fn is_entry_of(conflict: &Conflict, survived: &BTreeSet<String>) -> bool {
    let Part::Entry(target) = &conflict.part else { return false };
    conflict.reason == Reason::EditedAndDeleted && survived.contains(target)
}

/// The memories a side renamed: old path, new path.
pub fn renames(base: &Snapshot, side: &Snapshot) -> BTreeMap<MemoryPath, MemoryPath> {
    let only = |one: &Snapshot, other: &Snapshot| -> Vec<(MemoryPath, Arc<[u8]>)> {
        let gone =
            |(path, _): &(&MemoryPath, &Arc<[u8]>)| path.is_memory() && other.get(path).is_none();
        one.iter().filter(gone).map(|(path, content)| (path.clone(), content.clone())).collect()
    };
    let (mut gone, mut come) = (only(base, side), only(side, base));
    let mut renames = pair_unique(&mut gone, &mut come, |content| Some(content.to_vec()));
    renames.extend(pair_unique(&mut gone, &mut come, |content| {
        let document = Document::parse(std::str::from_utf8(content).ok()?);
        let key = format!("{}\0{}", document.name()?, document.origin_session_id()?);
        Some(key.into_bytes())
    }));
    renames
}

/// Pairs files whose key occurs once among the gone and once among the new ones, and takes them out.
fn pair_unique(
    gone: &mut Vec<(MemoryPath, Arc<[u8]>)>,
    come: &mut Vec<(MemoryPath, Arc<[u8]>)>,
    key: impl Fn(&[u8]) -> Option<Vec<u8>>,
) -> BTreeMap<MemoryPath, MemoryPath> {
    let table = |files: &[(MemoryPath, Arc<[u8]>)]| -> HashMap<Vec<u8>, Vec<MemoryPath>> {
        let mut table: HashMap<Vec<u8>, Vec<MemoryPath>> = HashMap::new();
        for (path, content) in files {
            if let Some(key) = key(content) {
                table.entry(key).or_default().push(path.clone());
            }
        }
        table
    };
    let new = table(come);
    let mut pairs = BTreeMap::new();
    for (key, from) in table(gone) {
        if let ([from], Some([to])) = (from.as_slice(), new.get(&key).map(Vec::as_slice)) {
            pairs.insert(from.clone(), to.clone());
        }
    }
    let targets: BTreeSet<&MemoryPath> = pairs.values().collect();
    gone.retain(|(path, _)| !pairs.contains_key(path));
    come.retain(|(path, _)| !targets.contains(path));
    pairs
}
