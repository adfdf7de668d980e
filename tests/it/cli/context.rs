//! `memsync context`: what an agent is told about memory, for a session and for a turn.
//! Border: the built program over files on disk; the wording and the order have tests of their own.
#![expect(clippy::disallowed_methods, reason = "writes memories and starts the program")]

use std::fs;
use std::time::{Duration, Instant};

use memsync::context::tokens::estimate;
use proptest::prelude::*;
use serde_json::Value;

use crate::cli::instructions::Place;
use crate::support::{Said, World, memory, say};

const PRIVATE: &str =
    "# Mine\n\n<!-- a note of the agent -->\n\n- [Ports](ports.md) — which port is whose\n";
const TEAM: &str = "- [Deploys](deploys.md) — when nothing is deployed\n";

fn place() -> Place {
    let place = Place::new(&[]);
    place.write("m/MEMORY.md", PRIVATE);
    place.write("m/ports.md", port_memory());
    place.write("m/team/MEMORY.md", TEAM);
    place.write("m/team/deploys.md", memory("Deploys", "No deploys on Fridays after 14:00.\n"));
    place
}

fn port_memory() -> String {
    "---\nname: Ports\ndescription: which port is whose\ntype: reference\nmodified: 2026-01-01\n---\nThe test database listens on port 5433.\n".to_owned()
}

fn run(place: &Place, arguments: &[&str]) -> Said {
    let mut command = place.command(arguments);
    command.env("MEMSYNC_MEMDIR", place.at("m")).env("MEMSYNC_TEST_CLOCK", crate::support::NOW);
    say(&mut command)
}

fn json(place: &Place, arguments: &[&str]) -> Value {
    let said = run(place, &[arguments, &["--format", "json"]].concat());
    assert_eq!(said.exit, 0, "{said:?}");
    serde_json::from_str(&said.out).unwrap()
}

fn names(document: &Value) -> Vec<&str> {
    let blocks = document["blocks"].as_array().unwrap();
    blocks.iter().map(|block| block["name"].as_str().unwrap()).collect()
}

fn block<'a>(document: &'a Value, name: &str) -> &'a str {
    let blocks = document["blocks"].as_array().unwrap();
    let found = blocks.iter().find(|block| block["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {document}"))["text"].as_str().unwrap()
}

#[test]
fn a_session_is_told_how_memory_works_what_there_is_and_how_far_to_trust_it() {
    let place = place();
    let told = json(&place, &["context", "--static"]);
    assert_eq!(told["format"], "memsync.context/1");
    assert_eq!(names(&told), ["memory", "team-index", "private-index", "trust"]);
    assert!(block(&told, "team-index").contains("- [Deploys](deploys.md)"));
    let private = block(&told, "private-index");
    assert!(private.contains("- [Ports](ports.md)") && !private.contains("a note of the agent"));
    let sum: u64 =
        told["blocks"].as_array().unwrap().iter().map(|b| b["tokens"].as_u64().unwrap()).sum();
    assert_eq!(told["tokens"].as_u64().unwrap(), sum);
    let said = run(&place, &["context", "--static"]);
    let text: Vec<&str> =
        told["blocks"].as_array().unwrap().iter().map(|b| b["text"].as_str().unwrap()).collect();
    assert_eq!(
        said.out.trim_end(),
        text.join("\n").trim_end(),
        "people and scripts see the same text"
    );
}

