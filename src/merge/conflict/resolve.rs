//! What a decided conflict makes of its file.
//! Border: text in, text out; the gate and the commit come after.

use crate::memory::document::Document;
use crate::merge::conflict::{Conflict, Content, Part};
use crate::merge::kinds::policy_at::{value_at, with_value_at};
use crate::seal::envelope::is_sealed_text;

/// What a person decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The file stays as it is.
    Kept,
    /// The text that was set aside takes the place of the one that was kept.
    Other,
    /// Both texts stand, the kept one first.
    Both,
}

/// The choice cannot be carried out on the file as it is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveProblem {
    /// The text that was kept is not there any more, or stands in several places.
    #[error("the text that was kept was edited since")]
    Edited,
    /// A side is sealed, so two of them cannot stand in one file.
    #[error("a side is sealed")]
    Sealed,
    /// A value of a policy file is one thing: two cannot stand there.
    #[error("two values cannot stand in one place of a policy file")]
    OneValue,
    /// A side is no text, so two of them cannot stand in one file.
    #[error("a side is not text")]
    NotText,
}

/// The file after a choice; `None` deletes it. `current` is the file now, `None` when it is gone.
pub fn resolve(
    current: Option<&[u8]>,
    conflict: &Conflict,
    choice: Choice,
) -> Result<Option<Vec<u8>>, ResolveProblem> {
    let (kept, other) = (&conflict.kept.content, &conflict.other.content);
    let is_sealed = |bytes: &[u8]| std::str::from_utf8(bytes).is_ok_and(is_sealed_text);
    let mut sides = other.iter().map(Content::as_bytes).chain(current);
    if choice == Choice::Both && conflict.part == Part::File && sides.any(is_sealed) {
        return Err(ResolveProblem::Sealed);
    }
    if choice == Choice::Both && conflict.path.is_policy() {
        return Err(ResolveProblem::OneValue);
    }
    match (choice, &conflict.part) {
        (Choice::Kept, _) => Ok(current.map(<[u8]>::to_vec)),
        (Choice::Other, Part::File) => {
            Ok(other.as_ref().map(|content| content.as_bytes().to_vec()))
        }
        (Choice::Both, Part::File) => both_files(current, other.as_ref()).map(Some),
        (Choice::Other, Part::Field(at)) if conflict.path.is_policy() => {
            let current = std::str::from_utf8(current.ok_or(ResolveProblem::Edited)?);
            let current = current.map_err(|_| ResolveProblem::NotText)?;
            let is_kept = value_at(current, at).as_deref() == optional(kept.as_ref())?;
            let new = optional(other.as_ref())?;
            let new = is_kept.then(|| with_value_at(current, at, new));
            new.flatten().map(String::into_bytes).ok_or(ResolveProblem::Edited).map(Some)
        }
        // What went from the file has no place there any more.
        (Choice::Other | Choice::Both, Part::Body(_)) if kept.is_none() => {
            below(current, text(other.as_ref())?).map(Some)
        }
        (Choice::Other, _) => replace(current, kept.as_ref(), text(other.as_ref())?).map(Some),
        (Choice::Both, _) => {
            let (kept_text, other_text) = (text(kept.as_ref())?, text(other.as_ref())?);
            let gap = if kept_text.is_empty() || kept_text.ends_with('\n') { "" } else { "\n" };
            replace(current, kept.as_ref(), &format!("{kept_text}{gap}{other_text}")).map(Some)
        }
    }
}

fn text(content: Option<&Content>) -> Result<&str, ResolveProblem> {
    match content {
        None => Ok(""),
        Some(Content::Text(text)) => Ok(text),
        Some(Content::Bytes(_)) => Err(ResolveProblem::NotText),
    }
}

/// A value of a policy file; `None` is one that is not there.
fn optional(content: Option<&Content>) -> Result<Option<&str>, ResolveProblem> {
    content.map(|content| text(Some(content))).transpose()
}

/// Puts `new` where the kept text stands, if that is exactly one place.
fn replace(
    current: Option<&[u8]>,
    kept: Option<&Content>,
    new: &str,
) -> Result<Vec<u8>, ResolveProblem> {
    let current = current.ok_or(ResolveProblem::Edited)?;
    let current = std::str::from_utf8(current).map_err(|_| ResolveProblem::NotText)?;
    let kept = text(kept)?;
    let mut places = current.match_indices(kept);
    match (kept.is_empty(), places.next(), places.next()) {
        (false, Some((at, _)), None) => {
            let (before, after) = (&current[..at], &current[at + kept.len()..]);
            Ok([before, new, after].concat().into_bytes())
        }
        _ => Err(ResolveProblem::Edited),
    }
}

