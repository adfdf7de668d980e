//! What every command starts from: environment, folder, clock, identity, the git program.
//! Border: gathers values; opens no repository.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{BufRead, Cursor, IsTerminal, Read, Write};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use memsync::git::command::Git;
use memsync::git::commit::Person;
use memsync::git::setup::person::person_from_global_config;
use memsync::local::advice::Around;
use memsync::seal::unlock::Keys;
use memsync::store::locate::{Located, Start, locate};
use memsync::sync::keys::identities::{
    KeyRing, age_path, age_recipient, can_open, generate_age, rotated_keys,
};
use memsync::sync::keys::signer::LazySigner;
use memsync::sync::keys::signing_key::{KeyError, generate_key, key_path};
use memsync::sync::repo::team::{Actor, Always, Ask};
use memsync::system::clock::Clock;
use memsync::system::env::Environment;
use memsync::trust::key::{AgeRecipient, Passphrase, PassphrasePrompt};
use memsync::trust::signature::Signer;

use crate::failure::Failure;
use crate::global::GlobalArgs;
use crate::progress::{Busy, Progress};
use crate::ui::Ui;

/// How long a command waits for a lock or for other writers unless told otherwise.
pub(crate) const WAIT: Duration = Duration::from_secs(30);

/// The surroundings of one command.
pub(crate) struct Session {
    /// The environment.
    pub(crate) environment: Environment,
    /// The folder the command runs in.
    pub(crate) folder: PathBuf,
    /// The git program.
    pub(crate) git: Git,
    memdir: Option<PathBuf>,
    member: Option<String>,
    key: Option<PathBuf>,
    progress: Progress,
    known: Known,
    input: Input,
    /// Nobody is there to be asked, whatever the terminal looks like.
    is_silent: bool,
}

/// Passphrases that were given, by what they were asked for: nobody is asked twice in one command.
type Known = Rc<RefCell<HashMap<String, Passphrase>>>;

/// Whether a key is made when there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyNeed {
    /// Use the key that is there, if there is one.
    IfThere,
    /// Make one if there is none: `init` and `join`.
    Make,
}

/// Where text that is piped in comes from.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    /// stdin of the process.
    Stdin,
    /// A text, as if it had been piped in.
    Text(Vec<u8>),
}

/// What a command is told of the world besides its words.
pub(crate) struct Surroundings {
    /// The variables it sees.
    pub(crate) environment: Environment,
    /// Where it is started.
    pub(crate) folder: PathBuf,
    /// What it can read.
    pub(crate) input: Input,
}

impl Session {
    /// Whether somebody is there to answer a question.
    pub(crate) fn is_interactive(&self) -> bool {
        std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
    }

    /// Reads the surroundings.
    pub(crate) fn new(global: &GlobalArgs) -> Result<Self, Failure> {
        let here = std::env::current_dir().map_err(|error| {
            Failure::usage(
                format!("the current folder cannot be read: {error}"),
                "Change to a folder that exists.",
            )
        })?;
        Self::with(global, Environment::of_process(), here, Input::Stdin)
    }

    /// Starts from given surroundings.
    pub(crate) fn with(
        global: &GlobalArgs,
        environment: Environment,
        here: PathBuf,
        input: Input,
    ) -> Result<Self, Failure> {
        let folder = global.directory.as_ref().map_or_else(|| here.clone(), |dir| here.join(dir));
        if !folder.is_dir() {
            return Err(Failure::usage(
                format!("`{}` is not a folder", folder.display()),
                "Name an existing folder after `-C`.",
            ));
        }
        let progress = Progress::new(global);
        let git = progress.watch(Git::new(&environment));
        let memdir = global.memdir.clone();
        Ok(Self {
            environment,
            folder,
            git,
            memdir,
            member: global.member.clone(),
            key: global.key.clone(),
            progress,
            known: Known::default(),
            input,
            is_silent: false,
        })
    }

    /// The same surroundings, seen from another folder.
    pub(crate) fn in_folder(&self, folder: PathBuf) -> Self {
        Self {
            environment: self.environment.clone(),
            folder,
            git: self.git.clone(),
            memdir: self.memdir.as_ref().map(|dir| self.folder.join(dir)),
            member: self.member.clone(),
            key: self.key.as_ref().map(|key| self.folder.join(key)),
            progress: self.progress.clone(),
            known: Rc::clone(&self.known),
            input: self.input.clone(),
            is_silent: self.is_silent,
        }
    }

    /// The same for a program that is called by another one: no question is asked.
    pub(crate) fn silent(self) -> Self {
        Self { is_silent: true, ..self }
    }

