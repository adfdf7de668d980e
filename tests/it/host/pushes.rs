//! What plain git can push at a team's server besides memories, and that none of it gets in.
//! Border: each row makes one push from a clone without memsync; who may change what is in `receive`.
#![expect(clippy::disallowed_methods, reason = "runs git with the program in its path")]

use std::fs;
use std::path::{Path, PathBuf};

use super::{Forged, Team, team};
use crate::support::{Said, git, memory, say, token};

/// A team's server with the hook, and a clone that somebody has without memsync.
struct Server {
    team: Team,
    outside: PathBuf,
}

fn server() -> Server {
    let team = team();
    let outside = team.world.path().join("outside");
    fs::create_dir(team.world.path().join("temp")).unwrap();
    git(team.world.path(), &["clone", "-q", &team.world.address(), outside.to_str().unwrap()]);
    for (name, value) in [("user.name", "Eve"), ("user.email", "eve@example.com")] {
        git(&outside, &["config", name, value]);
    }
    team.ada.done(&["hooks", "install", "--repo", &team.world.address()]);
    Server { team, outside }
}

impl Server {
    fn refs(&self) -> String {
        git(&self.team.world.hub(), &["for-each-ref"])
    }

    fn git(&self, arguments: &[&str]) -> String {
        git(&self.outside, arguments)
    }

    /// Pushes with plain git; what it says, with its exit code.
    fn push(&self, refspecs: &[&str]) -> Said {
        let program = Path::new(env!("CARGO_BIN_EXE_memsync")).parent().unwrap();
        let path = std::env::var("PATH").unwrap();
        let mut command = self.team.eve.command("git");
        command.env("PATH", format!("{}:{path}", program.display())).current_dir(&self.outside);
        command.env("TMPDIR", self.team.world.path().join("temp"));
        say(command.args(["push", "-q", "--force", "origin"]).args(refspecs))
    }

    fn refuses(&self, refspecs: &[&str], rule: &str) {
        let before = self.refs();
        let said = self.push(refspecs);
        assert!(said.exit != 0 && said.err.contains(rule), "{refspecs:?} {rule}: {said:?}");
        assert!(said.err.contains("next:"), "{said:?}");
        // Git itself repeats the names that were typed; what the server says is ours.
        let ours = said.err.lines().filter(|line| line.starts_with("remote:"));
        assert!(!ours.collect::<String>().contains(&token()[..10]), "{said:?}");
        assert_eq!(self.refs(), before, "{refspecs:?} {rule}");
    }

    fn takes(&self, refspecs: &[&str]) {
        let said = self.push(refspecs);
        assert_eq!(said.exit, 0, "{refspecs:?}: {said:?}");
    }

    /// A commit that plain git makes from what is in the clone's folder.
    fn commit(&self, arguments: &[&str]) -> String {
        self.git(&["add", "-A"]);
        self.git(&[&["commit", "-q", "--allow-empty"], arguments].concat());
        self.git(&["rev-parse", "HEAD"])
    }

    /// Back to what the server has.
    fn reset(&self) {
        self.git(&["fetch", "-q", "origin"]);
        self.git(&["checkout", "-q", "-f", "--detach", "origin/main"]);
        self.git(&["clean", "-fdq"]);
    }

    /// An object of raw bytes, whatever git thinks of them.
    fn raw(&self, kind: &str, text: &str) -> String {
        let file = self.outside.join(".git/raw");
        fs::write(&file, text).unwrap();
        self.git(&["hash-object", "-w", "--literally", "-t", kind, file.to_str().unwrap()])
    }
}

#[test]
fn a_credential_in_a_name_of_a_ref_is_refused() {
    let server = server();
    let main = server.git(&["rev-parse", "origin/main"]);
    for name in
        ["refs/heads/fix/TOKEN", "refs/heads/TOKEN", "refs/tags/v1-TOKEN", "refs/tags/a-TOKEN/b"]
    {
        let target = format!("{main}:{}", name.replace("TOKEN", &token()));
        server.refuses(&[&target], "looks like a secret");
    }
    for name in ["refs/heads/a\u{202e}b", "refs/tags/x\u{200b}y"] {
        server.refuses(&[&format!("{main}:{name}")], "ref-name");
    }
    server.refuses(&[&format!("{main}:refs/heads/Main")], "ref-name");
    server.takes(&[&format!("{main}:refs/heads/récolte/部署"), &format!("{main}:refs/tags/v1")]);
}

