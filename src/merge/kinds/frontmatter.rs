//! Merges frontmatter field by field; keeps every line that need not change.
//! Border: valid frontmatter only; what is invalid is never rewritten, see `memory`.

use crate::base::time::Timestamp;
use crate::memory::document::{Field, FieldValue, Frontmatter};
use crate::merge::units::align::Numbering;
use crate::merge::units::blocks::{Shape, Unit, Units};
use crate::merge::units::merge_units::{Orphans, Rules, weave};
use crate::merge::units::order::{Keys, merge_order};
use crate::merge::units::slots::ThreeWay;
use crate::merge::unresolved::{MergedText, Part};

/// Joins the parts of a field's key.
const KEY_SEPARATOR: &str = ".";

/// Merges two edits of a frontmatter. The first side is the favoured one.
pub(crate) fn merge_frontmatter(
    base: Option<&Frontmatter>,
    first: &Frontmatter,
    second: &Frontmatter,
) -> MergedText {
    let rules = FieldRules { base, first, second };
    let base_units = base.map(units).unwrap_or_default();
    let trio = ThreeWay { base: &base_units, first: &units(first), second: &units(second) };
    let mut merged = weave(&trio, &rules, Orphans::Revive);
    merged.clashes.retain(|clash| !matches!(&clash.part, Part::Field(name) if is_modified(name)));
    let fence = |pick: fn(&Frontmatter) -> &str| {
        let changed = base.is_none_or(|base| pick(first) != pick(base));
        if changed { pick(first) } else { pick(second) }
    };
    let (opening, closing) = (fence(|f| &f.opening), fence(|f| &f.closing));
    let tail = merge_tails(base.map_or("", |base| &base.tail), &first.tail, &second.tail);
    merged.text = format!("{opening}{}{tail}{closing}", merged.text);
    merged
}

/// Merges the comments behind the last field, line by line: none that a side wrote is lost.
fn merge_tails(base: &str, first: &str, second: &str) -> String {
    if first == second || base == second {
        return first.to_owned();
    }
    if base == first {
        return second.to_owned();
    }
    let lines = |text: &str| text.split_inclusive('\n').map(str::to_owned).collect::<Vec<_>>();
    merge_lists(&lines(base), &lines(first), &lines(second)).concat()
}

/// The fields as units; a field of a block has the block's header as its parent.
fn units(frontmatter: &Frontmatter) -> Units<'_> {
    let header = |key: &[String]| {
        let above = key.split_last().map(|(_, above)| above).filter(|above| !above.is_empty())?;
        frontmatter.fields.iter().position(|field| field.key == above)
    };
    let unit = |field: &'_ Field| Unit {
        gap: "",
        text: "",
        shape: Shape::Field,
        key: Some(field.key.join(KEY_SEPARATOR)),
        parent: header(&field.key),
    };
    let fields = frontmatter.fields.iter();
    Units {
        units: fields.map(|field| Unit { text: &field.raw, ..unit(field) }).collect(),
        tail: "",
    }
}

fn is_modified(name: &str) -> bool {
    name == "modified" || name == "metadata.modified"
}

struct FieldRules<'f> {
    base: Option<&'f Frontmatter>,
    first: &'f Frontmatter,
    second: &'f Frontmatter,
}

impl Rules for FieldRules<'_> {
    fn both_edited(
        &self,
        base: Option<&Unit<'_>>,
        first: &Unit<'_>,
        _: &Unit<'_>,
    ) -> Option<String> {
        let key = first.key.as_deref()?;
        let find = |frontmatter: &Frontmatter| {
            frontmatter.fields.iter().find(|f| f.key.join(KEY_SEPARATOR) == key).cloned()
        };
        let (one, two) = (find(self.first)?, find(self.second)?);
        let base = base.and(self.base).and_then(find);
        if is_modified(key) {
            return Some(later(&one, &two).raw.clone());
        }
        match (base.as_ref().map(|b| &b.value), &one.value, &two.value) {
            (_, FieldValue::Other, _) | (_, _, FieldValue::Other) => None,
            // Another spelling (quotes, spaces) gives way to another value.
            (Some(base), one_value, _) if base == one_value => Some(two.raw),
            (Some(base), _, two_value) if base == two_value => Some(one.raw),
            (_, one_value, two_value) if one_value == two_value => Some(one.raw),
            (base, FieldValue::List(items), FieldValue::List(others)) => {
                let empty = Vec::new();
                let base = if let Some(FieldValue::List(base)) = base { base } else { &empty };
                self.write_list(&one, &two, &merge_lists(base, items, others))
            }
            _ => None,
        }
    }

    fn part(&self, unit: &Unit<'_>, _: &str) -> Part {
        Part::Field(unit.key.clone().unwrap_or_default())
    }

    fn nests(&self) -> bool {
        true
    }
}

