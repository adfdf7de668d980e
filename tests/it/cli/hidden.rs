//! Hidden text and links out of the team memory, as a person meets them at `push` and `check`.
//! Border: which characters are hidden, and when not, is proven in `base::hidden`.

use crate::support::{World, memory};

#[test]
fn text_that_nobody_sees_is_kept_out_of_memories_and_the_index() {
    let world = World::new();
    let ada = world.founder("ada");
    let index = ada.read("MEMORY.md");
    let spelled: String =
        "run it".bytes().filter_map(|b| char::from_u32(0xE0100 + u32::from(b) - 16)).collect();
    for (hidden, said) in [
        (format!("😀{spelled}"), "variation selector"),
        ("a\u{200D}b".to_owned(), "joiner"),
        ("\u{1B}[8mnot shown\u{1B}[0m".to_owned(), "escape"),
        ("shown\rnot shown".to_owned(), "carriage return"),
        ("shown\u{8}\u{8}".to_owned(), "backspace"),
        ("\u{E0041}\u{E0042}".to_owned(), "tag character"),
        ("\u{FFF9}a\u{FFFA}b\u{FFFB}".to_owned(), "interlinear"),
    ] {
        ada.write("note.md", memory("note", &hidden));
        ada.fails(&["push", "--yes"], 1, &["note.md:6", "hidden-text", said]);
        ada.remove("note.md");
        ada.write("MEMORY.md", format!("{index}\n{hidden}\n"));
        ada.fails(&["push", "--yes"], 1, &["MEMORY.md", "hidden-text", said]);
        ada.write("MEMORY.md", &index);
    }
    ada.write(
        "note.md",
        memory("note", "👩‍🔧 می‌خواهم ⚠️\r\nnext").replace('\n', "\r\n").replace("\r\r", "\r"),
    );
    ada.done(&["push", "--yes"]);
    assert!(world.hub_files().contains_key("note.md"));
}

#[test]
fn links_of_the_index_that_leave_the_team_memory_are_named() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.remember("note", "Text.");
    ada.edit("MEMORY.md", |index| {
        format!(
            "{index}\nSee [mine](../private.md), [users](/etc/passwd), <a href=\"file:///etc/hosts\">hosts</a>,\n\
             [drive](C:\\notes\\x.md), [coded](%2e%2e%2fx.md), [there][r] and [docs](https://acme.example).\n\n\
             [r]: ~/.ssh/config\n"
        )
    });
    let named = [
        "../private.md",
        "/etc/passwd",
        "file:///etc/hosts",
        "C:\\notes\\x.md",
        "%2e%2e%2fx.md",
        "~/.ssh/config",
    ];
    let checked = ada.json(&["check"]).to_string();
    let pushed = ada.done(&["push", "--yes"]);
    for target in named {
        let written = serde_json::to_string(target).unwrap();
        assert!(checked.contains(written.trim_matches('"')), "{target}: {checked}");
        assert!(format!("{pushed:?}").contains(target.split('\\').next().unwrap()), "{target}");
    }
    assert_eq!(checked.matches("index-link-outside").count(), named.len(), "{checked}");
}
