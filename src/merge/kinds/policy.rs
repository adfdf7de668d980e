//! Merges roster, policy and allow list by member and key, never by text; a removal wins.
//! Border: YAML as data; a result its reader would refuse is not used, see `file`.
//!
//! Two sides that were merged into each other before have several newest common states. A removal
//! against any of them wins, and so does the stricter of two values: otherwise a member whom one
//! side removed comes back by the other's older state.

use serde_json::{Map, Value};

use crate::merge::unresolved::{Clash, MergedText, Part, Pick, Reason};

/// What names an element of a list of mappings, the first that all have.
pub(crate) const ELEMENT_KEYS: [&str; 4] = ["id", "fingerprint", "key", "name"];

/// Roles from the least powerful up; of two new roles the lesser holds.
const ROLES: [&str; 3] = ["reader", "writer", "admin"];

/// Fields that take something away by being there.
const RESTRICTIONS: [&str; 2] = ["revoked", "expires"];

/// Merges two edits of a policy file. `None` where one of them is not YAML that can be merged.
///
/// `bases` are the different texts before both, in an order of their own; an empty one is none.
pub(crate) fn merge_policy(bases: &[&str], first: &str, second: &str) -> Option<MergedText> {
    let read = |text: &str| serde_yaml::from_str::<Value>(text).ok();
    let (first, second) = (read(first)?, read(second)?);
    let there =
        |base: &&str| if base.trim().is_empty() { Some(None) } else { read(base).map(Some) };
    let bases: Vec<Option<Value>> = bases.iter().map(there).collect::<Option<_>>()?;
    if bases.is_empty() || !first.is_object() || !second.is_object() {
        return None;
    }
    let mut merge = Merge { clashes: Vec::new() };
    let bases: Vec<Option<&Value>> = bases.iter().map(Option::as_ref).collect();
    let merged = merge.value("", &bases, &first, &second)?;
    let text = serde_yaml::to_string(&merged).ok()?;
    Some(MergedText { text, clashes: merge.clashes })
}

struct Merge {
    clashes: Vec<Clash>,
}

impl Merge {
    fn value(
        &mut self,
        at: &str,
        bases: &[Option<&Value>],
        first: &Value,
        second: &Value,
    ) -> Option<Value> {
        if first == second || bases.iter().all(|base| *base == Some(second)) {
            return Some(first.clone());
        }
        if bases.iter().all(|base| *base == Some(first)) {
            return Some(second.clone());
        }
        match (first, second) {
            (Value::Object(one), Value::Object(two)) => {
                let bases: Vec<_> =
                    bases.iter().map(|base| base.and_then(Value::as_object)).collect();
                self.map(at, &bases, one, two).map(Value::Object)
            }
            (Value::Array(one), Value::Array(two)) => {
                let bases: Vec<&[Value]> = bases
                    .iter()
                    .map(|base| base.and_then(Value::as_array).map_or(&[][..], Vec::as_slice))
                    .collect();
                self.list(at, &bases, one, two).map(Value::Array)
            }
            _ => Some(self.scalar(at, bases, first, second)),
        }
    }

    /// Key by key, in the order of the first side; a removed key stays removed.
    fn map(
        &mut self,
        at: &str,
        bases: &[Option<&Map<String, Value>>],
        first: &Map<String, Value>,
        second: &Map<String, Value>,
    ) -> Option<Map<String, Value>> {
        let mut merged = Map::new();
        let new = second.keys().filter(|key| !first.contains_key(*key));
        for key in first.keys().chain(new) {
            let path = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
            let before: Vec<Option<&Value>> =
                bases.iter().map(|base| base.and_then(|base| base.get(key))).collect();
            let is_added = if RESTRICTIONS.contains(&key.as_str()) {
                before.iter().any(Option::is_none)
            } else {
                before.iter().all(Option::is_none)
            };
            let value = match (first.get(key), second.get(key)) {
                (Some(one), Some(two)) => self.value(&path, &before, one, two)?,
                (Some(value), None) | (None, Some(value)) if is_added => value.clone(),
                (one, two) => {
                    self.removed(&path, &before, one, two);
                    continue;
                }
            };
            merged.insert(key.clone(), value);
        }
        Some(merged)
    }

    /// Mappings by their id, scalars as a set.
    fn list(
        &mut self,
        at: &str,
        bases: &[&[Value]],
        first: &[Value],
        second: &[Value],
    ) -> Option<Vec<Value>> {
        let all = || bases.iter().copied().flatten().chain(first).chain(second);
        if all().all(|value| !value.is_object() && !value.is_array()) {
            let is_new = |value: &Value| bases.iter().all(|base| !base.contains(value));
            let stays = |value: &&Value| second.contains(value) || is_new(value);
            let mut merged: Vec<Value> = first.iter().filter(stays).cloned().collect();
            for value in second.iter().filter(|value| is_new(value)) {
                if !merged.contains(value) {
                    merged.push(value.clone());
                }
            }
            return Some(merged);
        }
        let key = ELEMENT_KEYS
            .into_iter()
            .find(|key| all().all(|v| v.get(key).is_some_and(Value::is_string)))?;
        let keyed = |list: &[Value]| -> Option<Map<String, Value>> {
            let name = |value: &Value| value[key].as_str().unwrap_or_default().to_owned();
            let map: Map<String, Value> = list.iter().map(|v| (name(v), v.clone())).collect();
            (map.len() == list.len()).then_some(map)
        };
        let bases: Vec<Map<String, Value>> =
            bases.iter().map(|base| keyed(base)).collect::<Option<_>>()?;
        let bases: Vec<Option<&Map<String, Value>>> = bases.iter().map(Some).collect();
        let merged = self.map(at, &bases, &keyed(first)?, &keyed(second)?)?;
        Some(merged.into_iter().map(|(_, value)| value).collect())
    }

