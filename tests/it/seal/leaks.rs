//! The plain text is in no file, object, record or argument of any flow, but the editor's.
//! Border: looks at the whole world afterwards, and at every write while it happens.
#![expect(clippy::disallowed_methods, reason = "starts strace and the program")]
#![expect(clippy::print_stderr, reason = "a skipped test says so")]

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{MARKER, Team, assert_nowhere, edit, editor, files_below, remember};

#[test]
fn no_flow_leaves_the_text_anywhere() {
    let text = format!("One line.\n\nThe customer is {MARKER}.\n\nA last line.\n");
    let team = Team::with_incident(&text);
    let (ada, ben) = (&team.ada, &team.ben);
    assert_nowhere(&team.world, MARKER);
    // Concurrent edits that merge, then such that do not.
    edit(&team.world, ada, "s/One line/First line/");
    edit(&team.world, ben, "s/A last line/The end/");
    ada.done(&["push"]);
    ben.done(&["push"]);
    ada.done(&["pull"]);
    assert_nowhere(&team.world, MARKER);
    edit(&team.world, ada, "s/The customer is/Today pays/");
    edit(&team.world, ben, "s/The customer is/Never pays/");
    ada.done(&["push"]);
    ben.run(&["push"]);
    ada.done(&["pull"]);
    for member in [ada, ben, &team.cy] {
        for arguments in [&["status"][..], &["diff"], &["log"], &["resolve", "--list"], &["check"]]
        {
            let said = member.run(arguments);
            assert!(!format!("{said:?}").contains(MARKER), "{arguments:?}: {said:?}");
        }
    }
    ada.done(&["member", "remove", "cy", "--reseal"]);
    ada.done(&["reseal", "incident", "--for", "ada"]);
    ada.done(&["push"]);
    ben.done(&["pull"]);
    ada.fails(&["seal", "incident"], 2, &["sealed already"]);
    assert_nowhere(&team.world, MARKER);
}

#[test]
fn the_editors_file_is_private_and_gone_with_all_that_lies_beside_it() {
    let team = Team::with_incident(&format!("{MARKER}\n"));
    let (world, ben) = (&team.world, &team.ben);
    let seen = world.path().join("seen");
    let script = format!(
        "stat -c '%a %n' \"$1\" \"$(dirname \"$1\")\" > {0}; cp \"$1\" \"$1~\"; cp \"$1\" \"$(dirname \"$1\")/.swp\"",
        seen.display()
    );
    for (end, exit) in [("", 0), ("; exit 3", 2), ("; kill -9 $$", 2)] {
        let member = editor(world, ben, &format!("{script}{end}"));
        let said = member.run(&["open", "incident", "--edit"]);
        assert_eq!(said.exit == 0, exit == 0, "{said:?}");
        let modes = fs::read_to_string(&seen).unwrap();
        assert!(modes.starts_with("600 ") && modes.contains("\n700 "), "{modes}");
        assert!(!modes.contains(MARKER));
        assert_nowhere(world, MARKER);
    }
    ben.with("EDITOR", "no-such-editor").fails(
        &["open", "incident", "--edit"],
        2,
        &["cannot be started"],
    );
    // A folder of the session that is in memory comes first.
    let memory = world.path().join("runtime");
    fs::create_dir(&memory).unwrap();
    let member = editor(world, ben, &script).with("XDG_RUNTIME_DIR", memory.to_str().unwrap());
    member.done(&["open", "incident", "--edit"]);
    assert!(fs::read_to_string(&seen).unwrap().contains("/runtime/memsync-"));
    assert!(files_below(&memory).is_empty());
    assert_nowhere(world, MARKER);
}

#[test]
fn a_signal_while_the_editor_is_open_leaves_nothing() {
    use rustix::process::{Pid, Signal, kill_process};
    let team = Team::with_incident(&format!("{MARKER}\n"));
    let ready = team.world.path().join("ready");
    let script = format!("touch {}; exec sleep 60", ready.display());
    for signal in [Signal::TERM, Signal::HUP] {
        let member = editor(&team.world, &team.ben, &script);
        let mut command = member.program();
        command.args(["open", "incident", "--edit"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait_for(|| ready.exists());
        let id = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        // Ctrl-C is for the editor: memsync goes on waiting for it.
        kill_process(id, Signal::INT).unwrap();
        std::thread::sleep(Duration::from_millis(100));
        assert!(child.try_wait().unwrap().is_none());
        kill_process(id, signal).unwrap();
        wait_for(|| child.try_wait().unwrap().is_some());
        assert_eq!(child.wait().unwrap().code(), None, "it must end by the signal");
        fs::remove_file(&ready).unwrap();
        assert_nowhere(&team.world, MARKER);
    }
}

fn wait_for(mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(30), "waited too long");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn nothing_that_is_written_on_the_way_holds_the_text() {
    let works = Command::new("strace").args(["-o", "/dev/null", "true"]).output();
    if !works.is_ok_and(|output| output.status.success()) {
        let required = std::env::var_os("MEMSYNC_REQUIRE_SERVERS").is_some_and(|v| v == "1");
        assert!(!required, "strace is missing, and MEMSYNC_REQUIRE_SERVERS=1");
        eprintln!("skipped: strace is not installed or may not trace");
        return;
    }
    let team = Team::new();
    let traced = |member: &crate::support::Member, arguments: &[&str], input: &str| -> String {
        let log = tempfile::NamedTempFile::new().unwrap();
        let mut command = member.command("strace");
        let calls = "-etrace=write,pwrite64,writev,sendto,sendmsg,execve";
        command.args(["-f", "-s", "100000", calls, "-o"]).arg(log.path());
        command.arg(env!("CARGO_BIN_EXE_memsync")).arg("--memdir").arg(&member.memdir);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        fs::read_to_string(log.path()).unwrap()
    };
    let arguments = [
        "remember",
        "--seal",
        "--name",
        "incident",
        "--kind",
        "project",
        "--description",
        "d",
        "--for",
        "ben",
    ];
    let log = traced(&team.ada, &arguments, &format!("First.\n\nThe customer is {MARKER}.\n"));
    assert!(log.contains("write") && !log.contains(MARKER), "remember --seal wrote the text");
    team.ada.done(&["push"]);
    team.ben.done(&["pull"]);
    let log = traced(&team.ben, &["open", "incident"], "");
    let writes: Vec<&str> = log.lines().filter(|line| line.contains(MARKER)).collect();
    assert!(matches!(writes.as_slice(), [only] if only.contains("write(1, ")), "{writes:?}");
    edit(&team.world, &team.ada, "s/First/1st/");
    edit(&team.world, &team.ben, "s/The customer/Our customer/");
    team.ada.done(&["push"]);
    let log = traced(&team.ben, &["push"], "");
    assert!(!log.contains(MARKER), "a merge wrote the text");
    assert_eq!(
        team.ben.done(&["open", "incident"]).out,
        format!("1st.\n\nOur customer is {MARKER}.\n")
    );
    let log = traced(&team.ben, &["reseal", "incident", "--for", "ben"], "");
    assert!(!log.contains(MARKER), "reseal wrote the text");
    assert_eq!(remember(&team.ben, &["--replace"], MARKER).exit, 0);
    assert_nowhere(&team.world, MARKER);
}
