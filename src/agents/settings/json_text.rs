//! Puts values into a JSON text and takes them out again; every other byte stays.
//! Border: text in, text out; which values are ours is the caller's business.

use std::collections::BTreeMap;

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use crate::base::text::{Position, dominant_eol};

/// Why a text is not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonError {
    /// It is no JSON.
    #[error("line {}, column {}: {what}", position.line, position.column)]
    NotJson {
        /// Where.
        position: Position,
        /// What the parser says.
        what: String,
    },
    /// It has comments, trailing commas or the like: no JSON, though some programs read it.
    #[error("line {}, column {}: it has comments or commas that JSON does not have", position.line, position.column)]
    Extended {
        /// Where.
        position: Position,
    },
    /// A value is not of the shape that is needed.
    #[error("`{0}` is not what it should be")]
    Shape(String),
    /// A key stands twice; which one counts depends on the reader.
    #[error("`{0}` stands there twice")]
    Twice(String),
}

/// What stood in empty containers before something was put into them, by their path: `hooks/Stop`.
pub type Hollows = BTreeMap<String, String>;

/// An object or an array in the text.
struct Container {
    /// Behind the opening bracket, and before the closing one.
    inner: (usize, usize),
    is_object: bool,
    children: Vec<Child>,
}

struct Child {
    key: Option<String>,
    /// Key and value.
    span: (usize, usize),
    /// The value alone.
    value: (usize, usize),
}