/// The file with a text below everything.
fn below(current: Option<&[u8]>, text: &str) -> Result<Vec<u8>, ResolveProblem> {
    let current = current.ok_or(ResolveProblem::Edited)?;
    let current = std::str::from_utf8(current).map_err(|_| ResolveProblem::NotText)?;
    Ok(format!("{}\n\n{}\n", current.trim_end(), text.trim_end()).into_bytes())
}

/// The file with the other side's body below its own.
fn both_files(current: Option<&[u8]>, other: Option<&Content>) -> Result<Vec<u8>, ResolveProblem> {
    let other = text(other)?;
    let Some(current) = current else { return Ok(other.as_bytes().to_vec()) };
    let current = std::str::from_utf8(current).map_err(|_| ResolveProblem::NotText)?;
    let body = Document::parse(other).body().trim().to_owned();
    Ok(format!("{}\n\n{body}\n", current.trim_end()).into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::id::ObjectId;
    use crate::base::path::MemoryPath;
    use crate::base::time::Timestamp;
    use crate::merge::conflict::{ConflictSide, Origin, Reason};

    fn conflict(part: Part, kept: Option<&str>, other: Option<&str>) -> Conflict {
        let origin = Origin {
            author: "Ada".to_owned(),
            date: Timestamp::utc(0),
            commit: ObjectId::from_bytes(&[1; 20]),
        };
        let side = |text: Option<&str>| ConflictSide {
            origin: origin.clone(),
            content: text.map(|text| Content::Text(text.to_owned())),
        };
        Conflict {
            path: MemoryPath::parse("a.md").unwrap(),
            part,
            reason: Reason::BothEdited,
            other_path: None,
            base: None,
            kept: side(kept),
            other: side(other),
        }
    }

    #[test]
    fn a_piece_is_replaced_only_where_it_stands_once() {
        let piece = conflict(Part::Body(String::new()), Some("port 80\n"), Some("port 81\n"));
        let after = |current: &str, choice| {
            resolve(Some(current.as_bytes()), &piece, choice)
                .map(|new| String::from_utf8(new.unwrap()).unwrap())
        };
        assert_eq!(after("a\nport 80\nb\n", Choice::Kept).unwrap(), "a\nport 80\nb\n");
        assert_eq!(after("a\nport 80\nb\n", Choice::Other).unwrap(), "a\nport 81\nb\n");
        assert_eq!(after("a\nport 80\nb\n", Choice::Both).unwrap(), "a\nport 80\nport 81\nb\n");
        assert_eq!(after("a\nport 90\n", Choice::Other), Err(ResolveProblem::Edited));
        assert_eq!(after("port 80\nport 80\n", Choice::Other), Err(ResolveProblem::Edited));
    }

    #[test]
    fn a_section_that_went_comes_back_at_the_end() {
        let piece = conflict(Part::Body(String::new()), None, Some("## Old\n\nedited\n"));
        for choice in [Choice::Other, Choice::Both] {
            let after = resolve(Some(b"# A\n\ntext\n"), &piece, choice).unwrap().unwrap();
            assert_eq!(after, b"# A\n\ntext\n\n## Old\n\nedited\n");
        }
        assert_eq!(resolve(Some(b"a\n"), &piece, Choice::Kept), Ok(Some(b"a\n".to_vec())));
    }

    #[test]
    fn a_value_of_a_policy_file_is_set_where_the_record_says_and_nowhere_else() {
        let roster = |bob: &str, carol: &str| {
            format!("members:\n- id: bob\n  role: {bob}\n- id: carol\n  role: {carol}\n")
        };
        let about = Conflict {
            path: MemoryPath::parse(".memsync/roster.yaml").unwrap(),
            ..conflict(
                Part::Field("members.bob.role".to_owned()),
                Some("reader\n"),
                Some("admin\n"),
            )
        };
        let after = |current: String, choice| {
            resolve(Some(current.as_bytes()), &about, choice)
                .map(|new| String::from_utf8(new.unwrap()).unwrap())
        };
        assert_eq!(after(roster("reader", "reader"), Choice::Other), Ok(roster("admin", "reader")));
        // Bob's role was changed since, so the only `reader` is somebody else's.
        assert_eq!(after(roster("writer", "reader"), Choice::Other), Err(ResolveProblem::Edited));
        assert_eq!(after(roster("reader", "reader"), Choice::Both), Err(ResolveProblem::OneValue));
    }

    #[test]
    fn a_whole_file_can_be_taken_back_or_deleted() {
        let edited = conflict(Part::File, Some("text\n"), None);
        assert_eq!(resolve(Some(b"text\n"), &edited, Choice::Other), Ok(None));
        assert_eq!(resolve(None, &edited, Choice::Kept), Ok(None));
    }
}
