//! The path gate at its boundary: the shared samples, a hostile table, every member of the classes
//! that can be listed, and laws on arbitrary bytes.
//! Border: the library; how `memsync path check` speaks is `cli::path`.
#![expect(clippy::print_stderr, reason = "a skipped test says so")]

use std::path::{Path, PathBuf};

use memsync::base::path::{
    ACCEPTED, COMPONENT_BYTES_MAX, EntryMode, MemoryPath, PATH_BYTES_MAX, PATH_DEPTH_MAX,
    collision_key, collisions,
};
use memsync::report::json::memories::path::answer_line;
use proptest::prelude::*;

/// Samples whose rule differs from ours for a reason: id, our rule, why. None at present.
const DIFFERENT_RULE: [(u64, &str, &str); 0] = [];

fn rule_of(path: &str) -> &'static str {
    MemoryPath::parse(path).map_or_else(|problem| problem.rule, |_| ACCEPTED)
}

#[track_caller]
fn check(rule: &str, path: &str) {
    assert_eq!(rule_of(path), rule, "{path:?}");
}

/// A file of the shared folder beside the package or beside its worktrees.
fn shared(name: &str) -> Option<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = ["../shared", "../../shared"].map(|at| package.join(at).join(name));
    let found = found.into_iter().find(|path| path.exists());
    if found.is_none() {
        eprintln!("skipped: ../shared/{name} is not here");
    }
    found
}

#[test]
fn every_shared_sample_gets_its_verdict_and_its_rule() {
    let Some(file) = shared("data/paths.jsonl") else { return };
    let text = std::fs::read_to_string(file).unwrap();
    for line in text.lines() {
        let sample: serde_json::Value = serde_json::from_str(line).unwrap();
        let answer = serde_json::to_value(answer_line(line.as_bytes()).unwrap()).unwrap();
        assert_eq!(answer["id"], sample["id"]);
        assert_eq!(answer["verdict"], sample["verdict"], "{line}");
        let id = sample["id"].as_u64().unwrap();
        match DIFFERENT_RULE.iter().find(|(known, ..)| *known == id) {
            Some((_, ours, _)) => assert_eq!(answer["rule"], *ours, "{line}"),
            None => assert_eq!(answer["rule"], sample["rule"], "{line}"),
        }
    }
}

#[test]
fn our_own_tables_get_the_rule_they_name() {
    for table in [include_str!("paths/hostile.jsonl"), include_str!("paths/ordinary.jsonl")] {
        for line in table.lines() {
            let sample: serde_json::Value = serde_json::from_str(line).unwrap();
            check(sample["rule"].as_str().unwrap(), sample["path"].as_str().unwrap());
        }
    }
}

/// Every spelling of a name with a suffix that Windows ignores or that opens a stream.
fn spellings(name: &str) -> impl Iterator<Item = String> + '_ {
    let suffixes = ["", ".", " ", "...", " . .", ":x", "::$DATA", "::$INDEX_ALLOCATION"];
    let cases = [name.to_owned(), name.to_uppercase(), name.to_lowercase()];
    cases.into_iter().flat_map(move |case| suffixes.map(|suffix| format!("{case}{suffix}")))
}

#[test]
fn the_git_folder_is_refused_in_every_spelling_at_every_depth() {
    for name in [".git", "git~1", ".Git", "giT~1"] {
        for spelling in spellings(name) {
            for path in [spelling.clone(), format!("{spelling}/x.md"), format!("a/{spelling}/x.md")]
            {
                assert!(["dotgit", "ntfs-dotgit"].contains(&rule_of(&path)), "{path:?}");
            }
        }
    }
}

#[test]
fn the_git_folder_is_refused_with_every_character_hfs_ignores_anywhere_in_it() {
    let ignored = ('\u{200C}'..='\u{200F}')
        .chain('\u{202A}'..='\u{202E}')
        .chain('\u{206A}'..='\u{206F}')
        .chain(['\u{FEFF}']);
    for c in ignored {
        for at in 0..=4 {
            let mut name = ".gIt".to_owned();
            name.insert(at, c);
            check("hfs-dotgit", &name);
            check("hfs-dotgit", &format!("a/{name}/config"));
        }
    }
}

