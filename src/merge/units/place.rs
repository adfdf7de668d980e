//! Where each thing of a merge stands: what holds it, how closely, and whether a side took it away.
//! Border: reads the three texts; the order this makes is `order`.

use crate::merge::units::blocks::{Shape, Unit, is_rule};
use crate::merge::units::slots::{Slot, ThreeWay};
use crate::merge::unresolved::Pick;

/// The closeness of text that no list item holds: more than any heading's.
const TEXT_CLOSENESS: u8 = 7;

/// Where one thing stands.
#[derive(Clone, Copy, Default)]
pub(crate) struct Place {
    /// What holds it, as the side that has it says; the first one where both do.
    pub(crate) parent: Option<u32>,
    /// How closely it belongs to what stands before it: the level of a heading, text more than any,
    /// what a list item holds even more.
    pub(crate) closeness: u8,
    /// The side that left it in its part of the text while the other took it away.
    left_by: Option<Pick>,
}

impl Place {
    /// Whether the side that did not `pick` took it to another part of the text.
    pub(crate) fn has_strayed(self, pick: Pick) -> bool {
        self.left_by == Some(pick)
    }
}

/// Where each thing stands.
pub(crate) fn places(
    trio: &ThreeWay<'_, '_>,
    slots: &[Slot],
    ids_first: &[u32],
    ids_second: &[u32],
) -> Vec<Place> {
    let parent = |units: &[Unit<'_>], ids: &[u32], at: Option<usize>| {
        at.map(|at| units[at].parent.map(|parent| ids[parent]))
    };
    let base_ids: Vec<u32> = (0..trio.base.units.len() as u32).collect();
    let next = next_siblings(&trio.base.units);
    let place = |(id, slot): (usize, &Slot)| {
        let before = parent(&trio.base.units, &base_ids, slot.base);
        let one = parent(&trio.first.units, ids_first, slot.first);
        let two = parent(&trio.second.units, ids_second, slot.second);
        // Where the other side put it, and whether what held it before is still there.
        let taken = |to: Option<u32>, units: &[Unit<'_>], ids: &[u32], of: Of| {
            let is_known = to.is_none_or(|to| (to as usize) < base_ids.len());
            let stays = before.flatten().is_none_or(|held| of(&slots[held as usize]).is_some());
            // A new heading above this and all that follows parts the text; it moves nothing.
            let next = next.get(id).copied().flatten();
            let next = next.and_then(|next| parent(units, ids, of(&slots[next])));
            stays && (is_known || next == before)
        };
        let left_by = match (one, two) {
            (Some(one), Some(two)) if one == two => None,
            (Some(one), Some(two)) if before == Some(one) => {
                taken(two, &trio.second.units, ids_second, |slot| slot.second)
                    .then_some(Pick::First)
            }
            (Some(one), Some(two)) if before == Some(two) => {
                taken(one, &trio.first.units, ids_first, |slot| slot.first).then_some(Pick::Second)
            }
            _ => None,
        };
        let closeness = match (slot.first, slot.second) {
            (Some(at), _) => closeness(&trio.first.units, at),
            (None, Some(at)) => closeness(&trio.second.units, at),
            (None, None) => 0,
        };
        Place { parent: one.or(two).flatten(), closeness, left_by }
    };
    slots.iter().enumerate().map(place).collect()
}

/// The place of a thing in one of the sides.
type Of = fn(&Slot) -> Option<usize>;

/// For each unit the next one that the same unit holds.
fn next_siblings(units: &[Unit<'_>]) -> Vec<Option<usize>> {
    let mut next = vec![None; units.len()];
    let mut last = std::collections::HashMap::new();
    for (at, unit) in units.iter().enumerate().rev() {
        next[at] = last.insert(unit.parent, at);
    }
    next
}

/// How closely a unit belongs to what stands before it. A rule belongs to the heading below it.
fn closeness(units: &[Unit<'_>], at: usize) -> u8 {
    let level = |at: usize| match units.get(at).map(|unit| unit.shape) {
        Some(Shape::Heading(level)) => Some(level),
        _ => None,
    };
    let below = if is_rule(&units[at]) { level(at + 1) } else { None };
    let heads = std::iter::successors(units[at].parent, |head| units[*head].parent);
    let depth = heads.take_while(|head| level(*head).is_none()).take(usize::from(u8::MAX / 2));
    level(at).or(below).unwrap_or_else(|| TEXT_CLOSENESS + depth.count() as u8)
}