#[test]
fn refs_that_carry_what_nobody_judges_are_refused() {
    let server = server();
    let main = server.git(&["rev-parse", "origin/main"]);
    let blob = server.git(&["rev-parse", "origin/main:MEMORY.md"]);
    let tree = server.git(&["rev-parse", "origin/main^{tree}"]);
    for name in [
        &format!("refs/replace/{blob}"),
        "refs/notes/commits",
        "refs/stash",
        "refs/pull/1/head",
        "refs/memsync/verified/main",
        "refs/memsync/requests",
        "refs/for/main",
        "refs/remotes/origin/main",
        "refs/headsx/main",
    ] {
        server.refuses(&[&format!("{main}:{name}")], "ref-place");
    }
    server
        .refuses(&[&format!("{main}:refs/memsync/requests/{}", "ab".repeat(32))], "not-a-request");
    for (object, kind) in [(&blob, "blob"), (&tree, "tree")] {
        server.refuses(&[&format!("{object}:refs/tags/{kind}")], "not-a-commit");
    }
    // A request is one line and no file, by the key it is named after.
    let carol = server.team.world.newcomer("carol");
    carol.done(&["join", &server.team.world.address(), "--accept-introduction", "--request"]);
    let request = git(&server.team.world.hub(), &["for-each-ref", "refs/memsync/requests"]);
    assert_eq!(request.lines().count(), 1, "{request}");
    let (id, name) = (request.split(' ').next().unwrap(), request.split('\t').nth(1).unwrap());
    server.git(&["fetch", "-q", "origin", name]);
    let text = server.git(&["cat-file", "commit", id]);
    let grown = text.replace(&text[5..45], &tree) + "\n";
    let grown = server.raw("commit", &grown);
    server.refuses(&[&format!("{grown}:{name}")], "not-a-request");
    server.refuses(&[&format!("{id}:{}", name.replace(&name[30..34], "0000"))], "not-a-request");
    server.takes(&[&format!(":{name}")]);
}

#[test]
fn the_shared_branch_is_neither_deleted_nor_reached_by_another_name() {
    let server = server();
    let main = server.git(&["rev-parse", "origin/main"]);
    git(&server.team.world.hub(), &["config", "receive.denyDeleteCurrent", "ignore"]);
    server.refuses(&[":refs/heads/main"], "shared-branch-deleted");
    git(&server.team.world.hub(), &["symbolic-ref", "refs/heads/alias", "refs/heads/main"]);
    server.refuses(&[&format!("{main}^:refs/heads/alias")], "symbolic-ref");
    server.takes(&[&format!("{main}:refs/heads/other")]);
    server.takes(&[":refs/heads/other"]);
    // The server's HEAD names a branch that nobody shares, born or not.
    for target in ["refs/heads/master", "refs/heads/proposal"] {
        server.takes(&[&format!("{main}:refs/heads/proposal")]);
        git(&server.team.world.hub(), &["symbolic-ref", "HEAD", target]);
        server.refuses(&[":refs/heads/main"], "shared-branch-deleted");
        let unsigned = server.commit(&["-m", "unsigned"]);
        server.refuses(&[&format!("{unsigned}:refs/heads/main")], "unsigned");
    }
    git(&server.team.world.hub(), &["symbolic-ref", "HEAD", "refs/heads/master"]);
    // Where `join` would lead a newcomer is no proposal either.
    server.refuses(&[&format!("{main}:refs/heads/master")], "replayed-ref");
}

