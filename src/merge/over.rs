//! Merges over several newest common states, as sides that were merged into each other have them.
//! Border: makes one base of them for everything but policy, where a removal against any wins.
//!
//! Neither the order of the bases nor of the sides changes a byte: they are put in an order of
//! their own first.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::base::path::MemoryPath;
use crate::memory::snapshot::Snapshot;
use crate::merge::Side;
use crate::merge::conflict::CONFLICTS_FOLDER;
use crate::merge::file::{file, finished};
use crate::merge::inside::{FileMerge, Input, MERGE_BYTES_MAX, close_policy};
use crate::merge::kinds::policy::merge_policy;
use crate::merge::kinds::text_format::Envelope;
use crate::merge::units::align::{Numbering, align};

/// The different contents a policy file had before both sides; an absent one is empty.
type Before = Vec<Arc<[u8]>>;

/// One base for several, and the policy files that need all of them.
#[derive(Debug, Default)]
pub(crate) struct OneBase {
    pub(crate) snapshot: Snapshot,
    pub(crate) policy: BTreeMap<MemoryPath, Before>,
}

/// Merges one policy file (roster, policy, allow list) over all its `bases`, in any order; `None`
/// where a base lacks it. A removal against any base wins, and the stricter of two values.
///
/// With one base this is [`file()`].
pub fn policy_over(
    path: &MemoryPath,
    bases: &[Option<&[u8]>],
    ours: Input<'_>,
    theirs: Input<'_>,
) -> FileMerge {
    let distinct: BTreeSet<Option<&[u8]>> = bases.iter().copied().collect();
    if distinct.len() < 2 {
        return file(path, distinct.first().copied().flatten(), ours, theirs);
    }
    let order = ours.origin.compare(theirs.origin).then_with(|| ours.content.cmp(theirs.content));
    let (first, second) = if order == Ordering::Less { (theirs, ours) } else { (ours, theirs) };
    let before: Before =
        distinct.into_iter().map(|base| Arc::from(base.unwrap_or_default())).collect();
    merge_policy_over(path, &before, first, second)
}

/// [`policy_over`] with the first side favoured and the bases in their order.
pub(crate) fn merge_policy_over(
    path: &MemoryPath,
    bases: &[Arc<[u8]>],
    first: Input<'_>,
    second: Input<'_>,
) -> FileMerge {
    if first.content == second.content {
        return FileMerge { content: first.content.to_vec(), conflicts: Vec::new() };
    }
    let merged = || {
        let sides = [first.content, second.content];
        if bases.iter().map(|base| &base[..]).chain(sides).any(|s| s.len() > MERGE_BYTES_MAX) {
            return None;
        }
        let text = |bytes| std::str::from_utf8(bytes).ok().map(Envelope::open);
        let opened: Vec<_> = bases.iter().map(|base| text(base)).collect::<Option<_>>()?;
        let texts: Vec<&str> = opened.iter().map(|(_, text)| &**text).collect();
        let ((one_envelope, one), (two_envelope, two)) = (text(sides[0])?, text(sides[1])?);
        let mut merged = merge_policy(&texts, &one, &two)?;
        close_policy(path, &mut merged)?;
        let base_envelope = opened.last().map(|(envelope, _)| *envelope)?;
        merged.text = Envelope::merge(base_envelope, one_envelope, two_envelope).close(merged.text);
        Some(merged)
    };
    let shown = bases.iter().find(|base| !base.is_empty()).map(|base| &base[..]);
    finished(path, shown, first, second, merged())
}

/// Makes one base of several.
///
/// Per file: where one side has what a base has and the other has not, that side left it alone, so
/// that is the base: the other's change, or deletion, holds. Else the lines all bases share that
/// have the file: what both sides made anew is merged, and what one dropped since all stays dropped.
pub(crate) fn one_base(bases: &[Snapshot], first: &Side, second: &Side) -> OneBase {
    let mut made = OneBase::default();
    let paths: BTreeSet<&MemoryPath> =
        bases.iter().flat_map(|base| base.iter().map(|(path, _)| path)).collect();
    for path in paths {
        let contents: BTreeSet<Option<&Arc<[u8]>>> =
            bases.iter().map(|base| base.get(path)).collect();
        let (one, two) = (first.snapshot.get(path), second.snapshot.get(path));
        let is_left = |side: Option<&Arc<[u8]>>| side.is_some() && contents.contains(&side);
        let base = match (one, two) {
            (Some(one), _) if is_left(Some(one)) && !is_left(two) => one.clone(),
            (_, Some(two)) if is_left(Some(two)) && !is_left(one) => two.clone(),
            _ => common_lines(&contents.iter().copied().flatten().collect::<Vec<_>>()),
        };
        made.snapshot.insert(path.clone(), base);
        let is_record = path.as_str().starts_with(CONFLICTS_FOLDER);
        if path.is_policy() && !is_record && contents.len() > 1 {
            let before = contents.iter().map(|c| c.cloned().unwrap_or_default()).collect();
            made.policy.insert(path.clone(), before);
        }
    }
    made
}

/// The lines that stand in all of some texts, in order. The texts come in an order of their own.
fn common_lines(texts: &[&Arc<[u8]>]) -> Arc<[u8]> {
    let Some((first, others)) = texts.split_first() else { return Arc::default() };
    let mut common: Vec<&[u8]> = first.split_inclusive(|byte| *byte == b'\n').collect();
    for other in others {
        let other: Vec<&[u8]> = other.split_inclusive(|byte| *byte == b'\n').collect();
        let mut numbering = Numbering::default();
        let mut ids = |lines: &[&[u8]]| -> Vec<u32> {
            lines.iter().map(|line| numbering.number(line.to_vec())).collect()
        };
        let (one, two) = (ids(&common), ids(&other));
        common = align(&one, &two).iter().flatten().map(|at| common[*at]).collect();
    }
    if others.is_empty() { Arc::clone(first) } else { Arc::from(common.concat()) }
}
