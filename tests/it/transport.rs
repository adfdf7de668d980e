//! Fetch and push through `git::command` over real servers, and every way they can fail.
//! Border: the flows of sharing are tested in `sync`; here only one request at a time.
#![expect(clippy::disallowed_methods, reason = "sets up repositories and hostile servers")]

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use memsync::base::id::ObjectId;
use memsync::git::command::{Fetch, Git, GitCommandError, Push, PushOutcome};
use memsync::git::repo::Repo;
use memsync::git::url::RemoteUrl;
use memsync::system::env::Environment;
use tempfile::TempDir;

use crate::servers::{KINDS, Kind, Server, git, start};

const MAIN: &str = "refs/heads/main";
const INCOMING: &str = "refs/memsync/incoming";

/// A clone-like repository of one member with one commit.
struct Member {
    folder: TempDir,
}

impl Member {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        git(folder.path(), &["init", "--quiet", "--initial-branch=main", "."]);
        let member = Self { folder };
        member.commit("one");
        member
    }

    fn git_dir(&self) -> PathBuf {
        self.folder.path().join(".git")
    }

    fn commit(&self, text: &str) -> ObjectId {
        fs::write(self.folder.path().join("a.md"), text).unwrap();
        git(self.folder.path(), &["add", "-A"]);
        git(self.folder.path(), &["commit", "--quiet", "-m", text]);
        self.id("HEAD")
    }

    fn id(&self, name: &str) -> ObjectId {
        git(self.folder.path(), &["rev-parse", name]).parse().unwrap()
    }
}

fn push(
    program: &Git,
    member: &Member,
    url: &RemoteUrl,
    new: ObjectId,
    expected: Option<ObjectId>,
) -> Result<PushOutcome, GitCommandError> {
    let repo = &Repo::open(&member.git_dir()).unwrap();
    program.push(&Push { repo, url, new, name: MAIN, expected }, None)
}

fn fetch(program: &Git, git_dir: &Path, url: &RemoteUrl) -> Result<(), GitCommandError> {
    let repo = &Repo::open(git_dir).unwrap();
    program.fetch(&Fetch { repo, url, refs: &[(MAIN, INCOMING)] }, None)
}

/// Runs a claim over each transport that can run here.
fn over_each_transport(claim: impl Fn(Kind, Server)) {
    for kind in KINDS {
        if let Some(server) = start(kind) {
            claim(kind, server);
        }
    }
}

#[test]
fn what_one_member_pushes_another_fetches() {
    over_each_transport(|kind, server| {
        let program = Git::new(&server.environment());
        let (ada, bob, url) = (Member::new(), Member::new(), server.remote());
        let empty = program.ls_remote(&url).unwrap();
        assert!(empty.branches.is_empty(), "{kind:?}: {empty:?}");
        let missing = fetch(&program, &bob.git_dir(), &url).unwrap_err();
        assert!(
            matches!(&missing, GitCommandError::MissingRef { name, .. } if name == MAIN),
            "{missing}"
        );

        let one = ada.id("HEAD");
        assert_eq!(push(&program, &ada, &url, one, None).unwrap(), PushOutcome::Moved);
        assert_eq!(push(&program, &ada, &url, one, Some(one)).unwrap(), PushOutcome::UpToDate);
        let two = ada.commit("two");
        assert_eq!(push(&program, &ada, &url, two, Some(one)).unwrap(), PushOutcome::Moved);

        fetch(&program, &bob.git_dir(), &url).unwrap();
        assert_eq!(bob.id(INCOMING), two, "{kind:?}");
        let listed = program.ls_remote(&url).unwrap();
        assert_eq!(listed.head.as_deref(), Some(MAIN), "{kind:?}");
        assert_eq!(listed.branches, [(MAIN.to_owned(), two)], "{kind:?}");
        assert!(!bob.git_dir().join("FETCH_HEAD").exists());
    });
}

