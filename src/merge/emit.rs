//! Writes merged units with the blank lines that belong between them.
//! Border: text only; order and content were decided before.

use crate::merge::blocks::{Shape, Unit};
use crate::merge::weave::{Slot, Trio};

/// One unit of the result.
pub(crate) struct Piece {
    pub(crate) text: String,
}

/// Joins the pieces in the given order.
pub(crate) fn emit(
    trio: &Trio<'_, '_>,
    slots: &[Slot],
    pieces: &[Option<Piece>],
    order: &[u32],
) -> String {
    let mut text = String::new();
    let mut before: Option<usize> = None;
    for id in order {
        let id = *id as usize;
        let Some(piece) = &pieces[id] else { continue };
        text.push_str(gap(trio, slots, before, Some(id)));
        text.push_str(&piece.text);
        before = Some(id);
    }
    text.push_str(gap(trio, slots, before, None));
    text
}

/// The blank lines between two neighbours; `None` is the edge of the text.
///
/// Neighbours in an input keep what stood between them there, merged three-way. New neighbours get
/// the larger of what their own neighbours had, and never run together into one paragraph.
fn gap<'t>(
    trio: &Trio<'_, 't>,
    slots: &[Slot],
    left: Option<usize>,
    right: Option<usize>,
) -> &'t str {
    let between =
        |pick: &dyn Fn(&Slot) -> Option<usize>, side| neighbours(side, slots, pick, left, right);
    let in_base = between(&|slot| slot.base, &trio.base.units).map(|at| gap_at(trio.base, at));
    let in_first = between(&|slot| slot.first, &trio.first.units).map(|at| gap_at(trio.first, at));
    let in_second =
        between(&|slot| slot.second, &trio.second.units).map(|at| gap_at(trio.second, at));
    match (in_base, in_first, in_second) {
        (Some(base), Some(one), Some(two)) if one == base => two,
        (Some(base), Some(one), Some(two)) if two == base => one,
        (_, Some(one), Some(two)) => longer(one, two),
        (_, Some(one), None) => one,
        (_, None, Some(two)) => two,
        (Some(base), None, None) => base,
        (None, None, None) => new_gap(trio, slots, left, right),
    }
}

fn longer<'t>(one: &'t str, two: &'t str) -> &'t str {
    if (two.len(), two) > (one.len(), one) { two } else { one }
}

/// The place of the right one where both stand next to each other in one text.
fn neighbours(
    units: &[Unit<'_>],
    slots: &[Slot],
    pick: &dyn Fn(&Slot) -> Option<usize>,
    left: Option<usize>,
    right: Option<usize>,
) -> Option<usize> {
    let after_left = match left {
        Some(id) => pick(&slots[id])? + 1,
        None => 0,
    };
    let at_right = match right {
        Some(id) => pick(&slots[id])?,
        None => units.len(),
    };
    (after_left == at_right).then_some(at_right)
}

fn gap_at<'t>(units: &crate::merge::blocks::Units<'t>, at: usize) -> &'t str {
    units.units.get(at).map_or(units.tail, |unit| unit.gap)
}

/// What goes between two that never stood together.
fn new_gap<'t>(
    trio: &Trio<'_, 't>,
    slots: &[Slot],
    left: Option<usize>,
    right: Option<usize>,
) -> &'t str {
    let (Some(left), Some(right)) = (left, right) else { return "" };
    let places = |id: usize| {
        let slot = &slots[id];
        [(trio.first, slot.first), (trio.second, slot.second), (trio.base, slot.base)]
            .into_iter()
            .filter_map(|(units, at)| Some((units, at?)))
    };
    let unit_of = |id: usize| places(id).map(|(units, at)| &units.units[at]).next();
    let before_right = places(right).filter(|(_, at)| *at > 0).map(|(units, at)| gap_at(units, at));
    let after_left = places(left)
        .filter(|(units, at)| at + 1 < units.units.len())
        .map(|(units, at)| gap_at(units, at + 1));
    let widest = before_right.chain(after_left).fold("", longer);
    match (widest, unit_of(left), unit_of(right)) {
        ("", Some(one), Some(two)) if would_join(one.shape, two.shape) => "\n",
        (gap, ..) => gap,
    }
}

/// Whether two shapes without a blank line between them would read as one.
fn would_join(left: Shape, right: Shape) -> bool {
    let closed =
        |shape| matches!(shape, Shape::Heading(_) | Shape::Entry | Shape::Field | Shape::Line);
    !closed(left)
        && match right {
            Shape::Item => !matches!(left, Shape::Item),
            right => !closed(right),
        }
}
