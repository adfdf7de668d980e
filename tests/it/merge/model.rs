//! All merges over three entries with two texts each, against the set formula.
//! Border: entries and their texts; order has its own small model in `merge::order`.

use std::collections::{BTreeMap, BTreeSet};

use memsync::memory::index::Index;
use memsync::merge::kinds::index::merge_index;

/// A small index: for each of three entries no text, or one of two.
type Model = [Option<&'static str>; 3];

const NAMES: [&str; 3] = ["a", "b", "c"];

fn models() -> Vec<Model> {
    let texts = [None, Some("one"), Some("two")];
    let all = |number: usize| [number % 3, number / 3 % 3, number / 9].map(|i| texts[i]);
    (0..27).map(all).collect()
}

fn write(model: &Model) -> String {
    let entry = |(name, text): (&str, &Option<&str>)| {
        text.map(|text| format!("- [{name}]({name}.md) — {text}\n")).unwrap_or_default()
    };
    let entries: String = NAMES.iter().copied().zip(model).map(entry).collect();
    format!("# Memory\n\n{entries}")
}

fn read(text: &str) -> BTreeMap<String, Vec<String>> {
    let mut read: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for entry in Index::parse(text).entries() {
        read.entry(entry.title.clone()).or_default().push(entry.hook.clone());
    }
    read
}

/// `(o∩t) ∪ (o∖b) ∪ (t∖b)` for one entry.
fn formula(base: Option<&str>, ours: Option<&str>, theirs: Option<&str>) -> BTreeSet<String> {
    let set =
        |text: Option<&str>| text.map(str::to_owned).into_iter().collect::<BTreeSet<String>>();
    let (b, o, t) = (set(base), set(ours), set(theirs));
    let both = o.intersection(&t);
    both.chain(o.difference(&b)).chain(t.difference(&b)).cloned().collect()
}

#[test]
fn every_merge_of_three_entries_is_the_set_formula() {
    let models = models();
    for base in &models {
        for (number, ours) in models.iter().enumerate() {
            // The other half is the same merges swapped.
            for theirs in &models[number..] {
                let merged = merge_index(&write(base), &write(ours), &write(theirs));
                assert!(merged.starts_with("# Memory\n"), "{merged}");
                let read = read(&merged);
                for (at, name) in NAMES.iter().enumerate() {
                    let expected = formula(base[at], ours[at], theirs[at]);
                    let found = read.get(*name).cloned().unwrap_or_default();
                    let said = || format!("{base:?} {ours:?} {theirs:?}\n{merged}");
                    // Two edits of one entry: one of them, the other is a record's business.
                    assert_eq!(found.len(), expected.len().min(1), "{}", said());
                    assert!(found.iter().all(|text| expected.contains(text)), "{}", said());
                }
                let order: Vec<&String> = read.keys().collect();
                assert!(order.is_sorted());
                assert_eq!(merged, merge_index(&write(base), &write(theirs), &write(ours)));
            }
        }
    }
}

#[test]
fn three_replicas_reach_one_set_in_any_order() {
    let models: Vec<Model> = models().into_iter().step_by(2).collect();
    for base in &models {
        for one in &models {
            for two in &models {
                let three = [one[2], two[0], base[1]];
                let (b, x, y, z) = (write(base), write(one), write(two), write(&three));
                let left = merge_index(&b, &merge_index(&b, &x, &y), &z);
                let right = merge_index(&b, &x, &merge_index(&b, &y, &z));
                let targets = |text: &str| read(text).into_keys().collect::<BTreeSet<String>>();
                assert_eq!(targets(&left), targets(&right), "{base:?} {one:?} {two:?}");
            }
        }
    }
}