#[test]
fn a_lost_race_is_told_from_every_other_refusal() {
    over_each_transport(|kind, server| {
        let program = Git::new(&server.environment());
        let (ada, url) = (Member::new(), server.remote());
        let one = ada.id("HEAD");
        push(&program, &ada, &url, one, None).unwrap();
        let two = ada.commit("two");
        for expected in [None, Some(two)] {
            let error = push(&program, &ada, &url, two, expected).unwrap_err();
            assert!(matches!(error, GitCommandError::LostRace { .. }), "{kind:?}: {error}");
        }
        // Seen by the server only: the ref is locked by another push.
        fs::write(server.hub.join("refs/heads/main.lock"), "").unwrap();
        let error = push(&program, &ada, &url, two, Some(one)).unwrap_err();
        assert!(matches!(error, GitCommandError::LostRace { .. }), "{kind:?}: {error}");
    });
}

#[test]
fn a_server_hook_that_declines_is_shown_without_escapes_and_credentials() {
    over_each_transport(|kind, server| {
        server.hook(
            "pre-receive",
            "#!/bin/sh\nprintf 'branch is frozen \\033[2J\\033]0;owned\\007 see https://bob:hunter22@h.example/x\\n' >&2\nexit 1\n",
        );
        let program = Git::new(&server.environment());
        let (ada, url) = (Member::new(), server.remote());
        let error = push(&program, &ada, &url, ada.id("HEAD"), None).unwrap_err();
        assert!(matches!(error, GitCommandError::Declined { .. }), "{kind:?}: {error}");
        let text = error.to_string();
        assert!(text.contains("pre-receive hook declined"), "{text}");
        assert!(text.contains("branch is frozen"), "{text}");
        assert!(!text.contains('\x1b') && !text.contains('\x07'), "{text}");
        assert!(!text.contains("hunter22") && text.contains("https://***@h.example/x"), "{text}");
        assert!(program.ls_remote(&url).unwrap().branches.is_empty());
    });
}

#[test]
fn a_wrong_credential_is_named_and_nothing_hangs() {
    for kind in [Kind::Http, Kind::Ssh] {
        let Some(server) = start(kind) else { continue };
        let (ada, url, began) = (Member::new(), server.remote(), Instant::now());
        let program = Git::new(&server.wrong_environment()).timeout(Duration::from_secs(30));
        let error = fetch(&program, &ada.git_dir(), &url).unwrap_err();
        assert!(matches!(error, GitCommandError::Authentication { .. }), "{kind:?}: {error}");
        assert!(!error.to_string().contains("guess"), "{error}");
        let error = push(&program, &ada, &url, ada.id("HEAD"), None).unwrap_err();
        assert!(matches!(error, GitCommandError::Authentication { .. }), "{kind:?}: {error}");
        assert!(began.elapsed() < Duration::from_secs(25), "{kind:?}");
    }
}

#[test]
fn no_credential_at_all_fails_instead_of_asking() {
    let Some(server) = start(Kind::Http) else { return };
    let path = std::env::var_os("PATH").unwrap();
    let bare = Environment::of([("PATH", path), ("GIT_CONFIG_NOSYSTEM", "1".into())]);
    let error = Git::new(&bare).ls_remote(&server.remote()).unwrap_err();
    assert!(matches!(error, GitCommandError::Authentication { .. }), "{error}");
}

#[test]
fn a_server_that_is_gone_is_unreachable() {
    over_each_transport(|kind, mut server| {
        server.stop();
        fs::rename(&server.hub, server.hub.with_extension("gone")).unwrap();
        let program = Git::new(&server.environment());
        let error = fetch(&program, &Member::new().git_dir(), &server.remote()).unwrap_err();
        let expected = match kind {
            Kind::File => matches!(error, GitCommandError::NotARepository { .. }),
            _ => matches!(error, GitCommandError::Unreachable { .. }),
        };
        assert!(expected, "{kind:?}: {error}");
    });
}

#[test]
fn an_address_without_a_repository_is_not_a_connection_problem() {
    over_each_transport(|kind, server| {
        let url = RemoteUrl::parse(&server.url.replace("team%20memory", "other")).unwrap();
        let error = Git::new(&server.environment()).ls_remote(&url).unwrap_err();
        assert!(matches!(error, GitCommandError::NotARepository { .. }), "{kind:?}: {error}");
    });
}