impl FieldRules<'_> {
    /// Writes a merged list in the style of the favoured side: one item a line, or in brackets.
    /// `None` where it could not be read back among the other lines.
    fn write_list(&self, one: &Field, two: &Field, items: &[String]) -> Option<String> {
        if let (Some((head, ours)), Some((_, theirs))) = (item_lines(one), item_lines(two)) {
            let line_of = |item: &String| ours.iter().chain(&theirs).find(|(of, _)| of == item);
            let lines = items.iter().filter_map(line_of).map(|(_, line)| *line);
            return Some(std::iter::once(head).chain(lines).collect());
        }
        let mut copy = self.first.clone();
        let key: Vec<&str> = one.key.iter().map(String::as_str).collect();
        let is_set = copy.set_list(&key, items);
        copy.fields.into_iter().find(|f| is_set && f.key == one.key).map(|field| field.raw)
    }
}

/// The later of two dates; where that cannot be told, the greater text.
fn later<'f>(one: &'f Field, two: &'f Field) -> &'f Field {
    let moment = |field: &Field| match &field.value {
        FieldValue::Scalar(value) => (Timestamp::parse(value), value.clone()),
        _ => (None, String::new()),
    };
    if moment(two) > moment(one) { two } else { one }
}

/// `(o∩t) ∪ (o∖b) ∪ (t∖b)` in base order, additions after their left neighbour.
fn merge_lists(base: &[String], first: &[String], second: &[String]) -> Vec<String> {
    let kept = |side: &[String], other: &[String]| -> Vec<String> {
        let stays = |item: &&String| other.contains(item) || !base.contains(item);
        let mut kept: Vec<String> = Vec::new();
        for item in side.iter().filter(stays) {
            if !kept.contains(item) {
                kept.push(item.clone());
            }
        }
        kept
    };
    let (one, two) = (kept(first, second), kept(second, first));
    let all: Vec<&String> = base.iter().chain(&one).chain(&two).collect();
    let mut numbering = Numbering::default();
    let mut ids = |items: &[String]| -> Vec<u32> {
        let mut ids: Vec<u32> = Vec::new();
        for item in items {
            let at = all.iter().position(|known| *known == item).unwrap_or(0);
            let id = numbering.number(at);
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        ids
    };
    let (base_ids, one_ids, two_ids) = (ids(base), ids(&one), ids(&two));
    let text_of = |id: u32| {
        let one_at = one_ids.iter().position(|known| *known == id).map(|at| one[at].as_str());
        one_at.or_else(|| two_ids.iter().position(|known| *known == id).map(|at| two[at].as_str()))
    };
    let keys = Keys {
        closeness: &|_| 0,
        text: &|id| text_of(id).unwrap_or_default(),
        strayed: &|_, _| false,
    };
    let order = merge_order(&base_ids, &one_ids, &two_ids, &keys);
    order.into_iter().filter_map(text_of).map(str::to_owned).collect()
}

/// The lines before the items, and each item with its line, where every item has its own.
fn item_lines(field: &Field) -> Option<(&str, Vec<(String, &str)>)> {
    let FieldValue::List(items) = &field.value else { return None };
    let start = field
        .raw
        .split_inclusive('\n')
        .take_while(|l| !l.trim_start().starts_with("- "))
        .map(str::len)
        .sum();
    let (head, rest) = field.raw.split_at(start);
    let lines: Vec<&str> = rest.split_inclusive('\n').collect();
    let plain =
        lines.len() == items.len() && lines.iter().all(|l| l.trim_start().starts_with("- "));
    plain.then(|| (head, items.iter().cloned().zip(lines).collect()))
}

#[cfg(test)]
mod tests {
    use super::merge_tails;

    #[test]
    fn comments_behind_the_last_field_are_merged_line_by_line() {
        assert_eq!(merge_tails("# a\n", "# a\n# b\n", "# a\n"), "# a\n# b\n");
        assert_eq!(merge_tails("# a\n", "# a\n", ""), "");
        assert_eq!(merge_tails("# a\n", "# a\n# b\n", "# c\n"), "# b\n# c\n");
    }
}