#[test]
fn history_that_starts_elsewhere_gets_in_nowhere() {
    let server = server();
    let main = server.git(&["rev-parse", "origin/main"]);
    let orphan = |file: &dyn Fn(&Path)| {
        server.reset();
        server.git(&["checkout", "-q", "--orphan", "fresh"]);
        server.git(&["rm", "-rfq", "."]);
        file(&server.outside);
        let id = server.commit(&["-m", "another start"]);
        server.git(&["checkout", "-q", "--detach", "origin/main"]);
        server.git(&["branch", "-D", "-q", "fresh"]);
        id
    };
    let link =
        orphan(&|folder| std::os::unix::fs::symlink("/etc/passwd", folder.join("x.md")).unwrap());
    let code = orphan(&|folder| fs::write(folder.join("run.sh"), "echo\n").unwrap());
    let empty = orphan(&|_| {});
    for id in [&link, &code, &empty] {
        for name in ["refs/heads/main", "refs/heads/side", "refs/tags/side"] {
            server.refuses(&[&format!("{id}:{name}")], "other-root");
        }
    }
    server.refuses(&[&format!("{link}:refs/heads/side")], "symlink");
    // Joined to the team's history by a merge.
    let tree = server.git(&["rev-parse", "origin/main^{tree}"]);
    let merge = server.git(&["commit-tree", &tree, "-p", &main, "-p", &link, "-m", "merge"]);
    server.refuses(&[&format!("{merge}:refs/heads/side")], "other-root");
    // Several refs at once: what one brings is not known because another one comes with it.
    server.refuses(
        &[
            &format!("{main}:refs/heads/good"),
            &format!("{link}:refs/heads/side"),
            &format!("{link}:refs/tags/t"),
        ],
        "other-root",
    );
}

#[test]
fn what_a_branch_brought_before_the_hook_was_there_is_new_to_the_shared_one() {
    let server = server();
    let hub = server.team.world.hub();
    let leak = memory("leak", &format!("the key is {}", token()));
    let bad = server.team.by(&server.team.bob).edit("leak.md", Some(leak));
    let bad = server.team.store(&server.team.raw(&bad)).to_string();
    git(&hub, &["update-ref", "refs/heads/old", &bad]);
    server.git(&["fetch", "-q", "origin"]);
    server.refuses(&[&format!("{bad}:refs/heads/main")], "looks like a secret");
}

#[test]
fn a_proposal_cannot_accept_its_own_findings_or_change_the_policy_it_is_judged_by() {
    let server = server();
    let bare = fs::read_to_string(server.outside.join(".memsync/policy.yaml")).unwrap();
    let lenient = bare.replace("secrets:", "secrets:\n  off:\n    - github-personal-token");
    assert_ne!(bare, lenient, "{bare}");
    fs::write(server.outside.join(".memsync/policy.yaml"), lenient).unwrap();
    server.commit(&["-m", "be lenient"]);
    fs::write(server.outside.join("leak.md"), memory("leak", &format!("key {}", token()))).unwrap();
    let id = server.commit(&["-m", "and leak"]);
    server.refuses(&[&format!("{id}:refs/heads/side")], "looks like a secret");
    server.reset();
    fs::write(server.outside.join("leak.md"), memory("leak", &format!("key {}", token()))).unwrap();
    let id = server.commit(&["-m", "leak"]);
    let said = server.push(&[&format!("{id}:refs/heads/side")]);
    let print = said.err.split("scan allow ").nth(1).unwrap()[..32].to_owned();
    let list = format!("- fingerprint: {print}\n  reason: a sample\n");
    fs::write(server.outside.join(".memsync/allow.yaml"), &list).unwrap();
    let id = server.commit(&["-m", "accept it"]);
    server.refuses(&[&format!("{id}:refs/heads/side")], "looks like a secret");
    // What an admin accepts on the shared branch counts, though it comes with the same push.
    let team = &server.team;
    let first =
        team.by(&team.ada).edit("leak.md", Some(memory("leak", &format!("key {}", token()))));
    let first = team.store(&team.raw(&first));
    let second =
        Forged { ..team.by(&team.ada).on(&[first]) }.edit(".memsync/allow.yaml", Some(list));
    let second = team.store(&team.raw(&second)).to_string();
    git(&team.world.hub(), &["update-ref", "refs/keep/made", &second]);
    server.git(&["fetch", "-q", "origin", "refs/keep/made"]);
    git(&team.world.hub(), &["update-ref", "-d", "refs/keep/made"]);
    server.takes(&[&format!("{second}:refs/heads/main")]);
}

