//! The way out of a refusal: an admin vouches, also where policy or roster cannot be used any more.
//! Border: whether a vouch counts is `trust::history`; here real members get on with their work.

use super::{Forged, admit, team};
use crate::support::check::{assert_agreed, assert_clean};
use crate::support::{git, memory, token};

#[test]
fn a_vouched_commit_is_taken_by_all_and_work_goes_on() {
    let team = team();
    let mut forged = team.by(&team.bob);
    forged.signer = None;
    let bad = team.refuses(team.publish(&forged), "unsigned").err;
    let id = team.tip();
    assert!(bad.contains(&format!("memsync vouch {}", id.short())), "{bad}");
    for asked in [vec!["vouch"], vec!["vouch", &id.to_string()]] {
        team.bob.fails(&asked, 4, &["still refused", "`bob` is no admin", "next:"]);
    }
    team.ada.done(&["vouch", &id.short()]);
    team.bob.done(&["sync"]);
    team.ada.done(&["sync"]);
    assert!(team.ada.has("evil.md") && team.ada.has("mine.md"));
    assert_agreed(&team.world, &[&team.ada, &team.bob]);
}

#[test]
fn a_broken_policy_or_roster_is_mended_by_an_admins_vouch() {
    let broken = [
        (
            ".memsync/policy.yaml",
            Some("format: memsync.policy/9\ntrust: roster\n"),
            "roster-broken",
        ),
        (".memsync/policy.yaml", None, "roster-removed"),
        (".memsync/roster.yaml", Some("format: memsync.roster/1\nmembers: []\n"), "no-admin"),
        (".memsync/roster.yaml", Some("?"), "roster-broken"),
        (".memsync/roster.yaml", None, "roster-removed"),
    ];
    let team = team();
    for (path, text, rule) in broken {
        // By an admin, honestly, with plain git or a later memsync.
        let said = team.refused(&team.by(&team.ada).edit(path, text.map(str::to_owned)), rule);
        let bad = team.tip();
        assert!(said.err.contains(&format!("memsync vouch {}", bad.short())), "{said:?}");
        assert!(!said.err.contains("secret"), "{said:?}");
        team.ada.done(&["vouch", &bad.short()]);
        team.bob.done(&["sync"]);
        team.ada.done(&["sync"]);
        assert!(team.ada.has("mine.md"), "{rule}");
        assert_agreed(&team.world, &[&team.ada, &team.bob]);
    }
}

#[test]
fn a_correction_on_top_of_a_broken_policy_is_refused_until_an_admin_vouches() {
    let team = team();
    let good = team.file(".memsync/policy.yaml");
    let broken = team.by(&team.ada).edit(".memsync/policy.yaml", Some("format: ?\n".to_owned()));
    let bad = team.publish(&broken);
    let right = team.publish(&team.by(&team.ada).edit(".memsync/policy.yaml", Some(good)));
    let said = team.bob.fails(&["pull"], 4, &["roster-broken", &bad.short()]);
    let both = format!("memsync vouch {} {}", bad.short(), right.short());
    assert!(said.err.contains(&both), "{said:?}");
    team.ada.fails(&["vouch", &bad.short()], 4, &["still refused", &right.short()]);
    team.ada.done(&["vouch", &bad.short(), &right.short()]);
    team.bob.done(&["sync"]);
    assert_agreed(&team.world, &[&team.ada, &team.bob]);
}

#[test]
fn advice_on_our_own_refused_policy_does_not_speak_of_secrets() {
    let team = team();
    team.ada.write(".memsync/policy.yaml", "format: memsync.policy/9\ntrust: roster\n");
    team.ada.git(&[
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "commit",
        "-q",
        "-a",
        "-m",
        "policy",
    ]);
    let said = team.ada.run(&["push"]);
    assert!(said.exit != 0 && said.err.contains("policy"), "{said:?}");
    assert!(!said.err.contains("secret"), "{said:?}");
}

