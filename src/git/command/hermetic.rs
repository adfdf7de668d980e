//! The one builder of git's command line and environment.
//! Border: decides what git may see and do; starts nothing. The person's ssh set-up, credential
//! helpers, proxies and certificates must work, so their configuration is read; what could run
//! other programs, ask questions or change what is sent is overridden.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::Command;

use super::Git;
use super::scratch::Scratch;
use crate::git::repo::Repo;
use crate::git::url::{RemoteUrl, Transport};
use crate::system::env::Environment;

/// Settings that no configuration file can undo.
const OVERRIDES: &[&str] = &[
    // No hook of anyone's runs: `reference-transaction` on fetch, `pre-push` on push.
    "core.hooksPath=/dev/null",
    // Starts a daemon or any program.
    "core.fsmonitor=false",
    "core.autocrlf=false",
    // Refuses hostile objects before they are stored: git alone would keep a tree with `.git/config`.
    "fetch.fsckObjects=true",
    "transfer.fsckObjects=true",
    // Objects as they are sent: no parents from a file beside them.
    "core.commitGraph=false",
    "core.useReplaceRefs=false",
    // Housekeeping is not on the way of a sync.
    "gc.auto=0",
    "maintenance.auto=false",
    "fetch.writeCommitGraph=false",
    // Nothing beyond the refs that were asked for.
    "fetch.prune=false",
    "fetch.pruneTags=false",
    "fetch.recurseSubmodules=false",
    "submodule.recurse=false",
    "push.recurseSubmodules=no",
    "push.followTags=false",
    "push.pushOption=",
    "transfer.bundleURI=false",
    // Signing is ours, not gpg's.
    "push.gpgSign=false",
    "commit.gpgSign=false",
    // Plain text to read.
    "color.ui=false",
    "advice.pushUpdateRejected=false",
];

/// Variables named `GIT_…` that say how to reach a server. All others are dropped: they name another
/// repository, index or object store (a hook's do), inject configuration, or write traces.
const KEPT: &[&str] = &[
    "GIT_ASKPASS",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_EXEC_PATH",
    "GIT_HTTP_PROXY_AUTHMETHOD",
    "GIT_PROXY_SSL_CAINFO",
    "GIT_PROXY_SSL_CERT",
    "GIT_PROXY_SSL_KEY",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSH_VARIANT",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "GIT_SSL_CERT",
    "GIT_SSL_KEY",
];

/// Set whatever was inherited.
const FORCED: &[(&str, &str)] = &[
    ("GIT_TERMINAL_PROMPT", "0"),
    // Replacement refs would show other objects than the ones that are sent.
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    // ssh opens the terminal itself; this sends its questions to a program instead …
    ("SSH_ASKPASS_REQUIRE", "force"),
    // Messages are classified by their English text.
    ("LC_ALL", "C"),
];

/// Set where the person has set nothing.
const DEFAULTS: &[(&str, &str)] = &[
    // … and this program answers none.
    ("SSH_ASKPASS", "false"),
    ("GCM_INTERACTIVE", "never"),
];

/// What git gets of an environment.
pub(super) fn environment(inherited: &Environment) -> Vec<(OsString, OsString)> {
    let forced = |name: &OsStr| FORCED.iter().any(|(forced, _)| name == *forced);
    let kept = |name: &OsStr| {
        !name.as_encoded_bytes().starts_with(b"GIT_") || KEPT.iter().any(|kept| name == *kept)
    };
    let mut environment: Vec<(OsString, OsString)> = inherited
        .iter()
        .filter(|(name, _)| kept(name) && !forced(name) && *name != "LANGUAGE")
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let missing = DEFAULTS.iter().filter(|(name, _)| inherited.os(name).is_none());
    for (name, value) in FORCED.iter().chain(missing) {
        environment.push((name.into(), value.into()));
    }
    environment
}

/// The `git` of `PATH` by its full name. With that the system starts it without a copy of this
/// process, and a `git` that lies in the current folder is never the one that runs.
pub(super) fn find_git(environment: &Environment) -> Option<OsString> {
    let folders = environment.os("PATH")?;
    let programs = std::env::split_paths(folders)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join("git"));
    programs.into_iter().find(|program| is_program(program)).map(PathBuf::into_os_string)
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|stat| stat.is_file() && stat.permissions().mode() & 0o111 != 0)
}

