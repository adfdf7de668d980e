//! Memories: every byte survives, both shapes are read, every fault has its place.
//! Border: one document; what a team accepts is the gate's business.

use std::fs;

use memsync::memory::document::{Document, FieldValue, Frontmatter};
use memsync::memory::kind::Kind;
use proptest::prelude::*;

use crate::index::real_indexes;

const FLAT: &str = "---\nname: Kiln\ndescription: fires at noon\ntype: project\n---\nBody.\n";

/// Rules with line and column, in order: `rule@line:column`.
fn faults(text: &str) -> Vec<String> {
    let document = Document::parse(text);
    assert_eq!(document.render(), text);
    let shown = document.problems().iter().map(|problem| match problem.position {
        Some(at) => format!("{}@{}:{}", problem.rule, at.line, at.column),
        None => problem.rule.to_owned(),
    });
    shown.collect()
}

#[test]
fn both_shapes_are_read() {
    let flat = Document::parse(FLAT);
    let nested = "---\nname: kiln\ndescription: \"say \\\"slow\\\"\"\nmetadata: \n  node_type: memory\n  type: feedback\n  originSessionId: abc\n  modified: 2044-01-02T03:04:05.006Z\n---\nBody.\n";
    let nested = Document::parse(nested);
    assert_eq!((flat.name(), flat.kind()), (Some("Kiln"), Some(Ok(Kind::Project))));
    assert_eq!(flat.body(), "Body.\n");
    assert_eq!(nested.description(), Some("say \"slow\""));
    assert_eq!(nested.kind(), Some(Ok(Kind::Feedback)));
    assert_eq!(nested.origin_session_id(), Some("abc"));
    assert_eq!(nested.modified().unwrap().to_string(), "2044-01-02T03:04:05Z");
    let keys: Vec<String> =
        nested.frontmatter().unwrap().fields.iter().map(|field| field.key.join(".")).collect();
    let below =
        ["metadata.node_type", "metadata.type", "metadata.originSessionId", "metadata.modified"];
    assert_eq!(keys, [&["name", "description", "metadata"][..], &below[..]].concat());
    assert_eq!(nested.problems(), []);
}

#[test]
fn every_value_is_read_as_it_is_written() {
    let text = "---\n# about it\nname: 12.50\ntags: [one, 2]\nrelates_to:\n  - flat\n  - other\n\nlong: |\n  # no comment\n  text\nfolded: one\n  two\nempty:\ndeep:\n  a:\n    b: c\ntype: project # sure\n---\n";
    let document = Document::parse(text);
    assert_eq!(document.render(), text);
    let field = |key: &[&str]| document.frontmatter().unwrap().field(key).unwrap().value.clone();
    let scalar = |text: &str| FieldValue::Scalar(text.to_owned());
    assert_eq!(field(&["name"]), scalar("12.50"));
    assert_eq!(field(&["tags"]), FieldValue::List(vec!["one".to_owned(), "2".to_owned()]));
    assert_eq!(
        field(&["relates_to"]),
        FieldValue::List(vec!["flat".to_owned(), "other".to_owned()])
    );
    assert_eq!(field(&["long"]), scalar("# no comment\ntext\n"));
    assert_eq!(field(&["folded"]), scalar("one two"));
    assert_eq!(field(&["empty"]), scalar(""));
    assert_eq!(field(&["deep", "a"]), FieldValue::Other);
    assert_eq!(field(&["type"]), scalar("project"));
    let raw = &document.frontmatter().unwrap().field(&["name"]).unwrap().raw;
    assert_eq!(raw, "# about it\nname: 12.50\n");
}