#[test]
fn a_server_that_was_told_how_the_team_starts_takes_nothing_else_even_when_it_is_empty() {
    let server = server();
    let team = &server.team;
    let status = team.ada.json(&["status"]);
    let introduction = status["introduction"].as_str().unwrap();
    let hooks = |arguments: &[&str]| team.ada.run(&[&["hooks"], arguments].concat());
    let hub = team.world.address();
    let said = hooks(&["status", "--repo", &hub]);
    assert!(said.out.contains(introduction), "found at installation: {said:?}");
    // An empty server, whose HEAD names another branch.
    let empty = team.world.path().join("empty.git");
    fs::create_dir(&empty).unwrap();
    git(&empty, &["init", "-q", "--bare", "-b", "master", "."]);
    let place = empty.to_str().unwrap();
    let said = hooks(&["install", "--repo", place]);
    assert!(said.exit == 0 && said.err.contains("the first push decides"), "{said:?}");
    let said = hooks(&["install", "--repo", place, "--introduction", introduction]);
    assert!(said.exit == 0 && said.err.contains(introduction), "{said:?}");
    server.git(&["remote", "set-url", "--push", "origin", place]);
    let root = server.git(&["rev-list", "--max-parents=0", "origin/main"]);
    let foreign = {
        let other = team.by(&team.ada).on(&[]);
        let id = team.store(&team.raw(&other)).to_string();
        git(&team.world.hub(), &["update-ref", "refs/heads/made", &id]);
        server.git(&["fetch", "-q", "origin"]);
        id
    };
    for name in ["refs/heads/main", "refs/heads/master", "refs/heads/x", "refs/tags/x"] {
        let said = server.push(&[&format!("{foreign}:{name}")]);
        assert!(said.exit != 0 && said.err.contains("other-root"), "{name}: {said:?}");
    }
    server.reset();
    let unsigned = server.commit(&["-m", "unsigned"]);
    let said = server.push(&[&format!("{unsigned}:refs/heads/main")]);
    assert!(said.exit != 0 && said.err.contains("unsigned"), "{said:?}");
    assert_eq!(git(&empty, &["for-each-ref"]), "");
    server.takes(&["origin/main:refs/heads/main"]);
    // Somebody else's team, and a word that is no introduction.
    let wrong = format!("{root}:SHA256:{}", "A".repeat(43));
    let said = hooks(&["install", "--repo", &hub, "--introduction", &wrong]);
    assert!(said.exit == 4 && said.err.contains("not with the introduced"), "{said:?}");
    for (arguments, exit) in [
        (&["install", "--repo", &hub, "--introduction", "x"][..], 2),
        (
            &[
                "install",
                "--repo",
                server.outside.to_str().unwrap(),
                "--introduction",
                introduction,
            ],
            2,
        ),
    ] {
        assert_eq!(hooks(arguments).exit, exit, "{arguments:?}");
    }
    // Nothing stays after it is taken out.
    assert!(empty.join("memsync").exists());
    assert_eq!(hooks(&["uninstall", "--repo", place]).exit, 0);
    assert!(!empty.join("memsync").exists());
    // A record that cannot be read lets nothing in.
    fs::write(team.world.hub().join("memsync/introduction.json"), "{}").unwrap();
    server.git(&["remote", "set-url", "--push", "origin", &hub]);
    let said = server.push(&["origin/main:refs/heads/again"]);
    assert!(said.exit != 0 && said.err.contains("introduction.json"), "{said:?}");
}

