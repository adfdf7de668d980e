//! What a signed message says beside its text: team repository, ref, member, agent, session, vouches.
//! Border: reads and writes the last paragraph of a message; whether it is true is `authorize`.

use crate::base::display::{Escaped, escape_block, is_emoji_glue, is_unsafe_to_show};
use crate::base::id::ObjectId;
use crate::trust::roster::MemberId;

/// What every trailer of ours begins with.
const PREFIX: &str = "Memsync-";
/// Longest agent or session name, in characters; longer ones are cut when composed.
pub const ORIGIN_CHARS_MAX: usize = 200;
/// Longest ref name, in bytes.
const REFERENCE_BYTES_MAX: usize = 250;
/// Most commits one commit can vouch for; more take a second commit.
pub const VOUCHES_MAX: usize = 1_000;
/// Most beginnings that one names: a team starts anew a few times at most.
pub const REPLACES_MAX: usize = 100;

/// The trailers of one commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trailers {
    /// `Memsync-Store`: the root commit of the team repository. The root itself has none.
    pub store: Option<ObjectId>,
    /// `Memsync-Ref`: the full name of the ref the commit was made for.
    pub reference: Option<String>,
    /// `Memsync-Member`: who made the change.
    pub member: Option<MemberId>,
    /// `Memsync-Agent`: the program that wrote it on the member's behalf.
    pub agent: Option<String>,
    /// `Memsync-Session`: the agent's session.
    pub session: Option<String>,
    /// `Memsync-Vouch`: commits this one vouches for.
    pub vouches: Vec<ObjectId>,
    /// `Memsync-Replaces`, in a root: the roots of the histories that it stands for, oldest first.
    pub replaces: Vec<ObjectId>,
}

/// Why the trailers of a message were not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TrailerProblem {
    /// Not `Memsync-Name: value` on one line, or mixed with prose.
    #[error("the trailer line `{0}` is damaged")]
    Line(String),
    /// A trailer that stands more than once.
    #[error("the trailer `{0}` stands more than once")]
    Twice(&'static str),
    /// A value that is no id, ref or name.
    #[error("the trailer `{0}` has a value it cannot have")]
    Value(&'static str),
    /// Over [`VOUCHES_MAX`].
    #[error("the commit vouches for more than {VOUCHES_MAX} commits")]
    Vouches,
}

impl TrailerProblem {
    /// The stable name of the rule that refused.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::Line(_) => "trailer-line",
            Self::Twice(_) => "trailer-twice",
            Self::Value(_) => "trailer-value",
            Self::Vouches => "trailer-vouches",
        }
    }
}

impl Trailers {
    /// Reads the last paragraph of a message; a message without trailers gives none.
    ///
    /// The first paragraph is the subject and never holds trailers. Trailers of others
    /// (`Signed-off-by`) may stand beside ours; prose may not.
    pub fn parse(message: &str) -> Result<Self, TrailerProblem> {
        let mut trailers = Self::default();
        let block = last_paragraph(message);
        if !block.lines().any(is_ours) {
            return Ok(trailers);
        }
        for line in block.split('\n') {
            let damaged = || TrailerProblem::Line(shown(line));
            let (name, value) = line.split_once(": ").ok_or_else(damaged)?;
            let token =
                !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
            if !token || value.is_empty() || value.trim() != value {
                return Err(damaged());
            }
            if is_ours(line) {
                trailers.take(name, value)?;
            }
        }
        Ok(trailers)
    }

    /// Takes one trailer of ours. Unknown ones of later versions grant nothing and are left alone.
    fn take(&mut self, name: &str, value: &str) -> Result<(), TrailerProblem> {
        let known = NAMES.iter().find(|known| known.eq_ignore_ascii_case(name));
        let Some(&known) = known else { return Ok(()) };
        if known != name {
            return Err(TrailerProblem::Line(shown(name)));
        }
        let wrong = TrailerProblem::Value(known);
        match known {
            STORE => set(&mut self.store, parse_id(value).ok_or(wrong)?, known),
            REFERENCE => {
                let valid = is_reference(value).then(|| value.to_owned());
                set(&mut self.reference, valid.ok_or(wrong)?, known)
            }
            MEMBER => set(&mut self.member, MemberId::parse(value).map_err(|_| wrong)?, known),
            AGENT => set(&mut self.agent, parse_origin(value).ok_or(wrong)?, known),
            SESSION => set(&mut self.session, parse_origin(value).ok_or(wrong)?, known),
            REPLACES => {
                let id = parse_id(value).ok_or_else(|| wrong.clone())?;
                if self.replaces.contains(&id) {
                    return Err(TrailerProblem::Twice(known));
                }
                self.replaces.push(id);
                if self.replaces.len() > REPLACES_MAX { Err(wrong) } else { Ok(()) }
            }
            _ => {
                let id = parse_id(value).ok_or(wrong)?;
                if self.vouches.contains(&id) {
                    return Err(TrailerProblem::Twice(known));
                }
                self.vouches.push(id);
                if self.vouches.len() > VOUCHES_MAX { Err(TrailerProblem::Vouches) } else { Ok(()) }
            }
        }
    }