#[test]
fn each_fault_is_reported_with_line_and_column() {
    let document = |fields: &str| format!("---\n{fields}---\nBody.\n");
    let with = |line: &str| document(&format!("name: n\n{line}\ntype: project\n"));
    let table = [
        (FLAT.to_owned(), vec![]),
        (FLAT.replace('\n', "\r\n"), vec![]),
        (FLAT.replacen('\n', "\r\n", 2), vec![]),
        (format!("\u{FEFF}{FLAT}"), vec!["byte-order-mark@1:1"]),
        (with("description: parts: wick, globe"), vec!["yaml-colon@3:19"]),
        (with("description: 部品: wick"), vec!["yaml-colon@3:16"]),
        (with("description: \"Blue\" paint"), vec!["yaml-text-after-quote@3:21"]),
        (with("description: `ivy` climbs"), vec!["yaml-backtick@3:14"]),
        (with("description: [a, b"), vec!["frontmatter-yaml"]),
        (with("description: a\nname: twice"), vec!["frontmatter-yaml"]),
        (with("description: fix for #123 retirements"), vec!["value-cut@3:22"]),
        (with("description: \"fix for #123\""), vec![]),
        (with("description: \"say\" # a comment"), vec![]),
        (document("description: d\n"), vec!["name-missing@1:1", "type-missing@1:1"]),
        (document("name:\ndescription: d\ntype: user\n"), vec!["name-missing@2:1"]),
        (document("name: n\ndescription: d\ntype: decision\n"), vec!["kind-unknown@4:7"]),
        (with("description: d\nmetadata:\n  type: user"), vec!["type-twice@6:7"]),
        ("# Just a heading\n".to_owned(), vec!["frontmatter-missing@1:1"]),
        ("\n---\nname: n\n---\n".to_owned(), vec!["frontmatter-missing@2:1"]),
        (String::new(), vec!["frontmatter-missing@1:1"]),
        ("---\nname: n\n".to_owned(), vec!["frontmatter-unclosed@1:1"]),
        ("---\n- a\n- b\n---\n".to_owned(), vec!["frontmatter-shape@2:1"]),
        ("---\n{name: n, type: user}\n---\n".to_owned(), vec!["frontmatter-shape@2:1"]),
        (format!("{FLAT}\n---\nMore\n---\n"), vec![]),
        (
            FLAT.replace("Body.", "\n---\nname: n\ntype: user\n---\nBody."),
            vec!["frontmatter-twice@7:1"],
        ),
    ];
    for (text, expected) in table {
        let found = faults(&text);
        let matches = found.len() == expected.len()
            && found.iter().zip(&expected).all(|(found, want)| found.starts_with(want));
        assert!(matches, "{text:?}\n  found {found:?}\n  want  {expected:?}");
    }
}

#[test]
fn sizes_have_limits_on_both_sides() {
    let body = |bytes: usize| format!("{FLAT}{}", "x".repeat(bytes - FLAT.len()));
    assert_eq!(faults(&body(250_000)), Vec::<String>::new());
    assert_eq!(faults(&body(250_001)), ["memory-too-large"]);
    let frontmatter = |bytes: usize| FLAT.replace("Kiln", &"k".repeat(bytes - 50));
    assert_eq!(faults(&frontmatter(64_000)), Vec::<String>::new());
    assert_eq!(faults(&frontmatter(64_100)), ["frontmatter-too-large@1:1"]);
    let description = |chars: usize| FLAT.replace("fires at noon", &"é".repeat(chars));
    assert_eq!(faults(&description(10_000)), Vec::<String>::new());
    assert_eq!(faults(&description(10_001)), ["description-too-long@3:14"]);
}

#[test]
fn odd_topic_files_are_reported_and_kept() {
    let Some(folder) = real_indexes() else { return };
    let table = [
        ("058-topic-frontmatter-forms/flat.md", vec![]),
        ("058-topic-frontmatter-forms/kiln-plan.md", vec![]),
        ("058-topic-frontmatter-forms/bare.md", vec!["frontmatter-missing@1:1"]),
        ("058-topic-frontmatter-forms/both.md", vec!["type-twice@4:7"]),
        ("058-topic-frontmatter-forms/extra.md", vec![]),
        ("059-topic-invalid-yaml/colon.md", vec!["yaml-colon@3:27"]),
        ("059-topic-invalid-yaml/quote.md", vec!["yaml-text-after-quote@2:14"]),
        ("059-topic-invalid-yaml/tick.md", vec!["yaml-backtick@3:14"]),
        ("059-topic-invalid-yaml/hash.md", vec!["value-cut@3:38"]),
        ("061-topic-other-kinds/d.md", vec!["kind-unknown@4:7"]),
        ("061-topic-other-kinds/p.md", vec!["kind-unknown@4:7"]),
        ("061-topic-other-kinds/none.md", vec!["name-missing@1:1", "type-missing@1:1"]),
        ("061-topic-other-kinds/kebab-file.md", vec![]),
    ];
    for (file, expected) in table {
        assert_eq!(faults(&fs::read_to_string(folder.join(file)).unwrap()), expected, "{file}");
    }
}

