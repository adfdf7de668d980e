//! Commits as values: reading every field, composing the exact bytes of a new one.
//! Border: no signature is made or judged here; `trust` does both on these bytes.

use crate::base::id::ObjectId;
use crate::base::time::Timestamp;

/// A person in a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The name as written.
    pub name: String,
    /// The e-mail address as written.
    pub email: String,
}

/// A commit, every field read and the raw bytes kept.
#[derive(Clone, Debug)]
pub struct Commit {
    /// Its id.
    pub id: ObjectId,
    /// The root tree.
    pub tree: ObjectId,
    /// The parents in order.
    pub parents: Vec<ObjectId>,
    /// Who wrote the change.
    pub author: Person,
    /// When the change was written.
    pub author_time: Timestamp,
    /// Who made this commit of it.
    pub committer: Person,
    /// When this commit was made.
    pub committer_time: Timestamp,
    /// The message; bytes that are not UTF-8 are replaced.
    pub message: String,
    /// The object as stored, without its header.
    pub raw: Vec<u8>,
}

impl Commit {
    /// The first line of the message.
    pub fn subject(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }
}

/// A commit to be written.
#[derive(Clone, Debug)]
pub struct CommitDraft {
    /// The root tree.
    pub tree: ObjectId,
    /// The parents in order.
    pub parents: Vec<ObjectId>,
    /// Who wrote the change.
    pub author: Person,
    /// When the change was written.
    pub author_time: Timestamp,
    /// Who makes the commit.
    pub committer: Person,
    /// When the commit is made.
    pub committer_time: Timestamp,
    /// The message, trailers included.
    pub message: String,
}

impl CommitDraft {
    /// The bytes git stores for this commit, unsigned.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = format!("tree {}\n", self.tree);
        for parent in &self.parents {
            out += &format!("parent {parent}\n");
        }
        out += &format!("author {}\n", person_line(&self.author, self.author_time));
        out += &format!("committer {}\n\n", person_line(&self.committer, self.committer_time));
        out += self.message.trim_end();
        out.push('\n');
        out.into_bytes()
    }
}

/// `Name <email> seconds +hhmm`, with the characters git cannot hold taken out.
fn person_line(person: &Person, time: Timestamp) -> String {
    let clean = |text: &str| -> String {
        let kept = text.chars().filter(|c| !c.is_control() && !matches!(c, '<' | '>'));
        kept.collect::<String>().trim().to_owned()
    };
    let minutes = time.offset / 60;
    let sign = if minutes < 0 { '-' } else { '+' };
    let (hours, minutes) = (minutes.abs() / 60, minutes.abs() % 60);
    let (name, email) = (clean(&person.name), clean(&person.email));
    format!("{name} <{email}> {} {sign}{hours:02}{minutes:02}", time.seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_forge_header_lines() {
        let person = Person { name: "Eve\nparent 00 <x>".to_owned(), email: "e>@x".to_owned() };
        let line = person_line(&person, Timestamp { seconds: 5, offset: -5400 });
        assert_eq!(line, "Eveparent 00 x <e@x> 5 -0130");
    }
}
