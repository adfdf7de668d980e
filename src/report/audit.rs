//! An audit for other programs: CSV for spreadsheets, SARIF for code scanning of hosts.
//! Border: shapes only; every field of foreign text is escaped for its format.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::findings::cell;
use super::sarif::{level, uri};
use crate::audit::event::{Event, Leak, MESSAGE_PATH};
use crate::audit::report::Audit;
use crate::audit::verdict::Class;

/// The columns of [`csv`], one row per changed file; a change without files has one row.
const COLUMNS: &str = "time,verdict,rule,member,author,email,agent,session,key,commit,taken,\
                       altered_merge,deed,path,from,fields,secrets,subject\n";

/// Comma-separated values (RFC 4180) with a header line, oldest change first.
///
/// A cell that a spreadsheet would take for a formula begins with an apostrophe.
pub fn csv(audit: &Audit) -> String {
    let mut text = COLUMNS.to_owned();
    for event in audit.events.iter().rev() {
        if event.files.is_empty() {
            row(&mut text, event, ["", "", "", ""], &event.secrets);
        }
        for (at, file) in event.files.iter().enumerate() {
            let fields = file.fields.join(" ");
            let from = file.from.as_deref().unwrap_or_default();
            // What stands in the message counts with the first file.
            let here = |leak: &&Leak| {
                leak.finding.path == file.path || (at == 0 && leak.finding.path == MESSAGE_PATH)
            };
            let secrets: Vec<Leak> = event.secrets.iter().filter(here).cloned().collect();
            row(&mut text, event, [file.deed.word(), &file.path, from, &fields], &secrets);
        }
    }
    text
}

fn row(text: &mut String, event: &Event, file: [&str; 4], secrets: &[Leak]) {
    let optional = |value: &Option<String>| value.clone().unwrap_or_default();
    let [deed, path, from, fields] = file.map(str::to_owned);
    let secrets: Vec<&str> = secrets.iter().map(|leak| leak.finding.rule.as_str()).collect();
    let cells = [
        event.time.to_string(),
        event.verdict.class.name().to_owned(),
        event.verdict.rule.clone(),
        optional(&event.member),
        event.author.clone(),
        event.email.clone(),
        optional(&event.agent),
        optional(&event.session),
        event.key.map(|key| key.to_string()).unwrap_or_default(),
        event.commit.to_string(),
        event.taken.to_string(),
        event.altered_merge.to_string(),
        deed,
        path,
        from,
        fields,
        secrets.join(" "),
        event.subject.clone(),
    ];
    let cells: Vec<String> = cells.iter().map(|value| cell(value)).collect();
    text.push_str(&cells.join(","));
    text.push('\n');
}

/// One thing a person has to look at.
struct Problem<'a> {
    rule: String,
    level: &'static str,
    message: String,
    event: &'a Event,
    leak: Option<&'a Leak>,
}

/// A SARIF 2.1.0 log: refused changes, merges with content of their own, credentials.
pub fn sarif(audit: &Audit) -> Value {
    let problems: Vec<Problem<'_>> = audit.events.iter().flat_map(problems).collect();
    let mut rules: BTreeMap<&str, String> = BTreeMap::new();
    for problem in &problems {
        rules.entry(&problem.rule).or_insert_with(|| describe(problem));
    }
    let places: BTreeMap<&str, usize> =
        rules.keys().enumerate().map(|(at, id)| (*id, at)).collect();
    let rule =
        |(id, text): (&&str, &String)| json!({ "id": id, "shortDescription": { "text": text } });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "memsync audit",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(rule).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "results": problems.iter().map(|p| result(p, places[p.rule.as_str()])).collect::<Vec<_>>(),
        }],
    })
}

fn problems(event: &Event) -> Vec<Problem<'_>> {
    let mut found = Vec::new();
    let verdict = &event.verdict;
    let commit = event.commit.short();
    if verdict.class.is_refused() {
        let why = verdict.why.as_deref().unwrap_or(verdict.class.meaning());
        let message = format!("Commit {commit} by {}: {why}", event.who());
        found.push(Problem {
            rule: verdict.rule.clone(),
            level: "error",
            message,
            event,
            leak: None,
        });
    }
    if event.altered_merge {
        let message =
            format!("Merge {commit} by {} holds what none of its parents has", event.who());
        let rule = "altered-merge".to_owned();
        found.push(Problem { rule, level: "warning", message, event, leak: None });
    }
    for leak in &event.secrets {
        let state = if leak.present { "still there" } else { "in the history only" };
        let message = format!("{} came in with commit {commit}, {state}", leak.finding.message);
        let (rule, level) = (leak.finding.rule.clone(), level(leak.finding.severity));
        found.push(Problem { rule, level, message, event, leak: Some(leak) });
    }
    found
}

fn describe(problem: &Problem<'_>) -> String {
    match problem.leak {
        Some(leak) => leak.finding.message.clone(),
        None if problem.rule == "altered-merge" => {
            "A merge holds content that none of its parents has.".to_owned()
        }
        None => match problem.event.verdict.class {
            Class::Refused => "A change is refused by the rules of trust.".to_owned(),
            class => class.meaning().to_owned(),
        },
    }
}

fn result(problem: &Problem<'_>, rule_index: usize) -> Value {
    let event = problem.event;
    let first = event.files.first().map_or("MEMORY.md", |file| &file.path);
    let (path, line, column) = match problem.leak {
        Some(leak) if leak.finding.path != MESSAGE_PATH => {
            (leak.finding.path.as_str(), leak.finding.line, leak.finding.column)
        }
        _ => (first, 1, 1),
    };
    let mut fingerprints = json!({ "memsyncCommit/v1": event.commit.to_string() });
    if let Some(leak) = problem.leak {
        fingerprints["memsyncFinding/v1"] = json!(leak.finding.fingerprint);
    }
    json!({
        "ruleId": problem.rule,
        "ruleIndex": rule_index,
        "level": problem.level,
        "message": { "text": problem.message },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": uri(path) },
            "region": { "startLine": line, "startColumn": column },
        } }],
        "partialFingerprints": fingerprints,
        "properties": {
            "commit": event.commit.to_string(),
            "time": event.time.to_string(),
            "verdict": event.verdict.class.name(),
            "member": event.member,
            "author": event.author,
            "agent": event.agent,
            "session": event.session,
        },
    })
}
