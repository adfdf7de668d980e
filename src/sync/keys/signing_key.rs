//! The flow of a member's own key: where it is, loading it to sign, making and importing one.
//! Border: knows files, agent and environment; what a key is and signs is `trust`.

use std::path::{Path, PathBuf};

use crate::base::display::Escaped;
use crate::system::env::Environment;
use crate::system::files::{Durability, FileError, Root};
use crate::system::private::{PrivateFileError, read_private};
use crate::system::ssh_agent::{AgentError, AgentKey};
use crate::trust::key::{
    KEY_TEXT_BYTES_MAX, KeyProblem, KeyText, Passphrase, PassphrasePrompt, Protection, PublicKey,
    SecretKeyError, SigningKey,
};
use crate::trust::signature::Signer;
use zeroize::Zeroizing;

/// The variable that names the key file.
pub const KEY_VARIABLE: &str = "MEMSYNC_KEY";
/// The key file inside the folder for settings.
const KEY_FILE: &str = "memsync/id_ed25519";

/// Why a key could not be found, read or made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// Neither home nor settings folder is known.
    #[error("there is no home folder to keep a key in")]
    NoHome,
    /// No key yet.
    #[error("there is no key at `{}`", shown(.0))]
    Missing(PathBuf),
    /// A key would be overwritten.
    #[error("there is a key at `{}` already", shown(.0))]
    Exists(PathBuf),
    /// The path has no folder or file name.
    #[error("`{}` is no place for a key file", shown(.0))]
    Place(PathBuf),
    /// The file is exposed, foreign or unreadable.
    #[error(transparent)]
    Private(PrivateFileError),
    /// The file could not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is no private key that signs here.
    #[error(transparent)]
    Secret(#[from] SecretKeyError),
    /// The file is no public key of an agent either.
    #[error("`{}` is no usable public key", shown(.path))]
    Public {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: KeyProblem,
    },
    /// A public key was named and no agent runs.
    #[error("`{}` is a public key and no ssh-agent runs", shown(.0))]
    NoAgent(PathBuf),
    /// The agent cannot sign with it.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The system has no randomness.
    #[error("the system gives no random bytes")]
    Random(#[source] getrandom::Error),
}

/// Where a private key is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyStorage {
    /// In the file, readable without a passphrase.
    File,
    /// In the file, encrypted.
    EncryptedFile,
    /// In ssh-agent; the file names it.
    Agent,
}

/// A key as it can be shown: no secret was read.
#[derive(Clone, Debug)]
pub struct KeyOutcome {
    /// The file that holds or names the key.
    pub path: PathBuf,
    /// The public key.
    pub public: PublicKey,
    /// Where the private key is.
    pub storage: KeyStorage,
}

/// The key file: `--key` or `MEMSYNC_KEY`, else the one in the folder for settings.
pub fn key_path(env: &Environment, chosen: Option<&Path>) -> Result<PathBuf, KeyError> {
    if let Some(path) = chosen {
        return Ok(path.to_owned());
    }
    if let Some(path) = env.path(KEY_VARIABLE) {
        return Ok(path);
    }
    settings_file(env, KEY_FILE)
}

/// A file in the folder for settings.
pub(crate) fn settings_file(env: &Environment, name: &str) -> Result<PathBuf, KeyError> {
    let settings = env.path("XDG_CONFIG_HOME").filter(|path| path.is_absolute());
    let folder = settings.or_else(|| Some(env.home()?.join(".config")));
    folder.map(|folder| folder.join(name)).ok_or(KeyError::NoHome)
}

/// Tells which key a file holds or names, without asking for a passphrase.
pub fn show_key(path: &Path) -> Result<KeyOutcome, KeyError> {
    let text = read_key(path)?;
    let outcome = |public, storage| KeyOutcome { path: path.to_owned(), public, storage };
    match classify(path, &text)? {
        KeyText::Public(public) => Ok(outcome(public, KeyStorage::Agent)),
        KeyText::Plain(public) => Ok(outcome(public, KeyStorage::File)),
        KeyText::Encrypted(public) => Ok(outcome(public, KeyStorage::EncryptedFile)),
    }
}

/// Loads the key at a path to sign with it.
///
/// A public key file names a key in ssh-agent. An encrypted key is taken from the agent when the
/// agent holds it, so that nobody is asked twice; else `prompt` asks.
pub fn load_signer(
    env: &Environment,
    path: &Path,
    prompt: &mut dyn PassphrasePrompt,
) -> Result<Box<dyn Signer>, KeyError> {
    let text = read_key(path)?;
    let socket = env.path("SSH_AUTH_SOCK");
    match classify(path, &text)? {
        KeyText::Public(public) => {
            let socket = socket.ok_or_else(|| KeyError::NoAgent(path.to_owned()))?;
            return Ok(Box::new(AgentKey::find(&socket, public)?));
        }
        KeyText::Encrypted(public) => {
            if let Some(found) = socket.and_then(|socket| AgentKey::find(&socket, public).ok()) {
                return Ok(Box::new(found));
            }
        }
        KeyText::Plain(_) => {}
    }
    Ok(Box::new(SigningKey::from_openssh(&text, &path.to_string_lossy(), prompt)?))
}

