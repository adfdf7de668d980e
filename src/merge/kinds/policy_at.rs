//! One value of a policy file by the path that a conflict names it with, as `members.bob.role`.
//! Border: reads and sets values; which are in conflict is `policy`'s rule.

use serde_json::Value;

use crate::merge::kinds::policy::ELEMENT_KEYS;

/// The value at a path as a record writes it; `None` where there is none, or the text is no mapping.
pub(crate) fn value_at(text: &str, at: &str) -> Option<String> {
    let file: Value = serde_yaml::from_str(text).ok()?;
    serde_yaml::to_string(find(&file, at)?).ok()
}

/// The text with another value at a path; `None` as the new one removes it. Gives `None` where there
/// is no such place.
pub(crate) fn with_value_at(text: &str, at: &str, new: Option<&str>) -> Option<String> {
    let mut file: Value = serde_yaml::from_str(text).ok()?;
    let new: Option<Value> = new.map(serde_yaml::from_str).transpose().ok()?;
    if !file.is_object() || !set(&mut file, at, new.as_ref()) {
        return None;
    }
    serde_yaml::to_string(&file).ok()
}

/// What names the elements of a list, and the name of one.
fn name_of(value: &Value) -> Option<&str> {
    ELEMENT_KEYS.iter().find_map(|key| value.get(key)?.as_str())
}

/// The rest of a path behind a name that may hold dots itself.
fn behind<'p>(at: &'p str, name: &str) -> Option<&'p str> {
    let rest = at.strip_prefix(name)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('.') }
}

fn find<'v>(value: &'v Value, at: &str) -> Option<&'v Value> {
    if at.is_empty() {
        return Some(value);
    }
    match value {
        Value::Object(map) => map.iter().find_map(|(key, value)| find(value, behind(at, key)?)),
        Value::Array(list) => list.iter().find_map(|one| find(one, behind(at, name_of(one)?)?)),
        _ => None,
    }
}

/// Sets what is at a path, whether it was there or not; `false` where there is no place for it.
fn set(value: &mut Value, at: &str, new: Option<&Value>) -> bool {
    match value {
        Value::Object(map) => {
            let inner = |(key, value): (&String, &mut Value)| {
                behind(at, key).is_some_and(|rest| !rest.is_empty() && set(value, rest, new))
            };
            if map.iter_mut().any(inner) {
                return true;
            }
            match new {
                Some(new) if map.contains_key(at) || !at.contains('.') => {
                    map.insert(at.to_owned(), new.clone());
                    true
                }
                Some(_) => false,
                None => map.remove(at).is_some(),
            }
        }
        Value::Array(list) => {
            let inner = |one: &mut Value| {
                let rest = name_of(one).and_then(|name| behind(at, name)).map(str::to_owned);
                rest.is_some_and(|rest| !rest.is_empty() && set(one, &rest, new))
            };
            if list.iter_mut().any(inner) {
                return true;
            }
            let there = list.iter().position(|one| name_of(one) == Some(at));
            match (there, new) {
                (Some(at), Some(new)) => list[at] = new.clone(),
                (Some(at), None) => drop(list.remove(at)),
                (None, Some(new)) if name_of(new) == Some(at) => list.push(new.clone()),
                (None, _) => return false,
            }
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROSTER: &str = "format: f/1\nmembers:\n- id: ada\n  role: admin\n- id: b.ob\n  role: reader\n- id: carol\n  role: reader\n";

    #[test]
    fn only_the_named_value_changes() {
        assert_eq!(value_at(ROSTER, "members.b.ob.role").as_deref(), Some("reader\n"));
        let set = with_value_at(ROSTER, "members.b.ob.role", Some("writer\n")).unwrap();
        assert_eq!(set, ROSTER.replacen("role: reader", "role: writer", 1));
        let gone = with_value_at(ROSTER, "members.b.ob", None).unwrap();
        assert_eq!(value_at(&gone, "members.b.ob"), None);
        assert_eq!(value_at(&gone, "members.carol.role").as_deref(), Some("reader\n"));
        let back = with_value_at(&gone, "members.b.ob", Some("id: b.ob\nrole: reader\n")).unwrap();
        assert_eq!(value_at(&back, "members.b.ob.role").as_deref(), Some("reader\n"));
    }

    #[test]
    fn what_has_no_place_changes_nothing() {
        for (at, new) in [
            ("members.dan.role", Some("admin\n")),
            ("members.dan", Some("id: eve\n")),
            ("members.ada.role.x", Some("y\n")),
            ("a.b", Some("c\n")),
            ("nothing", None),
        ] {
            assert_eq!(with_value_at(ROSTER, at, new), None, "{at}");
        }
        assert_eq!(with_value_at("- a\n", "a", Some("b\n")), None);
    }
}
