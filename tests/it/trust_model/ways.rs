//! The ways out of a refused tip: what `status` names works, for an admin of each known history that is refused.
//! Border: whole programs over a bare repository; that a way exists for every tip is a law in `laws.rs`.

use super::cases::{Case, all};
use super::model::{Model, take};
use super::real::Real;
use super::roster::{Key, Tree};

/// A key of an admin.
fn admin(judge: &Tree) -> Option<Key> {
    judge.keys().into_iter().find(|&key| judge.level(Some(key)) == 3)
}

/// The command that `status` names first, without the name of the program.
fn named(status: &str, command: &str) -> Option<Vec<String>> {
    let rest = status.split(&format!("`memsync {command}")).nth(1)?;
    let options = rest.split('`').next()?;
    Some(format!("{command}{options}").split(' ').map(str::to_owned).collect())
}

/// How an admin answers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Answer {
    /// The first way that is named.
    Take,
    /// The same without the content.
    Undo,
}

/// An admin gets the hub out of a refused tip, by what `status` says. Gives what went wrong.
fn get_out(
    case: &Case,
    real: &Real,
    model: &Model,
    refused: usize,
    answer: Answer,
) -> Option<String> {
    let at = format!("{} at {}, {answer:?}", case.name, case.commits[refused]);
    let verified = take(&case.history, 0, refused);
    let can_vouch = admin(&model.verdicts[refused].effect);
    let key = can_vouch.or_else(|| admin(&model.verdicts[verified].effect)).unwrap();
    real.show(refused);
    let (person, exit) =
        real.keyed_joiner(&format!("admin{refused}{answer:?}").to_lowercase(), key);
    assert_eq!(exit, 4, "{at}");
    let status = person.run(&["status"]);
    let text = format!("{}{}", status.out, status.err);
    let way = match (can_vouch, answer) {
        (Some(_), Answer::Take) => "vouch",
        (Some(_), Answer::Undo) => "vouch --undo",
        (None, _) => "push --over-refused",
    };
    let Some(mut command) = named(&text, way) else {
        return Some(format!("{at}: no {way} in {text}"));
    };
    command.push("--yes".to_owned());
    let run =
        |command: &[String]| person.run(&command.iter().map(String::as_str).collect::<Vec<_>>());
    let mut said = run(&command);
    // Who would become admin is named by the refusal, for somebody who means it.
    let admins = said.err.split("`--new-admin ").skip(1).filter_map(|rest| rest.split('`').next());
    let admins: Vec<String> = admins.map(str::to_owned).collect();
    if !admins.is_empty() {
        command.extend(admins.into_iter().flat_map(|id| ["--new-admin".to_owned(), id]));
        said = run(&command);
    }
    if said.exit != 0 {
        return Some(format!("{at}: {command:?}: {said:?}"));
    }
    if can_vouch.is_none() && real.tip() != real.ids[verified].to_string() {
        return Some(format!("{at}: the hub is at {}", real.tip()));
    }
    let (newcomer, exit) = real.joiner(&format!("later{refused}{answer:?}").to_lowercase());
    (exit != 0 || newcomer.tip() != real.tip())
        .then(|| format!("{at}: refused again: {:?}", newcomer.run(&["pull"])))
}

#[test]
fn the_ways_out_that_status_names_work_at_each_refused_known_tip() {
    let mut wrong = Vec::new();
    for case in all() {
        let model = Model::of(&case.history);
        let real = Real::build(&case.history);
        for refused in (1..case.commits.len()).filter(|&c| !model.verdicts[c].good_tip) {
            for answer in [Answer::Take, Answer::Undo] {
                wrong.extend(get_out(&case, &real, &model, refused, answer));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
