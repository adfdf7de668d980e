//! What stands where files of git and of other programs should be: pipes, devices, endless files, folders
//! of another owner.
//! Border: that every command ends, and says what is there; which files a repository needs is git's.
#![expect(clippy::disallowed_methods, reason = "puts what is no file where files should be")]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Member, Said, World};

/// Far more than any of these takes on a busy machine; a read without end is none of them.
const LIMIT: Duration = Duration::from_secs(90);

/// Runs to the end, or fails.
fn ends(what: &str, mut command: Command) -> Said {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > LIMIT {
            child.kill().unwrap();
            panic!("{what} does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    Said {
        exit: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn pipe(path: &Path) {
    let done = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(done.success(), "{}", path.display());
}

fn device(path: &Path) {
    symlink("/dev/zero", path).unwrap();
}

/// Takes what is there away and puts something else there; gives what brings it back.
fn put(path: &Path, make: fn(&Path)) -> impl FnOnce() + use<> {
    let before = fs::read(path).ok();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    drop(fs::remove_file(path));
    make(path);
    let path = path.to_owned();
    move || {
        fs::remove_file(&path).unwrap();
        if let Some(bytes) = before {
            fs::write(&path, bytes).unwrap();
        }
    }
}

const FILES: [&str; 16] = [
    "HEAD",
    "config",
    "config.worktree",
    "commondir",
    "gitdir",
    "index",
    "packed-refs",
    "refs/heads/main",
    "refs/heads/other",
    "refs/memsync/verified/main",
    "shallow",
    "objects/info/alternates",
    "objects/info/commit-graph",
    "objects/pack/pack-0123456789012345678901234567890123456789.idx",
    "logs/refs/heads/main",
    "info/exclude",
];

#[test]
fn a_pipe_or_device_in_the_place_of_a_file_of_git_is_named_and_stops_no_command() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.remember("ports", "8080 web");
    ada.done(&["push"]);
    for (kind, make) in [("pipe", pipe as fn(&Path)), ("device", device)] {
        // A device is told as a pipe is, by the same look.
        let some = ["HEAD", "config", "shallow", "refs/heads/other", "objects/info/alternates"];
        for file in FILES.into_iter().filter(|file| kind == "pipe" || some.contains(file)) {
            let undo = put(&ada.team().join(".git").join(file), make);
            let mut named = 0;
            for arguments in [
                &["status"][..],
                &["pull"],
                &["log"],
                &["doctor"],
                &["hooks", "status", "--repo", ada.team().to_str().unwrap()],
                &["scan", "--staged"],
                &["scan", "--history"],
            ] {
                let mut command = ada.program();
                command.args(arguments);
                if arguments[0] == "scan" {
                    command.current_dir(ada.team());
                }
                let what = format!("{arguments:?} with a {kind} as {file}");
                let said = ends(&what, command);
                assert_ne!(said.exit, 70, "{what}: {said:?}");
                let tells = format!("{}{}", said.out, said.err).contains("is no regular file");
                named += usize::from(tells);
                if arguments[0] != "doctor" {
                    assert_eq!((said.exit, tells), (3, true), "{what}: {said:?}");
                    assert!(said.err.contains("rm '"), "{what}: {said:?}");
                }
            }
            assert!(named >= 6, "{kind} as {file}");
            undo();
        }
    }
    ada.done(&["status"]);
}

#[test]
fn a_pipe_in_the_place_of_an_object_is_named_and_stops_no_command() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.remember("ports", "8080 web");
    ada.done(&["push"]);
    for name in ["HEAD", "HEAD^{tree}", "HEAD:ports.md"] {
        let id = ada.git(&["rev-parse", name]);
        let path = ada.team().join(".git/objects").join(&id[..2]).join(&id[2..]);
        assert!(path.is_file(), "{name} is loose");
        let undo = put(&path, pipe);
        for arguments in [&["show", "ports"][..], &["scan", "--history", "--no-cache"]] {
            let mut command = ada.program();
            command.args(arguments).current_dir(ada.team());
            let said = ends(&format!("{arguments:?} with a pipe as {name}"), command);
            let text = format!("{}{}", said.out, said.err);
            assert_ne!(said.exit, 0, "{arguments:?} {name}: {said:?}");
            // Of the commit at a ref it is said that it is not there.
            let tells = ["no regular file", "could not be found", "cannot be read"];
            assert!(tells.iter().any(|tell| text.contains(tell)), "{arguments:?} {name}: {said:?}");
        }
        undo();
    }
}

#[test]
fn a_huge_configuration_is_not_read() {
    let world = World::new();
    let ada = world.founder("ada");
    for file in ["config", "HEAD", "refs/heads/other", "shallow"] {
        let undo = put(&ada.team().join(".git").join(file), |path| {
            let file = fs::File::create(path).unwrap();
            file.set_len(1 << 40).unwrap();
        });
        let mut command = ada.program();
        command.arg("status");
        let said = ends(file, command);
        assert_eq!(said.exit, 3, "{file}: {said:?}");
        undo();
    }
}

#[test]
fn settings_of_other_programs_are_read_bounded_and_no_link_of_the_project_is_followed() {
    let world = World::new();
    let ada = world.newcomer("ada");
    let project = world.path().join("project");
    let home = world.path().join("ada-home");
    fs::create_dir_all(project.join(".git")).unwrap();
    let huge: fn(&Path) = |path| fs::File::create(path).unwrap().set_len(1 << 40).unwrap();
    let outside = world.path().join("outside.json");
    fs::write(&outside, r#"{"autoMemoryDirectory": "/from/outside"}"#).unwrap();
    for folder in [&project, &home] {
        for make in [pipe as fn(&Path), device, huge] {
            for name in [".claude/settings.json", ".claude/settings.local.json"] {
                let undo = put(&folder.join(name), make);
                for arguments in [&["where"][..], &["status"], &["hooks", "status"]] {
                    let mut command = ada.command(env!("CARGO_BIN_EXE_memsync"));
                    command.current_dir(&project).args(arguments);
                    let said = ends(&format!("{arguments:?} with {name}"), command);
                    assert_ne!(said.exit, 70, "{said:?}");
                }
                undo();
            }
        }
    }
    let undo = put(&project.join(".claude/settings.json"), |path| {
        symlink("../../outside.json", path).unwrap();
    });
    let mut command = ada.command(env!("CARGO_BIN_EXE_memsync"));
    let said = ends("where", {
        command.current_dir(&project).arg("where");
        command
    });
    assert!(said.exit == 0 && !format!("{said:?}").contains("/from/outside"), "{said:?}");
    undo();
    // A person's own file may be a link: many keep such files in one place.
    let undo = put(&home.join(".claude/settings.json"), |path| {
        symlink("../../outside.json", path).unwrap();
    });
    let mut command = ada.command(env!("CARGO_BIN_EXE_memsync"));
    command.current_dir(&project).arg("where");
    assert!(ends("where", command).out.contains("/from/outside"));
    undo();
}

/// Everything below a folder that others may write.
fn writable(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let stat = fs::symlink_metadata(entry.path()).unwrap();
            if !stat.is_symlink() && stat.permissions().mode() & 0o022 != 0 {
                found.push(entry.path().display().to_string());
            }
            if stat.is_dir() {
                open.push(entry.path());
            }
        }
    }
    found
}

