//! What three texts have in common: one slot for each thing, wherever each text has it.
//! Border: identity; what becomes of a thing and where it goes is `weave`.

use crate::merge::units::blocks::Units;
use crate::merge::units::identity::identify;
use crate::merge::units::twins::{Added, twins};

/// One thing, and where each text has it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Slot {
    pub(crate) base: Option<usize>,
    pub(crate) first: Option<usize>,
    pub(crate) second: Option<usize>,
}

/// The three texts in units.
pub(crate) struct ThreeWay<'u, 't> {
    pub(crate) base: &'u Units<'t>,
    pub(crate) first: &'u Units<'t>,
    pub(crate) second: &'u Units<'t>,
}

/// Gives every thing one number: base units their place, additions the numbers after.
pub(crate) fn slots(trio: &ThreeWay<'_, '_>) -> (Vec<Slot>, Vec<u32>, Vec<u32>) {
    let (base, first, second) = (&trio.base.units, &trio.first.units, &trio.second.units);
    let mut slots: Vec<Slot> =
        (0..base.len()).map(|at| Slot { base: Some(at), ..Slot::default() }).collect();
    let matched_first = identify(base, first);
    let matched_second = identify(base, second);
    let mut twin = vec![None; second.len()];
    let added = [(first, &matched_first), (second, &matched_second)]
        .map(|(units, matched)| Added { units, matched });
    for (one, two) in twins(&added[0], &added[1]) {
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
