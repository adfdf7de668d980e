//! The three-way merge of units: `(o∩t) ∪ (o∖b) ∪ (t∖b)`, edits included, in one order.
//! Border: knows units, not Markdown or YAML; what two edits of one unit give is its caller's rule.

use std::collections::{HashMap, HashSet};

use crate::merge::blocks::{Shape, Unit, Units};
use crate::merge::clash::{Clash, MergedText, Part, Pick, Reason};
use crate::merge::emit::{Piece, emit};
use crate::merge::identity::{identify, same_additions};
use crate::merge::order::merge_order;

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

    /// Whether a unit stays although one side deleted it and the other left it alone.
    fn stays(&self, unit: &Unit<'_>) -> bool {
        let _ = unit;
        false
    }
}

/// One thing, and where each text has it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Slot {
    pub(crate) base: Option<usize>,
    pub(crate) first: Option<usize>,
    pub(crate) second: Option<usize>,
}

/// The three texts in units.
pub(crate) struct Trio<'u, 't> {
    pub(crate) base: &'u Units<'t>,
    pub(crate) first: &'u Units<'t>,
    pub(crate) second: &'u Units<'t>,
}

/// Merges two edits of a text. The first side is the favoured one.
pub(crate) fn weave(trio: &Trio<'_, '_>, rules: &dyn Rules) -> MergedText {
    let (slots, ids_first, ids_second) = slots(trio);
    let revived = revived(trio, &slots, &ids_first, &ids_second);
    let mut clashes = Vec::new();
    let mut pieces: Vec<Option<Piece>> = Vec::with_capacity(slots.len());
    for (id, slot) in slots.iter().enumerate() {
        pieces.push(decide(trio, slot, revived[id], rules, &mut clashes));
    }
    let kept = |ids: &[u32]| -> Vec<u32> {
        ids.iter().copied().filter(|id| pieces[*id as usize].is_some()).collect()
    };
    let base_ids: Vec<u32> = (0..trio.base.units.len() as u32).collect();
    let (kept_first, kept_second) = (kept(&ids_first), kept(&ids_second));
    let text_of = |id: u32| pieces[id as usize].as_ref().map_or("", |piece| piece.text.as_str());
    let mut order =
        merge_order(&base_ids, &kept_first, &kept_second, &|a, b| text_of(a) < text_of(b));
    if rules.nests() {
        order = nested(&order, &parents(trio, slots.len(), &ids_first, &ids_second));
    }
    let text = emit(trio, &slots, &pieces, &order);
    MergedText { text, clashes }
}

/// Gives every thing one number: base units their place, additions the numbers after.
fn slots(trio: &Trio<'_, '_>) -> (Vec<Slot>, Vec<u32>, Vec<u32>) {
    let (base, first, second) = (&trio.base.units, &trio.first.units, &trio.second.units);
    let mut slots: Vec<Slot> =
        (0..base.len()).map(|at| Slot { base: Some(at), ..Slot::default() }).collect();
    let matched_first = identify(base, first);
    let matched_second = identify(base, second);
    let new = |matched: &[Option<usize>]| -> Vec<usize> {
        (0..matched.len()).filter(|at| matched[*at].is_none()).collect()
    };
    let (new_first, new_second) = (new(&matched_first), new(&matched_second));
    let mut twin = vec![None; second.len()];
    for (one, two) in same_additions(first, second, &new_first, &new_second) {
        twin[two] = Some(one);
    }
    let mut ids_first = vec![0; first.len()];
    for (at, home) in matched_first.iter().enumerate() {
        let id = home.unwrap_or(slots.len());
        if home.is_none() {
            slots.push(Slot::default());
        }
        slots[id].first = Some(at);
        ids_first[at] = id as u32;
    }
    let mut ids_second = vec![0; second.len()];
    for (at, home) in matched_second.iter().enumerate() {
        let known = home.or_else(|| twin[at].map(|one| ids_first[one] as usize));
        let id = known.unwrap_or(slots.len());
        if known.is_none() {
            slots.push(Slot::default());
        }
        slots[id].second = Some(at);
        ids_second[at] = id as u32;
    }
    (slots, ids_first, ids_second)
}

/// The parent of each thing, as the side that has it says.
fn parents(
    trio: &Trio<'_, '_>,
    count: usize,
    ids_first: &[u32],
    ids_second: &[u32],
) -> Vec<Option<u32>> {
    let mut parents = vec![None; count];
    for (units, ids) in [(&trio.second.units, ids_second), (&trio.first.units, ids_first)] {
        for (at, unit) in units.iter().enumerate() {
            parents[ids[at] as usize] = unit.parent.map(|parent| ids[parent]);
        }
    }
    parents
}

/// The same order with every unit behind its parent and the parent's other units.
fn nested(order: &[u32], parents: &[Option<u32>]) -> Vec<u32> {
    let mut held: HashMap<u32, Vec<u32>> = HashMap::new();
    for id in order {
        if let Some(parent) = parents[*id as usize] {
            held.entry(parent).or_default().push(*id);
        }
    }
    let mut nested = Vec::with_capacity(order.len());
    for id in order.iter().filter(|id| parents[**id as usize].is_none()) {
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
    trio: &Trio<'_, '_>,
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
        let mut holds: HashSet<usize> = HashSet::new();
        for (at, unit) in base.iter().enumerate() {
            if there(&slots[at]) {
                holds.extend(unit.parent);
            }
        }
        for (at, unit) in units.iter().enumerate() {
            let slot = &slots[ids[at] as usize];
            let changed = slot.base.is_none_or(|home| base[home].text != unit.text);
            if !changed || there(slot) {
                continue;
            }
            let mut head = unit.parent;
            while let Some(above) = head {
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

/// What becomes of one thing.
fn decide(
    trio: &Trio<'_, '_>,
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