#[test]
fn an_unknown_host_key_is_refused_without_asking() {
    let Some(server) = start(Kind::Ssh) else { return };
    let command = server.variables().iter().find(|(name, _)| name == "GIT_SSH_COMMAND").unwrap();
    let config = command.1.strip_prefix("ssh -F ").unwrap();
    fs::write(Path::new(config).with_file_name("known_hosts"), "").unwrap();
    let error = Git::new(&server.environment()).ls_remote(&server.remote()).unwrap_err();
    assert!(matches!(error, GitCommandError::HostKey { .. }), "{error}");
}

#[test]
fn a_tree_that_reaches_into_git_is_refused_on_arrival() {
    over_each_transport(|kind, server| {
        let (ada, bob, url) = (Member::new(), Member::new(), server.remote());
        let program = Git::new(&server.environment());
        let folder = ada.folder.path();
        let blob = git(folder, &["rev-parse", "HEAD:a.md"]);
        fs::write(folder.join("tree"), format!("100644 blob {blob}\tconfig\n")).unwrap();
        let script =
            "sub=$(git mktree < tree) && printf '040000 tree %s\\t.git\\n' $sub | git mktree";
        let tree = git(folder, &["-c", &format!("alias.x=!{script}"), "x"]);
        let commit = git(folder, &["commit-tree", &tree, "-m", "hostile"]);
        push(&program, &ada, &url, commit.parse().unwrap(), None).unwrap();
        let error = fetch(&program, &bob.git_dir(), &url).unwrap_err();
        assert!(matches!(error, GitCommandError::HostileObjects { .. }), "{kind:?}: {error}");
        let refs = git(bob.folder.path(), &["for-each-ref", INCOMING]);
        assert!(refs.is_empty(), "{refs}");
    });
}

#[test]
fn a_silent_server_times_out() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let path = std::env::var_os("PATH").unwrap();
    let program = Git::new(&Environment::of([("PATH", path)])).timeout(Duration::from_millis(700));
    for scheme in ["http", "git", "ssh"] {
        let address = format!("{scheme}://127.0.0.1:{port}/x");
        let began = Instant::now();
        let error = program.ls_remote(&RemoteUrl::parse(&address).unwrap()).unwrap_err();
        assert!(matches!(error, GitCommandError::TimedOut { .. }), "{address}: {error}");
        assert!(began.elapsed() < Duration::from_secs(10), "{address}");
        assert_no_process_mentions(&port.to_string());
    }
}

#[test]
fn without_git_or_with_an_unresolved_path_nothing_is_tried() {
    let program = Git::new(&Environment::default());
    let url = RemoteUrl::parse("../hub.git").unwrap();
    assert!(matches!(program.ls_remote(&url).unwrap_err(), GitCommandError::Url(_)));
    let absent = program.program("/nonexistent/git");
    let url = RemoteUrl::parse("/srv/hub.git").unwrap();
    assert!(matches!(absent.ls_remote(&url).unwrap_err(), GitCommandError::Missing { .. }));
}

#[test]
fn progress_is_reported_when_asked() {
    let Some(server) = start(Kind::File) else { return };
    let (ada, bob, url) = (Member::new(), Member::new(), server.remote());
    let program = Git::new(&server.environment());
    push(&program, &ada, &url, ada.commit("two"), None).unwrap();
    let mut stages = Vec::new();
    let mut note = |step: memsync::git::command::Progress| stages.push(step.stage);
    let repo = &Repo::open(&bob.git_dir()).unwrap();
    let request = Fetch { repo, url: &url, refs: &[(MAIN, INCOMING)] };
    program.fetch(&request, Some(&mut note)).unwrap();
    assert!(stages.iter().any(|stage| stage.contains("objects")), "{stages:?}");
}

/// No process is left whose command line holds a text. One that was killed may take a moment to go.
#[cfg(target_os = "linux")]
pub(crate) fn assert_no_process_mentions(text: &str) {
    let mentions = || {
        fs::read_dir("/proc").unwrap().flatten().find_map(|entry| {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            line.contains(text).then_some(line)
        })
    };
    let end = Instant::now() + Duration::from_secs(5);
    while mentions().is_some() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(mentions(), None, "still running");
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn assert_no_process_mentions(_text: &str) {}
