//! The keys of this person that open sealed memories, each opened only when a text is sealed to it.
//! Border: knows files and who is asked; decryption is `seal`'s. A passphrase is asked only for the
//! key that a text needs, and once: an opened key is kept until the command ends.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use age::secrecy::ExposeSecret as _;
use zeroize::Zeroizing;

use super::signing_key::{KeyError, settings_file};
use crate::base::display::Escaped;
use crate::seal::envelope::Envelope;
use crate::seal::unlock::{Keys, Plain, ReadingKey, UnlockError, open_with};
use crate::system::env::Environment;
use crate::system::private::{PrivateFileError, read_private};
use crate::trust::key::{
    AgeRecipient, KEY_TEXT_BYTES_MAX, KeyText, PassphrasePrompt, PublicKey, SigningKey,
};

/// The variable that names the age identity file.
pub const AGE_VARIABLE: &str = "MEMSYNC_AGE_IDENTITY";
/// The age identity file inside the folder for settings.
const AGE_FILE: &str = "memsync/age_identity.txt";
/// What a line of an age identity file starts with.
const AGE_LINE: &str = "AGE-SECRET-KEY-1";
/// What a line for a plugin starts with.
const PLUGIN_LINE: &str = "AGE-PLUGIN-";

/// Why a file that should open sealed memories cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IdentityError {
    /// Not there, exposed or unreadable.
    #[error(transparent)]
    Private(#[from] PrivateFileError),
    /// The SSH key cannot be used.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// An identity that needs another program.
    #[error("`{0}` needs a plugin of age, which memsync does not run")]
    Plugin(String),
    /// An age identity file behind a passphrase.
    #[error("`{0}` is an age identity behind a passphrase, which memsync does not open")]
    Encrypted(String),
    /// Neither an OpenSSH key nor an age identity.
    #[error("`{0}` is neither an OpenSSH ed25519 key nor an age identity")]
    Unknown(String),
    /// An identity would be overwritten.
    #[error("there is an age identity at `{0}` already")]
    Exists(String),
}

/// Key files of one person.
pub struct KeyRing {
    files: Vec<PathBuf>,
    prompt: RefCell<Box<dyn PassphrasePrompt>>,
    opened: RefCell<HashMap<PathBuf, ReadingKey>>,
}

/// What a key file holds, without a passphrase.
enum Found {
    /// A private SSH key, and its text.
    Ssh(PublicKey, Zeroizing<Vec<u8>>),
    /// A public SSH key: the private one is in an agent.
    Agent(PublicKey),
    /// Age identities.
    Age(Vec<ReadingKey>),
}

impl KeyRing {
    /// Of key files in the order they are tried; those that are not there are passed over.
    pub fn new(files: Vec<PathBuf>, prompt: Box<dyn PassphrasePrompt>) -> Self {
        Self { files, prompt: RefCell::new(prompt), opened: RefCell::default() }
    }

    /// Opens with one file; `None` when the text is not sealed to what it holds.
    fn try_file(&self, path: &Path, envelope: &Envelope) -> Result<Tried, IdentityError> {
        let (public, text) = match look(path)? {
            None => return Ok(Tried::NoFile),
            Some(Found::Agent(public)) if envelope.header.opens_with(&public) => {
                return Ok(Tried::InAgent);
            }
            Some(Found::Age(keys)) if envelope.header.anonymous > 0 => {
                return Ok(Tried::of(open_with(envelope, &keys)));
            }
            Some(Found::Ssh(public, text)) if envelope.header.opens_with(&public) => (public, text),
            Some(Found::Ssh(..) | Found::Agent(_) | Found::Age(_)) => return Ok(Tried::NotMine),
        };
        let mut opened = self.opened.borrow_mut();
        if !opened.contains_key(path) {
            let mut prompt = self.prompt.borrow_mut();
            let key = SigningKey::from_openssh(&text, &path.to_string_lossy(), prompt.as_mut())
                .map_err(KeyError::Secret)?;
            debug_assert!(key.public_key() == public, "the file was looked at just now");
            let key = ReadingKey::of_ssh(&key);
            opened.extend(key.map(|key| (path.to_owned(), key)));
        }
        let Some(key) = opened.get(path) else { return Ok(Tried::NotMine) };
        Ok(Tried::of(open_with(envelope, std::slice::from_ref(key))))
    }
}

/// What came of one key file.
enum Tried {
    Opened(Plain),
    Failed(UnlockError),
    NotMine,
    InAgent,
    NoFile,
}

impl Tried {
    fn of(opened: Result<Option<Plain>, UnlockError>) -> Self {
        match opened {
            Ok(Some(plain)) => Self::Opened(plain),
            Ok(None) => Self::NotMine,
            Err(error) => Self::Failed(error),
        }
    }
}

