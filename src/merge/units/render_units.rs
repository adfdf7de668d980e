//! Writes merged units with the blank lines that belong between them.
//! Border: text only; order and content were decided before.

use std::mem::discriminant;

use crate::merge::units::blocks::{Shape, Unit, Units};
use crate::merge::units::slots::{Slot, ThreeWay};

/// One unit of the result.
pub(crate) struct Piece {
    pub(crate) text: String,
}

/// Joins the pieces in the given order.
pub(crate) fn emit(
    trio: &ThreeWay<'_, '_>,
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
    trio: &ThreeWay<'_, 't>,
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

fn gap_at<'t>(units: &Units<'t>, at: usize) -> &'t str {
    units.units.get(at).map_or(units.tail, |unit| unit.gap)
}

/// What goes between two that never stood together.
fn new_gap<'t>(
    trio: &ThreeWay<'_, 't>,
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
    let shape_of = |id: usize| places(id).map(|(units, at)| units.units[at].shape).next();
    let (Some(one), Some(two)) = (shape_of(left), shape_of(right)) else { return "" };
    if two == Shape::Row {
        return "";
    }
    let around_right: Vec<_> = places(right).filter_map(|(u, at)| gap_before(u, at)).collect();
    let around_left = places(left).filter_map(|(units, at)| gap_before(units, at + 1));
    let around: Vec<IndexContext<'t>> = around_right.iter().copied().chain(around_left).collect();
    // What stood between two of these kinds says more than what stood beside a heading.
    let is_heading = |shape: &Shape| matches!(shape, Shape::Heading(_));
    let alike = |(a, b, _): &IndexContext<'_>| {
        discriminant(a) == discriminant(&one) && discriminant(b) == discriminant(&two)
    };
    let akin = |(a, b, _): &IndexContext<'_>| {
        is_heading(a) == is_heading(&one) && is_heading(b) == is_heading(&two)
    };
    let widest_of = |wanted: &dyn Fn(&IndexContext<'_>) -> bool| {
        around.iter().filter(|found| wanted(found)).map(|found| found.2).reduce(longer)
    };
    let widest = widest_of(&alike)
        .or_else(|| widest_of(&akin))
        .or_else(|| widest_of(&|_| true))
        .unwrap_or_default();
    // A heading that began its text never had a blank line before it.
    let is_unparted = is_heading(&two) && around_right.is_empty();
    if widest.is_empty() && (is_unparted || would_join(one, two)) { "\n" } else { widest }
}

/// Two neighbouring shapes and the blank lines between them.
type IndexContext<'t> = (Shape, Shape, &'t str);

/// The gap before a unit that has one before it, with the shapes on both sides.
fn gap_before<'t>(units: &Units<'t>, at: usize) -> Option<IndexContext<'t>> {
    let right = units.units.get(at)?;
    let left = units.units.get(at.checked_sub(1)?)?;
    Some((left.shape, right.shape, right.gap))
}

/// Whether two shapes without a blank line between them would read as one.
fn would_join(left: Shape, right: Shape) -> bool {
    let closed =
        |shape| matches!(shape, Shape::Heading(_) | Shape::Entry | Shape::Field | Shape::Line);
    !closed(left)
        && match right {
            Shape::Item | Shape::ListLine => left != right,
            right => !closed(right),
        }
}
