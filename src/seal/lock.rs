//! Seals a text for an audience: an age file to the keys the roster gives its readers.
//! Border: encryption is age's; no key of ours is needed.

use std::collections::HashSet;
use std::io::Write as _;
use std::iter;

use age::armor::{ArmoredWriter, Format};
use age::{EncryptError, Recipient};
use age_core::format::{FileKey, Stanza};

use super::SealProblem;
use super::audience::Audience;
use super::envelope::seal_head;
use super::header::READERS_STANZA;
use crate::memory::document::Document;
use crate::trust::roster::{Member, Roster};

/// Seals a text; gives the armored age file.
pub fn seal(plain: &str, audience: &Audience, roster: &Roster) -> Result<String, SealProblem> {
    let mut recipients: Vec<Box<dyn Recipient>> = vec![Box::new(Readers(audience.names()))];
    for id in &audience.readers {
        let member = roster.member(id).ok_or_else(|| SealProblem::NoMember(id.clone()))?;
        recipients.extend(recipients_of(member)?);
    }
    if audience.readers.is_empty() {
        return Err(SealProblem::Nobody);
    }
    encrypt(plain.as_bytes(), &recipients).ok_or(SealProblem::Age)
}

/// A plain memory, sealed: its frontmatter names the readers, its body is an age file.
pub fn seal_document(
    plain: &Document,
    audience: &Audience,
    roster: &Roster,
) -> Result<String, SealProblem> {
    let mut head = plain.frontmatter().ok_or(SealProblem::Frontmatter)?.clone();
    seal_head(&mut head, audience)?;
    Ok(head.render() + &seal(plain.body(), audience, roster)?)
}

/// What a member opens with: the age identity where there is one, else every key that is not revoked.
fn recipients_of(member: &Member) -> Result<Vec<Box<dyn Recipient>>, SealProblem> {
    if let Some(age) = &member.age {
        return Ok(vec![Box::new(age.to_age())]);
    }
    let no_key = || SealProblem::NoKey(member.id.clone());
    let mut recipients: Vec<Box<dyn Recipient>> = Vec::new();
    for entry in member.keys.iter().filter(|entry| entry.revoked.is_none()) {
        let recipient: age::ssh::Recipient = entry.key.to_string().parse().map_err(|_| no_key())?;
        recipients.push(Box::new(recipient));
    }
    if recipients.is_empty() { Err(no_key()) } else { Ok(recipients) }
}

fn encrypt(plain: &[u8], recipients: &[Box<dyn Recipient>]) -> Option<String> {
    let recipients = recipients.iter().map(|recipient| recipient.as_ref() as &dyn Recipient);
    let encryptor = age::Encryptor::with_recipients(recipients).ok()?;
    let armor = ArmoredWriter::wrap_output(Vec::new(), Format::AsciiArmor).ok()?;
    let mut writer = encryptor.wrap_output(armor).ok()?;
    writer.write_all(plain).ok()?;
    let sealed = writer.finish().and_then(ArmoredWriter::finish).ok()?;
    let mut text = String::from_utf8(sealed).ok()?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Some(text)
}

/// Writes the readers' names into the header, where the MAC of the age file covers them. It opens
/// nothing: programs that do not know it skip it.
struct Readers(Vec<String>);

impl Recipient for Readers {
    fn wrap_file_key(&self, _: &FileKey) -> Result<(Vec<Stanza>, HashSet<String>), EncryptError> {
        let stanza =
            Stanza { tag: READERS_STANZA.to_owned(), args: self.0.clone(), body: Vec::new() };
        Ok((iter::once(stanza).collect(), HashSet::new()))
    }
}