#[test]
fn a_newcomer_takes_the_verified_part_and_is_told() {
    let team = team();
    let mut forged = team.by(&team.bob);
    forged.signer = None;
    let bad = team.publish(&forged);
    let carol = team.world.newcomer("carol");
    let said = carol.fails(
        &["join", &team.world.address(), "--accept-introduction"],
        4,
        &["refused", "(unsigned)", &bad.short(), "next:"],
    );
    assert!(carol.has("ports.md") && !carol.has("evil.md"), "{said:?}");
    assert_clean(&carol);
    team.ada.done(&["vouch", &bad.short()]);
    carol.done(&["pull"]);
    assert!(carol.has("evil.md"));
}

#[test]
fn with_nothing_verified_joining_leaves_nothing() {
    let team = team();
    // The host signs nothing, so the root itself is what it makes up: another founder.
    let carol = team.world.newcomer("carol");
    let wrong = format!("{}:{}", team.root, "SHA256:".to_owned() + &"A".repeat(43));
    carol.fails(
        &["join", &team.world.address(), "--introduction", &wrong],
        4,
        &["introduc", "next:"],
    );
    let other = "1".repeat(40);
    carol.fails(
        &["join", &team.world.address(), "--introduction", &other],
        4,
        &["introduc", "next:"],
    );
    let nobody = ["join", &team.world.address()];
    carol.fails(&nobody, 4, &["was not confirmed", "--accept-introduction"]);
    assert!(!carol.team().exists());
    let shown = team.ada.done(&["status", "--verbose"]).out;
    let line = shown.lines().find(|line| line.contains("--introduction")).unwrap();
    let introduction = line.rsplit(' ').next().unwrap();
    carol.done(&["join", &team.world.address(), "--introduction", introduction]);
}

#[test]
fn the_host_shows_one_state_to_all_when_verified_tips_are_the_same() {
    let team = team();
    let verified = |member: &crate::support::Member| {
        let said = member.done(&["status", "-v"]).out;
        said.lines().find(|line| line.starts_with("Verified tip ")).unwrap().to_owned()
    };
    team.bob.done(&["pull"]);
    assert_eq!(verified(&team.ada), verified(&team.bob));
    let dan = team.world.newcomer("dan");
    admit(&team.world, &team.ada, &dan, "reader");
    assert_ne!(verified(&team.ada), verified(&team.bob), "Bob has not pulled");
    assert!(verified(&team.ada).contains(&git(&team.world.hub(), &["rev-parse", "main"])[..7]));
}

#[test]
fn a_vouch_says_each_credential_it_would_take_also_one_that_the_commit_accepts_itself() {
    let team = team();
    let leak = memory("leak", &format!("the key is {}", token()));
    team.ada.write("leak.md", &leak);
    let said = team.ada.fails(&["push"], 1, &["leak.md"]);
    let said = said.out + &said.err;
    let fingerprint = said.split("scan allow ").nth(1).and_then(|rest| rest.get(..32)).unwrap();
    team.ada.remove("leak.md");
    let list = format!("- fingerprint: {fingerprint}\n  reason: trust me\n");
    let mut leaked = team.by(&team.bob).edit("leak.md", Some(leak));
    (leaked.subject, leaked.signer) = (format!("note: {}", token()), None);
    for with_list in [false, true] {
        let mut forged = Forged { parents: vec![team.tip()], ..leaked.clone() };
        if with_list {
            forged.edits.push((".memsync/allow.yaml".to_owned(), Some(list.clone())));
        }
        let id = team.publish(&forged).short();
        let (file, subject) = ("leak.md:6:", "commit message");
        for asked in [vec!["vouch", &id], vec!["vouch"]] {
            let said = team.ada.fails(&asked, 1, &[file, subject, "looks like a secret"]);
            assert!(!said.err.contains(&token()[..10]), "{said:?}");
            assert_eq!(said.err.contains("a finding is accepted"), with_list, "{said:?}");
        }
        team.ada.fails(&["vouch", &id, "--undo"], 1, &[file, "it stays in the history"]);
        team.ada.done(&["vouch", &id, "--undo", "--yes"]);
        assert!(!team.ada.has("leak.md"));
    }
}

