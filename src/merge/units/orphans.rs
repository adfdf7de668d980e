//! Sections and items that one side deleted while the other changed something in them, set aside.
//! Border: which they are was decided before; here they leave the text and go into a conflict.

use crate::merge::units::blocks::{Shape, Unit};
use crate::merge::units::lineup::heading_of;
use crate::merge::units::slots::{Slot, ThreeWay};
use crate::merge::unresolved::{Clash, Part, Pick, Reason};

/// Takes what stands below each head that would come back out of the text, and makes a conflict of it.
/// `heads` are those that would, `is_gone` becomes true for everything that leaves.
pub(crate) fn set_aside(
    trio: &ThreeWay<'_, '_>,
    slots: &[Slot],
    (pick, ids): (Pick, &[u32]),
    heads: &[bool],
    part: &dyn Fn(&Unit<'_>, &str) -> Part,
    is_gone: &mut [bool],
) -> Vec<Clash> {
    let (units, other): (_, fn(&Slot) -> Option<usize>) = match pick {
        Pick::First => (&trio.first.units, |slot| slot.second),
        Pick::Second => (&trio.second.units, |slot| slot.first),
    };
    let is_head = |at: usize| heads[ids[at] as usize] && other(&slots[ids[at] as usize]).is_none();
    let mut clashes: Vec<Clash> = Vec::new();
    let mut open: Option<usize> = None;
    for (at, unit) in units.iter().enumerate() {
        let is_below = |head: usize| {
            std::iter::successors(unit.parent, |above| units[*above].parent).any(|it| it == head)
        };
        open = open.filter(|head| is_below(*head));
        if open.is_none() && is_head(at) {
            open = Some(at);
            let is_heading = matches!(unit.shape, Shape::Heading(_));
            let heading = if is_heading { Some(at) } else { heading_of(units, at) };
            let heading = heading.map_or("", |heading| units[heading].text);
            clashes.push(Clash {
                part: part(unit, heading),
                reason: Reason::EditedAndDeleted,
                base: None,
                first: None,
                second: None,
                kept: if pick == Pick::First { Pick::Second } else { Pick::First },
            });
        }
        let slot = &slots[ids[at] as usize];
        let (Some(_), None, Some(clash)) = (open, other(slot), clashes.last_mut()) else {
            continue;
        };
        is_gone[ids[at] as usize] = true;
        let side = if pick == Pick::First { &mut clash.first } else { &mut clash.second };
        add(side, unit);
        if let Some(home) = slot.base {
            add(&mut clash.base, &trio.base.units[home]);
        }
    }
    clashes
}

fn add(text: &mut Option<String>, unit: &Unit<'_>) {
    match text {
        Some(text) => text.extend([unit.gap, unit.text]),
        None => *text = Some(unit.text.to_owned()),
    }
}
