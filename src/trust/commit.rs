//! A commit object as text, accepted in canonical form only: every byte is accounted for.
//! Border: form, not trust. Who signed and whether they may is `signature` and `authorize`.
//! git reads commits leniently and calls altered twins of a signed commit "Good"; this does not.

use crate::base::id::ObjectId;
use crate::base::time::Timestamp;

/// Largest commit object that is read; a team memory commit takes about 1 KiB.
pub const COMMIT_BYTES_MAX: usize = 1_000_000;
/// Most parents of one commit; git's own octopus merges stay below.
pub const PARENTS_MAX: usize = 32;

/// A commit read in canonical form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit<'a> {
    /// The tree it records.
    pub tree: ObjectId,
    /// Its parents in order.
    pub parents: Vec<ObjectId>,
    /// Who wrote the change.
    pub author: Identity<'a>,
    /// Who made the commit.
    pub committer: Identity<'a>,
    /// The message, after the blank line.
    pub message: &'a str,
    /// The signature header, where there is one.
    pub signature: Option<SignatureHeader<'a>>,
}

/// A name, an address and a moment, as a commit records them. Foreign text: escape before showing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity<'a> {
    /// The name.
    pub name: &'a str,
    /// The e-mail address.
    pub email: &'a str,
    /// When, with the recorded offset.
    pub time: Timestamp,
}

/// The place and raw value of the signature header inside the commit bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureHeader<'a> {
    /// The header value as it stands: continuation lines still begin with a space.
    pub folded: &'a str,
    /// Byte range of the whole header, to cut it out of the signed payload.
    pub range: std::ops::Range<usize>,
}

/// Why bytes are not a commit in canonical form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CommitProblem {
    /// Over [`COMMIT_BYTES_MAX`].
    #[error("the commit object has {0} bytes, over {COMMIT_BYTES_MAX}")]
    TooLarge(usize),
    /// Not UTF-8, or with a NUL that hides the rest from git.
    #[error("the commit object is not plain UTF-8 text")]
    NotText,
    /// An `encoding` header: the same bytes would mean different texts.
    #[error("the commit declares another encoding than UTF-8")]
    Encoding,
    /// A header line that is missing, damaged or out of order.
    #[error("the commit's `{0}` header is missing, damaged or out of place")]
    Header(&'static str),
    /// A header that no rule covers.
    #[error("the commit has an extra header `{0}`")]
    ExtraHeader(String),
    /// More than one signature header.
    #[error("the commit has more than one signature")]
    SignatureTwice,
    /// A signature header for the other hash algorithm.
    #[error("the commit has a `{0}` header, which does not belong to its hash algorithm")]
    ForeignSignature(&'static str),
    /// The signature header stands before author or committer.
    #[error("the commit's signature does not stand directly after the committer")]
    SignaturePlace,
    /// Over [`PARENTS_MAX`] parents.
    #[error("the commit has more than {PARENTS_MAX} parents")]
    Parents,
}

impl CommitProblem {
    /// The stable name of the rule that refused.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::TooLarge(_) => "commit-size",
            Self::NotText => "commit-text",
            Self::Encoding => "commit-encoding",
            Self::Header(_) => "commit-header",
            Self::ExtraHeader(_) => "commit-extra-header",
            Self::SignatureTwice => "signature-twice",
            Self::ForeignSignature(_) => "signature-other-hash",
            Self::SignaturePlace => "signature-place",
            Self::Parents => "commit-parents",
        }
    }
}

impl<'a> Commit<'a> {
    /// Reads the bytes of a commit object (without git's `commit <size>` prefix).
    pub fn parse(raw: &'a [u8]) -> Result<Self, CommitProblem> {
        if raw.len() > COMMIT_BYTES_MAX {
            return Err(CommitProblem::TooLarge(raw.len()));
        }
        let text = std::str::from_utf8(raw).map_err(|_| CommitProblem::NotText)?;
        if text.contains('\0') {
            return Err(CommitProblem::NotText);
        }
        let mut rest = text;
        let tree = take_id(&mut rest, "tree")?.ok_or(CommitProblem::Header("tree"))?;
        let mut parents = Vec::new();
        while let Some(parent) = take_id(&mut rest, "parent")? {
            if parent.as_bytes().len() != tree.as_bytes().len() {
                return Err(CommitProblem::Header("parent"));
            }
            parents.push(parent);
            if parents.len() > PARENTS_MAX {
                return Err(CommitProblem::Parents);
            }
        }
        let author = take_identity(&mut rest, "author")?;
        let committer = take_identity(&mut rest, "committer")?;
        let signature = take_signature(text, &mut rest, signature_header(tree))?;
        let message = rest.strip_prefix('\n').ok_or_else(|| unexpected(rest))?;
        Ok(Self { tree, parents, author, committer, message, signature })
    }
}

