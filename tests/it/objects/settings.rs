//! Nothing that a team repository's own configuration names runs, and nothing it says redirects; the
//! person's own configuration counts as ever.
//! Border: git's settings by what they can do; which transport fails how is `transport`'s.
#![expect(clippy::disallowed_methods, reason = "writes configuration as an attacker does")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{Member, World, git, write_program};

/// Where a setting stands.
const PLACES: [&str; 4] = ["config", "config.worktree", "an include", "a conditional include"];

/// A member with a program that leaves a mark when anything starts it.
struct Scene {
    world: World,
    ada: Member,
    program: PathBuf,
    mark: PathBuf,
}

fn scene() -> Scene {
    let world = World::new();
    let ada = world.founder("ada");
    ada.done(&["push"]);
    let (program, mark) = (world.path().join("evil"), world.path().join("mark"));
    write_program(&program, &format!("#!/bin/sh\ntouch {}\nexit 1\n", mark.display()));
    let decoy = world.path().join("decoy.git");
    git(world.path(), &["clone", "-q", "--bare", &world.address(), decoy.to_str().unwrap()]);
    Scene { world, ada, program, mark }
}

impl Scene {
    /// The team's `config` as it was, with more text at one of the places; other texts start from it.
    fn place(&self, plain: &str, place: &str, text: &str) {
        let git_dir = self.ada.team().join(".git");
        let file = git_dir.join("more");
        let more = match place {
            "config" => text.to_owned(),
            "config.worktree" => {
                fs::write(git_dir.join("config.worktree"), text).unwrap();
                "[extensions]\n\tworktreeConfig = true\n".to_owned()
            }
            "an include" => {
                fs::write(&file, text).unwrap();
                "[include]\n\tpath = more\n".to_owned()
            }
            _ => {
                fs::write(&file, text).unwrap();
                let condition = format!("gitdir:{}/", self.world.path().display());
                format!("[includeIf \"{condition}\"]\n\tpath = {}\n", file.display())
            }
        };
        fs::write(git_dir.join("config"), format!("{plain}{more}")).unwrap();
    }

    fn config(&self) -> String {
        fs::read_to_string(self.ada.team().join(".git/config")).unwrap()
    }

    #[track_caller]
    fn assert_unmarked(&self, what: &str) {
        assert!(!self.mark.exists(), "{what} ran a program");
    }
}

