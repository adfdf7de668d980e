//! What tools are called with.
//! Border: shapes and their limits; a call that does not fit is told what would.

use serde::Deserialize;

use super::answer::Said;

/// `memory_search`.
#[derive(Debug, Deserialize)]
pub(super) struct Search {
    pub(super) query: String,
    #[serde(default)]
    pub(super) limit: Option<usize>,
}

/// `memory_read`.
#[derive(Debug, Deserialize)]
pub(super) struct Read {
    pub(super) memory: String,
    #[serde(default)]
    pub(super) offset: usize,
}

/// `memory_list`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct List {
    #[serde(default)]
    pub(super) layer: Option<String>,
    #[serde(default, rename = "type")]
    pub(super) kind: Option<String>,
}

/// `memory_write`.
#[derive(Debug, Deserialize)]
pub(super) struct Write {
    pub(super) name: String,
    pub(super) description: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) text: String,
    #[serde(default)]
    pub(super) layer: Option<String>,
    #[serde(default)]
    pub(super) replace: bool,
    #[serde(default)]
    pub(super) revision: Option<String>,
}

/// `memory_delete`.
#[derive(Debug, Deserialize)]
pub(super) struct Delete {
    pub(super) memory: String,
    #[serde(default)]
    pub(super) revision: Option<String>,
}

/// `memory_resolve`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Resolve {
    #[serde(default)]
    pub(super) conflict: Option<String>,
    #[serde(default)]
    pub(super) keep: Option<String>,
    #[serde(default)]
    pub(super) text: Option<String>,
}

/// Reads arguments; what does not fit is said.
pub(super) fn read<T: for<'de> Deserialize<'de>>(
    arguments: serde_json::Value,
) -> Result<T, String> {
    serde_json::from_value(arguments).map_err(|error| {
        format!("the arguments do not fit: {error}\nNext: call it again as the tool's schema says.")
    })
}

/// A value that may be left out or empty.
pub(super) fn given(value: Option<&str>) -> Option<&str> {
    value.map(str::trim).filter(|value| !value.is_empty())
}

/// One of a few words.
pub(super) fn one_of(what: &str, word: &str, words: &[&str]) -> Said {
    match words.iter().find(|known| **known == word) {
        Some(known) => Ok((*known).to_owned()),
        None => Err(format!("`{word}` is no {what}.\nNext: use one of {}.", words.join(", "))),
    }
}