/// The name git gives the signature header, which depends on the repository's hash algorithm.
pub fn signature_header(tree: ObjectId) -> &'static str {
    if tree.as_bytes().len() == 32 { "gpgsig-sha256" } else { "gpgsig" }
}

/// Takes the next line without its ending when it starts with `name` and a space.
fn take_header<'a>(rest: &mut &'a str, name: &str) -> Option<&'a str> {
    let (line, tail) = rest.split_once('\n')?;
    let value = line.strip_prefix(name)?.strip_prefix(' ')?;
    *rest = tail;
    Some(value)
}

fn take_id(rest: &mut &str, name: &'static str) -> Result<Option<ObjectId>, CommitProblem> {
    let Some(value) = take_header(rest, name) else { return Ok(None) };
    let lower = value.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    let id = value.parse().ok().filter(|_| lower);
    id.map(Some).ok_or(CommitProblem::Header(name))
}

fn take_identity<'a>(
    rest: &mut &'a str,
    header: &'static str,
) -> Result<Identity<'a>, CommitProblem> {
    let damaged = || CommitProblem::Header(header);
    let Some(value) = take_header(rest, header) else { return Err(out_of_place(rest, header)) };
    let (who, when) = value.rsplit_once("> ").ok_or_else(damaged)?;
    let (name, email) = who.split_once('<').ok_or_else(damaged)?;
    let name = if name.is_empty() { name } else { name.strip_suffix(' ').ok_or_else(damaged)? };
    let (seconds, zone) = when.split_once(' ').ok_or_else(damaged)?;
    let stray = |text: &str| text.contains(['<', '>']) || text.contains(|c: char| c.is_control());
    if stray(name) || stray(email) {
        return Err(damaged());
    }
    let time = parse_time(seconds, zone).ok_or_else(damaged)?;
    Ok(Identity { name, email, time })
}

/// Reads `1700000000` and `+0200` in the one way git writes them.
fn parse_time(seconds: &str, zone: &str) -> Option<Timestamp> {
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let plain = digits(seconds) && (seconds == "0" || !seconds.starts_with('0'));
    if !plain || seconds.len() > 12 || zone.len() != 5 || !zone.is_ascii() || !digits(&zone[1..]) {
        return None;
    }
    let (hours, minutes) = (zone[1..3].parse::<i32>().ok()?, zone[3..].parse::<i32>().ok()?);
    let offset = hours * 3_600 + minutes * 60;
    let offset = match zone.as_bytes()[0] {
        b'+' => offset,
        b'-' => -offset,
        _ => return None,
    };
    Some(Timestamp { seconds: seconds.parse().ok()?, offset })
}

/// Takes the signature header; its value goes on over lines that begin with a space.
fn take_signature<'a>(
    text: &'a str,
    rest: &mut &'a str,
    name: &'static str,
) -> Result<Option<SignatureHeader<'a>>, CommitProblem> {
    let start = text.len() - rest.len();
    let Some(first) = take_header(rest, name) else { return Ok(None) };
    let value_start = text.len() - rest.len() - first.len() - 1;
    while rest.starts_with(' ') {
        let (_, tail) = rest.split_once('\n').ok_or(CommitProblem::Header("gpgsig"))?;
        *rest = tail;
    }
    let end = text.len() - rest.len();
    if take_header(&mut &**rest, name).is_some() {
        return Err(CommitProblem::SignatureTwice);
    }
    Ok(Some(SignatureHeader { folded: &text[value_start..end], range: start..end }))
}

/// Names what stands where `header` should.
fn out_of_place(rest: &str, header: &'static str) -> CommitProblem {
    if rest.starts_with("gpgsig") {
        CommitProblem::SignaturePlace
    } else {
        CommitProblem::Header(header)
    }
}

/// Names what stands where the blank line before the message should.
fn unexpected(rest: &str) -> CommitProblem {
    let line = rest.split('\n').next().unwrap_or_default();
    let name = line.split(' ').next().unwrap_or_default();
    match name {
        "encoding" => CommitProblem::Encoding,
        "gpgsig" => CommitProblem::ForeignSignature("gpgsig"),
        "gpgsig-sha256" => CommitProblem::ForeignSignature("gpgsig-sha256"),
        "tree" => CommitProblem::Header("tree"),
        "parent" => CommitProblem::Header("parent"),
        "author" => CommitProblem::Header("author"),
        "committer" => CommitProblem::Header("committer"),
        _ => {
            let shown: String = name.chars().take(40).collect();
            CommitProblem::ExtraHeader(crate::base::display::Escaped(&shown).to_string())
        }
    }
}
