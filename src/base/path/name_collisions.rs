//! Paths that are one file on some system: the key under which they meet, and who meets whom.
//! Border: compares spellings; says nothing about whether a single path is allowed.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use unicode_normalization::UnicodeNormalization;

use super::characters::is_default_ignorable;
use super::lookalike::{as_seen, imitates_latin};

/// The folding settles after two rounds in every known case; this only bounds it.
const ROUNDS_MAX: usize = 8;

/// The spelling that all systems agree on: two paths with one key can be one file somewhere.
///
/// NFKC and full case folding (upper case first, as NTFS compares), without characters that do
/// not show, repeated until stable; separators stay. Applying it twice changes nothing.
pub fn collision_key(path: &str) -> String {
    folded(path).into_owned()
}

/// [`collision_key`], without a copy where the path is its own key.
pub(crate) fn folded(path: &str) -> Cow<'_, str> {
    if path.is_ascii() {
        let has_capitals = path.bytes().any(|b| b.is_ascii_uppercase());
        return if has_capitals { path.to_ascii_lowercase().into() } else { path.into() };
    }
    let mut folded = fold(path);
    for _ in 0..ROUNDS_MAX {
        let again = fold(&folded);
        if again == folded {
            break;
        }
        folded = again;
    }
    folded.into()
}

fn fold(text: &str) -> String {
    let shown: String = text.chars().filter(|c| !is_default_ignorable(*c)).nfkc().collect();
    caseless::default_case_fold_str(&shown.to_uppercase()).nfkc().collect()
}

/// Pairs of paths that cannot both exist on every system, as indices: the earlier one, the later one.
///
/// Folders count as well: `Topics/x.md` and `topics/y.md` meet, and so do a file and a folder.
pub fn collisions<P: AsRef<str>>(paths: &[P]) -> Vec<(usize, usize)> {
    let mut owners: HashMap<Cow<'_, str>, Owner<'_>> = HashMap::with_capacity(paths.len() * 2);
    let mut pairs = Vec::new();
    for (at, path) in paths.iter().enumerate() {
        let path = path.as_ref();
        let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
        for end in ends {
            let spelling = &path[..end];
            let is_file = end == path.len();
            match owners.entry(folded(spelling)) {
                Entry::Vacant(free) => {
                    free.insert(Owner { at, spelling, is_file });
                }
                Entry::Occupied(taken) => {
                    let owner = taken.get();
                    let same_folder = owner.spelling == spelling && !is_file && !owner.is_file;
                    if !same_folder && pairs.last() != Some(&(owner.at, at)) {
                        pairs.push((owner.at, at));
                    }
                }
            }
        }
    }
    pairs
}

/// The first path that uses a key.
struct Owner<'p> {
    at: usize,
    spelling: &'p str,
    is_file: bool,
}

/// Whether a path of another alphabet might be read as one of ASCII.
pub(crate) fn imitates(path: &str) -> bool {
    let stem = path.strip_suffix(".md").unwrap_or(path);
    let mut words = stem.split(|c: char| !c.is_alphabetic()).filter(|w| !w.is_empty());
    !stem.is_ascii() && words.all(|w| w.is_ascii() || imitates_latin(w))
}

/// Pairs of an ASCII path and one in another alphabet that a person cannot tell apart, as indices.
pub fn lookalikes<P: AsRef<str>>(paths: &[P]) -> Vec<(usize, usize)> {
    let mut imitators: HashMap<String, usize> = HashMap::new();
    for (at, path) in paths.iter().enumerate() {
        let path = path.as_ref();
        if imitates(path) {
            imitators.insert(as_seen(path), at);
        }
    }
    if imitators.is_empty() {
        return Vec::new();
    }
    let plain = paths.iter().enumerate().filter(|(_, path)| path.as_ref().is_ascii());
    plain
        .filter_map(|(at, path)| {
            let other = *imitators.get(&as_seen(path.as_ref()))?;
            Some((at.min(other), at.max(other)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_file_have_one_key() {
        let groups: [&[&str]; 12] = [
            &["A/B.md", "a/b.MD"],
            &["straße.md", "STRASSE.md", "strasse.md", "STRAẞE.md"],
            &["caf\u{e9}.md", "cafe\u{301}.md", "CAFÉ.md"],
            &["\u{130}.md", "i\u{307}.md"],
            &["ı.md", "I.md", "i.md"],
            &["ς.md", "σ.md", "Σ.md"],
            &["ﬁle.md", "file.md", "FILE.md"],
            &["Ｍemory.md", "memory.md", "mem\u{200b}ory.md"],
            &["\u{212a}elvin.md", "Kelvin.md", "kelvin.md"],
            &["ſ.md", "s.md"],
            &["ŉ.md", "ʼn.md"],
            &["ᾳ.md", "αι.md", "ᾼ.md"],
        ];
        for group in groups {
            let keys: Vec<_> = group.iter().map(|path| collision_key(path)).collect();
            assert!(keys.iter().all(|key| *key == keys[0]), "{group:?}: {keys:?}");
        }
    }

    #[test]
    fn different_files_have_different_keys() {
        for (a, b) in [("a.md", "b.md"), ("e.md", "é.md"), ("o.md", "ö.md"), ("a/b", "ab")] {
            assert_ne!(collision_key(a), collision_key(b));
        }
    }

    #[test]
    fn files_and_folders_meet_by_key_and_shared_folders_do_not() {
        assert!(collisions(&["a/x.md", "a/y.md", "b.md"]).is_empty());
        assert_eq!(collisions(&["Topics/x.md", "b.md", "topics/y.md"]), [(0, 2)]);
        assert_eq!(collisions(&["a.md", "A.md", "a.MD"]), [(0, 1), (0, 2)]);
        assert_eq!(collisions(&["a", "a/b.md"]), [(0, 1)]);
        assert_eq!(collisions(&["A/b.md", "a"]), [(0, 1)]);
        assert_eq!(collisions(&["a.md", "a.md"]), [(0, 1)]);
    }

    #[test]
    fn an_imitation_in_another_alphabet_is_found_and_words_of_that_language_are_left_alone() {
        assert_eq!(lookalikes(&["сору.md", "x.md", "copy.md"]), [(0, 2)]);
        assert!(lookalikes(&["ресурс.md", "x.md"]).is_empty());
        assert!(lookalikes(&["modem.md", "modern.md"]).is_empty());
    }
}
