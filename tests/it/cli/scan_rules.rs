//! Rules of one's own: `.memsync/rules.toml`, `--rules`, and those of a team's policy.
//! Border: what makes a rule acceptable is proven in `secrets::ruleset`.
#![expect(clippy::disallowed_methods, reason = "this test builds folders")]

use tempfile::TempDir;

use super::scan::{fingerprint, folder_with_a_token, scan};

const RULE: &str = "[[rule]]\nid = 'acme-badge'\ndescription = 'Acme badge number'\nkeywords = ['badge-']\n\
                    pattern = 'badge-[0-9]{6}'\nexamples = ['badge-{digit:6}']\n";

/// A folder with a text that only a rule of one's own knows, and a file of such rules.
fn folder(file: &str, rules: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    std::fs::create_dir(folder.path().join(".memsync")).unwrap();
    std::fs::write(folder.path().join(file), rules).unwrap();
    std::fs::write(folder.path().join("note.md"), "His badge-483920 opens the door.\n").unwrap();
    folder
}

#[test]
fn a_rule_of_ones_own_finds_what_no_built_in_rule_knows() {
    let here = folder(".memsync/rules.toml", RULE);
    let (exit, out, err) = scan(here.path(), &["note.md"]);
    assert!(exit == 1 && out.contains("acme-badge"), "{out}{err}");
    let named = folder("mine.toml", RULE);
    assert_eq!(scan(named.path(), &["note.md"]).0, 0);
    assert_eq!(scan(named.path(), &["note.md", "--rules", "mine.toml"]).0, 1);
}

#[test]
fn a_bad_rule_refuses_with_file_and_line_and_nothing_is_scanned() {
    for (rules, place) in [
        (RULE.replace("{6}'", "{6'"), "rules.toml:2"),
        (RULE.replace("badge-{digit:6}", "no such thing"), "rules.toml:2"),
        (RULE.replace("{6}'", "{1000}{1000}{1000}'"), "rules.toml:2"),
        (RULE.replace("pattern", "patern"), "rules.toml:"),
        (format!("{RULE}\n[[rule]\n"), "rules.toml:8"),
    ] {
        let here = folder(".memsync/rules.toml", &rules);
        let (exit, out, err) = scan(here.path(), &["note.md"]);
        assert_eq!((exit, out.as_str()), (2, ""), "{err}");
        assert!(err.contains(place), "{place} is not in {err}");
    }
}

#[test]
fn a_teams_policy_adds_rules_switches_others_off_and_salts_fingerprints() {
    let policy = |more: &str| format!("format: memsync.policy/1\ntrust: open\nsecrets:\n{more}");
    let rule = "  rules:\n    - id: acme-badge\n      description: badge\n      keywords: [badge-]\n      \
                pattern: 'badge-[0-9]{6}'\n      examples: ['badge-{digit:6}']\n";
    let team = folder(".memsync/policy.yaml", &policy(rule));
    assert_eq!(scan(team.path(), &["note.md"]).0, 1);
    let off = format!("{rule}  off: [acme-badge]\n");
    let team = folder(".memsync/policy.yaml", &policy(&off));
    assert_eq!(scan(team.path(), &["note.md"]).0, 0);
    let bad = folder(".memsync/policy.yaml", &policy(&rule.replace("{digit:6}", "x")));
    let (exit, _, err) = scan(bad.path(), &["note.md"]);
    assert!(exit == 2 && err.contains("policy.yaml:5"), "{err}");

    let plain = folder_with_a_token();
    let unsalted = fingerprint(&scan(plain.path(), &["--format", "json"]).1);
    let print = |salt: &str| {
        let folder = folder_with_a_token();
        std::fs::create_dir(folder.path().join(".memsync")).unwrap();
        let text = policy(&format!("  salt: {}\n", salt.repeat(32)));
        std::fs::write(folder.path().join(".memsync/policy.yaml"), text).unwrap();
        fingerprint(&scan(folder.path(), &["--format", "json"]).1)
    };
    assert_eq!(print("a"), print("a"));
    assert_ne!(print("a"), print("b"));
    assert_ne!(print("a"), unsalted);
}
