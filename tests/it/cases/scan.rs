//! Cases of the scanner. A `~` in a sample is taken out at run time, so that no scanner trips on this file.
//! Border: the rules have their own samples; here it is what memories hold.
#![expect(clippy::disallowed_methods, reason = "writes files to scan")]

use std::fs;

use serde_json::Value;

use crate::support::{World, git, say, token};

/// What `memsync scan` finds in a text, as rule and line.
fn findings(text: &str) -> Vec<(String, u64)> {
    let world = World::new();
    let ada = world.newcomer("ada");
    let file = ada.memdir.join("in.md");
    fs::write(&file, text.replace('~', "")).unwrap();
    let mut command = ada.command(env!("CARGO_BIN_EXE_memsync"));
    let said = say(command.args(["--format", "json", "scan"]).arg(&file));
    let found: Value = serde_json::from_str(&said.out).unwrap();
    let found = found["findings"].as_array().unwrap();
    let one = |finding: &Value| {
        (finding["rule"].as_str().unwrap().to_owned(), finding["line"].as_u64().unwrap())
    };
    assert_eq!(said.exit, i32::from(!found.is_empty()), "{said:?}");
    found.iter().map(one).collect()
}

pub(super) fn no_credential() {
    let met = "- Agents: unit [PASS 12/12], e2e [FAIL→PASS — High+2 Medium fixed]\n\n\
        - `credential_caching.md`, `create-bug-04-issue.ps1`\n\n\
        - All credentials are in memory and the master Google Sheet (ID: `17WbcK8_2xQ4RT7Y6~LKmzPq-VBNjhg53KdsLp9w4e8r2`).\n\n\
        - `mailTool` → `mailOAuth2: BzQwrTyU~iOPlkJ47`\n\n\
        - RESOLVED. n8n credential T1UghJkl~MnbVCXZq now connected to the real company\n\n\
        - Use the request node and the chat cred (`6yUaPQ9R~t3LmZXcV`) instead.\n\n\
        - Ads OAuth2 (`mvzKQ9Tr~YA3p417X`) + dev token\n";
    let second = "- Suite [PASS 368/368], login [FAIL→PASS — Critical+High+3 Medium], logout [PASS]\n\n\
        - `api-token-rotation.md`, `fix-secret-17-leak.sh`, `password_reset_flow.md`\n\n\
        - Passwords are listed in the Google Doc (ID: `1qZkP0v3LmXw~Ty7RbN8sJcGd2Hf5AuKe9Qi4WoMxVp6t`).\n\n\
        - `sheetTool` → `sheetsOAuth2: Kd8MvRq2~TyLpWz5N`\n\n\
        - n8n cred `QpLz83Nv~TyRwKm2X` is the one of the test account\n";
    for text in [met, second] {
        assert_eq!(findings(text), [], "{text}");
    }
}

pub(super) fn credentials_of_notes() {
    let table = "| Service | Login | Password |\n|---|---|---|\n| wiki | bot | `hT5$kL~m92xQ` |\n| mail | ops | Xk9!mQ7~vLp2zRt |\n\n\
        | Name | API key |\n|---|---|\n| mail | 4f9c2b7e1d8a6053~c2e9f7b1a4d8c6e0 |\n\n\
        | Token | For |\n|---|---|\n| k9Zq2LmV7xTbRw4n~Yc8sPd3fHj6gAe1u | deploy |\n";
    let list = "config: |\n  api_keys:\n    - key: \"d440e50454f31af3176813e02ea68ef7~86e4d3cea27d26934b484e73cf575dca\"\n    - key: d6ba2b0aee0ca923732881584d8c4fa2~815d2802827283e0ad84173581569969\n";
    let cases: [(&str, &[u64]); 10] = [
        (table, &[3, 4, 8, 12]),
        (list, &[3, 4]),
        ("- Login: bot / Xk9!mQ7~vLp2zRt\n", &[1]),
        ("ssh root@10.0.0.4 (pw Xk9!mQ7~vLp2zRt)\n\npw = Xk9!mQ7~vLp2zRt\n", &[1, 3]),
        ("database:\n  password: 'Blue horse 41~ jumps!'\n", &[2]),
        ("| Account | Passwort |\n|:--|:--|\n| shop | R7#tPq~2vLmZ9 |\n", &[3]),
        ("Login: ada@example.org / vR4$tN8~kQz1w\n", &[1]),
        ("pw: zT6!pWq~9Lm3xK (the old one)\n", &[1]),
        ("tokens:\n  - k8Zq3LmV6xTbRw5n~Yc7sPd2fHj9gAe4u\n", &[2]),
        ("mail:\n  passphrase: \"seven green Owls~ 19 sing?\"\n", &[2]),
    ];
    for (text, lines) in cases {
        let found: Vec<u64> = findings(text).into_iter().map(|(_, line)| line).collect();
        assert_eq!(found, lines, "{text}");
    }
}

pub(super) fn moved_out_of_an_accepted_folder() {
    let lists = [
        "[extend]\nuseDefault = true\n[allowlist]\npaths = [\"^fixtures/\"]\n",
        "[extend]\nuseDefault = true\n[[allowlists]]\npaths = ['''samples/.*\\.txt$''']\n",
    ];
    for (list, folder) in lists.into_iter().zip(["fixtures", "samples"]) {
        let world = World::new();
        let ada = world.newcomer("ada");
        let at = |path: &str| ada.memdir.join(path);
        let plain = |arguments: &[&str]| git(&ada.memdir, arguments);
        let finds = |arguments: &[&str], file: &str| {
            let mut command = ada.command(env!("CARGO_BIN_EXE_memsync"));
            let said = say(command.current_dir(&ada.memdir).arg("scan").args(arguments));
            assert_eq!(said.exit, 1, "{arguments:?}: {said:?}");
            assert!(said.out.contains(file), "{arguments:?} does not name {file}: {said:?}");
        };
        plain(&["init", "-q", "."]);
        for (name, value) in [("user.name", "a"), ("user.email", "a@example.org")] {
            plain(&["config", name, value]);
        }
        fs::write(at(".gitleaks.toml"), list).unwrap();
        fs::create_dir(at(folder)).unwrap();
        fs::create_dir(at("src")).unwrap();
        let inside = format!("{folder}/k.txt");
        fs::write(at(&inside), format!("t {}\n", token())).unwrap();
        plain(&["add", "."]);
        plain(&["commit", "-qm", "one"]);
        fs::copy(at(&inside), at("src/k.txt")).unwrap();
        plain(&["add", "."]);
        finds(&["--staged"], "src/k.txt");
        plain(&["commit", "-qm", "copy"]);
        finds(&["--range", "HEAD~1..HEAD"], "src/k.txt");
        plain(&["mv", &inside, "moved.md"]);
        plain(&["commit", "-qm", "move"]);
        finds(&["--range", "HEAD~1..HEAD"], "moved.md");
        for file in ["moved.md", "src/k.txt"] {
            finds(&["--history", "--no-cache"], file);
            finds(&["."], file);
        }
    }
}