#[test]
fn a_field_that_could_not_be_read_back_is_not_set() {
    // A carriage return alone ends a line for YAML, so the first key is indented here.
    let text = "---\n\r  zds&sn I1:\n---\n\ntext\n";
    let document = Document::parse(text);
    let mut frontmatter = document.frontmatter().unwrap().clone();
    assert!(!frontmatter.set(&["x"], "a: b # c"));
    assert_eq!(frontmatter.render() + document.body(), text);
}

#[test]
fn a_comment_behind_the_last_field_stays_there_when_a_field_is_added() {
    let table: [(&str, &[&str], &str); 6] = [
        ("---\nmetadata:\n#\n---\n", &["name"], "---\nmetadata:\nname: x\n#\n---\n"),
        ("---\na: 1\n# one\n\n# two\n---\n", &["b"], "---\na: 1\n# one\n\nb: x\n# two\n---\n"),
        (
            "---\nm:\n  a: b\n  # in\nn: 1\n---\n",
            &["m", "z"],
            "---\nm:\n  a: b\n  z: x\n  # in\nn: 1\n---\n",
        ),
        (
            "---\nm:\n  a: b\n  # in\n# out\n---\n",
            &["o"],
            "---\nm:\n  a: b\n  # in\no: x\n# out\n---\n",
        ),
        ("---\nm:\n# c\n---\n", &["m", "a"], "---\nm:\n  a: x\n# c\n---\n"),
        ("---\na: |\n  # text\n# c\n---\n", &["a"], "---\na: x\n# c\n---\n"),
    ];
    for (before, key, after) in table {
        let mut frontmatter = Document::parse(before).frontmatter().unwrap().clone();
        assert!(frontmatter.set(key, "x"), "{before:?}");
        assert_eq!(frontmatter.render(), after);
    }
    let quoted = "---\na: \"b\n# c\"\n---\n";
    if let Some(frontmatter) = Document::parse(quoted).frontmatter() {
        assert_eq!(frontmatter.scalar(&["a"]), Some("b # c"), "a line of a value is no comment");
        assert_eq!(frontmatter.tail, "");
    }
}

#[test]
fn setting_a_field_touches_only_its_lines() {
    let set = |text: &str, key: &[&str], value: &str| {
        let mut frontmatter = Document::parse(text).frontmatter().unwrap().clone();
        assert!(frontmatter.set(key, value), "{key:?} in {text:?}");
        frontmatter.render()
    };
    let nested =
        "---\nname: 'n'  # keep\nmetadata: \n  # kind\n  type:   user\ntail: >\n  a\n  b\n---\n";
    let table: [(&[&str], &str, &str, &str); 7] = [
        (&["name"], "new: one", "name: 'n'  # keep", "name: \"new: one\"  # keep"),
        (&["metadata", "type"], "project", "type:   user", "type:   project"),
        (&["metadata", "x"], "true", "user\n", "user\n  x: \"true\"\n"),
        (&["tail"], "#1", "tail: >\n  a\n  b\n", "tail: \"#1\"\n"),
        (&["new"], "a b", "b\n---", "b\nnew: a b\n---"),
        (&["other", "x"], "z", "b\n---", "b\nother:\n  x: z\n---"),
        (&["name"], "", "'n'", "\"\""),
    ];
    for (key, value, from, to) in table {
        assert_eq!(set(nested, key, value), nested.replace(from, to), "{key:?}");
    }
    let mut frontmatter = Document::parse(nested).frontmatter().unwrap().clone();
    for refused in [&["metadata"][..], &["name", "x"], &["a", "b", "c"], &[]] {
        assert!(!frontmatter.set(refused, "x"), "{refused:?}");
    }
    assert!(frontmatter.set_list(&["tags"], &["a, b".to_owned(), "c".to_owned()]));
    assert!(frontmatter.render().ends_with("tags: [\"a, b\", c]\n---\n"));
    assert!(frontmatter.remove(&["metadata"]));
    assert_eq!(
        frontmatter.render().matches("metadata").count()
            + frontmatter.render().matches("type").count(),
        0
    );
}