const STRICT: ParseOptions = ParseOptions {
    allow_comments: false,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Parses the text with `look`, strictly.
fn with_root<T>(
    text: &str,
    look: impl FnOnce(&Value<'_>) -> Result<T, JsonError>,
) -> Result<T, JsonError> {
    let options = CollectOptions::default();
    match parse_to_ast(text, &options, &STRICT) {
        Ok(parsed) => match &parsed.value {
            Some(value) => look(value),
            None => Err(JsonError::Shape("the file".to_owned())),
        },
        Err(error) => {
            let position = Position::of(text, error.range().start.min(text.len()));
            let is_extended = parse_to_ast(text, &options, &ParseOptions::default()).is_ok();
            Err(if is_extended {
                JsonError::Extended { position }
            } else {
                JsonError::NotJson { position, what: error.kind().to_string() }
            })
        }
    }
}

/// The container at a path of keys and places; `None` when something on the way is not there.
fn container(text: &str, path: &[&str]) -> Result<Option<Container>, JsonError> {
    with_root(text, |root| {
        let mut at = root;
        for (depth, step) in path.iter().enumerate() {
            let next = match at {
                Value::Object(object) => {
                    let mut named =
                        object.properties.iter().filter(|one| one.name.as_str() == *step);
                    let first = named.next();
                    if named.next().is_some() {
                        return Err(JsonError::Twice(path[..=depth].join("/")));
                    }
                    first.map(|one| &one.value)
                }
                Value::Array(array) => {
                    step.parse::<usize>().ok().and_then(|place| array.elements.get(place))
                }
                _ => return Err(JsonError::Shape(path[..depth].join("/"))),
            };
            let Some(next) = next else { return Ok(None) };
            at = next;
        }
        let range = at.range();
        let inner = (range.start + 1, range.end.saturating_sub(1));
        let span = |value: &dyn jsonc_parser::common::Ranged| (value.start(), value.end());
        let (is_object, children) = match at {
            Value::Object(object) => {
                let child = |one: &jsonc_parser::ast::ObjectProp<'_>| Child {
                    key: Some(one.name.as_str().to_owned()),
                    span: span(one),
                    value: span(&one.value),
                };
                (true, object.properties.iter().map(child).collect())
            }
            Value::Array(array) => {
                let child =
                    |one: &Value<'_>| Child { key: None, span: span(one), value: span(one) };
                (false, array.elements.iter().map(child).collect())
            }
            _ => return Err(JsonError::Shape(path.join("/"))),
        };
        Ok(Some(Container { inner, is_object, children }))
    })
}

/// The value of the whole text.
///
/// # Errors
/// What is no JSON.
pub fn value(text: &str) -> Result<serde_json::Value, JsonError> {
    // One parser decides what is JSON; the other gives the value.
    with_root(text, |_| Ok(()))?;
    serde_json::from_str(text).map_err(|error| JsonError::NotJson {
        position: Position { line: error.line(), column: error.column() },
        what: error.to_string(),
    })
}

/// Puts an element at the end of the array that stands below `key` in the object at `path`; objects and
/// the array are made where they are missing.
///
/// # Errors
/// What is no JSON, or something else in the place of an object or an array.
pub fn push(
    text: &str,
    path: &[&str],
    element: &serde_json::Value,
    hollows: &mut Hollows,
) -> Result<String, JsonError> {
    for depth in (0..=path.len()).rev() {
        let Some(found) = container(text, &path[..depth])? else { continue };
        let is_array = depth == path.len();
        if found.is_object == is_array {
            return Err(JsonError::Shape(path[..depth].join("/")));
        }
        // What is missing between here and the element.
        let mut added = element.clone();
        if depth < path.len() {
            added = serde_json::Value::Array(vec![added]);
        }
        for key in path.iter().skip(depth + 1).rev() {
            added = serde_json::json!({ *key: added });
        }
        let key = path.get(depth).copied();
        if found.children.is_empty() {
            let hollow = text[found.inner.0..found.inner.1].to_owned();
            hollows.insert(path[..depth].join("/"), hollow);
        }
        return Ok(insert(text, &found, key, &added));
    }
    Err(JsonError::Shape("the file".to_owned()))
}

/// The text with one more child at the end of a container, laid out as its neighbours are.
fn insert(text: &str, into: &Container, key: Option<&str>, value: &serde_json::Value) -> String {
    let eol = dominant_eol(text);
    let unit = unit(text);
    let is_one_line = !text.trim_end().contains('\n') && text.trim_end().len() > 2;
    let written = |depth: &str| {
        let value = if is_one_line {
            value.to_string()
        } else {
            indented(value, unit).replace('\n', &format!("{eol}{depth}"))
        };
        key.map_or(value.clone(), |key| format!("{}: {value}", serde_json::json!(key)))
    };
    let mut new = text.to_owned();
    match into.children.last() {
        Some(last) => {
            let before = &text[..last.span.0];
            let gap = &before[before.trim_end().len()..];
            let is_own_line = gap.contains('\n');
            let depth = if is_own_line { gap.rsplit('\n').next().unwrap_or_default() } else { "" };
            let gap = if is_own_line { format!("{eol}{depth}") } else { " ".to_owned() };
            new.insert_str(last.span.1, &format!(",{gap}{}", written(depth)));
        }
        None if is_one_line => new.replace_range(into.inner.0..into.inner.1, &written("")),
        None => {
            let line = text[..into.inner.0].rsplit('\n').next().unwrap_or_default();
            let outer: String = line.chars().take_while(|c| c.is_whitespace()).collect();
            let depth = format!("{outer}{unit}");
            let inner = format!("{eol}{depth}{}{eol}{outer}", written(&depth));
            new.replace_range(into.inner.0..into.inner.1, &inner);
        }
    }
    new
}

/// A value over several lines.
fn indented(value: &serde_json::Value, unit: &str) -> String {
    let mut out = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(unit.as_bytes());
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, formatter);
    serde::Serialize::serialize(value, &mut serializer).expect("because a value has string keys");
    String::from_utf8(out).expect("because JSON is UTF-8")
}

/// One step of indentation of a text.
fn unit(text: &str) -> &str {
    let first = text.lines().find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
    first.map_or("  ", |line| &line[..line.len() - line.trim_start().len()])
}

/// Takes every element that `is_ours` out of the array at `path`. What is empty then goes as well, unless
/// it was there and empty before.
///
/// # Errors
/// What is no JSON.
pub fn take_out(
    text: &str,
    path: &[&str],
    is_ours: &dyn Fn(&serde_json::Value) -> bool,
    hollows: &Hollows,
) -> Result<String, JsonError> {
    let mut text = text.to_owned();
    while let Some(found) = container(&text, path)? {
        let ours = found.children.iter().position(|child| {
            let value = serde_json::from_str(&text[child.value.0..child.value.1]);
            value.is_ok_and(|value| is_ours(&value))
        });
        let Some(place) = ours.filter(|_| !found.is_object) else { break };
        text = cut(&text, path, &found, place, hollows)?;
    }
    Ok(text)
}

