//! `memsync key`: makes, shows and imports the key that signs, and keeps others from reading it.
//! Border: starts the built program in a home of its own; ssh-keygen and ssh-agent say what they see.
#![expect(clippy::disallowed_methods, reason = "starts the built program and ssh's own")]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use memsync::sync::keys::signing_key::{KeyError, load_signer};
use memsync::system::env::Environment;
use memsync::trust::key::{Passphrase, PassphrasePrompt};
use memsync::trust::signature::{sign_commit, verify_commit};
use tempfile::TempDir;

const UNSIGNED: &[u8] = b"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n\
    author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nnote\n";

/// A home folder that nothing else uses.
struct Home {
    folder: TempDir,
}

impl Home {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    fn command(&self, program: impl AsRef<Path>, arguments: &[&str]) -> Command {
        let mut command = Command::new(program.as_ref());
        command.args(arguments).current_dir(self.folder.path()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", self.folder.path());
        command
    }

    fn finish(mut command: Command) -> (i32, String) {
        let output = command.output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.code().unwrap(), String::from_utf8(said).unwrap())
    }

    fn memsync(&self, arguments: &[&str]) -> (i32, String) {
        Self::finish(self.command(env!("CARGO_BIN_EXE_memsync"), arguments))
    }

    fn ssh(&self, program: &str, arguments: &[&str]) -> String {
        let (exit, said) = Self::finish(self.command(program, arguments));
        assert_eq!(exit, 0, "{said}");
        said
    }
}

/// Nobody to ask.
struct Nobody;

impl PassphrasePrompt for Nobody {
    fn passphrase(&mut self, _: &str, _: u32) -> Option<Passphrase> {
        None
    }
}

#[test]
fn a_generated_key_lies_in_the_settings_folder_for_its_owner_alone() {
    let home = Home::new();
    let (exit, said) = home.memsync(&["key", "show"]);
    assert_eq!(exit, 2, "{said}");
    assert!(said.contains("memsync key generate"), "{said}");
    let (exit, said) = home.memsync(&["key", "generate", "--comment", "ann@example.org"]);
    assert_eq!(exit, 0, "{said}");
    let file = home.path(".config/memsync/id_ed25519");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o7777, 0o600);
    let fingerprint = home.ssh("ssh-keygen", &["-lf", file.to_str().unwrap()]);
    let (exit, shown) = home.memsync(&["key", "show", "--format", "json"]);
    assert_eq!(exit, 0);
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert!(fingerprint.contains(shown["fingerprint"].as_str().unwrap()), "{fingerprint}");
    assert_eq!((&shown["format"], &shown["storage"]), (&"memsync.key/1".into(), &"file".into()));
    let public = fs::read_to_string(home.path(".config/memsync/id_ed25519.pub")).unwrap();
    assert_eq!(public, format!("{} ann@example.org\n", shown["public_key"].as_str().unwrap()));
    let before = fs::read(&file).unwrap();
    let (exit, said) = home.memsync(&["key", "generate"]);
    assert_eq!((exit, fs::read(&file).unwrap()), (1, before), "{said}");
}

#[test]
fn a_key_that_others_can_read_is_refused_and_a_linked_one_is_not() {
    let home = Home::new();
    let file = home.path("own");
    home.ssh("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", "own"]);
    symlink(&file, home.path("link")).unwrap();
    assert_eq!(home.memsync(&["--key", "link", "key", "show"]).0, 0);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let (exit, said) = home.memsync(&["--key", "own", "key", "show"]);
    assert_eq!(exit, 4, "{said}");
    assert!(said.contains("mode 0644") && said.contains("chmod 600"), "{said}");
}

#[test]
fn other_key_types_and_junk_are_refused_with_the_next_step() {
    let home = Home::new();
    home.ssh("ssh-keygen", &["-q", "-t", "ecdsa", "-N", "", "-f", "other"]);
    fs::write(home.path("junk"), "no key\x1b[2J").unwrap();
    fs::set_permissions(home.path("junk"), fs::Permissions::from_mode(0o600)).unwrap();
    for file in ["other", "junk"] {
        let (exit, said) = home.memsync(&["key", "import", file]);
        assert_eq!(exit, 2, "{said}");
        assert!(said.contains("ed25519") && !said.contains('\x1b'), "{said}");
    }
    assert!(!home.path(".config").exists());
}

#[test]
fn an_imported_key_keeps_its_passphrase_and_asks_nobody_where_nobody_is() {
    let home = Home::new();
    let phrase = ["four", "words"].join(" ");
    home.ssh("ssh-keygen", &["-q", "-t", "ed25519", "-N", &phrase, "-f", "own"]);
    let (exit, said) = home.memsync(&["key", "import", "own"]);
    assert_eq!(exit, 0, "{said}");
    assert!(said.contains("encrypted-file"), "{said}");
    let file = home.path(".config/memsync/id_ed25519");
    assert_eq!(fs::read(&file).unwrap(), fs::read(home.path("own")).unwrap());
    let env = Environment::of([("HOME", home.folder.path())]);
    let Err(error) = load_signer(&env, &file, &mut Nobody) else { panic!("opened by nobody") };
    assert!(matches!(error, KeyError::Secret(_)), "{error}");
}

#[test]
fn an_agent_signs_for_a_public_key_file_and_for_an_encrypted_key() {
    let home = Home::new();
    let phrase = ["four", "words"].join(" ");
    home.ssh("ssh-keygen", &["-q", "-t", "ed25519", "-N", &phrase, "-f", "locked"]);
    let socket = home.path("agent");
    let Some(agent) = Agent::start(&home, &socket) else {
        return eprintln_skip("ssh-agent is not installed");
    };
    // A copy without passphrase goes into the agent; the file stays locked.
    fs::copy(home.path("locked"), home.path("open")).unwrap();
    let change = ["-q", "-p", "-P", &phrase, "-N", "", "-f", "open"];
    home.ssh("ssh-keygen", &change);
    let mut add = home.command("ssh-add", &["-q", "open"]);
    let (exit, said) = Home::finish({
        add.env("SSH_AUTH_SOCK", &socket);
        add
    });
    assert_eq!(exit, 0, "{said}");
    let env = Environment::of([("HOME", home.folder.path()), ("SSH_AUTH_SOCK", &socket)]);
    for file in ["locked", "locked.pub"] {
        let signer = load_signer(&env, &home.path(file), &mut Nobody).unwrap();
        let signed = sign_commit(&*signer, UNSIGNED).unwrap();
        assert_eq!(verify_commit(&signed).unwrap().signer, signer.public_key(), "{file}");
    }
    home.ssh("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", "stranger"]);
    let error = load_signer(&env, &home.path("stranger.pub"), &mut Nobody).err().unwrap();
    assert!(error.to_string().contains("does not hold"), "{error}");
    let alone = Environment::of([("HOME", home.folder.path())]);
    let error = load_signer(&alone, &home.path("locked.pub"), &mut Nobody).err().unwrap();
    assert!(matches!(error, KeyError::NoAgent(_)), "{error}");
    drop(agent);
}

/// A running ssh-agent, ended on drop.
struct Agent(Child);

impl Agent {
    fn start(home: &Home, socket: &Path) -> Option<Self> {
        let mut command = home.command("ssh-agent", &["-D", "-a", socket.to_str().unwrap()]);
        let child = command.stdout(std::process::Stdio::null()).spawn().ok()?;
        for _ in 0..200 {
            if socket.exists() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(25));
        }
        Some(Self(child))
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[expect(clippy::print_stderr, reason = "a test that did not run says so")]
fn eprintln_skip(why: &str) {
    eprintln!("skipped: {why}");
}
