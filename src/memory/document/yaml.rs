//! Frontmatter as YAML sees it: an ordered tree, or the fault with its place.
//! Border: values only; which lines they came from is `frontmatter`'s business.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::base::display::Escaped;
use crate::base::text::Position;

/// A YAML value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    /// Nothing, `null` or `~`.
    Null,
    /// A string, or a plain scalar that YAML takes for a string.
    Text(String),
    /// A number or boolean; how it was written is in the source.
    Typed,
    /// A sequence.
    List(Vec<Self>),
    /// A mapping in the order of the source.
    Map(Vec<(String, Self)>),
}

/// Why a text is not YAML, ready to show.
#[derive(Debug)]
pub(super) struct Fault {
    /// Where, in the text that was read.
    pub(super) position: Option<Position>,
    /// What the parser says.
    pub(super) message: String,
}

/// Reads YAML.
pub(super) fn read(text: &str) -> Result<Node, Fault> {
    if text.trim().is_empty() {
        return Ok(Node::Null);
    }
    serde_yaml::from_str::<Node>(text).map_err(|error| {
        let position = error.location().map(|at| Position {
            line: usize::try_from(at.line()).unwrap_or(usize::MAX).max(1),
            column: usize::try_from(at.column()).unwrap_or(usize::MAX).max(1),
        });
        let error = error.without_snippet().to_string();
        let first = error.lines().next().unwrap_or_default().to_owned();
        Fault { position, message: Escaped(&first).to_string() }
    })
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

/// Builds a [`Node`].
struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("YAML")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Node, E> {
        Ok(Node::Typed)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Node, E> {
        Ok(Node::Typed)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Node, E> {
        Ok(Node::Typed)
    }

    fn visit_i128<E>(self, _: i128) -> Result<Node, E> {
        Ok(Node::Typed)
    }

    fn visit_u128<E>(self, _: u128) -> Result<Node, E> {
        Ok(Node::Typed)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Node, E> {
        Ok(Node::Typed)
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_none<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bytes<E>(self, _: &[u8]) -> Result<Node, E> {
        Ok(Node::Typed)
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<Node, D::Error> {
        Node::deserialize(inner)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Node, D::Error> {
        Node::deserialize(inner)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Node, A::Error> {
        let mut map = Vec::new();
        while let Some(entry) = entries.next_entry::<String, Node>()? {
            map.push(entry);
        }
        Ok(Node::Map(map))
    }
}
