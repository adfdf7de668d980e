//! The audit page in a real browser: its filters work under its own policy, and nothing of a text
//! of others becomes markup.
//! Border: reads the document the browser made of the page; how it looks is for people.
#![expect(clippy::disallowed_methods, reason = "starts a browser")]
#![expect(clippy::print_stderr, reason = "a skipped test must say so")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::forge::{Draft, Forge, Seal};
use crate::support::{Member, token};

/// Text that would run, load or hide something if any of it became markup.
const HOSTILE: &str = "<script>document.title='pwned'</script><img src=x onerror=document.title='pwned'>\
    </pre></style></script><svg onload=document.title='pwned'> \" onmouseover=\"document.title='pwned' \
    '><iframe src=http://127.0.0.1:9/></iframe><!-- ]]> javascript:document.title='pwned' &lt;b&gt; `${1}` \
    <base href=//evil.example> <meta http-equiv=refresh content=0;url=http://127.0.0.1:9/> \u{202e}\u{200b}";

/// The browser; `None` when it is missing and may be.
fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path);
    let found = folders
        .flat_map(|folder| {
            ["chromium", "chromium-browser", "google-chrome"].map(|name| folder.join(name))
        })
        .find(|path| path.is_file());
    if found.is_none() {
        let required = std::env::var_os("MEMSYNC_REQUIRE_SERVERS").is_some_and(|v| v == "1");
        assert!(!required, "chromium is missing, and MEMSYNC_REQUIRE_SERVERS=1");
        eprintln!("skipped: chromium is not installed, so the page was not opened in a browser");
    }
    found
}

/// Opens a page; gives the document as it is then, and what the browser complained about.
fn opened(browser: &Path, page: &Path, fragment: &str) -> (String, String) {
    let profile = tempfile::tempdir().unwrap();
    let mut command = Command::new(browser);
    command.args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]);
    command.args(["--no-first-run", "--virtual-time-budget=3000", "--enable-logging=stderr"]);
    command.arg("--host-resolver-rules=MAP * ~NOTFOUND");
    command.arg(format!("--user-data-dir={}", profile.path().display())).arg("--dump-dom");
    command.arg(format!("file://{}{fragment}", page.display())).stdin(Stdio::null());
    command.env("HOME", profile.path());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let console = String::from_utf8_lossy(&output.stderr).into_owned();
    let console: Vec<&str> = console.lines().filter(|line| line.contains("CONSOLE")).collect();
    (String::from_utf8(output.stdout).unwrap(), console.join("\n"))
}

/// Writes the page of a person's audit.
fn page(person: &Member, arguments: &[&str]) -> PathBuf {
    let file = person.memdir.parent().unwrap().join("audit.html");
    let output = ["audit", "--exit-zero", "--format", "html", "--output", file.to_str().unwrap()];
    person.done(&[&output[..], arguments].concat());
    file
}

/// A history in which every text that a person controls is hostile.
fn hostile() -> Forge {
    let mut forge = Forge::new();
    forge.write("deploy", HOSTILE);
    forge
        .files
        .insert("deploy.md".to_owned(), forge.files["deploy.md"].replace("About deploy", HOSTILE));
    let draft = forge.draft("wim", &format!("Edit {HOSTILE}").replace('\n', " "));
    let author = HOSTILE.replace(['<', '>', '\n'], "");
    let agent = Some(HOSTILE.replace(['\u{202e}', '\u{200b}'], "").chars().take(200).collect());
    forge.commit(&Draft { author, agent, ..draft }, Seal::Own);
    forge.write("ports", &format!("Use {} there.", token()));
    let draft = forge.draft("wim", "By plain git");
    forge.commit(&Draft { author: "Wim \"><b>".replace(['<', '>'], ""), ..draft }, Seal::None);
    forge
}

/// Attribute values taken away, so that only markup is left to look at.
fn tags(document: &str) -> Vec<String> {
    let mut found = Vec::new();
    for piece in document.split('<').skip(1) {
        let mut tag = String::new();
        let mut quoted = false;
        for c in piece.chars() {
            match c {
                '"' => quoted = !quoted,
                '>' if !quoted => break,
                _ if quoted => {}
                c => tag.push(c),
            }
        }
        found.push(tag);
    }
    found
}

