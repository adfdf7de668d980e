//! A memory as text: frontmatter by field, body, and every fault with its place.
//! Border: never rewrites what it cannot read; what a fault means for a change is the gate's decision.

mod by_lines;
mod edit;
mod faults;
mod frontmatter;
mod malformed;
mod scalar;
mod split;
mod yaml;

pub use self::frontmatter::{Field, FieldValue, Frontmatter};

use crate::base::time::Timestamp;
use crate::memory::kind::Kind;
use crate::memory::problem::Problem;

/// A memory file, read. Rendering it gives the text back byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    frontmatter: Option<Frontmatter>,
    body: String,
    problems: Vec<Problem>,
}

impl Document {
    /// Reads a text; never fails. Frontmatter that is not valid stays in the body, untouched.
    pub fn parse(text: &str) -> Self {
        let split = split::split(text);
        let (frontmatter, problems) = match split.block {
            Some(block) => match frontmatter::parse(text, &block) {
                Ok(frontmatter) => (Some(frontmatter), Vec::new()),
                Err(problems) => (None, problems),
            },
            None => (None, split.problem.into_iter().collect()),
        };
        let body = match &frontmatter {
            Some(_) => text[split.body..].to_owned(),
            None => text.to_owned(),
        };
        let mut document = Self { frontmatter, body, problems };
        faults::find(&mut document, text);
        document
    }

    /// The text, byte for byte.
    pub fn render(&self) -> String {
        match &self.frontmatter {
            Some(frontmatter) => frontmatter.render() + &self.body,
            None => self.body.clone(),
        }
    }

    /// A new memory in the flat shape, with values quoted where YAML needs it.
    pub fn compose(name: &str, kind: Kind, description: &str, body: &str) -> String {
        let [name, description] = [name, description].map(scalar::written);
        let newline = if body.is_empty() || body.ends_with('\n') { "" } else { "\n" };
        format!("---\nname: {name}\ndescription: {description}\ntype: {kind}\n---\n{body}{newline}")
    }

    /// Puts a frontmatter before a body and reads the result again.
    pub fn from_parts(frontmatter: &Frontmatter, body: &str) -> Self {
        Self::parse(&(frontmatter.render() + body))
    }

    /// The frontmatter, also one that YAML cannot read, by its lines, and the text below it.
    ///
    /// `None` where the text begins with a frontmatter that not even its lines say apart, or that
    /// nothing ends: what cannot be told apart must not be taken apart.
    pub fn parts(&self) -> Option<(Option<Frontmatter>, &str)> {
        match &self.frontmatter {
            Some(frontmatter) => Some((Some(frontmatter.clone()), &self.body)),
            None => by_lines::read(&self.body),
        }
    }

    /// Everything a person should know about it, in the order of the text.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The frontmatter; `None` where there is none or it is not valid.
    pub fn frontmatter(&self) -> Option<&Frontmatter> {
        self.frontmatter.as_ref()
    }

    /// The text after the frontmatter; all of it where there is no valid frontmatter.
    pub fn body(&self) -> &str {
        &self.body
    }

    /// The `name`; `None` where it is missing or empty.
    pub fn name(&self) -> Option<&str> {
        self.scalar("name")
    }

    /// The `description`; `None` where it is missing or empty.
    pub fn description(&self) -> Option<&str> {
        self.scalar("description")
    }

    /// The kind, or the `type` as written where it is none of the four; `None` where it is missing.
    pub fn kind(&self) -> Option<Result<Kind, &str>> {
        let written = self.scalar("type")?;
        Some(Kind::parse(written).ok_or(written))
    }

    /// The date of the last edit as its agent recorded it.
    pub fn modified(&self) -> Option<Timestamp> {
        Timestamp::parse(self.scalar("modified")?)
    }

    /// The session that wrote it first.
    pub fn origin_session_id(&self) -> Option<&str> {
        self.scalar("originSessionId")
    }

    /// A value from either shape: at the top level, else below `metadata:`.
    fn scalar(&self, key: &str) -> Option<&str> {
        let frontmatter = self.frontmatter.as_ref()?;
        let top = frontmatter.scalar(&[key]).filter(|value| !value.is_empty());
        top.or_else(|| frontmatter.scalar(&["metadata", key]).filter(|value| !value.is_empty()))
    }
}