#[test]
fn every_windows_device_is_refused_with_every_ending() {
    let ports = ["com", "lpt"]
        .into_iter()
        .flat_map(|port| "0123456789¹²³".chars().map(move |number| format!("{port}{number}")));
    let names = ["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"].map(str::to_owned);
    for device in names.into_iter().chain(ports) {
        for spelling in spellings(&device) {
            check("win-device", &spelling);
        }
        for end in [".md", " .md", ".tar.gz", "  .x.md", "/x.md"] {
            check("win-device", &format!("{device}{end}"));
            check("win-device", &format!("a/{device}{end}"));
        }
        let longer = format!("x{device}y.md");
        assert_ne!(rule_of(&longer), "win-device", "{longer}");
    }
}

#[test]
fn no_character_that_is_controlling_invisible_or_undefined_is_in_any_accepted_path() {
    use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};
    for c in ('\0'..=char::MAX).filter(|c| *c != '/') {
        let path = format!("a{c}b.md");
        if rule_of(&path) == ACCEPTED {
            let group = c.general_category_group();
            assert_ne!(group, GeneralCategoryGroup::Other, "{c:?}");
            assert!(c == ' ' || group != GeneralCategoryGroup::Separator, "{c:?}");
            assert!(!memsync::base::display::is_unsafe_to_show(c), "{c:?}");
            assert!(c != '\\' && c != ':', "{c:?}");
        }
    }
}

#[test]
fn the_length_limits_hold_on_both_sides() {
    let name = |bytes: usize| format!("{}.md", "x".repeat(bytes - 3));
    check(ACCEPTED, &name(COMPONENT_BYTES_MAX));
    check("length", &name(COMPONENT_BYTES_MAX + 1));
    let folder = |bytes: usize| format!("{}/x.md", "x".repeat(bytes));
    check(ACCEPTED, &folder(COMPONENT_BYTES_MAX));
    check("length", &folder(COMPONENT_BYTES_MAX + 1));
    let deep = |components: usize| format!("{}x.md", "a/".repeat(components - 1));
    check(ACCEPTED, &deep(PATH_DEPTH_MAX));
    check("length", &deep(PATH_DEPTH_MAX + 1));
    let long = |bytes: usize| {
        let folders = format!("{}/", "x".repeat(199)).repeat(5);
        format!("{folders}{}", name(bytes - folders.len()))
    };
    check(ACCEPTED, &long(PATH_BYTES_MAX));
    check("length", &long(PATH_BYTES_MAX + 1));
    // Bytes count, not characters.
    check(ACCEPTED, &format!("{}.md", "日".repeat(65)));
    check("length", &format!("{}.md", "日".repeat(66)));
}

#[test]
fn marks_may_stack_up_to_the_limit_of_uts_39() {
    check(ACCEPTED, "x\u{316}\u{317}\u{318}\u{319}.md");
    check("combining", "x\u{316}\u{317}\u{318}\u{319}\u{31C}.md");
}

#[test]
fn only_plain_files_pass_and_bytes_must_be_utf_8() {
    let rule = |raw: &[u8], mode| MemoryPath::parse_entry(raw, mode).map_err(|p| p.rule);
    assert!(rule(b"a.md", EntryMode::File).is_ok());
    assert_eq!(rule(b"a.md", EntryMode::Symlink), Err("symlink"));
    assert_eq!(rule(b"a.md", EntryMode::Gitlink), Err("gitlink"));
    for mode in [EntryMode::Executable, EntryMode::Tree, EntryMode::Other] {
        assert_eq!(rule(b"a.md", mode), Err("mode"));
    }
    for bits in [0, 0o100_664, 0o100_600, 0o104_644, 0o060_000, u32::MAX] {
        assert_eq!(EntryMode::from_bits(bits), EntryMode::Other, "{bits:o}");
    }
    for raw in
        [&b"a\xff.md"[..], b"\xc0\xaf.md", b"\xed\xa0\x80.md", b"\xf4\x90\x80\x80.md", b"\x80"]
    {
        assert_eq!(rule(raw, EntryMode::File), Err("utf8"), "{raw:?}");
    }
}

#[test]
fn only_memsync_names_the_root_git_attributes() {
    let attributes = MemoryPath::parse_tracked(b".gitattributes", EntryMode::File).unwrap();
    assert!(attributes.is_git_attributes() && !attributes.is_memory());
    for (raw, mode) in [
        (&b".gitattributes"[..], EntryMode::Symlink),
        (b"a/.gitattributes", EntryMode::File),
        (b".gitattributes ", EntryMode::File),
        (b".GITATTRIBUTES", EntryMode::File),
    ] {
        assert!(MemoryPath::parse_tracked(raw, mode).is_err(), "{raw:?}");
    }
}