    /// Two values of one field: the changed one, of two changed ones the stricter where there is
    /// one, else the favoured.
    fn scalar(
        &mut self,
        at: &str,
        bases: &[Option<&Value>],
        first: &Value,
        second: &Value,
    ) -> Value {
        let stricter = stricter(at.rsplit('.').next().unwrap_or(at), first, second);
        let left = |value: &Value| bases.contains(&Some(value));
        let changed_since_all = bases.iter().any(|b| *b != Some(first) && *b != Some(second));
        let (pick, is_open) = match (left(first), left(second)) {
            (true, true) => (stricter, stricter.is_none()),
            (left_first, left_second) if left_first || left_second => {
                let changed = if left_first { Pick::Second } else { Pick::First };
                match stricter {
                    Some(strict) if changed_since_all && strict != changed => (stricter, true),
                    _ => (Some(changed), false),
                }
            }
            _ => (stricter, true),
        };
        let pick = pick.unwrap_or(Pick::First);
        if is_open {
            let base = bases.iter().flatten().next();
            self.clashes.push(Clash {
                part: Part::Field(at.to_owned()),
                reason: if base.is_some() { Reason::BothEdited } else { Reason::AddedTwice },
                base: base.map(|base| shown(base)),
                first: Some(shown(first)),
                second: Some(shown(second)),
                kept: pick,
            });
        }
        if pick == Pick::First { first.clone() } else { second.clone() }
    }

    /// Records an edit of what the other side removed.
    fn removed(
        &mut self,
        at: &str,
        bases: &[Option<&Value>],
        first: Option<&Value>,
        second: Option<&Value>,
    ) {
        if bases.contains(&first.or(second)) {
            return;
        }
        self.clashes.push(Clash {
            part: Part::Field(at.to_owned()),
            reason: Reason::EditedAndDeleted,
            base: bases.iter().flatten().next().map(|base| shown(base)),
            first: first.map(shown),
            second: second.map(shown),
            kept: if first.is_none() { Pick::First } else { Pick::Second },
        });
    }
}

fn shown(value: &Value) -> String {
    serde_yaml::to_string(value).unwrap_or_else(|_| value.to_string())
}

/// The side that gives less away, for the fields where that can be said.
fn stricter(key: &str, first: &Value, second: &Value) -> Option<Pick> {
    let (one, two) = (first.as_str()?, second.as_str()?);
    let rank = |name: &str| ROLES.iter().position(|role| *role == name);
    let first_is = match key {
        "role" => rank(one)? <= rank(two)?,
        "trust" => one == "roster",
        // Dates as `YYYY-MM-DD` order as text.
        "revoked" | "expires" => one <= two,
        _ => return None,
    };
    Some(if first_is { Pick::First } else { Pick::Second })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const BASE: &str = "format: f/1\nmembers:\n- id: ada\n  role: admin\n  keys: [k1]\n- id: bob\n  role: writer\n  keys: [k2]\n";

    fn ids(value: &Value) -> BTreeSet<String> {
        let members = value["members"].as_array().cloned().unwrap_or_default();
        members.iter().filter_map(|m| m["id"].as_str().map(str::to_owned)).collect()
    }

    fn merged(first: &str, second: &str) -> (Value, Vec<Clash>) {
        let merged = merge_policy(&[BASE], first, second).unwrap();
        (serde_yaml::from_str(&merged.text).unwrap(), merged.clashes)
    }

    #[test]
    fn members_merge_by_id_and_a_removal_wins() {
        let added = format!("{BASE}- id: cy\n  role: reader\n  keys: [k3]\n");
        let edited = BASE.replace("writer", "admin");
        let removed = "format: f/1\nmembers:\n- id: ada\n  role: admin\n  keys: [k1, k9]\n";
        let (both, clashes) = merged(&added, removed);
        assert_eq!(ids(&both), BTreeSet::from(["ada".to_owned(), "cy".to_owned()]));
        assert!(clashes.is_empty());
        let (both, clashes) = merged(&edited, removed);
        assert_eq!(ids(&both), BTreeSet::from(["ada".to_owned()]));
        assert_eq!(clashes[0].reason, Reason::EditedAndDeleted);
        assert_eq!(clashes[0].kept, Pick::Second);
    }

    #[test]
    fn of_two_new_roles_the_lesser_holds_whoever_is_favoured() {
        let (up, down) = (BASE.replace("writer", "admin"), BASE.replace("writer", "reader"));
        for (first, second) in [(&up, &down), (&down, &up)] {
            let (both, clashes) = merged(first, second);
            assert_eq!(both["members"][1]["role"], "reader");
            assert_eq!(clashes.len(), 1);
        }
    }

    #[test]
    fn what_is_not_a_mapping_is_not_merged() {
        assert!(merge_policy(&[BASE], "- a\n", BASE).is_none());
        assert!(merge_policy(&[BASE], "a: [", "b: c\n").is_none());
        let twice = format!("{BASE}- id: bob\n  role: reader\n  keys: []\n");
        assert!(merge_policy(&[BASE], &twice, &BASE.replace("k1", "k7")).is_none());
    }
}
