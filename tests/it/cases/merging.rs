//! Cases of the merge, run through the driver as plain git runs it, in both directions.
//! Border: one file a case; whole teams are `sharing`.
#![expect(clippy::disallowed_methods, reason = "writes three files and runs the program")]

use std::fs;

use crate::support::{World, say};

/// Merges three texts of a file both ways; what comes out is the same and nothing stays open.
fn merged(path: &str, base: &str, ours: &str, theirs: &str) -> String {
    let world = World::new();
    let ada = world.newcomer("ada");
    let one_way = |ours: &str, theirs: &str| {
        let at = |name: &str| ada.memdir.join(name).to_str().unwrap().to_owned();
        for (name, text) in [("base", base), ("ours", ours), ("theirs", theirs)] {
            fs::write(at(name), text).unwrap();
        }
        let mut command = ada.command(env!("CARGO_BIN_EXE_memsync"));
        command.args(["merge-driver", &at("base"), &at("ours"), &at("theirs"), path]);
        let said = say(&mut command);
        assert_eq!(said.exit, 0, "{path}: {said:?}");
        fs::read_to_string(at("ours")).unwrap()
    };
    let text = one_way(ours, theirs);
    assert_eq!(text, one_way(theirs, ours), "swapped");
    text
}

fn check(path: &str, [base, ours, theirs, want]: [&str; 4]) {
    assert_eq!(merged(path, base, ours, theirs), want);
}

fn memory(name: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: {name}\ntype: project\n---\n{body}")
}

pub(super) fn item_beside_new_section() {
    let always = "## Always do\n\n- one\n- two\n";
    let item = "- delete the backups weekly\n";
    let never = "\n## Never do\n\n- push on Friday\n";
    let open = "\n## Open\n\n- x\n";
    let texts = [
        format!("{always}{open}"),
        format!("{always}{item}{open}"),
        format!("{always}{never}{open}"),
        format!("{always}{item}{never}{open}"),
    ];
    let texts = texts.map(|text| memory("rules", &text));
    check("x.md", texts.each_ref().map(String::as_str));
    let pricing = "# M\n\n## Pricing\n- [A](a.md) — a\n- [B](b.md) — b\n";
    let (entry, later) = ("- [N](n.md) — a price\n", "\n## Later\n- [Z](z.md) — z\n");
    let audits = "\n## Audits\n- [C](c.md) — chip\n";
    let texts = [
        format!("{pricing}{later}"),
        format!("{pricing}{entry}{later}"),
        format!("{pricing}{audits}{later}"),
        format!("{pricing}{entry}{audits}{later}"),
    ];
    check("MEMORY.md", texts.each_ref().map(String::as_str));
    // Paragraphs at the end of a file, two sections of another depth.
    let first = "### Hosts\n\nTwo of them.\n";
    let paragraph = "\nThe third is in the attic.\n";
    let sections = "\n### Keys\n\nIn the vault.\n\n### People\n\nAda and Bob.\n";
    let texts = [
        first.to_owned(),
        format!("{first}{paragraph}"),
        format!("{first}{sections}"),
        format!("{first}{paragraph}{sections}"),
    ];
    let texts = texts.map(|text| memory("hosts", &text));
    check("hosts.md", texts.each_ref().map(String::as_str));
}

pub(super) fn frontmatter_that_is_no_yaml() {
    let head = |name: &str, description: &str, more: &str| {
        format!("---\nname: {name}\ndescription: {description}\ntype: project\n{more}---\n")
    };
    let covered = "Input is covered; see later";
    let root = "Input is covered. Root: zero handling";
    let session = "originSessionId: 11\n";
    check(
        "x.md",
        [
            &format!("{}\nOld text.\n\nTail.\n", head("Keyboard", covered, "")),
            &format!("{}New text.\n\nTail.\n", head("Keyboard (done)", root, session)),
            &format!("{}\nNew text.\n\nTail.\n", head("Keyboard (done)", root, "")),
            &format!("{}New text.\n\nTail.\n", head("Keyboard (done)", root, session)),
        ],
    );
    check(
        "x.md",
        [
            &format!("{}\nOld text.\n\nTail.\n", head("Keyboard", covered, "")),
            &format!("{}\nNew text.\n\nTail.\n", head("Keyboard (done)", root, "")),
            &format!("{}\nOld text.\n\nTail.\n", head("Keyboard", covered, session)),
            &format!("{}\nNew text.\n\nTail.\n", head("Keyboard (done)", root, session)),
        ],
    );
    // Not closed, a tab, a quote that never ends: YAML reads none of them.
    let (tab, quote) = ("tags:\t[a\n", "owner: \"Ada\n");
    check(
        "x.md",
        [
            &format!("{}Body.\n", head("Pager", "Who: Ada", "")),
            &format!("{}Body.\n", head("Pager", "Who: Ada", tab)),
            &format!("{}Body.\n\nMore.\n", head("Pager", "Who: Bob", "")),
            &format!("{}Body.\n\nMore.\n", head("Pager", "Who: Bob", tab)),
        ],
    );
    let text = merged(
        "x.md",
        &format!("{}Body.\n", head("Pager", "Who: Ada", quote)),
        &format!("{}Body.\n", head("Pager duty", "Who: Ada", quote)),
        &format!("{}Body!\n", head("Pager", "Who: Ada", quote)),
    );
    assert_eq!(text, format!("{}Body!\n", head("Pager duty", "Who: Ada", quote)));
}