fn with_umask(member: &Member, arguments: &[&str]) {
    let mut command = member.command("sh");
    command.args(["-c", "umask 000; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_memsync")]);
    command.arg("--memdir").arg(&member.memdir).args(arguments);
    let said = crate::support::say(&mut command);
    assert_eq!(said.exit, 0, "{arguments:?}: {said:?}");
}

#[test]
fn with_no_umask_at_all_nobody_else_may_write_what_is_made() {
    let world = World::new();
    let (ada, bob) = (world.newcomer("ada"), world.newcomer("bob"));
    with_umask(&ada, &["init", "--open", "--remote", &world.address()]);
    ada.remember("ports", "8080 web");
    fs::set_permissions(ada.team().join("ports.md"), fs::Permissions::from_mode(0o644)).unwrap();
    with_umask(&ada, &["push"]);
    with_umask(&ada, &["hooks", "install", "--repo", ada.team().to_str().unwrap()]);
    with_umask(&bob, &["join", &world.address()]);
    bob.edit("ports.md", |text| text + "\nMore.\n");
    fs::set_permissions(bob.team().join("ports.md"), fs::Permissions::from_mode(0o644)).unwrap();
    with_umask(&bob, &["push"]);
    with_umask(&ada, &["pull"]);
    for member in [&ada, &bob] {
        let found = writable(&member.team());
        assert!(found.is_empty(), "{found:#?}");
    }
}

#[test]
fn a_repository_of_another_owner_is_refused_until_the_person_calls_it_safe() {
    let world = World::new();
    let ada = world.founder("ada");
    let team = ada.team();
    let path = team.to_str().unwrap();
    let mut chown = Command::new("chown");
    chown.args(["-R", "12345:12345"]).arg(&team).stderr(Stdio::null());
    if !chown.status().unwrap().success() {
        // Only root gives files away; then what root owns is another's.
        let refused = memsync::git::repo::Repo::open_owned(Path::new("/")).unwrap_err();
        assert!(refused.to_string().contains("belongs to another user"), "{refused}");
        return;
    }
    for arguments in
        [&["status"][..], &["pull"], &["push"], &["log"], &["hooks", "status", "--repo", path]]
    {
        ada.fails(arguments, 3, &["belongs to another user", "safe.directory", path]);
    }
    let global = world.path().join("gitconfig");
    for (value, exit) in [(path, 0), ("*", 0), ("/somewhere/else", 3)] {
        fs::write(&global, format!("[safe]\n\tdirectory = {value}\n")).unwrap();
        let said = ada.with("GIT_CONFIG_GLOBAL", global.to_str().unwrap()).run(&["status"]);
        assert_eq!(said.exit, exit, "{value}: {said:?}");
    }
    // What the repository says of itself counts for nothing.
    let config = fs::read_to_string(team.join(".git/config")).unwrap();
    fs::write(team.join(".git/config"), config + "[safe]\n\tdirectory = *\n").unwrap();
    ada.fails(&["status"], 3, &["belongs to another user"]);
}
