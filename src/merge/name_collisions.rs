//! Keeps a merged folder possible on every system: two sides may each be fine and end up under one name.
//! Border: which names meet is `base::path`; this decides who gives way, the same on both machines.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::base::path::{MemoryPath, collision_key, folded};

/// Numbers tried for a file that must give way to a folder of its name.
const TRIES_MAX: usize = 1_000;

/// New names for the paths that meet an earlier one: old path, new path. Usually empty.
///
/// Paths come in order of precedence. A path that differs from an earlier one only in spelling takes
/// the earlier spelling, folder by folder; a file that meets a folder gets a number.
pub(crate) fn renames<'p>(
    paths: impl Iterator<Item = &'p MemoryPath>,
) -> BTreeMap<MemoryPath, MemoryPath> {
    let mut spellings: HashMap<String, (String, bool)> = HashMap::new();
    let mut renames = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for path in paths {
        if !seen.insert(path) {
            continue;
        }
        let free = free_name(path.as_str(), &spellings);
        for spelling in prefixes(&free) {
            let is_file = spelling.len() == free.len();
            let taken = (spelling.to_owned(), is_file);
            spellings.entry(collision_key(spelling)).or_insert(taken);
        }
        if free != path.as_str()
            && let Ok(free) = MemoryPath::parse(&free)
        {
            renames.insert(path.clone(), free);
        }
    }
    renames
}

/// [`renames`] of some paths beside many others that come first and stay: those of the others that
/// share no name with them are not looked at.
pub(crate) fn renames_beside<'p>(
    others: impl Iterator<Item = &'p MemoryPath> + Clone,
    paths: &[&'p MemoryPath],
) -> BTreeMap<MemoryPath, MemoryPath> {
    let keys: HashSet<Cow<'_, str>> =
        paths.iter().flat_map(|path| prefixes(path.as_str())).map(folded).collect();
    let is_near =
        |path: &&MemoryPath| prefixes(path.as_str()).any(|part| keys.contains(&folded(part)));
    let in_order = || paths.iter().copied();
    let found = renames(others.clone().filter(is_near).chain(in_order()));
    // A number must not be taken, so then all others count.
    let is_new = |path: &&MemoryPath| found.contains_key(*path);
    if in_order().any(|path| is_new(&path)) { renames(others.chain(in_order())) } else { found }
}

/// A path's folders and the path itself.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(end, _)| end).chain([path.len()]).map(|end| &path[..end])
}

/// The path in the spelling that is already there, or next to what stands in its way.
fn free_name(path: &str, spellings: &HashMap<String, (String, bool)>) -> String {
    let mut free = String::with_capacity(path.len());
    for component in path.split('/') {
        let joined =
            if free.is_empty() { component.to_owned() } else { format!("{free}/{component}") };
        let is_last = joined.len() >= path.len();
        free = match spellings.get(&collision_key(&joined)) {
            Some((spelling, is_file)) if *is_file == is_last => spelling.clone(),
            Some(_) => numbered(&joined, spellings),
            None => joined,
        };
    }
    free
}

/// `plan.md` becomes `plan-2.md`, a folder `plan.md` becomes `plan-2.md` too.
fn numbered(path: &str, spellings: &HashMap<String, (String, bool)>) -> String {
    let (stem, end) = path.strip_suffix(".md").map_or((path, ""), |stem| (stem, ".md"));
    let name = |number: usize| format!("{stem}-{number}{end}");
    let free = (2..TRIES_MAX).map(name).find(|name| !spellings.contains_key(&collision_key(name)));
    free.unwrap_or_else(|| name(TRIES_MAX))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};
    use proptest::sample::subsequence;

    use super::*;

    fn check(paths: &[&str], expected: &[(&str, &str)]) {
        let paths: Vec<MemoryPath> = paths.iter().map(|p| MemoryPath::parse(p).unwrap()).collect();
        let renames = renames(paths.iter());
        let renames: Vec<_> = renames.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(renames, expected);
    }

    #[test]
    fn names_that_differ_in_spelling_take_the_earlier_one() {
        check(&["a.md", "b.md", "x/c.md", "x/d.md"], &[]);
        check(&["plan.md", "Plan.md"], &[("Plan.md", "plan.md")]);
        check(&["Topics/x.md", "topics/y.md"], &[("topics/y.md", "Topics/y.md")]);
    }

    const NAMES: [&str; 11] = [
        "a.md",
        "A.md",
        "a-2.md",
        "A.MD/x.md",
        "b/a.md",
        "B/c.md",
        "b/A.md",
        "straße.md",
        "STRASSE.md",
        "c.md",
        "b.md/d.md",
    ];

    proptest! {
        #[test]
        fn many_others_that_share_no_name_change_nothing(
            others in subsequence(NAMES.to_vec(), 0..8), paths in subsequence(NAMES.to_vec(), 0..6)
        ) {
            let parse = |names: &[&str]| -> Vec<MemoryPath> {
                names.iter().filter_map(|name| MemoryPath::parse(name).ok()).collect()
            };
            let (others, paths) = (parse(&others), parse(&paths));
            let others: Vec<_> = others.iter().filter(|path| !paths.contains(path)).collect();
            let paths: Vec<_> = paths.iter().collect();
            let of_paths = |mut found: BTreeMap<MemoryPath, MemoryPath>| {
                found.retain(|path, _| paths.contains(&path));
                found
            };
            let all = renames(others.iter().chain(&paths).copied());
            prop_assert_eq!(of_paths(renames_beside(others.into_iter(), &paths)), of_paths(all));
        }
    }
}