#[test]
fn a_credential_in_what_travels_beside_files_is_refused_on_every_ref() {
    let server = server();
    let main = server.git(&["rev-parse", "origin/main"]);
    let tree = server.git(&["rev-parse", "origin/main^{tree}"]);
    let secret = token();
    let who = "Eve <eve@example.com> 1772600767 +0000";
    let head = format!("tree {tree}\nparent {main}\n");
    let signature = format!("gpgsig -----BEGIN SSH SIGNATURE-----\n {secret}\n");
    for raw in [
        format!("{head}author {who}\ncommitter {who}\n\nuse {secret}\n"),
        format!("{head}author {secret} <e@x> 1 +0000\ncommitter {who}\n\nx\n"),
        format!("{head}author {who}\ncommitter E <{secret}@x> 1 +0000\n\nx\n"),
        format!("{head}author {who}\ncommitter {who}\nnote {secret}\n\nx\n"),
        format!(
            "{head}author {who}\ncommitter {who}\nmergetag object {main}\n type commit\n {secret}\n\nx\n"
        ),
        format!("{head}author {who}\ncommitter {who}\n{signature}\nx\n"),
        format!("{head}author {who}\ncommitter {who}\n\nx\n\nMemsync-Session: {secret}\n"),
    ] {
        let id = server.raw("commit", &raw);
        for name in ["refs/heads/side", "refs/tags/side", "refs/heads/main"] {
            server.refuses(&[&format!("{id}:{name}")], "looks like a secret");
        }
        // Gone in the next commit, and one of several.
        let next = server.git(&["commit-tree", &tree, "-p", &id, "-m", "next"]);
        let several = [format!("{main}:refs/heads/good"), format!("{next}:refs/heads/side")];
        server.refuses(&[&several[0], &several[1]], "looks like a secret");
    }
    let tag = |object: &str, kind: &str, name: &str, tagger: &str, message: &str| {
        let text =
            format!("object {object}\ntype {kind}\ntag {name}\ntagger {tagger}\n\n{message}\n");
        server.raw("tag", &text)
    };
    let bad = tag(&main, "commit", "v1", who, &format!("use {secret}"));
    for id in [
        bad.clone(),
        tag(&main, "commit", &secret, who, "x"),
        tag(&main, "commit", "v1", &format!("{secret} <e@x> 1 +0000"), "x"),
        tag(&main, "commit", "v1", &format!("E <{secret}@x> 1 +0000"), "x"),
        tag(&bad, "tag", "around", who, "fine"),
    ] {
        server.refuses(&[&format!("{id}:refs/tags/v1")], "looks like a secret");
    }
    let mut around = main;
    for depth in 0..12 {
        around = tag(&around, if depth == 0 { "commit" } else { "tag" }, "deep", who, "x");
    }
    server.refuses(&[&format!("{around}:refs/tags/deep")], "not well-formed");
    server.git(&["tag", "-a", "-m", "The first week", "v1", "origin/main"]);
    server.takes(&["v1"]);
}

#[test]
fn the_shared_branch_goes_back_only_from_what_members_refuse_and_to_what_they_have() {
    let server = server();
    let team = &server.team;
    let main = team.tip();
    let older = server.git(&["rev-parse", "origin/main~1"]);
    // The server's HEAD names it or not.
    for head in ["refs/heads/main", "refs/heads/master"] {
        git(&team.world.hub(), &["symbolic-ref", "HEAD", head]);
        server.refuses(&[&format!("{older}:refs/heads/main")], "rewritten");
        let aside = team.store(&team.raw(&team.by(&team.bob).on(&[older.parse().unwrap()])));
        git(&team.world.hub(), &["update-ref", "refs/keep/aside", &aside.to_string()]);
        server.git(&["fetch", "-q", "origin", "refs/keep/aside"]);
        git(&team.world.hub(), &["update-ref", "-d", "refs/keep/aside"]);
        server.refuses(&[&format!("{aside}:refs/heads/main")], "rewritten");
        // Somebody got an unsigned commit in before the hook was there.
        team.publish(&Forged { signer: None, ..team.by(&team.bob) });
        server.refuses(&[&format!("{older}:refs/heads/main")], "rewritten");
        server.takes(&[&format!("{main}:refs/heads/main")]);
        assert_eq!(team.tip(), main);
    }
    // No view of the quarantine is left behind.
    assert_eq!(fs::read_dir(team.world.path().join("temp")).unwrap().count(), 0);
}