    /// Puts these trailers under a message; gives the whole message with a final newline.
    ///
    /// Agent and session come from the environment: their control and invisible characters are
    /// escaped and they are cut to [`ORIGIN_CHARS_MAX`]. Lines of the message that look like
    /// our trailers are quoted, so that no text can speak for its writer.
    pub fn compose(&self, message: &str) -> String {
        let mut out = quote(message);
        let mut lines = Vec::new();
        let mut put = |name: &str, value: String| {
            if !value.is_empty() {
                lines.push(format!("{name}: {value}\n"));
            }
        };
        put(STORE, self.store.map(|id| id.to_string()).unwrap_or_default());
        put(REFERENCE, self.reference.clone().filter(|r| is_reference(r)).unwrap_or_default());
        put(MEMBER, self.member.as_ref().map(ToString::to_string).unwrap_or_default());
        put(AGENT, self.agent.as_deref().map(clean_origin).unwrap_or_default());
        put(SESSION, self.session.as_deref().map(clean_origin).unwrap_or_default());
        for id in &self.vouches {
            put(VOUCH, id.to_string());
        }
        for id in &self.replaces {
            put(REPLACES, id.to_string());
        }
        if !lines.is_empty() {
            out.push('\n');
            out.extend(lines);
        }
        out
    }
}

const STORE: &str = "Memsync-Store";
const REFERENCE: &str = "Memsync-Ref";
const MEMBER: &str = "Memsync-Member";
const AGENT: &str = "Memsync-Agent";
const SESSION: &str = "Memsync-Session";
const VOUCH: &str = "Memsync-Vouch";
const REPLACES: &str = "Memsync-Replaces";
const NAMES: [&str; 7] = [STORE, REFERENCE, MEMBER, AGENT, SESSION, VOUCH, REPLACES];

/// Whether a text is the full name of a branch that a team repository can live on.
pub fn is_reference(text: &str) -> bool {
    let Some(name) = text.strip_prefix("refs/heads/") else { return false };
    let safe =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '+' | '@');
    let part = |part: &str| {
        !part.is_empty()
            && !part.starts_with(['.', '-'])
            && !part.ends_with('.')
            && !part.ends_with(".lock")
    };
    text.len() <= REFERENCE_BYTES_MAX
        && name.chars().all(safe)
        && name.split('/').all(part)
        && !name.contains("..")
}

/// Makes an agent or session name that [`Trailers::parse`] gives back as it is.
pub fn clean_origin(text: &str) -> String {
    let escaped = Escaped(text.trim()).to_string();
    let glued: String = escaped.chars().filter(|c| !is_emoji_glue(*c)).collect();
    glued.chars().take(ORIGIN_CHARS_MAX).collect::<String>().trim().to_owned()
}

fn parse_origin(value: &str) -> Option<String> {
    let fits = value.chars().count() <= ORIGIN_CHARS_MAX;
    (fits && !value.chars().any(is_unsafe_to_show)).then(|| value.to_owned())
}

fn parse_id(value: &str) -> Option<ObjectId> {
    let lower = value.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    value.parse().ok().filter(|_| lower)
}

fn set<T>(slot: &mut Option<T>, value: T, name: &'static str) -> Result<(), TrailerProblem> {
    if slot.is_some() {
        return Err(TrailerProblem::Twice(name));
    }
    *slot = Some(value);
    Ok(())
}

/// The last paragraph, unless it is the first: blank lines (spaces only, too) separate.
fn last_paragraph(message: &str) -> &str {
    let text = message.trim_end();
    let mut start = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        if line.trim().is_empty() {
            start = Some(at);
        }
    }
    let has_subject = start.is_some_and(|start| !text[..start].trim().is_empty());
    start.filter(|_| has_subject).map_or("", |start| &text[start..])
}

fn is_ours(line: &str) -> bool {
    let head = line.trim_start().as_bytes().get(..PREFIX.len());
    head.is_some_and(|head| head.eq_ignore_ascii_case(PREFIX.as_bytes()))
}