#[test]
fn a_second_beginning_that_a_member_merged_in_is_put_back() {
    let team = team();
    let strange = team.store(&team.raw(&team.by(&team.bob).on(&[])));
    let merge = team.by(&team.bob).on(&[team.tip(), strange]);
    team.publish(&merge);
    let said = team.ada.fails(&["pull"], 4, &["other-root", "next:", "push --over-refused"]);
    assert!(!said.err.contains("not the team repository"), "{said:?}");
    team.ada.done(&["push", "--over-refused", "--yes"]);
    team.bob.done(&["sync"]);
    team.ada.done(&["sync"]);
    assert_agreed(&team.world, &[&team.ada, &team.bob]);
}

#[test]
fn a_yes_to_everything_makes_nobody_admin() {
    let team = team();
    team.bob.done(&["pull"]);
    let roster = team.file(".memsync/roster.yaml");
    let raised = roster.replace("role: writer", "role: admin");
    let forged = team.by(&team.bob).edit(".memsync/roster.yaml", Some(raised));
    let bad = team.publish(&forged);
    team.ada.fails(&["pull"], 4, &["not-allowed"]);
    let before = team.tip();
    for arguments in [&["vouch", "--yes"][..], &["vouch", &bad.short(), "--yes"]] {
        team.ada.fails(arguments, 1, &["bob should become admin", "--new-admin bob"]);
        assert_eq!(team.tip(), before);
    }
    team.ada.fails(&["vouch", "--yes", "--new-admin", "eve"], 1, &["--new-admin bob"]);
    team.ada.done(&["vouch", "--yes", "--new-admin", "bob"]);
    assert!(team.ada.read(".memsync/roster.yaml").matches("role: admin").count() == 2);
    // One that opens the team to everybody is no smaller thing.
    let policy = team.file(".memsync/policy.yaml").replace("trust: roster", "trust: open");
    let open = team.by(&team.eve).edit(".memsync/policy.yaml", Some(policy));
    team.publish(&open);
    team.ada.fails(&["pull"], 4, &["unknown-key"]);
    team.ada.fails(&["vouch", "--yes"], 1, &["--new-admin everybody"]);
    team.ada.done(&["vouch", "--yes", "--undo"]);
    assert!(team.ada.read(".memsync/policy.yaml").contains("trust: roster"));
}

#[test]
fn siblings_without_entries_that_a_host_merges_are_refused_alike_and_mended_by_a_vouch() {
    let team = team();
    team.bob.done(&["pull"]);
    let add = |member, name: &str| {
        let text = memory(name, "A text.");
        team.store(&team.raw(&team.by(member).edit(&format!("{name}.md"), Some(text))))
    };
    let (one, two) = (add(&team.ada, "one"), add(&team.bob, "two"));
    // The host merges as git does; ours gives each memory its entry.
    let text = memory("two", "A text.");
    let merge = Forged { signer: None, ..team.by(&team.eve) };
    let merge = merge.on(&[one, two]).edit("two.md", Some(text));
    let bad = team.publish(&merge);
    for member in [&team.bob, &team.ada] {
        member.fails(&["pull"], 4, &["refused", &bad.short(), "vouch"]);
        assert!(!member.has("one.md") && !member.has("two.md"));
    }
    team.ada.done(&["vouch", "--yes"]);
    // The next change by anybody brings the index in line.
    team.ada.remember("more", "A text.");
    team.ada.done(&["push"]);
    team.bob.done(&["sync"]);
    let index = team.bob.read("MEMORY.md");
    assert!(index.contains("(one.md)") && index.contains("(two.md)"), "{index}");
    assert_agreed(&team.world, &[&team.ada, &team.bob]);
}
