//! Examples and counter-examples of each rule, invented for it.
//! Border: one text each; copies and evidence have tests beside their flows.

use super::advice;
use super::evidence::{Named, named};

/// A memory with a description and a text.
fn memory(body: &str) -> String {
    format!(
        "---\nname: sample\ndescription: what the sample is about\ntype: project\n---\n\n{body}\n"
    )
}

fn rules(text: &str) -> Vec<&'static str> {
    advice(text).into_iter().map(|problem| problem.rule).collect()
}

const WARNED: &[(&str, &str)] = &[
    (
        "advice-trace",
        "The import fails:\n\n```\nTraceback (most recent call last):\n  File \"/srv/a.py\", line 3, in main\n    run()\n  File \"/srv/b.py\", line 9, in run\n    go()\n  File \"/srv/c.py\", line 1, in go\nKeyError: 'x'\n```",
    ),
    (
        "advice-trace",
        "TypeError: x is undefined\n    at parse (/srv/app/read.js:10:3)\n    at load (/srv/app/load.js:4:1)\n    at Object.<anonymous> (/srv/app/main.js:2:1)",
    ),
    (
        "advice-trace",
        "java.lang.IllegalStateException\n\tat org.acme.Pump.start(Pump.java:12)\n\tat org.acme.Well.open(Well.java:40)\n\tat org.acme.Main.main(Main.java:7)",
    ),
    (
        "advice-trace",
        "thread 'main' panicked\n   0: std::panicking::begin\n   1: core::option::unwrap_failed\n   2: pump::main",
    ),
    (
        "advice-trace",
        "goroutine 1 [running]:\nmain.pump()\n\t/srv/pump.go:12 +0x1d\nmain.main()\n\t/srv/main.go:3 +0x2a",
    ),
    (
        "advice-trace",
        "#0 0x00007f12 in pump_open (w=0x0) at pump.c:12\n#1 0x00007f13 in well_open () at well.c:4\n#2 0x00007f14 in main () at main.c:1",
    ),
    (
        "advice-diff",
        "What changed:\n\n```diff\n@@ -1,3 +1,3 @@\n pump\n-depth = 3\n+depth = 4\n```",
    ),
    (
        "advice-diff",
        "diff --git a/pump.toml b/pump.toml\nindex 1..2\n--- a/pump.toml\n+++ b/pump.toml",
    ),
    (
        "advice-tree",
        "Layout:\n\n```\npump/\n├── src/\n│   ├── main.rs\n│   └── well.rs\n└── README.md\n```",
    ),
    (
        "advice-log",
        "Done so far:\n\n- a1b2c3d Add the pump\n- b2c3d4e Open the well\n- c3d4e5f Measure the depth",
    ),
    ("advice-listing", LISTING),
    ("advice-relative-date", "The well was closed yesterday."),
    ("advice-relative-date", "Today the depth limit was raised to ten metres."),
    ("advice-relative-date", "Release is next Tuesday, after the pump is in."),
    ("advice-relative-date", "Two weeks ago the depth sensor was replaced."),
    ("advice-relative-date", "The new limit holds since this morning."),
    ("advice-relative-date", "Wir haben heute die Pumpe umgestellt."),
    ("advice-relative-date", "昨天换了水泵。"),
    ("advice-relative-date", "Сегодня перешли на новый насос."),
    ("advice-relative-date", "Hoy cambiamos la bomba."),
    ("advice-relative-date", "어제 펌프를 바꿨다."),
    ("advice-in-progress", "Currently working on the depth sensor; the parser is done."),
    ("advice-in-progress", "We're refactoring the pump into two crates."),
    ("advice-in-progress", "WIP: the well service."),
    ("advice-in-progress", "I am now debugging the valve timeout."),
    ("advice-in-progress", "Next session: finish the valve."),
    ("advice-in-progress", "Where I left off: the valve test is red."),
    ("advice-in-progress", "Plan:\n\n- [x] sensor\n- [ ] valve\n- [ ] well"),
    (
        "advice-paths",
        "- `src/pump.rs`: the pump\n- `src/well.rs`: the well\n- `src/valve.rs`: the valve",
    ),
    (
        "advice-paths",
        "Files of the service:\n\n1. **app/models/well.py** holds the model\n2. **app/views/well.py** holds the view\n3. **app/urls/well.py** holds the routes",
    ),
    ("advice-commit", "The valve came with 4f9e2ab1c."),
    ("advice-commit", "Sensor merged, commit `0c1d2e3f4a5b6c7d8e9f0a1b2c3d4e5f6a7b8c9d`."),
    ("advice-fix-recipe", "The valve leak was fixed by adding a lock in `src/valve.rs`."),
    (
        "advice-fix-recipe",
        "Empty depths crashed the page. The fix was to add `Depth::or_zero()` to the view.",
    ),
    ("advice-fix-recipe", "Two bugs were fixed in `app/models/well.py`: the sign and the unit."),
];