#[test]
fn nothing_hostile_becomes_markup_in_a_browser() {
    let forge = hostile();
    let person = forge.joiner("kim");
    forge.force(&person);
    let file = page(&person, &[]);
    let text = fs::read_to_string(&file).unwrap();
    assert!(!text.contains(&token()), "a credential must be on no page");
    assert!(text.contains("pwned"), "the hostile text is shown as text");
    assert!(!text.contains(['\u{202e}', '\u{200b}']));
    let Some(browser) = browser() else { return };
    let (document, console) = opened(&browser, &file, "");
    assert!(document.contains("<title>Team memory audit</title>"), "something ran");
    assert_eq!(console, "", "the browser refused or reported something");
    let tags = tags(&document);
    let count =
        |name: &str| tags.iter().filter(|tag| tag.split([' ', '\n']).next() == Some(name)).count();
    assert_eq!([count("script"), count("style"), count("meta"), count("title")], [1, 1, 5, 1]);
    for name in ["img", "iframe", "base", "object", "embed", "link", "b onload"] {
        assert_eq!(count(name), 0, "{name}");
    }
    assert_eq!(count("svg"), 1, "only the timeline");
    let handler = |tag: &&String| tag.split([' ', '\n']).any(|word| word.starts_with("on"));
    assert_eq!(tags.iter().find(handler), None, "no element has an event handler");
    assert!(document.contains("data-shown=\"3\""), "the page's own script ran under its policy");
}

#[test]
fn the_filters_of_the_page_work_and_a_link_can_hold_them() {
    let mut forge = Forge::new();
    forge.change("wim", "deploy", "Freeze on Fridays.");
    forge.change("ann", "ports", "5432");
    let text = forge.files.remove("deploy.md").unwrap();
    forge.files.insert("freeze.md".to_owned(), text);
    let index = forge.files["MEMORY.md"].replace("(deploy.md)", "(freeze.md)");
    forge.files.insert("MEMORY.md".to_owned(), index);
    let draft = Draft { agent: Some("codex".to_owned()), day: 250, ..forge.draft("wim", "Rename") };
    forge.commit(&draft, Seal::Own);
    forge.write("naked", "Bad.");
    let draft = forge.draft("wim", "By plain git");
    let bad = forge.commit(&draft, Seal::None);
    let person = forge.joiner("kim");
    forge.force(&person);
    let file = page(&person, &[]);
    let Some(browser) = browser() else { return };
    let shown = |fragment: &str| {
        let (document, console) = opened(&browser, &file, fragment);
        assert_eq!(console, "", "{fragment}");
        let rest = document.split("data-shown=\"").nth(1).unwrap_or_default();
        rest.split('"').next().unwrap_or_default().to_owned()
    };
    assert_eq!(shown(""), "5");
    assert_eq!(shown("#who=ann"), "2");
    assert_eq!(shown("#memory=freeze.md"), "2", "under its old name, too");
    assert_eq!(shown("#verdict=unsigned"), "1");
    assert_eq!(shown("#agent=codex&who=wim"), "1");
    assert_eq!(shown("#from=2026-01-01"), "1");
    assert_eq!(shown("#to=2025-05-09"), "2");
    assert_eq!(shown("#text=5432"), "1");
    assert_eq!(shown("#who=nobody&__proto__=1&x"), "5", "what is not understood filters nothing");
    let (document, _) = opened(&browser, &file, &format!("#c-{bad}"));
    let entry = document.split(&format!("id=\"c-{bad}\"")).nth(1).unwrap();
    assert!(entry.split('>').nth(1).unwrap().contains("<details open"), "a link opens its change");
}

#[test]
fn the_page_is_whole_without_a_script_and_stays_within_its_bounds() {
    let forge = hostile();
    let person = forge.joiner("kim");
    forge.force(&person);
    let file = page(&person, &[]);
    let text = fs::read_to_string(&file).unwrap();
    for part in [
        "Needs attention",
        "Changes over time",
        "<li class=\"event bad\"",
        "Members",
        "Memories",
        "Credentials in the history",
        "How to read the verdicts",
        "silent writer",
        "in the roster of everything it builds on",
        "<form class=\"filters card\" id=\"filters\" hidden",
    ] {
        assert!(text.contains(part), "{part}");
    }
    // On a phone the tables are laid out as blocks, which keep a table's meaning only by roles.
    let cells = text.matches("<td role=\"cell\" data-name=\"").count();
    assert!(cells > 0 && cells == text.matches("data-name=\"").count());
    assert_eq!(
        text.matches("<table class=\"stack\"").count(),
        text.matches("role=\"table\"").count()
    );
    for outside in ["src=\"", "<link", "url(", "@import", "http://", "https://"] {
        let markup: String = tags(&text).join("\n");
        assert!(!markup.contains(outside), "{outside}");
    }
    let part = fs::read_to_string(page(&person, &["--member", "ann"])).unwrap();
    assert!(part.contains("Only changes by <strong>ann</strong>"));
    person.fails(&["status", "--format", "html"], 2, &["does not have this format"]);
    person.fails(&["scan", "--format", "html"], 2, &["does not have this format"]);
}
