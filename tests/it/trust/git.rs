//! What memsync signs, judged by git and ssh-keygen, and the twins that git takes for good.
//! Border: throw-away repositories of both hash algorithms; nothing of the machine's set-up counts.
#![expect(clippy::disallowed_methods, reason = "asks git and ssh-keygen for their verdict")]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use memsync::base::id::ObjectId;
use memsync::trust::allowed_signers;
use memsync::trust::key::{Passphrase, Protection, SigningKey};
use memsync::trust::roster::{Day, Member, MemberId, MemberKey, Role, Roster};
use memsync::trust::signature::{sign, sign_commit, verify, verify_commit};
use tempfile::TempDir;
use zeroize::Zeroizing;

fn key(n: u8) -> SigningKey {
    SigningKey::from_seed(&Zeroizing::new([n; 32]))
}

fn member(id: &str, n: u8, revoked: Option<&str>) -> Member {
    let revoked = revoked.map(|day| Day::parse(day).unwrap());
    let keys = vec![MemberKey { key: key(n).public_key(), device: None, added: None, revoked }];
    Member {
        id: MemberId::parse(id).unwrap(),
        name: id.to_owned(),
        role: Role::Admin,
        keys,
        age: None,
    }
}

/// A repository with a file of allowed signers: ann, and bob whose key is revoked.
struct Repository {
    folder: TempDir,
}

impl Repository {
    fn new(hash: &str) -> Self {
        let repository = Self { folder: tempfile::tempdir().unwrap() };
        repository.run("git", &["init", "-q", "--object-format", hash, "."], b"");
        let members = vec![member("ann", 1, None), member("bob", 2, Some("2023-01-01"))];
        let roster = Roster::from_members(members).unwrap();
        fs::write(repository.path().join("signers"), allowed_signers::render(&roster, &[], "here"))
            .unwrap();
        repository
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Runs a program hermetically; gives whether it agreed and all it said.
    fn run(&self, program: &str, arguments: &[&str], input: &[u8]) -> (bool, String) {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.path()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap());
        command.env("HOME", self.path()).env("TZ", "UTC").env("LC_ALL", "C");
        command.env("GIT_CONFIG_NOSYSTEM", "1");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&said).trim().to_owned())
    }

    fn store(&self, raw: &[u8]) -> String {
        self.run("git", &["hash-object", "-t", "commit", "-w", "--stdin", "--literally"], raw).1
    }

    /// An unsigned commit of the empty tree.
    fn unsigned(&self) -> Vec<u8> {
        let tree = self.run("git", &["hash-object", "-t", "tree", "-w", "--stdin"], b"").1;
        let who = "Ann <ann@example.org> 1700000000 +0100";
        format!("tree {tree}\nauthor {who}\ncommitter {who}\n\nnote: add one\n\nBody.\n").into()
    }

    /// What git says of the commit's signature.
    fn git_says(&self, raw: &[u8]) -> (bool, String) {
        let id = self.store(raw);
        let signers =
            format!("gpg.ssh.allowedSignersFile={}", self.path().join("signers").display());
        self.run("git", &["-c", "gpg.format=ssh", "-c", &signers, "verify-commit", &id], b"")
    }
}

#[test]
fn git_accepts_what_we_sign_in_repositories_of_both_hash_algorithms() {
    for hash in ["sha1", "sha256"] {
        let repository = Repository::new(hash);
        let signed = sign_commit(&key(1), &repository.unsigned()).unwrap();
        let (good, said) = repository.git_says(&signed);
        assert!(good && said.contains("Good \"git\" signature for ann"), "{hash}: {said}");
        assert_eq!(verify_commit(&signed).unwrap().signer, key(1).public_key(), "{hash}");
        let id: ObjectId = repository.store(&signed).parse().unwrap();
        repository.run("git", &["update-ref", "refs/heads/main", &id.to_string()], b"");
        let (clean, said) = repository.run("git", &["fsck", "--strict"], b"");
        assert!(clean, "{hash}: {said}");
    }
}

