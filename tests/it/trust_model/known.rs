//! Known and random histories as real commits: what `join`, `pull`, `ci` and a server's hook make of them.
//! Border: whole programs over a bare repository; whether the model gives these verdicts is `cases.rs`.
#![expect(
    clippy::disallowed_methods,
    reason = "runs git and the program as a server and a CI system do"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::support::{Said, git, say};

use super::attack::story;
use super::cases::{Case, all};
use super::generate::history;
use super::laws::seeds;
use super::model::{Commit, History, Model, Own, Verdict, judge, take};
use super::real::Real;
use super::roster::{Id, Tree};

/// Runs a check on each known history and collects what differs.
fn each(check: impl Fn(&Case, &Real) -> Vec<String>) {
    let mut wrong = Vec::new();
    for case in all() {
        let real = Real::build(&case.history);
        wrong.extend(check(&case, &real).into_iter().map(|what| format!("{}: {what}", case.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Commits at which something is decided: merges, vouches, refused ones, and the last one.
fn decided(history: &History, verdicts: &[Verdict]) -> Vec<usize> {
    let last = history.commits.len() - 1;
    let decides = |c: &usize| {
        let commit = &history.commits[*c];
        commit.parents.len() > 1
            || !commit.vouches.is_empty()
            || verdicts[*c].own != Own::Good
            || *c == last
    };
    (1..=last).filter(decides).collect()
}

/// What a step came to, when that is not what is right.
fn differs(at: &str, exit: i32, place: usize, right: (i32, usize), case: &Case) -> Option<String> {
    let name = |place: usize| &case.commits[place];
    let (right_exit, right_place) = right;
    (exit != right_exit || place != right_place).then(|| {
        format!(
            "{at}: exit {exit} at {}, not exit {right_exit} at {}",
            name(place),
            name(right_place)
        )
    })
}

#[test]
fn a_newcomer_takes_what_the_known_histories_say() {
    each(|case, real| {
        let verdicts = judge(&case.history);
        let mut wrong = Vec::new();
        for remote in decided(&case.history, &verdicts) {
            let verdict = &verdicts[remote];
            real.show(remote);
            let (person, exit) = real.joiner(&format!("n{remote}"));
            let right = (if verdict.good_tip { 0 } else { 4 }, take(&case.history, 0, remote));
            let at = format!("join at {}", case.commits[remote]);
            wrong.extend(differs(&at, exit, real.at(&person), right, case));
        }
        wrong
    });
}

#[test]
fn a_member_at_a_verified_tip_takes_what_the_known_histories_say() {
    each(|case, real| {
        let verdicts = judge(&case.history);
        let mut wrong = Vec::new();
        for (number, &(verified, remote, takes)) in case.pulls.iter().enumerate() {
            real.show(verified);
            let (person, _) = real.joiner(&format!("p{number}"));
            real.show(remote);
            // Twice: what was refused once is refused again, and what was taken is not taken back.
            for _ in 0..2 {
                let said = person.run(&["pull", "--strict"]);
                let right = (if verdicts[remote].good_tip { 0 } else { 4 }, takes);
                let at =
                    format!("pull of {} from {}", case.commits[remote], case.commits[verified]);
                wrong.extend(differs(&at, said.exit, real.at(&person), right, case));
            }
        }
        wrong
    });
}

/// A clone of the hub that may fetch any commit.
fn checkout(real: &Real) -> PathBuf {
    real.show(0);
    let checkout = real.world.path().join("checkout");
    git(&real.world.hub(), &["config", "uploadpack.allowAnySHA1InWant", "true"]);
    git(real.world.path(), &["clone", "-q", &real.world.address(), checkout.to_str().unwrap()]);
    checkout
}

/// Runs `memsync ci` on a checkout of one commit.
fn ci(real: &Real, checkout: &Path, place: usize) -> Said {
    git(checkout, &["fetch", "-q", "origin", &real.ids[place].to_string()]);
    git(checkout, &["checkout", "-q", "--detach", "FETCH_HEAD"]);
    let runner = real.world.newcomer("runner");
    let mut command = runner.command(env!("CARGO_BIN_EXE_memsync"));
    command.arg("-C").arg(checkout);
    say(command.args(["ci", "--branch", "main", "--introduction", &real.introduction()]))
}

#[test]
fn ci_passes_the_good_tips_of_the_known_histories_and_no_other() {
    each(|case, real| {
        let checkout = checkout(real);
        let verdicts = judge(&case.history);
        let mut wrong = Vec::new();
        for place in decided(&case.history, &verdicts) {
            let said = ci(real, &checkout, place);
            if (said.exit == 0) != verdicts[place].good_tip {
                wrong.push(format!("ci at {}: {said:?}", case.commits[place]));
            }
        }
        wrong
    });
}

#[test]
fn a_server_with_the_hook_takes_the_good_tips_of_the_known_histories_and_no_other() {
    each(|case, real| {
        let outside = checkout(real);
        let (person, _) = real.joiner("owner");
        let mut hooks = person.program();
        let address = real.world.address();
        assert_eq!(
            say(hooks.args(["hooks", "install", "--repo", &address, "pre-receive"])).exit,
            0
        );
        let mut wrong = Vec::new();
        let verdicts = judge(&case.history);
        for place in decided(&case.history, &verdicts) {
            real.show(0);
            let id = real.ids[place].to_string();
            git(&outside, &["fetch", "-q", "origin", &id]);
            let program = Path::new(env!("CARGO_BIN_EXE_memsync")).parent().unwrap();
            let path = std::env::var("PATH").unwrap();
            let mut push = person.command("git");
            push.env("PATH", format!("{}:{path}", program.display())).current_dir(&outside);
            let said = say(push.args(["push", "-q", "origin", &format!("{id}:refs/heads/main")]));
            if (said.exit == 0) != verdicts[place].good_tip {
                wrong.push(format!("push of {}: {said:?}", case.commits[place]));
            }
        }
        wrong
    });
}

/// One of so many random histories is built as real commits.
const BUILT_OF: u64 = 40;

/// Whether a commit of a random history can be written as it is: its roster parses, and policy is the trust mode alone.
fn is_written(commit: &Commit) -> bool {
    !commit.governs && !commit.parents.is_empty() && commit.tree.as_ref().is_some_and(Tree::parses)
}

/// Whether a merge meets a member whose line was changed in two ways: it would leave a conflict record, which the
/// model knows nothing of.
fn leaves_a_record(model: &Model, place: usize) -> bool {
    let sides = &model.history.commits[place].parents;
    let all = |c: usize| sides.iter().filter(|&&side| model.up_to(side).contains(&c)).count();
    let common: Vec<usize> = (0..place).filter(|&c| all(c) > 1).collect();
    let is_below =
        |c: usize| common.iter().any(|&other| other != c && model.up_to(other).contains(&c));
    let met = common.iter().copied().filter(|&c| !is_below(c)).chain(sides.iter().copied());
    let trees: Vec<&Tree> = met.filter_map(|c| model.history.commits[c].tree.as_ref()).collect();
    let ids: BTreeSet<Id> = trees.iter().flat_map(|tree| tree.members.keys().copied()).collect();
    let lines =
        |id: Id| trees.iter().map(|tree| tree.members.get(&id)).collect::<BTreeSet<_>>().len();
    sides.len() > 1 && ids.into_iter().any(|id| lines(id) > 2)
}

/// A random history up to the first commit that cannot be written as the model means it.
fn writable(seed: u64) -> History {
    let mut history = history(seed);
    let model = Model::of(&history);
    let stop =
        |place: &usize| !is_written(&history.commits[*place]) || leaves_a_record(&model, *place);
    let stop = (1..history.commits.len()).find(stop);
    history.commits.truncate(stop.unwrap_or(usize::MAX));
    history
}

#[test]
fn ci_passes_the_good_tips_of_random_histories_and_no_other() {
    let (mut good, mut refused) = (0, 0);
    for seed in seeds().filter(|seed| seed % BUILT_OF == 0) {
        let history = writable(seed);
        let model = Model::of(&history);
        let real = Real::build(&history);
        let checkout = checkout(&real);
        for place in decided(&history, &model.verdicts) {
            let is_good = model.verdicts[place].good_tip;
            let said = ci(&real, &checkout, place);
            // 1: trust has nothing against it, and something else is not as memsync would make it.
            let passes = said.exit == 0 || said.exit == 1;
            assert_eq!(passes, is_good, "seed {seed} at {place}: {said:?}\n{}", story(&model));
            *(if is_good { &mut good } else { &mut refused }) += 1;
        }
    }
    assert!(good > 9 && refused > 9, "{good} good and {refused} refused tips");
}