const LISTING: &str = "The script:\n\n```rust\nuse z;\na\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\nn\no\np\nq\nr\ns\nt\nu\nv\nw\nx\ny\nz\na\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\n```";

/// Commands of a machine elsewhere are in no project.
const SCRIPT: &str = "Commands of the switch:\n\n```\nset valve 0\nset valve 1\nset valve 2\nset valve 3\nset valve 4\nset valve 5\nset valve 6\nset valve 7\nset valve 8\nset valve 9\nset valve 10\nset valve 11\nset valve 12\nset valve 13\nset valve 14\nset valve 15\nset valve 16\nset valve 17\nset valve 18\nset valve 19\nset valve 20\nset valve 21\nset valve 22\nset valve 23\nset valve 24\nset valve 25\nset valve 26\nset valve 27\nset valve 28\nset valve 29\nset valve 30\nset valve 31\nset valve 32\nset valve 33\nset valve 34\nset valve 35\nset valve 36\nset valve 37\nset valve 38\nset valve 39\nset valve 40\nset valve 41\nset valve 42\nset valve 43\nset valve 44\n```";

const GOOD: &[&str] = &[
    "Wells are measured on Mondays; the old sensor stays until 2026-04-01.",
    "Today (2026-03-04) the pump was moved to the north well.",
    "A run that took place in the last week counts as fresh.",
    "Never write `today` or \"yesterday\" into a report; write the date.",
    "Reports carry today's date in the header.",
    "There is no second pump today, so the valve must hold.",
    "| well | depth |\n|---|---|\n| north | 3 |\n\n| pump | power |\n|------|------|\n| a | 2 |\n\n|---|---|\n|---|---|",
    "```\n┌─────┐\n│ pump │\n└──┬──┘\n┌──┴──┐\n└─────┘\n└─────┘\n└─────┘\n```\n\nis the panel that people mean by box.",
    "If today is a holiday, the pump stays off.",
    "The job looks at each of the last seven days.",
    "Every next Monday in the schedule is generated, not typed.",
    "Do not merge a branch that is marked as work in progress.",
    "Pull requests labelled WIP are skipped by the bot.",
    "Ask before you continue while somebody is still working on the well.",
    "`src/pump.rs` starts the pump only after the valve answers, because two pumps once ran dry.",
    "- `src/pump.rs`: never call it from the view\n- `src/well.rs`: slow, because it locks\n- `src/valve.rs`: keep it pure",
    "Dashboards: https://grafana.example.org/d/pump and https://grafana.example.org/d/well.",
    "Pin the sensor to `4f9e2ab1c`, because later ones drift at night.",
    "When a depth is empty use `Depth::or_zero()`; a zero written by hand was the bug of March.",
    "The timeout is fixed by adding the valve to the warm-up list in `conf/warm.toml`. Always warm it up.",
    "The valve opens at boot (see `at open` in the manual).",
    "One frame is enough to know it:\n\n    at parse (/srv/app/read.js:10:3)\n\nIt means a depth without a unit.",
    "Depth is a range: @@ is no unit, -1 is dry, +1 is full.",
    "- [ ] is how the team writes an open question",
    "Measured:\n\n- 1234567 litres in winter\n- 2345678 litres in summer\n- 3456789 litres in all",
    "Words like deadbeef, facade and defaced are no commits.",
    SCRIPT,
    "Run it with\n\n```sh\nmake pump\nmake well\n```\n\nin this order.",
    "The pump was decommissioned in May 2026; the well stays.",
    "Answers are short, in German, without praise.",
    "> We said yesterday that the well is dry\n\nis how reports quote people.",
    "User is a hydrologist; explain code, not water.",
    "Tickets of the pump are in the tracker under WELL, alarms in #wells.",
    "井的深度以米为单位,不要换算。",
];

