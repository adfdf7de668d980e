//! Rules that hold for the output of every command: help, colour, closed pipes, full disks, and
//! what is generated from the command line itself.
//! Border: what a single command says is in its own file.
#![expect(clippy::disallowed_methods, reason = "this test starts the built program")]

use std::process::{Command, Output, Stdio};

fn memsync(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_memsync"));
    command.args(arguments).stdin(Stdio::null()).env("COLUMNS", "100");
    command
}

fn text(output: Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Every command path below the program, subcommands included, from the help itself.
fn commands() -> Vec<Vec<String>> {
    let mut found = vec![Vec::new()];
    let mut at = 0;
    while at < found.len() {
        let path = found[at].clone();
        let mut arguments: Vec<&str> = path.iter().map(String::as_str).collect();
        arguments.push("--help");
        let help = text(memsync(&arguments).output().unwrap());
        let listed = help.split("Commands:\n").nth(1).unwrap_or_default();
        for line in listed.lines().take_while(|line| line.starts_with("  ")) {
            // A continuation line is indented further.
            if let Some(name) = line.strip_prefix("  ").filter(|line| !line.starts_with(' ')) {
                let name = name.split(' ').next().unwrap().to_owned();
                found.push([path.clone(), vec![name]].concat());
            }
        }
        at += 1;
    }
    found
}

#[test]
fn every_command_explains_itself_and_its_options_in_sentences_without_a_full_stop() {
    let commands = commands();
    assert!(commands.len() > 15, "{commands:?}");
    for path in &commands {
        let mut arguments: Vec<&str> = path.iter().map(String::as_str).collect();
        arguments.push("-h");
        let help = text(memsync(&arguments).output().unwrap());
        let about = help.lines().next().unwrap();
        assert!(about.chars().next().is_some_and(char::is_uppercase), "{path:?}: {about}");
        assert!(!about.ends_with('.') || path.is_empty(), "{path:?}: {about}");
        let lines: Vec<&str> = help.lines().chain([""]).collect();
        for pair in lines.windows(2).filter(|pair| pair[0].trim_start().starts_with("--")) {
            // Beside the option, or below it where there is no room.
            let beside = pair[0].trim_start().split_once("  ").map_or("", |(_, text)| text.trim());
            let below = pair[1].trim();
            let said = !beside.is_empty() || (!below.is_empty() && !below.starts_with('-'));
            assert!(said, "{path:?}: {}", pair[0]);
        }
    }
}

#[test]
fn every_shell_gets_completions_that_name_the_commands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = text(memsync(&["completions", shell]).output().unwrap());
        assert!(script.contains("remember") && script.contains("forget"), "{shell}");
    }
}

#[test]
fn the_manual_page_is_roff_and_each_command_has_its_own() {
    let page = text(memsync(&["man"]).output().unwrap());
    assert!(page.contains(".TH memsync 1") && page.contains("remember"), "{page}");
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().to_str().unwrap();
    text(memsync(&["man", "--pages", pages]).output().unwrap());
    assert!(folder.path().join("memsync-push.1").exists());
    let gone = folder.path().join("gone");
    let output = memsync(&["man", "--pages", gone.to_str().unwrap()]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_error_and_a_full_disk_is() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = memsync(&["man"]).stdout(writer).output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else { return };
    let output = memsync(&["man"]).stdout(full).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("stdout cannot be written") && said.contains("next:"), "{said}");
}

#[test]
fn colour_is_only_for_terminals_unless_asked_for() {
    let shown = |arguments: &[&str], no_color: bool| {
        let mut command = memsync(arguments);
        if no_color {
            command.env("NO_COLOR", "1");
        }
        let output = command.output().unwrap();
        String::from_utf8(output.stderr).unwrap().contains('\u{1b}')
    };
    let failing = ["--memdir", "/no/such/folder", "status"];
    assert!(!shown(&failing, false));
    assert!(!shown(&failing, true));
    assert!(shown(&[&["--color", "always"][..], &failing].concat(), false));
}
