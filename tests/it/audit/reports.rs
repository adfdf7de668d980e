//! What an audit reports beside verdicts: fields, filters, secrets, silence, formats.
//! Border: what people and programs read; the page is `page`.

use serde_json::Value;

use super::forge::{Draft, Forge, Seal};
use crate::support::{Member, token};

fn audit(person: &Member, arguments: &[&str]) -> Value {
    person.json(&[&["audit", "--exit-zero"], arguments].concat())
}

fn subjects(document: &Value) -> Vec<&str> {
    let events = document["events"].as_array().unwrap();
    events.iter().map(|event| event["subject"].as_str().unwrap()).collect()
}

/// Three memories by two people over a year, one renamed.
fn story() -> Forge {
    let mut forge = Forge::new();
    forge.change("wim", "deploy", "Freeze on Fridays.");
    forge.write("ports", "5432");
    let draft = forge.draft("ann", "Add ports");
    let draft = Draft { agent: Some("claude-code".to_owned()), day: 280, ..draft };
    forge.commit(&draft, Seal::Own);
    let text = forge.files.remove("deploy.md").unwrap();
    forge.files.insert("freeze.md".to_owned(), text);
    let index = forge.files["MEMORY.md"].replace("(deploy.md)", "(freeze.md)");
    forge.files.insert("MEMORY.md".to_owned(), index);
    let draft = Draft { day: 20, ..forge.draft("wim", "Rename deploy") };
    forge.commit(&draft, Seal::Own);
    forge
}

#[test]
fn every_change_says_who_when_how_and_what() {
    let forge = story();
    let person = forge.joiner("kim");
    let document = audit(&person, &[]);
    assert_eq!(
        subjects(&document),
        ["Rename deploy", "Add ports", "Edit deploy", "Start team memory"]
    );
    let events = document["events"].as_array().unwrap();
    let ports = &events[1];
    let of = |name: &str| ports[name].as_str().unwrap();
    assert_eq!((of("member"), of("agent"), of("session")), ("ann", "claude-code", "s-42"));
    assert_eq!(of("time"), "2026-02-12T05:06:07Z");
    let index =
        ports["files"].as_array().unwrap().iter().find(|f| f["path"] == "MEMORY.md").unwrap();
    assert_eq!(index["fields"], serde_json::json!(["+ports.md"]));
    let renamed =
        events[0]["files"].as_array().unwrap().iter().find(|f| f["deed"] == "renamed").unwrap();
    assert_eq!(
        (renamed["from"].as_str(), renamed["path"].as_str()),
        (Some("deploy.md"), Some("freeze.md"))
    );
}

#[test]
fn a_report_can_be_of_a_time_a_member_and_a_memory_under_all_its_names() {
    let forge = story();
    let person = forge.joiner("kim");
    assert_eq!(subjects(&audit(&person, &["--since", "100d"])), ["Add ports"]);
    assert_eq!(subjects(&audit(&person, &["--since", "2026-01-01"])), ["Add ports"]);
    assert_eq!(subjects(&audit(&person, &["--member", "wim"])), ["Rename deploy", "Edit deploy"]);
    assert_eq!(
        subjects(&audit(&person, &["--memory", "freeze"])),
        ["Rename deploy", "Edit deploy"]
    );
    assert_eq!(
        subjects(&audit(&person, &["--memory", "deploy.md"])),
        ["Rename deploy", "Edit deploy"]
    );
    person.fails(&["audit", "--member", "wym"], 2, &["no `wym` in the roster or the history"]);
    person.fails(&["audit", "--memory", "deplox"], 2, &["no memory `deplox`"]);
    person.fails(&["audit", "--since", "soon"], 2, &["`soon` is no date"]);
}

