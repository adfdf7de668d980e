//! Answers as git, ssh, curl and hosts word them, and the error each becomes.

use super::*;

fn url(text: &str) -> RemoteUrl {
    RemoteUrl::parse(text).unwrap()
}

/// The name of the variant.
fn kind(error: &GitCommandError) -> String {
    let text = format!("{error:?}");
    text.split([' ', '(']).next().unwrap_or_default().to_owned()
}

#[test]
fn messages_of_git_ssh_and_curl_become_their_errors() {
    for (stderr, expected) in [
        ("fatal: transport 'ext' not allowed", "Protocol"),
        ("fatal: detected dubious ownership in repository at '/srv/hub.git'", "ForeignOwner"),
        ("fatal: couldn't find remote ref refs/heads/main", "MissingRef"),
        (
            "error: object 0a: hasDotgit: contains '.git'\nfatal: fsck error in packed object",
            "HostileObjects",
        ),
        ("fatal: write error: No space left on device", "DiskFull"),
        (
            "Host key verification failed.\r\nfatal: Could not read from remote repository.",
            "HostKey",
        ),
        (
            "fatal: unable to access 'https://h/x/': SSL certificate problem: self-signed",
            "Certificate",
        ),
        (
            "git@h: Permission denied (publickey).\nfatal: Could not read from remote repository.",
            "Authentication",
        ),
        (
            "fatal: could not read Username for 'https://h': terminal prompts disabled",
            "Authentication",
        ),
        (
            "remote: HTTP Basic: Access denied\nfatal: Authentication failed for 'https://h/x/'",
            "Authentication",
        ),
        (
            "fatal: unable to access 'https://h/x/': The requested URL returned error: 403",
            "Refused",
        ),
        (
            "ERROR: Permission to team/x.git denied to bob.\nfatal: Could not read from remote repository.",
            "Refused",
        ),
        ("fatal: '/srv/x' does not appear to be a git repository", "NotARepository"),
        (
            "ERROR: Repository not found.\nfatal: Could not read from remote repository.",
            "NotARepository",
        ),
        (
            "remote: Repository not found.\nfatal: repository 'https://h/x/' not found",
            "NotARepository",
        ),
        ("fatal: https://h/x/info/refs not valid: is this a git repository?", "WebPage"),
        (
            "ssh: connect to host h port 22: Connection refused\nfatal: Could not read",
            "Unreachable",
        ),
        ("ssh: Could not resolve hostname h: Name or service not known", "Unreachable"),
        ("fatal: unable to access 'https://h/x/': Could not resolve host: h", "Unreachable"),
        ("fatal: the remote end hung up unexpectedly", "Unreachable"),
        (
            "error: RPC failed; HTTP 502 curl 22 The requested URL returned error: 502",
            "Unreachable",
        ),
        ("error: unknown option `no-write-fetch-head'", "Other"),
        ("", "Other"),
    ] {
        let error = failure(&url("https://h/x"), stderr.as_bytes());
        assert_eq!(kind(&error), expected, "{stderr}");
    }
}

#[test]
fn what_a_server_says_does_not_choose_the_error() {
    let stderr =
        b"remote: fatal: couldn't find remote ref x\nfatal: the remote end hung up unexpectedly";
    assert_eq!(kind(&failure(&url("https://h/x"), stderr)), "Unreachable");
}

#[test]
fn the_missing_credential_is_named_by_transport() {
    let stderr = b"git@h: Permission denied (publickey).";
    let error = failure(&url("git@h:x"), stderr).to_string();
    assert!(error.contains("an ssh key is missing or wrong"), "{error}");
    let error = failure(&url("https://h/x"), b"fatal: Authentication failed for 'https://h/x/'");
    assert!(error.to_string().contains("password or token is missing"), "{error}");
}

#[cfg(unix)]
fn ran(code: i32, stdout: &str, stderr: &str) -> Ran {
    use std::os::unix::process::ExitStatusExt;
    let status = std::process::ExitStatus::from_raw(code << 8);
    Ran { status, stdout: stdout.into(), stderr: stderr.into() }
}

#[cfg(unix)]
#[test]
fn push_status_lines_decide_before_any_text() {
    let name = "refs/heads/main";
    let line = |flag: &str, summary: &str| format!("To /h\n{flag}\tabc:{name}\t{summary}\nDone\n");
    let push = |code, stdout: &str, stderr: &str| {
        pushed(&url("/h"), name, &ran(code, stdout, stderr)).map_err(|error| kind(&error))
    };
    assert_eq!(push(0, &line(" ", "a..b"), ""), Ok(PushOutcome::Moved));
    assert_eq!(push(0, &line("*", "[new branch]"), ""), Ok(PushOutcome::Moved));
    assert_eq!(push(0, &line("=", "[up to date]"), ""), Ok(PushOutcome::UpToDate));
    for reason in [
        "[rejected] (stale info)",
        "[rejected] (fetch first)",
        "[rejected] (non-fast-forward)",
        "[remote rejected] (failed to update ref)",
        "[remote rejected] (incorrect old value provided)",
        "[remote rejected] (cannot lock ref 'refs/heads/main': is at a but expected b)",
    ] {
        assert_eq!(push(1, &line("!", reason), ""), Err("LostRace".into()), "{reason}");
    }
    for reason in [
        "[remote rejected] (pre-receive hook declined)",
        "[remote rejected] (pre-receive hook declined: stale info)",
        "[remote rejected] (protected branch hook declined)",
        "[remote rejected] (push declined due to repository rule violations)",
        "[remote rejected] (TF402455: you must use a pull request to update this branch.)",
    ] {
        assert_eq!(push(1, &line("!", reason), ""), Err("Declined".into()), "{reason}");
    }
    for reason in [
        "[remote rejected] (branch is currently checked out)",
        "[remote rejected] (unpacker error)",
    ] {
        assert_eq!(push(1, &line("!", reason), ""), Err("Refused".into()), "{reason}");
    }
    let denied = "remote: error: cannot lock ref: Permission denied";
    assert_eq!(
        push(1, &line("!", "[remote rejected] (failed to update ref)"), denied),
        Err("Refused".into())
    );
    assert_eq!(
        push(128, "", "fatal: '/h' does not appear to be a git repository"),
        Err("NotARepository".into())
    );
    assert_eq!(push(1, "", "").err().as_deref(), Some("Other"));
}

#[cfg(unix)]
#[test]
fn a_refusal_shows_the_servers_words_redacted_and_escaped() {
    let stdout = "!\ta:refs/heads/main\t[remote rejected] (pre-receive hook declined)\n";
    let stderr = "remote: see https://bob:hunter22@h/x\x1b[2J\nremote: \nerror: failed to push some refs to '/h'\n";
    let error = pushed(&url("/h"), "refs/heads/main", &ran(1, stdout, stderr)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`/h` refused: [remote rejected] (pre-receive hook declined)\nremote: see https://***@h/x\\u{1b}[2J"
    );
}

#[test]
fn listings_are_read_with_head_and_both_hash_lengths() {
    let (short, long) = ("0a".repeat(20), "0b".repeat(32));
    let text = format!(
        "ref: refs/heads/main\tHEAD\n{short}\tHEAD\n{short}\trefs/heads/main\n{long}\trefs/heads/x\njunk\nbad\trefs/heads/y\n"
    );
    let refs = listed(text.as_bytes());
    assert_eq!(refs.head.as_deref(), Some("refs/heads/main"));
    let names: Vec<&str> = refs.branches.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["refs/heads/main", "refs/heads/x"]);
}