/// Elsewhere the system looks for it, with the endings of its programs.
#[cfg(not(unix))]
fn is_program(_: &Path) -> bool {
    false
}

impl Git {
    /// The folder for temporary files.
    pub(super) fn temp(&self) -> PathBuf {
        let named = self.environment.iter().find(|(name, _)| name == "TMPDIR");
        let named = named.map(|(_, value)| PathBuf::from(value));
        named.filter(|path| path.is_absolute()).unwrap_or_else(std::env::temp_dir)
    }

    /// A command that is ready but for its arguments. `place` is `None` where no repository is needed,
    /// else the git dir to run in and the repository whose objects it shares.
    pub(super) fn command(
        &self,
        place: Option<(&Scratch, &Repo)>,
        url: Option<&RemoteUrl>,
    ) -> Command {
        #[expect(clippy::disallowed_methods, reason = "this is the one hermetic place")]
        let mut command = Command::new(&self.program);
        command.env_clear().envs(self.environment.iter().cloned());
        command.env("GIT_ALLOW_PROTOCOL", protocols(url));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.kill_on_drop(true);
        // Its own process group, so that ssh and remote helpers end with it.
        #[cfg(unix)]
        command.process_group(0);
        for setting in OVERRIDES {
            command.arg("-c").arg(setting);
        }
        match place {
            Some((scratch, repo)) => {
                let mut option = OsString::from("--git-dir=");
                option.push(scratch.path());
                command.arg(option);
                command.env("GIT_OBJECT_DIRECTORY", repo.objects_dir());
            }
            // At the root of the disk, so that no repository around the current folder is found.
            None => {
                let root = std::env::temp_dir();
                command.current_dir(root.ancestors().last().unwrap_or(&root));
                command.env("GIT_CEILING_DIRECTORIES", "/");
            }
        }
        command
    }
}

/// What git may speak, also after `url.*.insteadOf` and HTTP redirects.
fn protocols(url: Option<&RemoteUrl>) -> &'static str {
    match url.map(RemoteUrl::transport) {
        Some(Transport::LoopbackHttp) => "https:ssh:git:file:http",
        _ => "https:ssh:git:file",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inherited_git_variables_are_dropped_but_for_how_to_reach_a_server() {
        let pairs = [
            ("HOME", "/home/a"),
            ("GIT_DIR", "/evil"),
            ("GIT_CONFIG_PARAMETERS", "'core.sshCommand=x'"),
            ("GIT_CONFIG_COUNT", "1"),
            ("GIT_OBJECT_DIRECTORY", "/q"),
            ("GIT_TRACE", "1"),
            ("GIT_SSL_NO_VERIFY", "1"),
            ("GIT_TERMINAL_PROMPT", "1"),
            ("GIT_SSH_COMMAND", "ssh -F x"),
            ("SSH_AUTH_SOCK", "/agent"),
            ("SSH_ASKPASS", "/usr/bin/ask"),
            ("LC_ALL", "de_DE.UTF-8"),
            ("LANGUAGE", "de"),
        ];
        let mut made = environment(&Environment::of(pairs));
        made.sort();
        let shown: Vec<String> = made
            .iter()
            .map(|(n, v)| format!("{}={}", n.to_string_lossy(), v.to_string_lossy()))
            .collect();
        assert_eq!(
            shown,
            [
                "GCM_INTERACTIVE=never",
                "GIT_NO_LAZY_FETCH=1",
                "GIT_NO_REPLACE_OBJECTS=1",
                "GIT_SSH_COMMAND=ssh -F x",
                "GIT_TERMINAL_PROMPT=0",
                "HOME=/home/a",
                "LC_ALL=C",
                "SSH_ASKPASS=/usr/bin/ask",
                "SSH_ASKPASS_REQUIRE=force",
                "SSH_AUTH_SOCK=/agent",
            ]
        );
    }
}
