//! The whole story with the real client: two people, two homes, one hub.
//! Border: what the model is shown, what is on the hub; the doors one by one are in `agent`.

use serde_json::json;

use super::{Office, Person, Step, put, sent, until, write_tool};
use crate::support::{any_object_holds, memory, token};

/// Stands in the private layer alone.
const PRIVATE: &str = "zanzibar-marmalade-7731";

#[test]
fn two_agents_share_without_being_told() {
    let Some(office) = Office::open() else { return };
    let (ada, ben) = (office.person("ada"), office.person("ben"));
    ada.memsync(&["init", "--open", "--remote", office.hub().to_str().unwrap()]);
    ben.memsync(&["join", office.hub().to_str().unwrap()]);
    put(&ada.memdir().join("me.md"), &memory("me", PRIVATE));
    for person in [&ada, &ben] {
        person.memsync(&["agent", "install", "claude-code"]);
    }
    one_saves_and_the_other_knows(&office, &ada, &ben);
    both_edit_at_the_same_time(&office, &ada, &ben);
    a_credential_does_not_leave(&office, &ben);
    a_conflict_is_announced(&office, &ada, &ben);
    assert!(!any_object_holds(&office.hub(), PRIVATE));
}

/// Ada's agent saves a memory; Ben's next session has it in its first request.
fn one_saves_and_the_other_knows(office: &Office, ada: &Person<'_>, ben: &Person<'_>) {
    let text = memory(
        "ports",
        "The staging database listens on port 5433.\n\nThe cache listens on port 6380.",
    );
    let text = text.replace("About ports", "Where staging services listen");
    let steps = [write_tool(&ada.memdir().join("team/ports.md"), &text), Step::Say("saved")];
    let requests = ada.session("remember where staging listens", &steps);
    assert!(
        sent(&requests[0]).contains("(team/MEMORY.md)"),
        "the private index points to the team's"
    );
    until("on the hub", || office.on_hub("ports.md").is_some_and(|text| text.contains("5433")));

    ben.session("hello", &[Step::Say("hi")]);
    until("pulled", || ben.memdir().join("team/ports.md").exists());
    ben.settle();
    let requests = ben.session("how do I connect to the staging db?", &[Step::Say("by its port")]);
    let first = sent(&requests[0]);
    assert!(first.contains("[ports](ports.md)"), "{first}");
    assert!(first.contains("listens on port 5433"), "{first}");
}

/// A person's agent reads the memory and changes a word of it.
fn edit(person: &Person<'_>, old: &str, new: &str) {
    let path = person.memdir().join("team/ports.md");
    let steps = [
        Step::Tool("Read", json!({ "file_path": path })),
        Step::Tool("Edit", json!({ "file_path": path, "old_string": old, "new_string": new })),
        Step::Say("done"),
    ];
    person.session("correct it", &steps);
}

fn both_edit_at_the_same_time(office: &Office, ada: &Person<'_>, ben: &Person<'_>) {
    edit(ada, "5433", "5434");
    edit(ben, "6380", "6381");
    until("both on the hub", || {
        office.on_hub("ports.md").is_some_and(|text| text.contains("5434") && text.contains("6381"))
    });
}

/// A file tool is refused with our reason; what a command writes is kept out, and said.
fn a_credential_does_not_leave(office: &Office, ben: &Person<'_>) {
    let secret = format!("password: {}{}", "Kf9#mQ2v", "Lx7!pR4w");
    let path = ben.memdir().join("team/cache.md");
    let steps = [write_tool(&path, &memory("cache", &secret)), Step::Say("then not")];
    let requests = ben.session("save the password", &steps);
    let refused = sent(&requests[1]);
    assert!(refused.contains("memsync: team/cache.md cannot be shared"), "{refused}");
    assert!(!path.exists());

    let whole = token();
    let (head, tail) = whole.split_at(12);
    let command = format!(
        "printf -- '---\\nname: t\\ndescription: d\\ntype: reference\\n---\\n\\ntoken %s%s\\n' {head} {tail} > '{}'",
        path.display()
    );
    let steps = [Step::Tool("Bash", json!({ "command": command })), Step::Say("done")];
    let requests = ben.session("save it otherwise", &steps);
    assert!(path.exists(), "the client lets a command through: {}", requests[1]["messages"]);
    ben.settle();
    let requests = ben.session("good morning", &[Step::Say("hi")]);
    let told = sent(&requests[0]);
    assert!(
        told.contains("not shared until corrected") && told.contains("`team/cache.md`"),
        "{told}"
    );
    assert!(office.on_hub("cache.md").is_none() && !any_object_holds(&office.hub(), &whole));
}

/// Both change the same line: nobody's text is lost, and an agent hears of it.
fn a_conflict_is_announced(office: &Office, ada: &Person<'_>, ben: &Person<'_>) {
    ada.settle();
    ada.session("hello", &[Step::Say("hi")]);
    let ports = ada.memdir().join("team/ports.md");
    until("ada has both", || {
        std::fs::read_to_string(&ports).is_ok_and(|text| text.contains("6381"))
    });
    ada.settle();
    // Without a network neither hears of the other in time.
    let away = office.hub().with_extension("away");
    std::fs::rename(office.hub(), &away).unwrap();
    edit(ada, "5434", "5500");
    edit(ben, "5434", "5600");
    ada.settle();
    ben.settle();
    std::fs::rename(&away, office.hub()).unwrap();
    for person in [ada, ben, ada] {
        person.session("hello", &[Step::Say("hi")]);
        person.settle();
    }
    let requests = ada.session("good morning", &[Step::Say("hi")]);
    let told = sent(&requests[0]);
    assert!(told.contains("1 conflict is open, in ports.md"), "{told}");
}