#[test]
fn silent_writers_and_memories_that_grew_old_are_named() {
    let forge = story();
    let person = forge.joiner("kim");
    let document = audit(&person, &[]);
    let names = |list: &str, flag: &str, field: &str| -> Vec<String> {
        let lines = document[list].as_array().unwrap().iter();
        let flagged = lines.filter(|line| line[flag] == true);
        flagged.map(|line| line[field].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names("members", "silent", "id"), ["sol"], "a reader cannot write");
    assert_eq!(names("memories", "quiet", "path"), ["freeze.md"]);
    let said = person.done(&["audit"]).out;
    assert!(said.contains("Members who can write and never did: sol"), "{said}");
    assert!(said.contains("  freeze.md (280 days, last by wim)"), "{said}");
}

#[test]
fn a_credential_stays_in_the_audit_when_it_is_gone_from_the_memory() {
    let mut forge = Forge::new();
    forge.change("wim", "deploy", &format!("Use {} to deploy.", token()));
    forge.change("wim", "other", "Nothing.");
    forge.change("wim", "deploy", "Use the vault.");
    let draft = forge.draft("wim", &format!("Rotate {}", token()));
    forge.commit(&draft, Seal::Own);
    let person = forge.joiner("kim");
    let said = person.run(&["audit"]);
    assert_eq!(said.exit, 1, "{said:?}");
    assert!(said.out.contains("in the history only"), "{said:?}");
    let document = audit(&person, &[]);
    assert_eq!(document["totals"]["secrets"], 2);
    assert_eq!(document["totals"]["secrets_present"], 0);
    let leaks: Vec<&Value> = document["events"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|event| event["secrets"].as_array().unwrap())
        .collect();
    assert_eq!(leaks[0]["path"], "(message)");
    assert_eq!((&leaks[1]["path"], &leaks[1]["line"]), (&"deploy.md".into(), &6.into()));
    for format in ["human", "json", "jsonl", "csv", "sarif"] {
        let said = person.run(&["audit", "-v", "--format", format]);
        assert!(!said.out.contains(&token()) && !said.err.contains(&token()), "{format}: {said:?}");
        assert!(said.out.contains("github"), "{format}: {said:?}");
    }
    let fingerprint = leaks[1]["fingerprint"].as_str().unwrap();
    let list = format!("- fingerprint: {fingerprint}\n  reason: revoked\n");
    person.write(".memsync/allow.yaml", list);
    assert_eq!(person.done(&["audit"]).exit, 0, "what is accepted is no finding");
}

#[test]
fn a_cell_never_becomes_a_formula() {
    let mut forge = Forge::new();
    forge.write("deploy", "Freeze.");
    let draft = forge.draft("wim", "=HYPERLINK(\"http://evil.example\",\"x\")");
    let agent = Some("@SUM(1+1)*cmd|' /C calc'!A0".to_owned());
    forge.commit(&Draft { author: "+Wim".to_owned(), agent, ..draft }, Seal::Own);
    let person = forge.joiner("kim");
    let table = person.done(&["audit", "--format", "csv"]).out;
    assert!(table.starts_with("time,verdict,rule,member,author,"), "{table}");
    assert!(table.contains("\"'=HYPERLINK(\"\"http://evil.example\"\",\"\"x\"\")\""), "{table}");
    for line in table.lines().skip(1) {
        for cell in line.split("\",\"") {
            let first = cell.trim_start_matches('"').chars().next();
            assert!(!matches!(first, Some('=' | '+' | '-' | '@')), "{line}");
        }
    }
}

#[test]
fn sarif_names_what_a_person_must_look_at() {
    let mut forge = Forge::new();
    forge.change("wim", "deploy", &format!("Use {} to deploy.", token()));
    forge.write("naked", "Nobody signed.");
    let draft = forge.draft("wim", "By plain git");
    let bad = forge.commit(&draft, Seal::None);
    let person = forge.joiner("kim");
    forge.force(&person);
    let said = person.run(&["audit", "--format", "sarif"]);
    let log: Value = serde_json::from_str(&said.out).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let rules: Vec<&str> = results.iter().map(|r| r["ruleId"].as_str().unwrap()).collect();
    assert_eq!(rules.len(), 2, "{log}");
    assert_eq!(rules[0], "unsigned");
    assert_eq!(results[0]["properties"]["commit"], Value::from(bad));
    assert_eq!(
        results[1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
        "deploy.md"
    );
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(log["runs"][0]["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
    }
}

#[test]
fn a_report_goes_to_a_file_when_asked() {
    let forge = story();
    let person = forge.joiner("kim");
    let file = person.memdir.parent().unwrap().join("audit.jsonl");
    let said = person.done(&["audit", "--format", "jsonl", "--output", file.to_str().unwrap()]);
    assert_eq!(said.out, "");
    assert!(said.err.contains("4 changes, 0 refused, 0 credentials in the history"), "{said:?}");
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text.lines().count(), 4);
    assert!(text.lines().next().unwrap().contains("Start team memory"), "oldest first");
    person.fails(&["audit", "--format", "junit"], 2, &["does not have this format"]);
}

#[test]
fn names_of_others_cannot_move_the_cursor_and_absurd_dates_do_no_harm() {
    let mut forge = Forge::new();
    forge.write("deploy", "Freeze.");
    let draft = forge.draft("wim", "Clear \u{1b}[2J the \u{202e}screen");
    let author = "W\u{1b}]0;pwned\u{7}im".to_owned();
    forge.commit(&Draft { author, day: 9_000_000_000_000, ..draft }, Seal::None);
    let person = forge.joiner("kim");
    forge.force(&person);
    for format in ["human", "json", "jsonl", "csv", "sarif"] {
        let said = person.run(&["audit", "--format", format]);
        assert_eq!(said.exit, 4, "{format}: {said:?}");
        assert!(!said.out.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{format}: {said:?}");
    }
    assert_eq!(person.run(&["log"]).exit, 0);
}

#[test]
fn without_a_readable_policy_no_fingerprint_is_made_without_the_teams_key() {
    let team = crate::host::team();
    let ada = &team.ada;
    ada.write("ports.md", crate::support::memory("ports", &format!("STRAY {}", token())));
    let who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
    let commit = |message: &str| {
        ada.git(&[&who[..], &["add", "-A"]].concat());
        ada.git(&[&who[..], &["commit", "-q", "--no-verify", "-m", message]].concat());
    };
    commit("a token");
    let keyed = audit(ada, &["--format", "json"]);
    let fingerprint = keyed["events"][0]["secrets"][0]["fingerprint"].as_str().unwrap().to_owned();
    ada.write(".memsync/policy.yaml", "format: [");
    commit("a broken policy");
    for format in ["json", "jsonl", "csv", "sarif", "html"] {
        let said = ada.run(&["audit", "--exit-zero", "--format", format]);
        assert_ne!(said.exit, 0, "{format}: {said:?}");
        assert!(said.err.contains("policy") && said.err.contains("next:"), "{said:?}");
        assert!(!said.out.contains("fingerprint"), "{format}: {said:?}");
    }
    ada.git(&["reset", "-q", "--hard", "HEAD~1"]);
    let again = audit(ada, &["--format", "json"]);
    assert_eq!(again["events"][0]["secrets"][0]["fingerprint"], fingerprint.as_str());
}
