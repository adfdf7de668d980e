//! Tests of conflict records.
//! Border: the value and its spelling.

use proptest::prelude::*;

use super::*;
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::base::time::Timestamp;
use crate::trust::verdict::Area;

fn origin(commit: u8, date: i64) -> Origin {
    let commit = Some(ObjectId::from_bytes(&[commit; 20]).unwrap());
    Origin { author: "Ada <ada@example.com>".to_owned(), date: Timestamp::utc(date), commit }
}

fn conflict(
    part: Part,
    base: Option<Content>,
    kept: Option<Content>,
    other: Option<Content>,
) -> Conflict {
    Conflict {
        path: MemoryPath::parse("deploy.md").unwrap(),
        part,
        reason: Reason::BothEdited,
        other_path: None,
        base,
        kept: ConflictSide { origin: origin(2, 20), content: kept },
        other: ConflictSide { origin: origin(1, 10), content: other },
    }
}

fn text(text: &str) -> Option<Content> {
    Some(Content::Text(text.to_owned()))
}

fn check(conflict: &Conflict) {
    let rendered = conflict.render();
    let path = conflict.record_path();
    let read = Conflict::parse(path.as_str(), rendered.as_bytes());
    assert_eq!(read.as_ref().ok(), Some(conflict), "{read:?}\n{rendered}");
}

#[test]
fn a_record_is_readable_and_reads_back() {
    let conflict =
        conflict(Part::Body("Rule".to_owned()), text("in 5\n"), text("in 10\nminutes\n"), None);
    check(&conflict);
    insta::assert_snapshot!(conflict.render(), @r#"
    format: memsync.conflict/1
    path: "deploy.md"
    part: body
    name: "Rule"
    reason: both-edited
    base:
      text: |
        in 5
    kept:
      author: "Ada <ada@example.com>"
      date: 20
      offset: 0
      commit: "0202020202020202020202020202020202020202"
      text: |
        in 10
        minutes
    other:
      author: "Ada <ada@example.com>"
      date: 10
      offset: 0
      commit: "0101010101010101010101010101010101010101"
      absent: true
    "#);
}

#[test]
fn awkward_contents_read_back() {
    for awkward in [
        "",
        "\n",
        " a",
        "a ",
        "a\n\n",
        "\u{FEFF}a",
        "a\r\nb",
        "\u{85}\u{2028}",
        "---\na: b\n---\n",
        "\t",
        "- a\n  - b\n\n\n  c",
        "#\n",
        "null",
        "\u{7f}\u{9f}\u{10ffff}",
        "a\n \nb\n",
        "%x\n...\n",
    ] {
        check(&conflict(Part::File, text(awkward), text(awkward), None));
        check(&conflict(Part::Entry(awkward.to_owned()), text("x"), text("y"), None));
    }
    check(&conflict(Part::File, None, Some(Content::new(&[0xff, 0, 1])), Some(Content::new(b""))));
    let mut coming = conflict(Part::File, None, text("a"), text("b"));
    coming.other.origin.commit = None;
    check(&coming);
}

#[test]
fn a_forged_or_damaged_record_is_refused() {
    let conflict = conflict(Part::File, None, text("a"), text("b"));
    let path = conflict.record_path();
    let forged = conflict.render().replace("Ada", "Eve");
    let refused = Conflict::parse(path.as_str(), forged.as_bytes());
    assert!(matches!(refused, Err(ConflictError::NotItsName { .. })));
    for damaged in ["", "a: [", "format: other/1\n", "\u{0}"] {
        let refused = Conflict::parse(path.as_str(), damaged.as_bytes());
        assert!(matches!(refused, Err(ConflictError::Unreadable { .. })), "{damaged:?}");
    }
    assert!(Conflict::parse(path.as_str(), &[0xff]).is_err());
}

#[test]
fn a_record_needs_the_rights_of_the_path_it_is_about() {
    let area = |path: &str, other_path: Option<&str>| {
        let parse = |path: &str| MemoryPath::parse(path).unwrap();
        let made = conflict(Part::File, None, text("a"), text("b"));
        let made = Conflict { path: parse(path), other_path: other_path.map(parse), ..made };
        record_area(made.record_path().as_str(), made.render().as_bytes())
    };
    for (path, other_path, kind) in [
        ("deploy.md", None, Area::Memory),
        ("MEMORY.md", None, Area::Index),
        ("deploy.md", Some("release.md"), Area::Memory),
        (".memsync/roster.yaml", None, Area::Roster),
        (".memsync/allow.yaml", None, Area::Allow),
        (".memsync/policy.yaml", None, Area::Policy),
        // Whichever of both names says more counts.
        ("deploy.md", Some(".memsync/roster.yaml"), Area::Roster),
    ] {
        assert_eq!(area(path, other_path), kind, "{path} {other_path:?}");
    }
    assert_eq!(area(".memsync/conflicts/00112233445566778899.yaml", None), Area::Policy);
    for unreadable in ["", "a: [", "format: other/1\n"] {
        assert_eq!(record_area("x.yaml", unreadable.as_bytes()), Area::Policy);
    }
}

#[test]
fn the_later_date_then_the_larger_commit_is_favoured() {
    assert!(origin(1, 20).compare(&origin(2, 10)).is_gt());
    assert!(origin(1, 20).compare(&origin(2, 20)).is_lt());
    assert!(origin(1, 20).compare(&origin(1, 20)).is_eq());
    let coming = Origin { commit: None, ..origin(1, 20) };
    assert!(coming.compare(&origin(9, 20)).is_gt(), "what has no commit yet is the newest");
    assert!(coming.compare(&origin(1, 30)).is_lt());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_text_reads_back(base in "[ \t\na#:|'\"\\-é部\u{85}\r]{0,40}", kept in any::<String>(), other in proptest::option::of("\\PC{0,10}\n{0,3}")) {
        check(&conflict(Part::Body(kept.clone()), text(&base), text(&kept), other.map(Content::Text)));
    }

    #[test]
    fn reading_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        drop(Conflict::parse("x.yaml", &bytes));
    }
}

#[test]
fn two_texts_of_the_largest_size_fit_into_a_record_whatever_they_hold() {
    use crate::memory::limits::{MEMORY_BYTES_MAX, POLICY_BYTES_MAX};
    for piece in ["a\n", "\"", "\\", "\u{1b}", "\t", "word and word\n", "ü\r\n", " \n"] {
        let text = piece.repeat(MEMORY_BYTES_MAX / piece.len());
        let side = |ends: &str| Some(Content::Text(format!("{}{ends}", &text[..text.len() - 4])));
        let fitted = conflict(Part::File, side("base"), side("kept"), side("new")).fitted();
        let record = fitted.render();
        assert!(record.len() <= POLICY_BYTES_MAX, "{piece:?}: {} bytes", record.len());
        let read = Conflict::parse(fitted.record_path().as_str(), record.as_bytes()).unwrap();
        assert_eq!(read, fitted, "{piece:?}");
    }
}