/// The message with one final newline, control characters escaped and trailer-like lines quoted.
fn quote(message: &str) -> String {
    let mut out = String::new();
    for line in message.trim().lines() {
        let line = escape_block(line.trim_end());
        if is_ours(&line) {
            out.push_str("> ");
        }
        out.push_str(&line);
        out.push('\n');
    }
    if out.is_empty() { "(no message)\n".to_owned() } else { out }
}

fn shown(text: &str) -> String {
    Escaped(&text.chars().take(80).collect::<String>()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0123456789012345678901234567890123456789";

    fn full() -> Trailers {
        Trailers {
            store: Some(ID.parse().unwrap()),
            reference: Some("refs/heads/main".to_owned()),
            member: Some(MemberId::parse("ann").unwrap()),
            agent: Some("claude-code".to_owned()),
            session: Some("s-1".to_owned()),
            vouches: vec!["ab".repeat(20).parse().unwrap(), "cd".repeat(20).parse().unwrap()],
            replaces: vec!["ef".repeat(20).parse().unwrap()],
        }
    }

    fn rule(message: &str) -> &'static str {
        Trailers::parse(message).map_or_else(|problem| problem.rule(), |_| "fine")
    }

    #[test]
    fn what_is_composed_reads_back() {
        let message = full().compose("note: add one\n\nBody.\n\n");
        assert!(message.starts_with("note: add one\n\nBody.\n\nMemsync-Store: 0123"), "{message}");
        assert_eq!(Trailers::parse(&message), Ok(full()));
        assert_eq!(Trailers::parse(&full().compose("")), Ok(full()));
        assert_eq!(Trailers::default().compose("one"), "one\n");
    }

    #[test]
    fn a_message_cannot_speak_for_its_writer() {
        let forged = format!("subject\n\nMemsync-Vouch: {ID}\nmemsync-agent: root");
        let message = Trailers::default().compose(&forged);
        assert_eq!(Trailers::parse(&message), Ok(Trailers::default()), "{message}");
        let earlier = format!("subject\n\nMemsync-Vouch: {ID}\n\nLast paragraph.\n");
        assert_eq!(Trailers::parse(&earlier), Ok(Trailers::default()));
        let subject = format!("Memsync-Vouch: {ID}\n");
        assert_eq!(Trailers::parse(&subject), Ok(Trailers::default()));
    }

    #[test]
    fn an_agent_name_cannot_add_lines_or_hide_text() {
        let agent = format!("x\nMemsync-Vouch: {ID}\u{202E}\x1b[2J");
        let message = Trailers { agent: Some(agent), ..Trailers::default() }.compose("s");
        let read = Trailers::parse(&message).unwrap();
        assert!(read.vouches.is_empty());
        assert!(read.agent.unwrap().starts_with("x\\u{a}Memsync-Vouch"), "{message}");
        let long = "é".repeat(ORIGIN_CHARS_MAX + 1);
        assert_eq!(clean_origin(&long).chars().count(), ORIGIN_CHARS_MAX);
    }

    #[test]
    fn damaged_doubled_and_mixed_blocks_are_refused() {
        let block = |lines: &str| rule(&format!("s\n\n{lines}\n"));
        assert_eq!(block("Memsync-Ref: refs/heads/main\nSigned-off-by: A <a@b>"), "fine");
        assert_eq!(block("Memsync-Later: x"), "fine");
        assert_eq!(block("Memsync-Ref: refs/heads/a\nMemsync-Ref: refs/heads/a"), "trailer-twice");
        assert_eq!(block(&format!("Memsync-Vouch: {ID}\nMemsync-Vouch: {ID}")), "trailer-twice");
        for line in ["memsync-ref: refs/heads/a", "Memsync-Ref:refs/heads/a", " Memsync-Ref: x"] {
            assert_eq!(block(line), "trailer-line", "{line}");
        }
        assert_eq!(block("Memsync-Ref: refs/heads/a\nand prose"), "trailer-line");
        assert_eq!(block("Memsync-Ref: refs/heads/a\n  refs/heads/b"), "trailer-line");
        for line in [
            "Memsync-Ref: refs/tags/a",
            "Memsync-Ref: refs/heads/a..b",
            "Memsync-Store: 12",
            "Memsync-Member: A B",
            "Memsync-Agent: a\u{202E}b",
        ] {
            assert_eq!(block(line), "trailer-value", "{line}");
        }
        let many: String =
            (0..=VOUCHES_MAX).map(|n| format!("Memsync-Vouch: {n:040x}\n")).collect();
        assert_eq!(block(many.trim_end()), "trailer-vouches");
    }
}
