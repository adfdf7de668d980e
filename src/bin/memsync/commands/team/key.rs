//! `memsync key`: shows, makes or imports the key that signs your changes.
//! Border: arguments and words; the flow is `memsync::sync::keys::signing_key`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use memsync::base::display::Escaped;
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::team::key::{AGE_FORMAT, AgeDocument, KeyDocument};
use memsync::sync::keys::signing_key::{
    KeyError, KeyOutcome, generate_key, import_key, key_path, show_key,
};
use memsync::sync::membership::members::list;
use memsync::sync::membership::rotate::set_aside;
use memsync::system::clock::Clock;
use memsync::trust::roster::Day;

use memsync::sync::keys::identities::{age_path, age_recipient, generate_age};

use super::key_rotate::RotateArgs;
use crate::Outcome;
use crate::failure::Failure;
use crate::global::{Format, GlobalArgs};
use crate::prompt::new_passphrase;
use crate::session::Session;
use crate::ui::Ui;

/// Options of `memsync key`.
#[derive(Debug, Args)]
pub(crate) struct KeyArgs {
    #[command(subcommand)]
    action: KeyAction,
}

/// What to do with the key.
#[derive(Debug, Subcommand)]
enum KeyAction {
    /// Show the public key and its fingerprint
    Show,
    /// Make a new ed25519 key, with its public half beside it; never replaces one
    Generate(GenerateArgs),
    /// Copy an existing OpenSSH ed25519 key; one that is there and in no roster is kept aside
    Import(ImportArgs),
    /// Replace the key by a new one, in the team's roster too; the old file is kept aside
    Rotate(RotateArgs),
    /// Show the age identity that opens sealed memories where your key cannot
    Age(AgeArgs),
}

/// Options of `memsync key age`.
#[derive(Debug, Args)]
struct AgeArgs {
    /// Make one; never replaces one
    #[arg(long)]
    make: bool,
}

/// Options of `memsync key generate`.
#[derive(Debug, Args)]
struct GenerateArgs {
    /// Protect the key with a passphrase, asked on the terminal
    #[arg(long)]
    passphrase: bool,
    /// A note in the key file, for example an e-mail address
    #[arg(long, value_name = "TEXT", default_value = "memsync")]
    comment: String,
}

/// Options of `memsync key import`.
#[derive(Debug, Args)]
struct ImportArgs {
    /// The private key file
    file: PathBuf,
}

/// Runs the chosen action.
pub(crate) fn run(args: KeyArgs, global: &GlobalArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let path = session.folder.join(key_path(&session.environment, global.key.as_deref())?);
    let key = match args.action {
        KeyAction::Rotate(args) => return super::key_rotate::run(args, &path, session, ui),
        KeyAction::Age(args) => return age(&args, session, ui),
        KeyAction::Show => show_key(&path)?,
        KeyAction::Import(args) => import(&session.folder.join(args.file), &path, session, ui)?,
        KeyAction::Generate(args) => {
            let passphrase = if args.passphrase { Some(ask()?) } else { None };
            generate_key(&path, &args.comment, passphrase.as_ref())?
        }
    };
    say(&key, ui);
    Ok(Exit::Done)
}

/// Copies a key. `join` has made one already, which no roster knows yet: that one goes aside.
fn import(from: &Path, path: &Path, session: &Session, ui: &mut Ui) -> Result<KeyOutcome, Failure> {
    let there = match show_key(path) {
        Ok(there) => there,
        Err(_) => return Ok(import_key(from, path)?),
    };
    let new = show_key(from)?;
    if new.public == there.public {
        ui.note("this key is there already");
        return Ok(there);
    }
    let located = session.locate()?;
    let members = list(&located.place(), Some(there.public));
    if !members.is_ok_and(|members| members.iter().all(|member| !member.is_you)) {
        return Err(KeyError::Exists(path.to_owned()).into());
    }
    let now = Clock::from_environment(&session.environment)?.now();
    let day = Day::of(now).expect("because the clock shows a year people live in");
    let aside = set_aside(path, &day)?;
    ui.note(format!(
        "the key that was there is in no roster; it is kept in {}",
        Escaped(&aside.to_string_lossy())
    ));
    Ok(import_key(from, path)?)
}

fn age(args: &AgeArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let path = session.folder.join(age_path(&session.environment)?);
    let recipient = if args.make { Some(generate_age(&path)?) } else { age_recipient(&path)? };
    let recipient = recipient.ok_or_else(|| {
        let next = "Make one with `memsync key age --make`. You need it only where your key is in ssh-agent or on a security key.";
        Failure::usage("you have no age identity", next)
    })?;
    let document = AgeDocument { recipient: recipient.as_str(), path: path.to_string_lossy() };
    match ui.format() {
        Format::Human => {
            ui.line(format!("recipient    {recipient}"));
            ui.line(format!("kept in      {}", Escaped(&document.path)));
        }
        _ => ui.json(&Document::new(AGE_FORMAT, document)),
    }
    if args.make {
        ui.next("Tell the team with `memsync member age`; a line of `memsync member request` holds it already.");
    }
    Ok(Exit::Done)
}

/// A new passphrase from the terminal.
pub(super) fn ask() -> Result<memsync::trust::key::Passphrase, Failure> {
    new_passphrase().ok_or_else(|| {
        Failure::usage(
            "no passphrase was given",
            "Run the command on a terminal and enter the same passphrase twice.",
        )
    })
}

/// Shows a key.
pub(super) fn say(key: &KeyOutcome, ui: &mut Ui) {
    let document = KeyDocument::of(key);
    match ui.format() {
        Format::Human => {
            ui.line(format!("key          {}", document.public_key));
            ui.line(format!("fingerprint  {}", document.fingerprint));
            ui.line(format!("kept in      {} ({})", Escaped(&document.path), document.storage));
        }
        Format::Json => ui.json(&document),
        Format::Jsonl => ui.json_line(&document),
    }
}