#[test]
fn a_turn_is_told_the_memory_that_matters_the_rule_that_applies_and_the_day() {
    let place = place();
    place.write(
        ".claude/rules/sql.md",
        "---\npaths: \"*.sql\"\n---\nEvery migration has a way back.\n",
    );
    let prompt = "Which port does the test database listen on?";
    let told = json(&place, &["context", "--turn", "--prompt", prompt, "--for", "db/a.sql"]);
    assert_eq!(names(&told), ["date", "recalled", "rules"]);
    assert!(block(&told, "date").contains("2026-03-04"));
    let recalled = block(&told, "recalled");
    assert!(
        recalled.contains("## ports.md (private, reference, 62 days old; verify it"),
        "{recalled}"
    );
    assert!(!recalled.contains("---"), "the heading says what the frontmatter does: {recalled}");
    assert!(recalled.contains("port 5433") && !recalled.contains("Fridays"), "{recalled}");
    assert!(block(&told, "rules").contains("Every migration has a way back."));
    let again = ["context", "--turn", "--prompt", prompt, "--surfaced", "ports.md"];
    assert_eq!(names(&json(&place, &again)), ["date"], "what was shown is not shown again");
}

#[test]
fn a_turn_says_what_is_wrong_with_the_team_memory() {
    let world = World::new();
    let ada = world.founder("ada");
    let told = ada.json(&["context", "--turn"]);
    assert_eq!(names(&told), ["date"], "all is as it should be");
    let ben = world.joiner("ben");
    ada.remember("deploys", "No deploys on Fridays.");
    ada.done(&["push"]);
    ben.done(&["pull"]);
    ada.edit("deploys.md", |text| text.replace("on Fridays", "on Mondays"));
    ben.edit("deploys.md", |text| text.replace("on Fridays", "on Sundays"));
    ada.done(&["push"]);
    ben.done(&["push"]);
    let told = ben.json(&["context", "--turn"]);
    let state = block(&told, "state");
    assert!(state.contains("1 conflict is open, in deploys.md"), "{state}");
    let later = ada.with("MEMSYNC_TEST_CLOCK", "2026-03-08T05:06:07Z");
    let told = later.json(&["context", "--turn"]);
    assert!(block(&told, "state").contains("4 days ago"), "{told}");
}

