//! Laws that the second model keeps on random histories, and the ways that ordinary teams work.
//! Border: what the model says about known cases is in `cases.rs`.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::random::Random;

use super::generate::{commit, history};
use super::model::{Commit, History, Model, Own, Set, Verdict, judge};
use super::roster::{Tree, union};

/// Histories for each law in every run of the tests. `MEMSYNC_TRUST_HISTORIES` asks for more, or for
/// a part of them (`9000..100000`).
const HISTORIES: u64 = 1_000;

/// Seeds of the histories of this run.
#[expect(clippy::disallowed_methods, reason = "a switch for a longer run, read by the test alone")]
pub(crate) fn seeds() -> std::ops::Range<u64> {
    let number = |text: &str| text.parse().expect("because it is a number of histories");
    match std::env::var("MEMSYNC_TRUST_HISTORIES").ok() {
        None => 0..HISTORIES,
        Some(asked) => match asked.split_once("..") {
            None => 0..number(&asked),
            Some((from, end)) => number(from)..number(end),
        },
    }
}

/// The same history with other places: the new history, and the new place of each old commit.
/// Parents come before children, every commit names its parents in another order.
pub(crate) fn shuffled(history: &History, random: &mut Random) -> (History, Vec<usize>) {
    let count = history.commits.len();
    let mut places = vec![usize::MAX; count];
    let mut order = Vec::new();
    while order.len() < count {
        // The introduced root stays first.
        let ready = |c: usize| {
            places[c] == usize::MAX && history.commits[c].parents.iter().all(|&p| places[p] < count)
        };
        let ready: Vec<usize> = (0..count).filter(|&c| ready(c)).collect();
        let next = if order.is_empty() {
            0
        } else {
            *random.pick(&ready).expect("because parents come first")
        };
        places[next] = order.len();
        order.push(next);
    }
    let moved = |list: &[usize]| list.iter().map(|&c| places[c]).collect::<Vec<_>>();
    let commits = order
        .iter()
        .map(|&old| {
            let old = &history.commits[old];
            let mut parents = moved(&old.parents);
            random.shuffle(&mut parents);
            Commit { parents, vouches: moved(&old.vouches), ..old.clone() }
        })
        .collect();
    (History { commits, introduced: history.introduced }, places)
}

/// A verdict with the places of another order.
fn moved(verdict: &Verdict, places: &[usize]) -> Verdict {
    Verdict {
        conflicts: verdict.conflicts.iter().map(|&(r, u)| (places[r], places[u])).collect(),
        refused: verdict.refused.iter().map(|&c| places[c]).collect(),
        ..verdict.clone()
    }
}

#[test]
fn no_order_of_parents_or_commits_changes_a_verdict() {
    for seed in seeds() {
        let history = history(seed);
        let verdicts = judge(&history);
        let (other, places) = shuffled(&history, &mut Random(seed));
        let others = judge(&other);
        for (old, verdict) in verdicts.iter().enumerate() {
            assert_eq!(moved(verdict, &places), others[places[old]], "seed {seed}, commit {old}");
        }
    }
}

/// The ancestors of one commit as a history of their own, and the old places of its commits.
fn part(model: &Model, tip: usize) -> (History, Vec<usize>) {
    let old: Vec<usize> = model.up_to(tip).iter().copied().collect();
    let place = |c: &usize| old.iter().position(|known| known == c);
    let commits = old
        .iter()
        .map(|&c| {
            let whole = &model.history.commits[c];
            let parents = whole.parents.iter().filter_map(place).collect();
            // A vouch may name what is not here.
            let vouches = whole.vouches.iter().map(|v| place(v).unwrap_or(usize::MAX)).collect();
            Commit { parents, vouches, ..whole.clone() }
        })
        .collect();
    (History { commits, introduced: model.history.introduced }, old)
}

#[test]
fn a_verdict_looks_at_ancestors_only() {
    for seed in seeds() {
        let model = Model::of(&history(seed));
        let tip = Random(seed).below(model.verdicts.len());
        let (part, old) = part(&model, tip);
        if old[0] != 0 {
            continue;
        }
        for (place, verdict) in judge(&part).iter().enumerate() {
            assert_eq!(
                moved(verdict, &old),
                model.verdicts[old[place]],
                "seed {seed}, commit {}",
                old[place]
            );
        }
    }
}

/// Commits of a part that vouch for something.
fn vouchers(model: &Model, part: &Set) -> Set {
    part.iter().copied().filter(|&c| !model.history.commits[c].vouches.is_empty()).collect()
}

#[test]
fn a_part_that_holds_the_vouches_of_a_good_whole_is_good() {
    for seed in seeds() {
        let model = Model::of(&history(seed));
        let mut random = Random(seed);
        for tip in (0..model.verdicts.len()).filter(|&c| model.verdicts[c].good_tip) {
            let whole = model.up_to(tip);
            let mut tips = vouchers(&model, whole);
            tips.extend(whole.iter().filter(|_| random.below(3) == 0));
            let part: Set = tips.iter().flat_map(|&c| model.up_to(c).iter().copied()).collect();
            assert!(model.is_good(&part), "seed {seed}, tip {tip}, part {part:?}");
        }
    }
}

