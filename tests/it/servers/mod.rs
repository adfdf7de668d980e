//! Real git servers on loopback for tests: `file`, smart HTTP behind lighttpd with a password, sshd.
//! Border: each starts on a free port in a throw-away folder and stops when dropped. A missing program
//! skips the test and says so, unless `MEMSYNC_REQUIRE_SERVERS=1` (as in CI).
#![expect(clippy::disallowed_methods, reason = "a server is a program, set up with files")]
#![expect(clippy::print_stderr, reason = "a skipped test must say so")]

mod http;
mod ssh;

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use memsync::git::url::RemoteUrl;
use memsync::system::env::Environment;
use tempfile::TempDir;

/// How long a server may take to accept its first connection.
const START: Duration = Duration::from_secs(20);

/// A transport with a real server behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Http,
    Ssh,
}

/// All of them.
pub(crate) const KINDS: [Kind; 3] = [Kind::File, Kind::Http, Kind::Ssh];

/// A running server with one empty bare repository, and what a client needs to reach it.
pub(crate) struct Server {
    /// The address of the repository.
    pub(crate) url: String,
    /// The repository on disk.
    pub(crate) hub: PathBuf,
    /// Variables for a client: a home of its own, and the credential.
    variables: Vec<(String, String)>,
    /// The same with a credential that the server does not know.
    wrong: Vec<(String, String)>,
    process: Option<Child>,
    folder: TempDir,
}

/// Starts a server; `None` when its program is missing and may be.
pub(crate) fn start(kind: Kind) -> Option<Server> {
    let folder = tempfile::Builder::new().prefix("memsync-server").tempdir().unwrap();
    let hub = folder.path().join("git/team memory.git");
    fs::create_dir_all(&hub).unwrap();
    git(&hub, &["init", "--quiet", "--bare", "--initial-branch=main", "."]);
    let mut server = Server {
        url: format!("file://{}", hub.to_str().unwrap().replace(' ', "%20")),
        hub,
        variables: client(folder.path(), "home"),
        wrong: client(folder.path(), "wrong"),
        process: None,
        folder,
    };
    let started = match kind {
        Kind::File => Ok(()),
        Kind::Http => http::start(&mut server),
        Kind::Ssh => ssh::start(&mut server),
    };
    match started {
        Ok(()) => Some(server),
        Err(missing) => {
            let required = std::env::var_os("MEMSYNC_REQUIRE_SERVERS").is_some_and(|v| v == "1");
            assert!(!required, "{missing} is missing, and MEMSYNC_REQUIRE_SERVERS=1");
            eprintln!("skipped: {missing} is not installed, so nothing was tested over {kind:?}");
            None
        }
    }
}

impl Server {
    /// The address, parsed.
    pub(crate) fn remote(&self) -> RemoteUrl {
        RemoteUrl::parse(&self.url).unwrap()
    }

    /// What a client's environment must hold to get in, for child processes.
    pub(crate) fn variables(&self) -> &[(String, String)] {
        &self.variables
    }

    /// The same as a value for the library.
    pub(crate) fn environment(&self) -> Environment {
        Environment::of(self.variables.iter().cloned())
    }

    /// The same with a credential that the server does not know, for child processes.
    pub(crate) fn wrong_variables(&self) -> &[(String, String)] {
        &self.wrong
    }

    /// An environment whose credential the server does not know.
    pub(crate) fn wrong_environment(&self) -> Environment {
        Environment::of(self.wrong.iter().cloned())
    }

    /// Installs a server hook.
    pub(crate) fn hook(&self, name: &str, script: &str) {
        let path = self.hub.join("hooks").join(name);
        write_program(&path, script);
    }

    /// Ends the server; the repository stays on disk.
    pub(crate) fn stop(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Runs plain git with no configuration of this machine; gives its stdout.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.current_dir(folder).args(arguments).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.envs([("HOME", "/nonexistent"), ("GIT_CONFIG_NOSYSTEM", "1"), ("LC_ALL", "C")]);
    for (role, who) in [("AUTHOR", "Ada"), ("COMMITTER", "Ada")] {
        command
            .env(format!("GIT_{role}_NAME"), who)
            .env(format!("GIT_{role}_EMAIL"), "ada@example.com");
    }
    let output = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {stderr}");
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

/// A home folder below the server's folder, and the variables that make a client live in it.
fn client(folder: &Path, name: &str) -> Vec<(String, String)> {
    let home = folder.join(name);
    fs::create_dir_all(&home).unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let home = home.to_str().unwrap();
    [
        ("PATH", path.to_str().unwrap()),
        ("HOME", home),
        ("XDG_CONFIG_HOME", home),
        ("GIT_CONFIG_GLOBAL", &format!("{home}/gitconfig")),
        ("GIT_CONFIG_NOSYSTEM", "1"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .to_vec()
}

/// The full path of a program in PATH or where servers are kept.
fn program(name: &str) -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders =
        std::env::split_paths(&path).chain(["/usr/sbin", "/usr/local/sbin"].map(PathBuf::from));
    let mut candidates = folders.map(|folder| folder.join(name));
    candidates.find(|path| path.is_file()).ok_or_else(|| name.to_owned())
}

fn write_program(path: &Path, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, script).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A port that was free a moment ago.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Starts a server on free ports until one accepts: another process may take a port in between.
fn spawn_listening(mut command: impl FnMut(u16) -> Command) -> (Child, u16) {
    for _ in 0..5 {
        let port = free_port();
        let mut process = command(port)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + START;
        while Instant::now() < deadline && process.try_wait().unwrap().is_none() {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return (process, port);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        drop(process.kill());
        process.wait().unwrap();
    }
    panic!("the server never accepted a connection: {:?}", command(0));
}
