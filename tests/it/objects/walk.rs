//! Which commits are new, against plain reachability on random histories.
//! Border: the library on commits that are written for it; dates are chosen by whoever writes them.

use std::collections::BTreeSet;

use memsync::base::id::ObjectId;
use memsync::git::repo::{ObjectFormat, Repo};
use proptest::prelude::*;

/// A history: each commit's parents among those before it, and its date.
#[derive(Clone, Debug)]
struct History {
    parents: Vec<Vec<usize>>,
    dates: Vec<i64>,
}

fn histories(wild: bool) -> impl Strategy<Value = History> {
    let commit = (prop::collection::vec(any::<prop::sample::Index>(), 0..3), 0..9_i64);
    prop::collection::vec(commit, 1..24).prop_map(move |commits| {
        let mut history = History { parents: Vec::new(), dates: Vec::new() };
        for (at, (parents, step)) in commits.into_iter().enumerate() {
            let parents: BTreeSet<usize> = match at {
                0 => BTreeSet::new(),
                _ => parents.iter().map(|parent| parent.index(at)).collect(),
            };
            let newest = parents.iter().map(|parent| history.dates[*parent]).max().unwrap_or(0);
            history.dates.push(if wild { step * 1_000 } else { newest + step });
            history.parents.push(parents.into_iter().collect());
        }
        history
    })
}

fn write(repo: &Repo, history: &History) -> Vec<ObjectId> {
    let tree = repo.write_tree(None, &[]).unwrap();
    let mut ids: Vec<ObjectId> = Vec::new();
    for (at, parents) in history.parents.iter().enumerate() {
        let mut raw = format!("tree {tree}\n");
        parents.iter().for_each(|parent| raw += &format!("parent {}\n", ids[*parent]));
        let who = format!("A <a@b> {} +0000", 1_700_000_000 + history.dates[at]);
        raw += &format!("author {who}\ncommitter {who}\n\n{at}\n");
        ids.push(repo.write_commit(raw.as_bytes()).unwrap());
    }
    ids
}

fn reached(history: &History, from: &[usize]) -> BTreeSet<usize> {
    let (mut found, mut open) = (BTreeSet::new(), from.to_vec());
    while let Some(at) = open.pop() {
        if found.insert(at) {
            open.extend(&history.parents[at]);
        }
    }
    found
}

fn places(indices: &[prop::sample::Index], count: usize) -> Vec<usize> {
    indices.iter().map(|index| index.index(count)).collect()
}

/// What is found, and what is there to be found.
fn both(
    history: &History,
    tips: &[usize],
    hidden: &[usize],
) -> (BTreeSet<ObjectId>, BTreeSet<ObjectId>) {
    let folder = tempfile::tempdir().unwrap();
    let repo = Repo::create_bare(folder.path(), ObjectFormat::Sha1).unwrap();
    let ids = write(&repo, history);
    let of = |places: &[usize]| places.iter().map(|at| ids[*at]).collect::<Vec<_>>();
    let found = repo.new_commits(&of(tips), &of(hidden)).unwrap();
    let expected = &reached(history, tips) - &reached(history, hidden);
    for one in tips {
        for two in hidden {
            let is_before = reached(history, &[*two]).contains(one);
            let said = repo.is_ancestor(ids[*one], ids[*two]).unwrap();
            assert!(said == is_before || !said, "an ancestor is made up");
        }
    }
    let range = repo.range(hidden.first().map(|at| ids[*at]), ids[tips[0]]).unwrap();
    for (at, id) in range.iter().enumerate() {
        for parent in repo.commit(*id).unwrap().parents {
            assert!(!range[at..].contains(&parent), "a parent comes after its child");
        }
    }
    (found.into_iter().collect(), expected.into_iter().map(|at| ids[at]).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn what_is_new_is_what_only_the_tips_reach(
        history in histories(false),
        tips in prop::collection::vec(any::<prop::sample::Index>(), 1..3),
        hidden in prop::collection::vec(any::<prop::sample::Index>(), 0..3),
    ) {
        let count = history.parents.len();
        let (found, expected) = both(&history, &places(&tips, count), &places(&hidden, count));
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn no_date_hides_a_commit_that_is_new(
        history in histories(true),
        tips in prop::collection::vec(any::<prop::sample::Index>(), 1..3),
        hidden in prop::collection::vec(any::<prop::sample::Index>(), 0..3),
    ) {
        let count = history.parents.len();
        let (found, expected) = both(&history, &places(&tips, count), &places(&hidden, count));
        prop_assert!(expected.is_subset(&found), "{:?} without {:?}", found, expected);
    }
}