#[test]
fn a_budget_is_kept_and_what_gave_way_is_named() {
    let place = place();
    for budget in [0, 1, 20, 100, 300, 500] {
        let told = json(&place, &["context", "--static", "--budget", &budget.to_string()]);
        assert!(told["tokens"].as_u64().unwrap() <= budget, "{budget}: {told}");
    }
    let nothing = json(&place, &["context", "--static", "--budget", "0"]);
    assert!(names(&nothing).is_empty());
    assert_eq!(nothing["left_out"].as_array().unwrap().len(), 4);
    let long: String =
        (0..190).map(|n| format!("- [M{n}](m{n}.md) — {}\n", "a hook ".repeat(14))).collect();
    place.write("m/team/MEMORY.md", &long);
    let told = json(&place, &["context", "--static", "--agent", "claude-code"]);
    let blocks = told["blocks"].as_array().unwrap();
    let characters: usize =
        blocks.iter().map(|b| b["text"].as_str().unwrap().encode_utf16().count() + 1).sum();
    assert!(characters <= 9_900, "{characters}");
    assert_eq!(told["cut"], serde_json::json!(["team-index"]));
    assert!(names(&told).contains(&"trust"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// The bytes of a session hang on what the files say: not on the order in which they were written,
    /// the time, the time zone or the language of the system.
    #[test]
    fn the_static_part_is_the_same_bytes_wherever_and_whenever(
        order in Just((0..8).collect::<Vec<usize>>()).prop_shuffle(),
        seconds in 0_i64..4_000_000_000,
        locale in prop::sample::select(vec!["C", "de_DE.UTF-8", "tr_TR.UTF-8", "ja_JP.UTF-8"]),
        zone in prop::sample::select(vec!["UTC", "Pacific/Auckland", "America/Caracas"]),
    ) {
        let told = |order: &[usize], variables: &[(&str, &str)]| {
            let place = place();
            for n in order {
                place.write(&format!("m/team/n{n}.md"), memory(&format!("N{n}"), "text\n"));
            }
            let mut command = place.command(&["context", "--static"]);
            command.env("MEMSYNC_MEMDIR", place.at("m")).envs(variables.iter().copied());
            say(&mut command).out
        };
        let now = memsync::base::time::Timestamp::utc(seconds).to_string();
        let other = [("MEMSYNC_TEST_CLOCK", now.as_str()), ("LC_ALL", locale), ("LANG", locale), ("TZ", zone)];
        let plain: Vec<usize> = (0..8).collect();
        prop_assert_eq!(told(&plain, &[]), told(&order, &other));
    }
}

#[test]
fn bad_input_is_named_and_changes_nothing() {
    let place = place();
    for (arguments, text) in [
        (&["context"][..], "--static"),
        (&["context", "--static", "--turn"], "cannot be used with"),
        (&["context", "--static", "--prompt", "x"], "--prompt"),
        (&["context", "--turn", "--budget", "few"], "--budget"),
        (&["context", "--turn", "--agent", "nobody"], "nobody"),
        (&["context", "--turn", "--format", "sarif"], "this command does not have this format"),
    ] {
        let said = run(&place, arguments);
        assert_eq!(said.exit, 2, "{arguments:?}: {said:?}");
        assert!(said.err.contains(text), "{arguments:?}: {said:?}");
    }
    let empty = Place::new(&[]);
    assert_eq!(
        names(&json(&empty, &["context", "--static"])),
        ["memory", "trust"],
        "no memory directory"
    );
    fs::create_dir_all(empty.at("m")).unwrap();
    assert_eq!(names(&json(&empty, &["context", "--turn", "--prompt", "🎉"])), ["date"]);
    place.write("m/MEMORY.md", b"- [A](a.md) \xFF\xFE\n");
    assert!(run(&place, &["context", "--static"]).out.contains("- [A](a.md)"));
    fs::remove_file(place.at("m/MEMORY.md")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, place.at("m/MEMORY.md"), 0o600.into()).unwrap();
    let started = Instant::now();
    let said = run(&place, &["context", "--static"]);
    assert_eq!(said.exit, 0, "{said:?}");
    assert!(said.err.contains("MEMORY.md") && said.out.contains("Deploys"), "{said:?}");
    assert!(started.elapsed() < Duration::from_secs(20), "a pipe is not waited for");
    let mut homeless = place.command(&["context", "--static"]);
    let said = say(homeless.env_remove("HOME").env_remove("MEMSYNC_MEMDIR"));
    assert!(matches!(said.exit, 2 | 3) && !said.err.is_empty(), "{said:?}");
}

/// Within 15 % of o200k for each text of the repository, and for each Markdown file of a folder that
/// `MEMSYNC_TOKEN_SAMPLES` names.
#[test]
fn the_estimate_is_near_a_real_tokenizer() {
    let tokenizer = tiktoken_rs::o200k_base().unwrap();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts: Vec<(String, String)> =
        ["README.md", "SECURITY.md", "ARCHITECTURE.md", "CHANGELOG.md"]
            .map(|name| (name.to_owned(), fs::read_to_string(root.join(name)).unwrap()))
            .to_vec();
    let recalled = include_str!("../recall/samples.txt");
    texts.push(("recall samples".to_owned(), recalled.to_owned()));
    if let Some(folder) = std::env::var_os("MEMSYNC_TOKEN_SAMPLES") {
        let mut all = String::new();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "md") {
                let text = fs::read_to_string(&path).unwrap();
                all += &text;
                if text.len() > 1_500 {
                    texts.push((path.display().to_string(), text));
                }
            }
        }
        assert!(!all.is_empty(), "the folder holds no sample");
        texts.push(("all samples".to_owned(), all));
    }
    let mut wrong = Vec::new();
    for (name, text) in &texts {
        let (real, estimated) = (tokenizer.encode_ordinary(text).len(), estimate(text));
        if real.abs_diff(estimated) * 100 > real * 15 {
            wrong.push(format!("{name}: {estimated} for {real}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), texts.len());
}