impl Keys for KeyRing {
    fn open(&self, envelope: &Envelope) -> Result<Plain, UnlockError> {
        let (mut in_agent, mut has_key, mut problem) = (false, false, None);
        for path in &self.files {
            match self.try_file(path, envelope) {
                Ok(Tried::Opened(plain)) => return Ok(plain),
                Ok(Tried::Failed(error)) => return Err(error),
                Ok(Tried::NotMine) => has_key = true,
                Ok(Tried::InAgent) => (in_agent, has_key) = (true, true),
                Ok(Tried::NoFile) => {}
                // Another key may open it; if none does, this is why.
                Err(error) => problem = problem.or(Some(error)),
            }
        }
        Err(match problem {
            Some(error) => UnlockError::Key(Box::new(error)),
            None if in_agent => UnlockError::InAgent,
            None if has_key => UnlockError::NotForYou { audience: envelope.audience.to_string() },
            None => UnlockError::NoKey,
        })
    }
}

/// Looks at a key file without asking anyone; `None` when it is not there.
fn look(path: &Path) -> Result<Option<Found>, IdentityError> {
    let text = match super::signing_key::read_key(path) {
        Ok(text) => text,
        Err(KeyError::Missing(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let shown = || Escaped(&path.to_string_lossy()).to_string();
    let readable = String::from_utf8_lossy(&text);
    let lines = || readable.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    if lines().any(|line| line.starts_with(PLUGIN_LINE)) {
        return Err(IdentityError::Plugin(shown()));
    }
    if lines().any(|line| line.starts_with(AGE_LINE)) {
        let keys = lines().filter(|line| !line.is_empty()).map(ReadingKey::of_age);
        let keys: Option<Vec<ReadingKey>> = keys.collect();
        return keys
            .map(|keys| Some(Found::Age(keys)))
            .ok_or_else(|| IdentityError::Unknown(shown()));
    }
    let is_age_file = |start: &str| readable.starts_with(start);
    if is_age_file(crate::seal::header::ARMOR_BEGIN) || is_age_file("age-encryption.org/") {
        return Err(IdentityError::Encrypted(shown()));
    }
    match super::signing_key::classify(path, &text)? {
        KeyText::Public(public) => Ok(Some(Found::Agent(public))),
        KeyText::Plain(public) | KeyText::Encrypted(public) => Ok(Some(Found::Ssh(public, text))),
    }
}

/// Whether a key file can open sealed memories: it holds the private key. `None` when it is not there.
pub fn can_open(path: &Path) -> Result<Option<bool>, IdentityError> {
    Ok(look(path)?.map(|found| !matches!(found, Found::Agent(_))))
}

/// The keys that `key rotate` kept aside, beside the present one.
pub fn rotated_keys(key: &Path) -> Vec<PathBuf> {
    let Some((folder, name)) = key.parent().zip(key.file_name()) else { return Vec::new() };
    let start = format!("{}.old-", name.to_string_lossy());
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_old = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        name.is_some_and(|name| name.starts_with(&start) && !name.ends_with(".pub"))
    };
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_old).collect();
    found.sort();
    found
}

/// The age identity file: `MEMSYNC_AGE_IDENTITY`, else the one in the folder for settings.
pub fn age_path(env: &Environment) -> Result<PathBuf, KeyError> {
    match env.path(AGE_VARIABLE) {
        Some(path) => Ok(path),
        None => settings_file(env, AGE_FILE),
    }
}

/// The recipient of an age identity file; `None` when there is none.
pub fn age_recipient(path: &Path) -> Result<Option<AgeRecipient>, IdentityError> {
    let text = match read_private(path, KEY_TEXT_BYTES_MAX as u64) {
        Ok(text) => Zeroizing::new(text),
        Err(PrivateFileError::NotFound(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let readable = String::from_utf8_lossy(&text);
    let line = readable.lines().find(|line| line.starts_with(AGE_LINE));
    let identity: Option<age::x25519::Identity> = line.and_then(|line| line.trim().parse().ok());
    let recipient = identity.map(|identity| identity.to_public().to_string());
    let recipient = recipient.and_then(|text| AgeRecipient::parse(&text).ok());
    let unknown = || IdentityError::Unknown(Escaped(&path.to_string_lossy()).to_string());
    recipient.map(Some).ok_or_else(unknown)
}

/// Makes an age identity for its owner alone (0600), as `age-keygen` would; never replaces one.
pub fn generate_age(path: &Path) -> Result<AgeRecipient, IdentityError> {
    if age_recipient(path)?.is_some() {
        return Err(IdentityError::Exists(Escaped(&path.to_string_lossy()).to_string()));
    }
    let identity = age::x25519::Identity::generate();
    let recipient = AgeRecipient::parse(&identity.to_public().to_string())
        .expect("because age writes its own recipients");
    let secret = identity.to_string();
    let text = format!("# public key: {recipient}\n{}\n", secret.expose_secret());
    super::signing_key::write_private_file(path, Zeroizing::new(text).as_bytes())?;
    Ok(recipient)
}