#[test]
fn tips_taken_from_a_remote_that_only_grows_are_ancestors_of_one_another() {
    for seed in seeds() {
        let model = Model::of(&history(seed));
        let mut random = Random(seed);
        let mut remote = 0;
        // Three members and, later, newcomers pull at moments of their own.
        let mut verified = vec![0, 0, 0];
        let mut taken = Set::from([0]);
        for next in 1..model.verdicts.len() {
            if !model.up_to(next).contains(&remote) || random.below(4) == 0 {
                continue;
            }
            remote = next;
            verified.push(0);
            for tip in verified.iter_mut().filter(|_| random.below(2) == 0) {
                let new = model.take(*tip, remote);
                assert!(model.up_to(new).contains(tip), "seed {seed}: from {tip} back to {new}");
                assert!(model.verdicts[new].good_tip || new == 0, "seed {seed}: {new} is not good");
                *tip = new;
                taken.insert(new);
            }
        }
        for &one in &taken {
            assert!(taken.iter().all(|&other| model.related(one, other)), "seed {seed}: {taken:?}");
        }
    }
}

#[test]
fn a_refused_tip_has_a_way_out_unless_no_admin_is_left() {
    let mut vouched = 0;
    for seed in seeds() {
        let whole = Model::of(&history(seed));
        let tip = Random(seed).below(whole.verdicts.len());
        let verdict = &whole.verdicts[tip];
        let judge = &verdict.effect;
        let admin = judge.keys().into_iter().find(|&key| judge.level(Some(key)) == 3);
        let (false, Some(admin)) = (verdict.good_tip, admin) else { continue };
        let mut vouch = commit(&[tip], Some(admin), Some(judge.clone()));
        vouch.vouches = verdict.refused.iter().copied().collect();
        vouch.vouches.extend(verdict.conflicts.iter().map(|&(_, user)| user));
        let mut model = Model::of(&whole.history);
        model.push(vouch);
        let last = model.verdicts.last().expect("because one was pushed");
        // A roster whose admins all lost their keys can be stated by nobody.
        assert_eq!(last.good_tip, judge.parses(), "seed {seed}, tip {tip}: {last:?}");
        vouched += 1;
    }
    assert!(vouched > 0, "no tip was refused");
}

/// What a commit of a random history shows.
fn kinds(model: &Model, tip: usize) -> Vec<&'static str> {
    let verdict = &model.verdicts[tip];
    let commit = &model.history.commits[tip];
    let several = commit.parents.len() > 1;
    let lifted = model.up_to(tip).iter().any(|&c| model.verdicts[c].own != Own::Good);
    let cut = several && verdict.neutral && {
        let sides: Vec<Tree> =
            commit.parents.iter().filter_map(|&p| model.history.commits[p].tree.clone()).collect();
        commit.tree.as_ref().is_some_and(|tree| *tree != union(&sides))
    };
    let taken = model.take(0, tip);
    [
        ("good neutral merge", verdict.neutral && verdict.good_tip),
        (
            "good neutral merge of three",
            verdict.neutral && verdict.good_tip && commit.parents.len() > 2,
        ),
        ("good neutral merge that takes something", cut && verdict.good_tip),
        ("good merge that is not neutral", several && !verdict.neutral && verdict.good_tip),
        ("good tip with a vouched commit", lifted && verdict.good_tip),
        ("own keys by a writer", verdict.changes_roster && verdict.need == 2 && verdict.good_tip),
        ("good in open trust", verdict.judged_by.open && verdict.good_tip),
        ("conflict", !verdict.conflicts.is_empty()),
        ("conflict only", !verdict.conflicts.is_empty() && verdict.refused.is_empty()),
        (
            "both sides in conflict",
            verdict.conflicts.iter().any(|&(r, u)| verdict.conflicts.contains(&(u, r))),
        ),
        ("excused conflict", model.has_excused_conflict(tip) && verdict.good_tip),
        ("refused unsigned", verdict.own == Own::Unsigned),
        ("refused unknown key", verdict.own == Own::UnknownKey),
        ("refused level", verdict.own == Own::NotAllowed),
        ("refused broken roster", verdict.own == Own::BrokenRoster),
        ("refused no admin", verdict.own == Own::NoAdmin),
        ("refused roster on refused", verdict.own == Own::RosterOnRefused),
        ("narrow tip taken", taken != 0 && taken != tip),
    ]
    .into_iter()
    .filter_map(|(name, holds)| holds.then_some(name))
    .collect()
}

#[test]
fn the_random_histories_show_what_the_laws_are_about() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..HISTORIES {
        let model = Model::of(&history(seed));
        let all: BTreeSet<&str> =
            (1..model.verdicts.len()).flat_map(|tip| kinds(&model, tip)).collect();
        for kind in all {
            *seen.entry(kind).or_default() += 1;
        }
    }
    let rare: Vec<_> = seen.iter().filter(|(_, count)| **count < 5).collect();
    assert!(seen.len() == 18 && rare.is_empty(), "too rare: {rare:?} of {seen:?}");
}