pub(super) fn heading_of_both() {
    let one = "# Index one\n\n## Scale\n- [size.md](size.md) — how big\n\n## History\nSee [old/](old/) — not committed.\n";
    let two = "# Index two\n\n## Facts\n- Grid is fixed.\n\n## History\nSee [old/](old/) — not committed.\n\nReviews:\n- `old/r1.md` — first (clean)\n\n## Known\n- cloned on purpose\n";
    let three =
        "# Team\n\n## People\n- [ada.md](ada.md) — admin\n\n## Links\n\n<https://example.org>\n";
    let four =
        "# Team\n\n## Links\n\n<https://example.org>\n\n## Later\n- [bob.md](bob.md) — soon\n";
    for (ours, theirs, path) in [(one, two, "MEMORY.md"), (three, four, "team.md")] {
        let text = merged(path, "", ours, theirs);
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            if line.starts_with('#') {
                assert!(at == 0 || lines[at - 1].is_empty(), "no blank line above {line}: {text}");
                let next = lines[at + 1..].iter().find(|line| !line.is_empty()).unwrap();
                let has_content = !next.starts_with(line.split(' ').next().unwrap())
                    || next.split(' ').next() > line.split(' ').next();
                assert!(has_content, "{line} has lost its content: {text}");
            }
        }
        for side in [ours, theirs] {
            for line in side.lines().filter(|line| !line.is_empty()) {
                let count = lines.iter().filter(|there| **there == line).count();
                assert!((1..=2).contains(&count), "{line} stands {count} times: {text}");
            }
        }
    }
}

pub(super) fn rows_and_lines() {
    let table = "| k | v |\n|---|---|\n| a | 1 |\n";
    let (b, c) = ("| b | 2 |\n", "| c | 3 |\n");
    let k = |text: String| memory("K", &text);
    check(
        "x.md",
        [
            &k(table.to_owned()),
            &k(format!("{table}{b}")),
            &k(format!("{table}{c}")),
            &k(format!("{table}{b}{c}")),
        ],
    );
    let ports = "Web: 8080\nMail: 25\n";
    check(
        "x.md",
        [
            &k(ports.to_owned()),
            &k(format!("{ports}Admin: 9090\n")),
            &k(format!("{ports}Metrics: 9100\n")),
            &k(format!("{ports}Admin: 9090\nMetrics: 9100\n")),
        ],
    );
    // A row edited here, the table split by a heading there.
    let rows = ["| host | a |\n", "| port | 1 |\n", "| user | x |\n", "| path | / |\n"];
    let head = "## Hosts\n\n| k | v |\n|---|---|\n";
    let split = "\n## Accounts\n\n| k | v |\n|---|---|\n";
    let edited = "| port | 22 |\n";
    check(
        "x.md",
        [
            &k(format!("{head}{}", rows.concat())),
            &k(format!("{head}{}{edited}{}{}", rows[0], rows[2], rows[3])),
            &k(format!("{head}{}{}{split}{}{}", rows[0], rows[1], rows[2], rows[3])),
            &k(format!("{head}{}{edited}{split}{}{}", rows[0], rows[2], rows[3])),
        ],
    );
}

pub(super) fn day_logs() {
    let log = |who: &str, changes: &str| {
        format!("## Summary\n{who}\n\n## Changes\n{changes}\n## Open\n- None\n")
    };
    let base = log("first thing", "- `a.md`\n");
    let ada = log("ada fixed the cache", "- `CHANGELOG.md`\n- `cache.rs`\n- `docs/cache.md`\n");
    let ben = log("ben wrote the parser", "- `CHANGELOG.md`\n- `parser.rs`\n");
    let more = log("ben second", "- `CHANGELOG.md`\n- `z.rs`\n");
    let day = |name: &str| {
        format!("## {name}\n\n### Done\n\n- tests of {name}\n\n### Next\n\nNothing.\n")
    };
    let cases = [
        (base.clone(), vec![ada.clone()], vec![ben.clone()]),
        (base, vec![ada], vec![ben, more]),
        (day("Monday"), vec![day("Tuesday")], vec![day("Tuesday, Bob"), day("Wednesday")]),
    ];
    for (base, ours, theirs) in cases {
        let put = |blocks: &[String]| {
            let all: Vec<&str> = [&base].into_iter().chain(blocks).map(String::as_str).collect();
            memory("log", &all.join("\n---\n\n"))
        };
        let text = merged("log.md", &put(&[]), &put(&ours), &put(&theirs));
        for block in [&base].into_iter().chain(&ours).chain(&theirs) {
            assert_eq!(text.matches(block.trim_end()).count(), 1, "{block} is torn apart:\n{text}");
        }
        let lines = |text: &str| text.lines().filter(|line| !line.is_empty()).count();
        let all = lines(&put(&ours)) + lines(&put(&theirs)) - lines(&put(&[]));
        assert_eq!(lines(&text), all, "{text}");
    }
}
