//! The text that a person fills in to write a memory, and what is read from it.
//! Border: text in, memory out; the editor is `system::editor`.

use crate::memory::document::Document;
use crate::memory::kind::Kind;

/// What is known before the person writes.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// The name.
    pub name: Option<String>,
    /// The kind.
    pub kind: Option<Kind>,
    /// The description.
    pub description: Option<String>,
}

/// What the person wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filled {
    /// The name.
    pub name: String,
    /// The kind.
    pub kind: Kind,
    /// The description.
    pub description: String,
    /// The text.
    pub body: String,
}

/// Why a text is no memory yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateProblem {
    /// Nothing was written: the person wants to stop.
    #[error("nothing was written")]
    Empty,
    /// There is no frontmatter that can be read.
    #[error("the lines between `---` cannot be read")]
    Frontmatter,
    /// A field is missing.
    #[error("`{0}` is not filled in")]
    Missing(&'static str),
    /// The type is none of the four.
    #[error("`type` is none of `user`, `feedback`, `project` and `reference`")]
    Kind,
}

const HINT: &str = "<!--
Write the memory below these lines: what holds, why, and how to apply it. `description` becomes its entry in
the index. `type` is user, feedback, project or reference. This comment is left out; an empty text writes nothing.
-->";

/// The text to fill in.
pub fn template(draft: &Draft) -> String {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let kind = draft.kind.unwrap_or(Kind::Project);
    let head = match (&draft.name, &draft.description) {
        (Some(name), Some(description)) => Document::compose(name, kind, description, ""),
        (name, description) => {
            let written = Document::compose(&text(name), kind, &text(description), "");
            // An empty value is for the person to fill in, without quotes around nothing.
            written.replace(": \"\"\n", ": \n").replace(": ''\n", ": \n")
        }
    };
    format!("{head}\n{HINT}\n\n")
}

/// Reads what the person made of it.
///
/// # Errors
/// What is still missing.
pub fn filled(text: &str) -> Result<Filled, TemplateProblem> {
    let text = text.replace(HINT, "");
    if text.trim().is_empty() {
        return Err(TemplateProblem::Empty);
    }
    let document = Document::parse(&text);
    if document.frontmatter().is_none() {
        return Err(TemplateProblem::Frontmatter);
    }
    let body = document.body().trim().to_owned();
    if body.is_empty() {
        return Err(TemplateProblem::Empty);
    }
    let kind = match document.kind() {
        Some(Ok(kind)) => kind,
        Some(Err(_)) => return Err(TemplateProblem::Kind),
        None => return Err(TemplateProblem::Missing("type")),
    };
    let name = document.name().ok_or(TemplateProblem::Missing("name"))?.to_owned();
    let description =
        document.description().ok_or(TemplateProblem::Missing("description"))?.to_owned();
    Ok(Filled { name, kind, description, body })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_that_nobody_filled_in_is_no_memory() {
        assert_eq!(filled(&template(&Draft::default())), Err(TemplateProblem::Empty));
        assert_eq!(filled(""), Err(TemplateProblem::Empty));
        let name = Some("valve: a".to_owned());
        let draft = Draft { name, kind: Some(Kind::User), description: Some("how".to_owned()) };
        assert_eq!(filled(&template(&draft)), Err(TemplateProblem::Empty));
        let text = template(&draft) + "It opens.\n\nAt noon.\n";
        let read = filled(&text).unwrap();
        assert_eq!((read.name.as_str(), read.kind), ("valve: a", Kind::User));
        assert_eq!(
            (read.description.as_str(), read.body.as_str()),
            ("how", "It opens.\n\nAt noon.")
        );
    }

    #[test]
    fn what_is_missing_is_named() {
        let text = template(&Draft::default()) + "It opens.\n";
        assert_eq!(filled(&text), Err(TemplateProblem::Missing("name")));
        let named = text.replacen("name: ", "name: valve", 1);
        assert_eq!(filled(&named), Err(TemplateProblem::Missing("description")));
        let other = named.replacen("type: project", "type: thing", 1);
        assert_eq!(filled(&other), Err(TemplateProblem::Kind));
        assert_eq!(filled("It opens."), Err(TemplateProblem::Frontmatter));
    }
}