#[test]
fn a_path_knows_what_it_is() {
    let path = |text| MemoryPath::parse(text).unwrap();
    assert!(path("MEMORY.md").is_index() && !path("MEMORY.md").is_memory());
    assert!(path(".memsync/roster.yaml").is_policy());
    assert!(!path("README.md").is_memory() && path("readme-first.md").is_memory());
    assert_eq!(path("a/b c.md").stem(), "b c");
    assert_eq!(path("a/b c.md").file_name(), "b c.md");
    assert_eq!(path("a/b c.md").components().collect::<Vec<_>>(), ["a", "b c.md"]);
}

#[test]
fn a_refused_path_is_never_shown_raw_or_whole() {
    let hostile = format!("\x1b[2J\u{202e}{}", "x".repeat(100_000));
    let problem = MemoryPath::parse(&hostile).unwrap_err();
    assert!(problem.to_string().len() < 1000);
    assert!(!problem.to_string().contains(['\x1b', '\u{202e}']));
}

#[test]
fn twenty_thousand_paths_are_looked_at_once_each() {
    // Linear work, not a timed claim: a quadratic check would never come back from this.
    let paths: Vec<_> = (0..20_000).map(|i| format!("topics/{}/note-{i}.md", i % 40)).collect();
    assert!(paths.iter().all(|path| MemoryPath::parse(path).is_ok()));
    assert!(collisions(&paths).is_empty());
}

#[test]
fn the_short_way_for_everyday_paths_accepts_nothing_the_long_way_refuses() {
    // A folder with a space always takes the long way; the rest of the path must fare the same.
    let names = [
        "memory",
        "MEMORY",
        "readme",
        "claude",
        "agents",
        "copilot-instructions",
        "mem0ry",
        "rnemory",
        "conin",
        "com12",
        "-name",
        "_name",
        "gemini",
        "gem1ni",
        "skill",
        "notes",
        "a-b_c",
        "c0m1x",
    ];
    for first in names {
        for second in names {
            let short = rule_of(&format!("{first}/{second}.md"));
            let long = rule_of(&format!("a b/{first}/{second}.md"));
            assert_eq!(short, long, "{first}/{second}.md");
        }
    }
}

/// Text made of pieces that matter to the gate, so that arbitrary input gets deep.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "/",
            ".",
            "..",
            ".git",
            "git~1",
            ".md",
            "MEMORY",
            ".memsync/",
            "policy.yaml",
            "con",
            "é",
            "e",
            "\u{301}",
            "\u{200d}",
            "а",
            "ß",
            "İ",
            "ı",
            "日",
            " ",
            ":",
            "%2e",
            "~1",
            "-",
            "\\",
            "(",
        ])
        .prop_map(str::to_owned),
        "[a-z]{1,8}",
        any::<char>().prop_map(String::from),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn parsing_never_panics_on_arbitrary_bytes(raw in prop::collection::vec(any::<u8>(), 0..300)) {
        drop(MemoryPath::parse_bytes(&raw));
    }

    #[test]
    fn an_accepted_path_keeps_its_text_and_is_accepted_again(stem in text()) {
        for path in [stem.clone(), format!("{stem}.md")] {
            if let Ok(parsed) = MemoryPath::parse(&path) {
                prop_assert_eq!(parsed.as_str(), path.as_str());
                prop_assert!(MemoryPath::parse_bytes(parsed.as_str().as_bytes()).is_ok());
                let key = collision_key(&path);
                prop_assert!(!key.split('/').any(|part| part.is_empty() || part == ".git" || part == ".."));
            }
        }
    }

    #[test]
    fn the_collision_key_of_a_key_is_itself(path in text()) {
        let key = collision_key(&path);
        prop_assert_eq!(collision_key(&key), key);
    }

    #[test]
    fn case_and_composition_never_change_the_collision_key(path in text()) {
        use unicode_normalization::UnicodeNormalization;
        let key = collision_key(&path);
        prop_assert_eq!(&collision_key(&path.to_uppercase()), &key);
        prop_assert_eq!(&collision_key(&path.nfd().collect::<String>()), &key);
        prop_assert_eq!(&collision_key(&path.nfc().collect::<String>()), &key);
    }
}
