//! The three-way merge of units: `(o∩t) ∪ (o∖b) ∪ (t∖b)`, edits included, in one order.
//! Border: knows units, not Markdown or YAML; what two edits of one unit give is its caller's rule.

use std::collections::{HashMap, HashSet};

use crate::merge::units::blocks::{Shape, Unit};
use crate::merge::units::order::{Keys, merge_order};
use crate::merge::units::orphans::set_aside;
use crate::merge::units::place::{Place, places};
use crate::merge::units::render_units::{Piece, emit};
use crate::merge::units::slots::{Slot, ThreeWay, slots};
use crate::merge::unresolved::{Clash, MergedText, Part, Pick, Reason};

/// What differs between a body, an index and a frontmatter.
pub(crate) trait Rules {
    /// Merges two different edits of one unit; `None` where that takes a person.
    fn both_edited(
        &self,
        base: Option<&Unit<'_>>,
        first: &Unit<'_>,
        second: &Unit<'_>,
    ) -> Option<String>;

    /// How a unit is named in a conflict, given the heading it stands under.
    fn part(&self, unit: &Unit<'_>, heading: &str) -> Part;

    /// Whether units must follow their parent directly, as the fields of a block do.
    fn nests(&self) -> bool {
        false
    }

    /// Whether a unit goes although one side edited what the other deleted.
    fn goes(&self, unit: &Unit<'_>) -> bool {
        let _ = unit;
        false
    }

    /// Whether a unit stays although one side deleted it and the other left it alone.
    fn stays(&self, unit: &Unit<'_>) -> bool {
        let _ = unit;
        false
    }
}

/// What becomes of a section or item that one side deleted while the other changed something in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Orphans {
    /// It comes back with what is left of it.
    Revive,
    /// It goes, and a conflict keeps it as the other side has it.
    SetAside,
}

/// Merges two edits of a text. The first side is the favoured one.
pub(crate) fn weave(trio: &ThreeWay<'_, '_>, rules: &dyn Rules, orphans: Orphans) -> MergedText {
    let (slots, ids_first, ids_second) = slots(trio);
    let mut revived = revived(trio, &slots, &ids_first, &ids_second);
    let mut clashes = Vec::new();
    let mut is_gone = vec![false; slots.len()];
    if orphans == Orphans::SetAside {
        for (pick, ids) in [(Pick::First, &ids_first), (Pick::Second, &ids_second)] {
            let part = |unit: &Unit<'_>, heading: &str| rules.part(unit, heading);
            clashes.extend(set_aside(trio, &slots, (pick, ids), &revived, &part, &mut is_gone));
        }
        revived.fill(false);
    }
    let mut pieces: Vec<Option<Piece>> = Vec::with_capacity(slots.len());
    for (id, slot) in slots.iter().enumerate() {
        pieces.push(match is_gone[id] {
            true => None,
            false => decide(trio, slot, revived[id], rules, &mut clashes),
        });
    }
    let kept = |ids: &[u32]| -> Vec<u32> {
        ids.iter().copied().filter(|id| pieces[*id as usize].is_some()).collect()
    };
    let base_ids: Vec<u32> = (0..trio.base.units.len() as u32).collect();
    let (kept_first, kept_second) = (kept(&ids_first), kept(&ids_second));
    let places = places(trio, &slots, &ids_first, &ids_second);
    let nests = rules.nests();
    let keys = Keys {
        closeness: &|id| if nests { 0 } else { places[id as usize].closeness },
        text: &|id| pieces[id as usize].as_ref().map_or("", |piece| piece.text.as_str()),
        strayed: &|pick, id| !nests && places[id as usize].has_strayed(pick),
    };
    let mut order = merge_order(&base_ids, &kept_first, &kept_second, &keys);
    if nests {
        order = nested(&order, &places);
    }
    let text = emit(trio, &slots, &pieces, &order);
    MergedText { text, clashes }
}

/// The same order with every unit behind its parent and the parent's other units.
fn nested(order: &[u32], places: &[Place]) -> Vec<u32> {
    let parent = |id: u32| places[id as usize].parent;
    let mut held: HashMap<u32, Vec<u32>> = HashMap::new();
    for id in order {
        if let Some(parent) = parent(*id) {
            held.entry(parent).or_default().push(*id);
        }
    }
    let mut nested = Vec::with_capacity(order.len());
    for id in order.iter().filter(|id| parent(**id).is_none()) {
        let mut open = vec![*id];
        while let Some(next) = open.pop() {
            nested.push(next);
            open.extend(held.remove(&next).into_iter().flatten().rev());
        }
    }
    nested
}

