//! Every row of the table of advice: what it tells people to run is a command there is.
//! Border: reads the table's source, so that no row is forgotten; whether a step helps in its state is
//! tried beside it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::support::World;

/// Everything between backticks in the table.
fn quoted() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/report/advice");
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let source = fs::read_to_string(entry.unwrap().path()).unwrap();
        let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
        // A text that goes on in the next line of the source is one text.
        let code = code.collect::<Vec<_>>().join("\n");
        let pieces = code.split("\\\n").map(str::trim_start).collect::<String>();
        found.extend(pieces.split('`').skip(1).step_by(2).map(str::to_owned));
    }
    found
}

/// A step with a word in the place of everything that is filled in.
fn words(step: &str) -> Vec<String> {
    let step = step.replace("\\\"", "\"").split(" < ").next().unwrap_or_default().to_owned();
    let mut plain = String::new();
    let mut depth = 0;
    for c in step.chars() {
        match c {
            '{' => {
                depth += 1;
                plain.push_str(if plain.ends_with(' ') || plain.ends_with('-') {
                    "x"
                } else {
                    " x"
                });
            }
            '}' => depth -= 1,
            c if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    let mut words: Vec<String> = plain.split_whitespace().map(str::to_owned).collect();
    for at in 1..words.len() {
        match words[at - 1].as_str() {
            _ if words[at] == "ROLE" => words[at] = "writer".to_owned(),
            "--introduction" => words[at] = format!("{}:SHA256:{}", "1".repeat(40), "A".repeat(43)),
            _ => {}
        }
    }
    // What stands behind the name of a hook is the hook's own.
    words.truncate(if words[1..].starts_with(&["hooks".to_owned(), "run".to_owned()]) {
        3
    } else {
        99
    });
    words
}

#[test]
fn every_command_that_the_table_of_advice_names_is_one() {
    let world = World::new();
    let ada = world.newcomer("ada");
    let steps: BTreeSet<String> =
        quoted().into_iter().filter(|step| step.starts_with("memsync ")).collect();
    assert!(steps.len() >= 60, "the table is read: {steps:?}");
    let mut wrong = Vec::new();
    for step in &steps {
        let words = words(step);
        let mut arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        // Asked for help, a command reads what stands before that, and does nothing.
        arguments.push("--help");
        let said = ada.run(&arguments);
        if said.exit != 0 || !said.out.contains(&words[1]) {
            wrong.push(format!("`{step}`: {}", said.err));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_option_that_the_table_of_advice_names_is_one() {
    let world = World::new();
    let known = world.newcomer("ada").done(&["completions", "bash"]).out;
    let known: BTreeSet<&str> = known.split([' ', '"', '\n', '|', ')']).collect();
    let steps = quoted();
    let options: Vec<&String> = steps.iter().filter(|step| step.starts_with("--")).collect();
    assert!(options.len() >= 15, "the table is read: {options:?}");
    for option in options {
        let name = option.split([' ', '=']).next().unwrap();
        // The one option of git that a row speaks of.
        assert!(name == "--hooks-path" || known.contains(name), "`{option}` is none");
    }
}