#[test]
fn no_setting_of_the_repository_runs_a_program_or_redirects_on_a_local_remote() {
    let scene = scene();
    let (evil, hub) = (scene.program.display(), scene.world.address());
    let decoy = scene.world.path().join("decoy.git");
    let decoy = decoy.display();
    let plain = scene.config();
    let settings = [
        format!("[core]\n\tsshCommand = {evil}\n\tgitProxy = {evil}\n\taskPass = {evil}\n"),
        format!("[core]\n\tfsmonitor = {evil}\n\tpager = {evil}\n\teditor = {evil}\n"),
        format!("[core]\n\thooksPath = {}\n", scene.world.path().join("hooks").display()),
        format!("[core]\n\talternateRefsCommand = {evil}\n"),
        format!("[credential]\n\thelper = !{evil}\n"),
        format!(
            "[gpg]\n\tprogram = {evil}\n[gpg \"ssh\"]\n\tprogram = {evil}\n[push]\n\tgpgSign = true\n"
        ),
        format!(
            "[remote \"origin\"]\n\tuploadpack = {evil}\n\treceivepack = {evil}\n\tvcs = evil\n"
        ),
        format!(
            "[remote \"{hub}\"]\n\turl = {decoy}\n\tuploadpack = {evil}\n\treceivepack = {evil}\n"
        ),
        format!("[uploadpack]\n\tpackObjectsHook = {evil}\n"),
        format!("[filter \"x\"]\n\tclean = {evil}\n\tsmudge = {evil}\n\tprocess = {evil}\n"),
        format!("[url \"{decoy}\"]\n\tinsteadOf = {hub}\n"),
        format!("[url \"{decoy}\"]\n\tpushInsteadOf = {hub}\n"),
        format!(
            "[url \"ext::{evil} \"]\n\tinsteadOf = {hub}\n[protocol \"ext\"]\n\tallow = always\n"
        ),
        format!("[protocol]\n\tallow = never\n[fetch]\n\tbundleURI = file://{decoy}\n"),
        format!("[alias]\n\tfetch = !{evil}\n\tpush = !{evil}\n[pack]\n\tpackSizeLimit = 1\n"),
        "[transfer]\n\thideRefs = refs/heads\n[fetch]\n\tfsckObjects = false\n".to_owned(),
    ];
    for name in ["reference-transaction", "pre-push", "post-checkout"] {
        write_program(
            &scene.world.path().join("hooks").join(name),
            &fs::read_to_string(&scene.program).unwrap(),
        );
    }
    let decoyed = || git(scene.world.path(), &["-C", "decoy.git", "rev-parse", "main"]);
    let before = decoyed();
    for (number, setting) in settings.iter().enumerate() {
        // What redirects is tried at every place, of the rest each at one.
        let redirects = setting.contains("nsteadOf");
        let places = PLACES.iter().enumerate().filter(|(at, _)| redirects || at % 4 == number % 4);
        for place in places.map(|(_, place)| *place) {
            scene.place(&plain, place, setting);
            let what = format!("{place}: {setting}");
            let name = format!("m{number}-{}", place.replace([' ', '.'], "-"));
            scene.ada.remember(&name, "Text.");
            scene.ada.done(&["push"]);
            if place == "config" {
                scene.ada.done(&["pull"]);
            }
            scene.assert_unmarked(&what);
            assert!(scene.world.hub_files().contains_key(&format!("{name}.md")), "{what}");
        }
    }
    assert_eq!(decoyed(), before, "the decoy got something");
}

#[test]
fn no_setting_of_the_repository_runs_a_program_on_the_way_to_a_server() {
    let scene = scene();
    let evil = scene.program.display();
    let plain = scene.config();
    for (url, setting) in [
        ("ssh://git@127.0.0.1:1/x", format!("[core]\n\tsshCommand = {evil}\n")),
        (
            "ssh://git@127.0.0.1:1/x",
            format!("[ssh]\n\tvariant = simple\n[core]\n\tsshCommand = {evil}\n"),
        ),
        ("git://127.0.0.1:1/x", format!("[core]\n\tgitProxy = {evil}\n")),
        ("https://127.0.0.1:1/x", format!("[credential]\n\thelper = !{evil}\n")),
    ] {
        for place in &PLACES[..2] {
            let own = plain.replace(&scene.world.address(), url);
            assert!(own.contains(url), "{own}");
            scene.place(&own, place, &setting);
            scene.ada.remember("ports", "8080 web");
            for verb in ["pull", "push"] {
                scene.ada.fails(&[verb], 3, &[]);
            }
            scene.assert_unmarked(&format!("{place}: {setting}"));
        }
    }
}

/// A web server that knows nobody; counts who asks.
fn unwilling_server() -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            count.fetch_add(1, Ordering::SeqCst);
            drop(stream.read(&mut [0; 4_096]));
            let answer = "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            drop(stream.write_all(answer.as_bytes()));
        }
    });
    (port, asked)
}