/// Heads (headings, list items) that one side deleted with all they held, while the other side
/// changed something under them: an edit must not lose the head it makes sense under.
fn revived(
    trio: &ThreeWay<'_, '_>,
    slots: &[Slot],
    ids_first: &[u32],
    ids_second: &[u32],
) -> Vec<bool> {
    let base = &trio.base.units;
    let mut revived = vec![false; slots.len()];
    for pick in [Pick::First, Pick::Second] {
        let (units, ids) = match pick {
            Pick::First => (&trio.first.units, ids_first),
            Pick::Second => (&trio.second.units, ids_second),
        };
        let there = |slot: &Slot| match pick {
            Pick::First => slot.second.is_some(),
            Pick::Second => slot.first.is_some(),
        };
        let holds = still_held(trio, slots, pick);
        for (at, unit) in units.iter().enumerate() {
            let slot = &slots[ids[at] as usize];
            let changed = slot.base.is_none_or(|home| base[home].text != unit.text);
            if !changed || there(slot) {
                continue;
            }
            let mut head = unit.parent;
            while let Some(above) = head {
                // A remark below an entry makes sense without it.
                if units[above].shape == Shape::Entry {
                    break;
                }
                let id = ids[above] as usize;
                let known = slots[id].base.is_some_and(|home| !holds.contains(&home));
                if !known || there(&slots[id]) || revived[id] {
                    break;
                }
                revived[id] = true;
                head = units[above].parent;
            }
        }
    }
    revived
}

/// Units of the base that the side which did not `pick` may have dropped without what they held: it
/// still has some of it, where it would stand without its heading.
fn still_held(trio: &ThreeWay<'_, '_>, slots: &[Slot], pick: Pick) -> HashSet<usize> {
    let base = &trio.base.units;
    let (units, of): (_, fn(&Slot) -> Option<usize>) = match pick {
        Pick::First => (&trio.second.units, |slot| slot.second),
        Pick::Second => (&trio.first.units, |slot| slot.first),
    };
    let is_heading = |at: usize| matches!(base[at].shape, Shape::Heading(_));
    let mut above = vec![None; base.len()];
    for at in 1..base.len() {
        above[at] = if is_heading(at - 1) { Some(at - 1) } else { above[at - 1] };
    }
    let holds = |(at, unit): (usize, &Unit<'_>)| {
        let (head, there) = (unit.parent?, of(&slots[at])?);
        // Sections below a heading are not what it was there for.
        if is_heading(at) {
            return None;
        }
        let now = units[there].parent;
        let is_left = |head: usize| now.is_some_and(|now| of(&slots[head]) == Some(now));
        let joined = above[head].map_or(now.is_none(), is_left);
        (!is_heading(head) || joined || is_left(head)).then_some(head)
    };
    base.iter().enumerate().filter_map(holds).collect()
}

/// What becomes of one thing.
fn decide(
    trio: &ThreeWay<'_, '_>,
    slot: &Slot,
    revived: bool,
    rules: &dyn Rules,
    clashes: &mut Vec<Clash>,
) -> Option<Piece> {
    let base = slot.base.map(|at| &trio.base.units[at]);
    let first = slot.first.map(|at| &trio.first.units[at]);
    let second = slot.second.map(|at| &trio.second.units[at]);
    let piece = |unit: &Unit<'_>| Some(Piece { text: unit.text.to_owned() });
    let (unit, pick, reason) = match (base, first, second) {
        (_, Some(one), Some(two)) if one.text == two.text => return piece(one),
        (Some(base), Some(one), Some(two)) if one.text == base.text => {
            return piece(two);
        }
        (Some(base), Some(one), Some(two)) if two.text == base.text => {
            return piece(one);
        }
        (base, Some(one), Some(two)) => {
            if let Some(text) = rules.both_edited(base, one, two) {
                return Some(Piece { text });
            }
            let reason = if base.is_some() { Reason::BothEdited } else { Reason::AddedTwice };
            (one, Pick::First, reason)
        }
        (None, Some(one), None) => return piece(one),
        (None, None, Some(two)) => return piece(two),
        (Some(_), Some(only), None) | (Some(_), None, Some(only)) if rules.goes(only) => {
            return None;
        }
        (Some(base), Some(one), None) => {
            if one.text == base.text {
                return if revived || rules.stays(one) { piece(one) } else { None };
            }
            (one, Pick::First, Reason::EditedAndDeleted)
        }
        (Some(base), None, Some(two)) => {
            if two.text == base.text {
                return if revived || rules.stays(two) { piece(two) } else { None };
            }
            (two, Pick::Second, Reason::EditedAndDeleted)
        }
        (_, None, None) => return None,
    };
    let units = if pick == Pick::First { &trio.first.units } else { &trio.second.units };
    let text = |unit: Option<&Unit<'_>>| unit.map(|unit| unit.text.to_owned());
    clashes.push(Clash {
        part: rules.part(unit, heading_of(units, unit)),
        reason,
        base: text(base),
        first: text(first),
        second: text(second),
        kept: pick,
    });
    piece(unit)
}

/// The text of the heading a unit stands under.
fn heading_of<'t>(units: &[Unit<'t>], unit: &Unit<'_>) -> &'t str {
    let mut head = unit.parent;
    while let Some(at) = head {
        if matches!(units[at].shape, Shape::Heading(_)) {
            return units[at].text;
        }
        head = units[at].parent;
    }
    ""
}