/// Takes one child out, and what it leaves empty.
fn cut(
    text: &str,
    path: &[&str],
    from: &Container,
    place: usize,
    hollows: &Hollows,
) -> Result<String, JsonError> {
    let mut new = text.to_owned();
    if from.children.len() > 1 {
        let span = match from.children.get(place + 1) {
            Some(next) => (from.children[place].span.0, next.span.0),
            None => (from.children[place - 1].span.1, from.children[place].span.1),
        };
        new.replace_range(span.0..span.1, "");
        return Ok(new);
    }
    let above = path.split_last();
    if let (None, Some((last, above))) = (hollows.get(&path.join("/")), above)
        && let Some(parent) = container(text, above)?
        && let Some(place) = place_of(&parent, last)
    {
        return cut(text, above, &parent, place, hollows);
    }
    let hollow = hollows.get(&path.join("/")).map_or("", String::as_str);
    new.replace_range(from.inner.0..from.inner.1, hollow);
    Ok(new)
}

fn place_of(container: &Container, step: &str) -> Option<usize> {
    match container.is_object {
        true => container.children.iter().position(|one| one.key.as_deref() == Some(step)),
        false => step.parse().ok().filter(|place| *place < container.children.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PATH: [&str; 2] = ["hooks", "Stop"];

    fn ours(value: &serde_json::Value) -> bool {
        value["of"] == "us"
    }

    #[test]
    fn what_goes_in_comes_out_again_byte_for_byte() {
        for text in [
            "{}",
            "{ }",
            "{\n}\n",
            "{}\n",
            "{\"a\":1}",
            "{\"a\": 1, \"hooks\": {}}",
            "{\"hooks\": {\"Stop\": [ ]}}",
            "{\n    \"a\": 1\n}\n",
            "{\n\t\"hooks\": {\n\t\t\"Stop\": []\n\t}\n}",
            "{\r\n  \"hooks\": {\r\n    \"Start\": [1, 2]\r\n  },\r\n  \"z\": \"ü\"\r\n}\r\n",
            "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"of\": \"them\"\n      }\n    ]\n  }\n}\n",
            "  {\"hooks\":{\"Stop\":[{\"of\":\"them\"},7]},\"b\":[[],{}]}  \n\n",
        ] {
            let mut hollows = Hollows::new();
            let one = push(text, &PATH, &json!({"of": "us", "n": 1}), &mut hollows).unwrap();
            let two = push(&one, &PATH, &json!({"of": "us", "n": [2]}), &mut hollows).unwrap();
            let value = value(&two).unwrap();
            let stop = value["hooks"]["Stop"].as_array().unwrap();
            assert_eq!(stop.iter().filter(|one| ours(one)).count(), 2, "{two}");
            assert_eq!(two.contains("\r\n"), text.contains("\r\n"), "{two:?}");
            assert_eq!(take_out(&two, &PATH, &ours, &hollows).unwrap(), text, "{two}");
        }
    }

    #[test]
    fn what_others_put_beside_ours_stays() {
        let mut hollows = Hollows::new();
        let text = push("{}\n", &PATH, &json!({"of": "us"}), &mut hollows).unwrap();
        let text = push(&text, &PATH, &json!({"of": "them"}), &mut Hollows::new()).unwrap();
        let left = take_out(&text, &PATH, &ours, &hollows).unwrap();
        assert_eq!(value(&left).unwrap(), json!({"hooks": {"Stop": [{"of": "them"}]}}));
        assert_eq!(left.matches('\n').count() + 3, text.matches('\n').count(), "{left}");
    }

    #[test]
    fn what_cannot_be_changed_safely_is_refused() {
        let put = |text: &str| push(text, &PATH, &json!(1), &mut Hollows::new()).unwrap_err();
        assert!(
            matches!(put("{\n  // mine\n}"), JsonError::Extended { position } if position.line == 2)
        );
        assert!(matches!(put("{\"a\": 1,}"), JsonError::Extended { .. }));
        assert!(matches!(put("{\"a\": "), JsonError::NotJson { .. }));
        assert!(matches!(put("[]"), JsonError::Shape(_)));
        assert!(matches!(put("7"), JsonError::Shape(_)));
        assert!(matches!(put("{\"hooks\": []}"), JsonError::Shape(at) if at == "hooks"));
        assert!(
            matches!(put("{\"hooks\": {\"Stop\": {}}}"), JsonError::Shape(at) if at == "hooks/Stop")
        );
        assert!(matches!(put("{\"hooks\": {}, \"hooks\": {}}"), JsonError::Twice(_)));
        let deep = "[".repeat(100_000);
        assert!(matches!(put(&deep), JsonError::NotJson { .. }));
    }
}