#[test]
fn what_is_better_not_saved_is_named_with_its_rule_and_place() {
    let missed: Vec<_> =
        WARNED.iter().filter(|(rule, body)| rules(&memory(body)) != [*rule]).collect();
    assert!(missed.is_empty(), "{missed:#?}");
    for (_, body) in WARNED {
        let text = memory(body);
        let problem = advice(&text).remove(0);
        let line = problem.position.expect("because each of these has a place").line;
        assert!((7..=text.lines().count()).contains(&line), "{body}: line {line}");
        assert!(!problem.message.ends_with('.') && !problem.next_step.is_empty(), "{problem:?}");
    }
}

#[test]
fn what_is_worth_keeping_is_left_alone() {
    let warned = |body: &&&str| !rules(&memory(body)).is_empty();
    let warned: Vec<_> =
        GOOD.iter().filter(warned).map(|body| (body, rules(&memory(body)))).collect();
    assert!(warned.is_empty(), "{warned:#?}");
}

#[test]
fn the_description_counts_and_the_other_fields_do_not() {
    let with = |line: &str| {
        format!("---\nname: sample\n{line}\ntype: project\n---\n\nThe well is deep.\n")
    };
    assert_eq!(rules(&with("description: the pump was moved yesterday")), ["advice-relative-date"]);
    assert_eq!(
        rules(&with("description: \"the pump was moved yesterday\"")),
        ["advice-relative-date"]
    );
    assert_eq!(rules(&with("description: the pump\nmodified: 2026-03-04")), [""; 0]);
    assert_eq!(rules(&with("description: the pump\nwhen: yesterday")), [""; 0]);
}

#[test]
fn hostile_texts_are_read_without_harm() {
    for text in [
        "",
        "---",
        "```",
        "`",
        "\"",
        "“",
        "é`é\"é://é",
        "\u{FEFF}---\n",
        "- [ ]",
        "@@ -",
        "#",
        "at ",
    ] {
        drop(advice(text));
        drop(named(text));
    }
    let long = "`a".repeat(20_000) + &"today ".repeat(10_000);
    drop(advice(&long));
    drop(named(&long));
}

#[test]
fn files_and_symbols_are_named_where_a_memory_says_they_are_there() {
    let of = |body: &str| -> Vec<(String, Option<String>)> {
        named(&memory(body)).into_iter().map(|Named { path, symbol, .. }| (path, symbol)).collect()
    };
    let one = |path: &str, symbol: Option<&str>| vec![(path.to_owned(), symbol.map(str::to_owned))];
    for (body, expected) in [
        ("See `src/pump.rs`.", one("src/pump.rs", None)),
        ("See `./src/pump.rs:12`.", one("src/pump.rs", None)),
        ("`src/pump.rs::open_valve` locks.", one("src/pump.rs", Some("open_valve"))),
        ("`open_valve()` in `src/pump.rs` locks.", one("src/pump.rs", Some("open_valve"))),
        ("`src/pump.rs` (`Pump::open`) locks.", one("src/pump.rs", Some("open"))),
        ("`src/pump.rs` defines `PumpState`.", one("src/pump.rs", Some("PumpState"))),
        ("`pump` in `src/pump.rs` is a word.", one("src/pump.rs", None)),
        ("Call `open_valve()` before `src/pump.rs`.", one("src/pump.rs", None)),
        ("`src/pump.rs` was removed in May.", vec![]),
        ("Never create `src/pump.rs`.", vec![]),
        (
            "`https://a.example/b.rs`, `~/x/y.rs`, `/etc/x.conf`, `../a/b.rs`, `acme.org/c.rs`",
            vec![],
        ),
        ("`src/*.rs`, `src/`, `pump.rs`, `src/<name>.rs`", vec![]),
    ] {
        assert_eq!(of(body), expected, "{body}");
    }
    let place = named(&memory("The valve: `src/pump.rs`."))[0].at;
    assert_eq!((place.line, place.column), (7, 13));
}