/// A piece of text likely to trip a reader of frontmatter.
fn piece() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "---",
        "\n",
        "\r\n",
        "\u{FEFF}",
        "name",
        ": ",
        ":",
        "#",
        " #",
        "\"",
        "'",
        "`",
        "- ",
        "|",
        ">",
        "[",
        "]",
        "{",
        "}",
        "  ",
        "\t",
        "metadata:",
        "type: user",
        "&a",
        "*a",
        "!!str ",
        "? ",
        "\\",
        "é",
        "部",
        "null",
        "1.0",
    ]);
    prop_oneof![4 => fixed.prop_map(str::to_owned), 1 => ".{0,4}"]
}

/// Text made of such pieces, most of it behind an opening fence.
fn tricky() -> impl Strategy<Value = String> {
    (any::<bool>(), prop::collection::vec(piece(), 0..24)).prop_map(|(fenced, pieces)| {
        let text = pieces.concat();
        if fenced { format!("---\n{text}\n---\nBody\n") } else { text }
    })
}

/// A key or value as a person might write it, with anything in it.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![".{0,30}", "[ -~]{0,40}", "(?s).{0,20}", tricky()]
}

/// A valid document of generated fields.
fn generated() -> impl Strategy<Value = String> {
    let fields = prop::collection::btree_map("[a-z][a-z_]{0,8}", value(), 0..6);
    (fields, value(), any::<bool>()).prop_map(|(fields, body, crlf)| {
        let text = Document::compose("n", Kind::User, "d", &body);
        let mut frontmatter = Document::parse(&text).frontmatter().unwrap().clone();
        for (key, value) in fields {
            assert!(frontmatter.set(&["metadata", &key], &value));
        }
        let text = frontmatter.render();
        if crlf { text.replace('\n', "\r\n") + &body } else { text + &body }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_text_survives_reading(text in prop_oneof![any::<String>(), tricky(), generated()]) {
        let document = Document::parse(&text);
        prop_assert_eq!(document.render(), text);
        let raws: usize = document.frontmatter().map_or(0, |f| f.render().len());
        prop_assert_eq!(raws + document.body().len(), document.render().len());
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let text = String::from_utf8_lossy(&bytes);
        for text in [text.to_string(), format!("---\n{text}\n---\n")] {
            prop_assert_eq!(Document::parse(&text).render(), text);
        }
    }

    #[test]
    fn what_is_set_is_read_back_and_nothing_else_changes(
        text in prop_oneof![generated(), tricky()],
        block in any::<bool>(),
        key in prop_oneof!["name", "type", "[a-z]{1,5}", ".{1,6}"],
        value in value(),
    ) {
        let before = Document::parse(&text);
        let Some(old) = before.frontmatter() else { return Ok(()) };
        let mut new = old.clone();
        let key: &[&str] = if block { &["metadata", &key] } else { &[&key] };
        if !new.set(key, &value) {
            prop_assert_eq!(&new, old);
            return Ok(());
        }
        let after = Document::parse(&(new.render() + before.body()));
        let Some(read) = after.frontmatter() else {
            return Err(TestCaseError::fail(format!("{:?}\n{:?}", new.render(), after.problems())));
        };
        prop_assert_eq!(read.scalar(key), Some(value.as_str()));
        for field in &old.fields {
            let same: Vec<&str> = field.key.iter().map(String::as_str).collect();
            // What follows the header of an empty block belongs to the first field of the block.
            let is_header = block && same == key[..1];
            if is_header {
                prop_assert!(new.render().contains(&field.raw));
            } else if same != key {
                prop_assert_eq!(&read.field(&same).unwrap().raw, &field.raw);
            }
        }
        let values = |f: &Frontmatter| -> Vec<_> {
            f.fields.iter().map(|field| (field.key.clone(), field.value.clone())).collect()
        };
        prop_assert_eq!(values(read), values(&new));
    }

    #[test]
    fn a_composed_memory_has_no_fault(name in "\\PC{1,20}", description in "\\PC{1,40}", body in value()) {
        prop_assume!(!name.trim().is_empty() && !description.trim().is_empty());
        let text = Document::compose(&name, Kind::Reference, &description, &body);
        let document = Document::parse(&text);
        prop_assert_eq!(document.name(), Some(name.as_str()));
        prop_assert_eq!(document.description(), Some(description.as_str()));
        prop_assert!(document.body().starts_with(&body));
    }
}