#[test]
fn no_setting_of_the_repository_answers_a_web_server_or_leads_to_a_proxy() {
    let scene = scene();
    let evil = scene.program.display();
    let plain = scene.config();
    let ((port, asked), (proxy, proxied)) = (unwilling_server(), unwilling_server());
    let url = format!("http://127.0.0.1:{port}/x");
    let cookies = scene.world.path().join("cookies");
    for setting in [
        format!("[credential]\n\thelper = !{evil}\n"),
        format!("[credential \"{url}\"]\n\thelper = {evil}\n\tusername = eve\n"),
        format!("[core]\n\taskPass = {evil}\n"),
        format!(
            "[http]\n\tproxy = http://127.0.0.1:{proxy}\n\tcookieFile = {}\n\tsaveCookies = true\n",
            cookies.display()
        ),
        format!("[remote \"origin\"]\n\tproxy = http://127.0.0.1:{proxy}\n"),
        format!(
            "[http \"{url}\"]\n\tproxy = http://127.0.0.1:{proxy}\n\tsslVerify = false\n\textraHeader = X: y\n"
        ),
        format!("[url \"http://127.0.0.1:{proxy}/\"]\n\tinsteadOf = http://127.0.0.1:{port}/\n"),
    ] {
        for place in &PLACES[..2] {
            scene.place(&plain.replace(&scene.world.address(), &url), place, &setting);
            let before = asked.load(Ordering::SeqCst);
            let said = scene.ada.fails(&["pull"], 3, &["git config --global"]);
            assert!(asked.load(Ordering::SeqCst) > before, "{place}: {setting}: {said:?}");
            scene.assert_unmarked(&format!("{place}: {setting}"));
        }
    }
    assert_eq!(proxied.load(Ordering::SeqCst), 0, "the proxy was asked");
    assert!(!cookies.exists());
}

/// A configuration file of the person's own.
fn global(world: &World, text: &str) -> PathBuf {
    let file = world.path().join("gitconfig");
    fs::write(&file, text).unwrap();
    file
}

fn with_global(member: &Member, file: &Path) -> Member {
    member.with("GIT_CONFIG_GLOBAL", file.to_str().unwrap())
}

#[test]
fn what_the_person_says_in_their_own_configuration_counts() {
    let scene = scene();
    let world = &scene.world;
    let plain = scene.config();
    let elsewhere = "/nowhere/team.git";
    scene.place(&plain.replace(&world.address(), elsewhere), "config", "");
    let ada = &scene.ada;
    ada.remember("ports", "8080 web");
    ada.fails(&["push"], 3, &[]);
    let redirect = format!("[url \"{}\"]\n\tinsteadOf = {elsewhere}\n", world.address());
    with_global(ada, &global(world, &redirect)).done(&["push"]);
    assert!(world.hub_files().contains_key("ports.md"));
    // Also where it is for this address only.
    let file = world.path().join("for-the-team");
    fs::write(&file, &redirect).unwrap();
    let conditional = format!(
        "[includeIf \"hasconfig:remote.*.url:/nowhere/**\"]\n\tpath = {}\n",
        file.display()
    );
    ada.remember("more", "8081 web");
    with_global(ada, &global(world, &conditional)).done(&["push"]);
    assert!(world.hub_files().contains_key("more.md"));
    let ssh = plain.replace(&world.address(), "ssh://git@127.0.0.1:1/x");
    scene.place(&ssh, "config", "");
    let command = format!("[core]\n\tsshCommand = {}\n", scene.program.display());
    with_global(ada, &global(world, &command)).fails(&["pull"], 3, &[]);
    assert!(scene.mark.exists(), "the person's own ssh command runs");
}

#[test]
fn a_transfer_leaves_nothing_in_the_folder_for_temporary_files() {
    let world = World::new();
    let temp = world.path().join("temp");
    fs::create_dir(&temp).unwrap();
    let member = |name: &str| world.newcomer(name).with("TMPDIR", temp.to_str().unwrap());
    let (ada, bob) = (member("ada"), member("bob"));
    ada.done(&["init", "--open", "--remote", &world.address()]);
    bob.done(&["join", &world.address()]);
    ada.remember("ports", "8080 web");
    ada.done(&["push"]);
    bob.done(&["pull"]);
    fs::rename(world.hub(), world.path().join("away")).unwrap();
    bob.fails(&["pull"], 3, &[]);
    assert_eq!(fs::read_dir(&temp).unwrap().count(), 0);
    let gone = ada.with("TMPDIR", "/nonexistent/folder");
    gone.fails(&["pull"], 3, &["/nonexistent/folder", "TMPDIR"]);
}

#[test]
fn settings_that_only_one_reader_knows_are_refused() {
    let scene = scene();
    let plain = scene.config();
    scene.place(&plain, "config", "[gitoxide \"core\"]\n\tindexFile = /dev/zero\n");
    scene.ada.fails(&["status"], 3, &["gitoxide", "next:"]);
}