    /// The arguments of another memsync that works on the same memory directory for the same member.
    pub(crate) fn again(&self, words: &[&str]) -> Vec<OsString> {
        let mut arguments = vec!["-C".into(), self.folder.clone().into_os_string()];
        let paths = [("--memdir", &self.memdir), ("--key", &self.key)];
        for (option, path) in paths {
            arguments.extend(path.iter().flat_map(|path| [option.into(), path.into()]));
        }
        if let Some(member) = &self.member {
            arguments.extend(["--as".into(), member.into()]);
        }
        arguments.extend(words.iter().map(OsString::from));
        arguments
    }

    /// What was piped in; `None` where a person would have to type it.
    pub(crate) fn input(&self) -> Option<Box<dyn Read + '_>> {
        match &self.input {
            Input::Stdin if std::io::stdin().is_terminal() => None,
            Input::Stdin => Some(Box::new(std::io::stdin().lock())),
            Input::Text(text) => Some(Box::new(Cursor::new(text))),
        }
    }

    /// Shows that something goes on, should it take longer, until the value is dropped.
    pub(crate) fn busy(&self, what: &'static str) -> Busy {
        self.progress.start(what)
    }

    /// Finds the memory directory.
    pub(crate) fn locate(&self) -> Result<Located, Failure> {
        let start = Start {
            memdir: self.memdir.clone(),
            memsync_memdir: self.environment.path("MEMSYNC_MEMDIR"),
            cowork_override: self.environment.path("CLAUDE_COWORK_MEMORY_PATH_OVERRIDE"),
            claude_config_dir: self.environment.path("CLAUDE_CONFIG_DIR"),
            home: self.environment.home(),
            folder: self.folder.clone(),
        };
        Ok(locate(&start)?)
    }

    /// What advice on memories is given from.
    pub(crate) fn around<'a>(&'a self, located: &'a Located) -> Around<'a> {
        Around {
            memdir: &located.memdir,
            folder: &self.folder,
            environment: &self.environment,
            project: located.project_root.as_deref(),
        }
    }

    /// Who asks.
    pub(crate) fn actor(
        &self,
        wait: Option<u64>,
        yes: bool,
        need: KeyNeed,
    ) -> Result<Actor, Failure> {
        let text = |name: &str| {
            self.environment.text(name).filter(|text| !text.trim().is_empty()).map(str::to_owned)
        };
        let ask: Box<dyn Ask> =
            if yes { Box::new(Always(true)) } else { Box::new(self.terminal()) };
        Ok(Actor {
            person: self.person(),
            member: self.member.clone().or_else(|| text("MEMSYNC_MEMBER")),
            agent: text("MEMSYNC_AGENT"),
            session: text("MEMSYNC_SESSION"),
            signer: self.signer(need)?,
            key_path: key_path(&self.environment, self.key.as_deref())
                .ok()
                .map(|path| self.folder.join(path)),
            keys: self.keys(&[]),
            age: self.age(),
            clock: Clock::from_environment(&self.environment)?,
            wait: wait.map_or(WAIT, Duration::from_secs),
            ask,
        })
    }

    /// The moment it is, in seconds since the epoch.
    pub(crate) fn now(&self) -> Result<i64, Failure> {
        Ok(Clock::from_environment(&self.environment)?.now().seconds)
    }

    /// Says so when nobody said under which name changes go, before the first one goes out.
    pub(crate) fn note_guessed_name(&self, ui: &mut Ui) {
        let person = self.person();
        let is_set = |name: &str| self.environment.os(name).is_some();
        let (name, _) = person_from_global_config().unwrap_or_default();
        if !is_set("MEMSYNC_NAME") && !is_set("GIT_AUTHOR_NAME") && name.is_none() {
            ui.warn(format!("your changes are by `{} <{}>`, a guess", person.name, person.email));
            ui.next(
                "Set `MEMSYNC_NAME` and `MEMSYNC_EMAIL`, or git's `user.name` and `user.email`.",
            );
        }
    }

    /// A key file that signs, opened only when something is signed.
    pub(crate) fn signer_at(&self, path: &std::path::Path) -> Result<Box<dyn Signer>, KeyError> {
        let prompt = Box::new(self.terminal());
        Ok(Box::new(LazySigner::find(&self.environment, path, prompt)?))
    }

    /// The key that signs. It is opened only when something is signed.
    fn signer(&self, need: KeyNeed) -> Result<Option<Box<dyn Signer>>, Failure> {
        let path = match key_path(&self.environment, self.key.as_deref()) {
            Ok(path) => self.folder.join(path),
            Err(KeyError::NoHome) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let find = || self.signer_at(&path);
        let found = match find() {
            Err(KeyError::Missing(_)) if need == KeyNeed::Make => {
                generate_key(&path, "memsync", None)?;
                find()
            }
            other => other,
        };
        match found {
            Ok(signer) => Ok(Some(signer)),
            // A key that was named must be there; the usual one may be made later.
            Err(KeyError::Missing(_)) if self.key.is_none() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The keys that open sealed memories: the signing key, the age identity, and those named.
    /// A file is looked at only when a text is sealed to a key.
    pub(crate) fn keys(&self, more: &[PathBuf]) -> Box<dyn Keys> {
        let key = key_path(&self.environment, self.key.as_deref()).ok();
        let key = key.map(|path| self.folder.join(path));
        // What was sealed for a key before it was rotated opens with the old one.
        let earlier = key.as_deref().map(rotated_keys).unwrap_or_default();
        let age = age_path(&self.environment).ok().map(|path| self.folder.join(path));
        let named = more.iter().map(|path| self.folder.join(path));
        let files = key.into_iter().chain(earlier).chain(age).chain(named).collect();
        Box::new(KeyRing::new(files, Box::new(Reading(self.terminal()))))
    }

    /// The age recipient of this person; an identity that cannot be used is told of when it is needed.
    fn age(&self) -> Option<AgeRecipient> {
        let path = age_path(&self.environment).ok()?;
        age_recipient(&self.folder.join(path)).ok().flatten()
    }

    /// Says when the key signs but opens nothing, and offers an age identity for that.
    pub(crate) fn offer_age_identity(&self, actor: &mut Actor, ui: &mut Ui) -> Result<(), Failure> {
        let path = self.folder.join(key_path(&self.environment, self.key.as_deref())?);
        if actor.age.is_some() || !matches!(can_open(&path), Ok(Some(false))) {
            return Ok(());
        }
        ui.note("your key is in ssh-agent or on a security key: it signs, and cannot open sealed memories");
        if actor.confirms("Make a separate age identity for sealed memories?") {
            let recipient = generate_age(&self.folder.join(age_path(&self.environment)?))?;
            ui.note(format!("made the age identity {recipient}"));
            actor.age = Some(recipient);
        } else {
            ui.next(
                "Make a separate age identity with `memsync key age --make` when you need one.",
            );
        }
        Ok(())
    }

    fn terminal(&self) -> Terminal {
        Terminal(self.progress.clone(), Rc::clone(&self.known), self.is_silent)
    }

    /// Name and e-mail: our own variables, git's, git's configuration, else the user's name.
    pub(crate) fn person(&self) -> Person {
        let text = |name: &str| {
            self.environment.text(name).filter(|text| !text.trim().is_empty()).map(str::to_owned)
        };
        let (name, email) = person_from_global_config().unwrap_or_default();
        let user =
            || text("USER").or_else(|| text("USERNAME")).unwrap_or_else(|| "unknown".to_owned());
        Person {
            name: text("MEMSYNC_NAME")
                .or_else(|| text("GIT_AUTHOR_NAME"))
                .or(name)
                .unwrap_or_else(user),
            email: text("MEMSYNC_EMAIL")
                .or_else(|| text("GIT_AUTHOR_EMAIL"))
                .or(email)
                .unwrap_or_else(|| format!("{}@localhost", user())),
        }
    }
}

/// Asks on the terminal, progress out of the way; where there is none, the answer is no.
struct Terminal(Progress, Known, bool);

impl PassphrasePrompt for Terminal {
    fn passphrase(&mut self, subject: &str, attempt: u32) -> Option<Passphrase> {
        let copy = |known: &Passphrase| Passphrase::new(known.expose().to_owned());
        if attempt == 1
            && let Some(known) = self.1.borrow().get(subject)
        {
            return Some(copy(known));
        }
        if self.2 {
            return None;
        }
        self.0.pause();
        let given = crate::prompt::Terminal.passphrase(subject, attempt)?;
        self.1.borrow_mut().insert(subject.to_owned(), copy(&given));
        Some(given)
    }
}

/// Asks for keys that open. A hook or an agent has a terminal of its own on the screen, so nobody is
/// asked unless memsync itself talks to one.
struct Reading(Terminal);

impl PassphrasePrompt for Reading {
    fn passphrase(&mut self, subject: &str, attempt: u32) -> Option<Passphrase> {
        let is_known = attempt == 1 && self.0.1.borrow().contains_key(subject);
        let may_ask = is_known || std::io::stderr().is_terminal();
        may_ask.then(|| self.0.passphrase(subject, attempt)).flatten()
    }
}

impl Ask for Terminal {
    fn confirms(&self, question: &str) -> bool {
        if self.2 || !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
            return false;
        }
        self.0.pause();
        let mut stderr = std::io::stderr();
        drop(write!(stderr, "{} [y/N] ", memsync::base::display::escape_block(question)));
        drop(stderr.flush());
        let mut answer = String::new();
        let read = std::io::stdin().lock().read_line(&mut answer);
        read.is_ok() && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
    }
}