/// Makes a new key and writes it and its public half (`.pub`); never replaces a key.
pub fn generate_key(
    path: &Path,
    comment: &str,
    passphrase: Option<&Passphrase>,
) -> Result<KeyOutcome, KeyError> {
    let key = SigningKey::from_seed(&random()?);
    let (protection, storage) = match passphrase {
        Some(passphrase) => {
            let mut salt = [0; 16];
            salt.copy_from_slice(&random()?[..16]);
            (Protection::Passphrase(passphrase, salt), KeyStorage::EncryptedFile)
        }
        None => (Protection::Plain, KeyStorage::File),
    };
    let text = key.to_openssh(comment, &protection);
    write_key(path, text.as_bytes(), key.public_key(), comment, false)?;
    Ok(KeyOutcome { path: path.to_owned(), public: key.public_key(), storage })
}

/// Copies an existing OpenSSH key to `path` as it is, passphrase included; never replaces a key.
pub fn import_key(from: &Path, path: &Path) -> Result<KeyOutcome, KeyError> {
    let text = read_key(from)?;
    let (public, storage) = match classify(from, &text)? {
        KeyText::Plain(public) => (public, KeyStorage::File),
        KeyText::Encrypted(public) => (public, KeyStorage::EncryptedFile),
        KeyText::Public(public) => (public, KeyStorage::Agent),
    };
    write_key(path, &text, public, "", false)?;
    Ok(KeyOutcome { path: path.to_owned(), public, storage })
}

fn random() -> Result<Zeroizing<[u8; 32]>, KeyError> {
    let mut bytes = Zeroizing::new([0; 32]);
    getrandom::fill(bytes.as_mut_slice()).map_err(KeyError::Random)?;
    Ok(bytes)
}

/// Reads a key file. A public key may be readable by all, a private one may not.
pub(crate) fn read_key(path: &Path) -> Result<Zeroizing<Vec<u8>>, KeyError> {
    match read_private(path, KEY_TEXT_BYTES_MAX as u64) {
        Ok(text) => Ok(Zeroizing::new(text)),
        Err(PrivateFileError::NotFound(path)) => Err(KeyError::Missing(path)),
        Err(exposed @ PrivateFileError::Exposed { .. }) => {
            read_public(path).ok_or(KeyError::Private(exposed))
        }
        Err(error) => Err(KeyError::Private(error)),
    }
}

fn read_public(path: &Path) -> Option<Zeroizing<Vec<u8>>> {
    let path = path.canonicalize().ok()?;
    let (folder, name) = split(&path).ok()?;
    let text = Root::open(folder).ok()?.read(name, KEY_TEXT_BYTES_MAX as u64).ok()?;
    text.starts_with(b"ssh-").then(|| Zeroizing::new(text))
}

/// What a key text is, by what it says of itself.
pub(crate) fn classify(path: &Path, text: &[u8]) -> Result<KeyText, KeyError> {
    if !text.starts_with(b"ssh-") {
        return Ok(KeyText::read_private(text, &path.to_string_lossy())?);
    }
    let public = PublicKey::parse(&String::from_utf8_lossy(text));
    public.map(KeyText::Public).map_err(|source| KeyError::Public { path: path.to_owned(), source })
}

/// Writes a key (0600) and its public half beside it, making the folders above.
pub(crate) fn write_key(
    path: &Path,
    text: &[u8],
    public: PublicKey,
    comment: &str,
    replaces: bool,
) -> Result<(), KeyError> {
    let (root, at, name) = write_at(path, text, replaces)?;
    let line = format!("{}\n", public.to_line(comment));
    root.write_atomic(&at(&format!("{name}.pub")), line.as_bytes(), Durability::Durable)?;
    Ok(())
}

/// Writes a file for its owner alone (0600), making the folders above; never replaces one.
pub(crate) fn write_private_file(path: &Path, text: &[u8]) -> Result<(), KeyError> {
    write_at(path, text, false).map(drop)
}

/// The folder it was written in, how names in it are spelled there, and its own.
type Written<'a> = (Root, Box<dyn Fn(&str) -> String>, &'a str);

fn write_at<'a>(path: &'a Path, text: &[u8], replaces: bool) -> Result<Written<'a>, KeyError> {
    let (folder, name) = split(path)?;
    let (root, below) = open_above(folder)?;
    let at = move |name: &str| {
        if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") }
    };
    if !replaces && root.exists(&at(name))? {
        return Err(KeyError::Exists(path.to_owned()));
    }
    root.write_private(&at(name), text, Durability::Durable)?;
    Ok((root, Box::new(at), name))
}

/// Opens the nearest folder that is there, and what is missing below it.
fn open_above(folder: &Path) -> Result<(Root, String), KeyError> {
    let mut there = folder;
    let mut missing = Vec::new();
    while !there.is_dir() {
        let bad = || KeyError::Place(folder.to_owned());
        missing.push(there.file_name().and_then(|name| name.to_str()).ok_or_else(bad)?);
        there = there.parent().ok_or_else(bad)?;
    }
    missing.reverse();
    // The person's own folders may be symlinks; what is made below them is not.
    let there = there.canonicalize().map_err(|_| KeyError::Place(folder.to_owned()))?;
    Ok((Root::open(&there)?, missing.join("/")))
}

fn split(path: &Path) -> Result<(&Path, &str), KeyError> {
    let name = path.file_name().and_then(|name| name.to_str());
    let folder = path
        .parent()
        .map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    folder.zip(name).ok_or_else(|| KeyError::Place(path.to_owned()))
}

fn shown(path: &Path) -> String {
    Escaped(&path.to_string_lossy()).to_string()
}
