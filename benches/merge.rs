//! Figures of the merge engine: two indexes with a tenth changed on each side, and large bodies.
//! Border: prints medians and growth; asserts nothing. `cargo bench --bench merge`.
#![expect(clippy::print_stdout, reason = "a bench says its figures")]

use std::time::{Duration, Instant};

use memsync::base::id::ObjectId;
use memsync::base::path::MemoryPath;
use memsync::base::time::Timestamp;
use memsync::merge::kinds::index::merge_index;
use memsync::merge::{Input, Origin, file};

/// Runs of each figure; the median is said.
const RUNS: usize = 9;

fn main() {
    println!("two indexes, a tenth of the entries changed on each side");
    let mut before: Option<(usize, Duration)> = None;
    for entries in [2_000, 4_000, 8_000, 16_000] {
        let base = index(entries, &|_| Change::Keep);
        let ours = index(entries, &|i| change(i, 0));
        let theirs = index(entries, &|i| change(i, 5));
        let time = median(|| drop(merge_index(&base, &ours, &theirs)));
        let growth = before.map_or(String::new(), |(_, last)| {
            format!(", {:.2} × the half", time.as_secs_f64() / last.as_secs_f64())
        });
        println!("  {entries:>6} entries  {:>8.2} ms{growth}", time.as_secs_f64() * 1e3);
        before = Some((entries, time));
    }
    println!("one memory of paragraphs, a tenth of them edited on each side");
    for kilobytes in [25, 250, 800] {
        let base = body(kilobytes, 10, "");
        let (ours, theirs) = (body(kilobytes, 0, "once "), body(kilobytes, 5, "twice "));
        let time = median(|| drop(merge(&base, &ours, &theirs)));
        println!("  {kilobytes:>6} kB       {:>8.2} ms", time.as_secs_f64() * 1e3);
    }
    println!("worst cases");
    let (base, ours, theirs) = (
        "a\n\nb\n\n".repeat(80_000),
        "b\n\nb\n\na\n\n".repeat(50_000),
        "a\n\na\n\nb\n\n".repeat(50_000),
    );
    println!(
        "  half a megabyte of two repeated paragraphs {:>8.2} ms",
        once(|| drop(merge(&base, &ours, &theirs)))
    );
    let replaced = |word: &str| {
        (0..20_000).map(|i| format!("{word} paragraph number {i}\n\n")).collect::<String>()
    };
    let (base, ours, theirs) = (replaced("old"), replaced("our"), replaced("their"));
    println!(
        "  20,000 paragraphs replaced on both sides   {:>8.2} ms",
        once(|| drop(merge(&base, &ours, &theirs)))
    );
    let large = "word\n".repeat(1_000_000);
    println!(
        "  5 MB against 5 MB (not merged inside)      {:>8.2} ms",
        once(|| drop(merge("", &large, &format!("{large}x\n"))))
    );
}

/// What happens to an entry on one side.
enum Change {
    Keep,
    Edit,
    Delete,
    Add,
}

fn change(number: usize, from: usize) -> Change {
    match number % 30 {
        rest if rest == from => Change::Edit,
        rest if rest == from + 1 => Change::Delete,
        rest if rest == from + 2 => Change::Add,
        _ => Change::Keep,
    }
}

fn index(entries: usize, change: &dyn Fn(usize) -> Change) -> String {
    let mut text = "# Memory\n\n".to_owned();
    for i in 0..entries {
        let entry = format!(
            "- [Title {i}](project_topic_{i}.md) — what to know about topic {i} before a deploy\n"
        );
        match change(i) {
            Change::Keep => text.push_str(&entry),
            Change::Edit => text.push_str(&entry.replace("before", "after")),
            Change::Delete => {}
            Change::Add => {
                text.push_str(&entry);
                text.push_str(&entry.replace("topic_", "extra_"));
            }
        }
    }
    text
}

/// Paragraphs of about 250 bytes; every tenth, from the given one, begins with `edit`.
fn body(kilobytes: usize, from: usize, edit: &str) -> String {
    let paragraph = |i: usize| {
        let edit = if i % 10 == from { edit } else { "" };
        format!("{edit}Paragraph {i} {}\n\n", "says what the team found out. ".repeat(8))
    };
    (0..kilobytes * 4).map(paragraph).collect()
}

fn merge(base: &str, ours: &str, theirs: &str) -> Vec<u8> {
    let path = MemoryPath::parse("topic.md").expect("because the name is plain");
    let origin = |number: u8| Origin {
        author: "Ada".to_owned(),
        date: Timestamp::utc(i64::from(number)),
        commit: ObjectId::from_bytes(&[number; 20]),
    };
    let (one, two) = (origin(1), origin(2));
    let input = |text, origin| Input { content: str::as_bytes(text), origin };
    file(&path, Some(base.as_bytes()), input(ours, &one), input(theirs, &two)).content
}

fn median(work: impl Fn()) -> Duration {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect();
    times.sort();
    times[RUNS / 2]
}

fn once(work: impl Fn()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e3
}