#[test]
fn git_refuses_unknown_and_revoked_keys_by_the_file_we_write() {
    let repository = Repository::new("sha1");
    let says = |n| repository.git_says(&sign_commit(&key(n), &repository.unsigned()).unwrap());
    for n in [2, 3] {
        let (good, said) = says(n);
        assert!(!good, "key {n}: {said}");
    }
}

#[test]
fn we_accept_what_git_signs_with_ssh_keygen() {
    for hash in ["sha1", "sha256"] {
        let repository = Repository::new(hash);
        let text = key(1).to_openssh("ann", &Protection::Plain);
        write_private(&repository.path().join("id"), &text);
        let arguments = [
            "-c",
            "user.name=Ann",
            "-c",
            "user.email=a@b",
            "-c",
            "gpg.format=ssh",
            "-c",
            "user.signingkey=./id",
            "commit",
            "-q",
            "-S",
            "--allow-empty",
            "-m",
            "by git",
        ];
        let (done, said) = repository.run("git", &arguments, b"");
        assert!(done, "{said}");
        let mut command = Command::new("git");
        let raw = command.args(["cat-file", "commit", "HEAD"]).current_dir(repository.path());
        let raw = raw.output().unwrap().stdout;
        assert_eq!(verify_commit(&raw).unwrap().signer, key(1).public_key(), "{hash}");
    }
}

#[test]
fn twins_that_git_takes_for_good_are_refused() {
    for (hash, own, foreign) in
        [("sha1", "gpgsig", "gpgsig-sha256"), ("sha256", "gpgsig-sha256", "gpgsig")]
    {
        let repository = Repository::new(hash);
        let text = sign_commit(&key(1), &repository.unsigned()).unwrap();
        let text = String::from_utf8(text).unwrap();
        let start = text.find(&format!("{own} -")).unwrap();
        let end = text.find("\n\n").unwrap() + 1;
        let header = &text[start..end];
        let without = [&text[..start], &text[end..]].concat();
        let before_message = |put: &str| text.replacen("\n\nnote", &format!("\n{put}\nnote"), 1);
        let moved = without.replacen("author ", &format!("{header}author "), 1);
        for (twin, rule) in [
            (before_message(header), "signature-twice"),
            (before_message(&format!("{own} junk\n")), "signature-twice"),
            (before_message(&format!("{foreign} junk\n")), "signature-other-hash"),
            (moved, "signature-place"),
        ] {
            let (good, said) = repository.git_says(twin.as_bytes());
            assert!(good, "git changed its mind on {rule} ({hash}): {said}");
            assert_eq!(verify_commit(twin.as_bytes()).unwrap_err().rule(), rule, "{hash}");
        }
    }
}

#[test]
fn ssh_keygen_verifies_what_we_sign() {
    let repository = Repository::new("sha1");
    let armor = sign(&key(1), "git", b"some text").unwrap();
    fs::write(repository.path().join("sig"), &armor).unwrap();
    let arguments = ["-Y", "verify", "-f", "signers", "-I", "ann", "-n", "git", "-s", "sig"];
    let (good, said) = repository.run("ssh-keygen", &arguments, b"some text");
    assert!(good, "{said}");
    let (good, _) = repository.run("ssh-keygen", &arguments, b"other text");
    assert!(!good);
    assert!(verify(&armor, "file", b"some text").is_err());
}

#[test]
fn ssh_keygen_reads_the_keys_we_write() {
    let repository = Repository::new("sha1");
    let phrase = ["four", "words"].join(" ");
    let passphrase = Passphrase::new(phrase.clone());
    for (protection, given) in
        [(Protection::Plain, ""), (Protection::Passphrase(&passphrase, [9; 16]), phrase.as_str())]
    {
        let text = key(1).to_openssh("ann@example.org", &protection);
        write_private(&repository.path().join("id"), &text);
        let (read, said) = repository.run("ssh-keygen", &["-y", "-P", given, "-f", "id"], b"");
        let public = key(1).public_key().to_string();
        assert!(read && said.starts_with(&public), "{said}");
        let (_, said) = repository.run("ssh-keygen", &["-l", "-f", "id"], b"");
        assert!(said.contains(&key(1).public_key().fingerprint().to_string()), "{said}");
    }
}

fn write_private(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    }
}
