//! Recall on an invented library: how often the right memories come, by class of prompt.
//! Border: a floor under each class, so that a change that makes recall worse is seen; the numbers
//! are no promise for other memories. The samples are in `samples.txt`.

mod program;

use std::collections::BTreeMap;

use memsync::base::time::Timestamp;
use memsync::memory::kind::Kind;
use memsync::recall::candidate::Candidate;
use memsync::recall::query::Query;
use memsync::recall::ranking::rank;

const SAMPLES: &str = include_str!("samples.txt");

struct Prompt {
    class: &'static str,
    relevant: Vec<&'static str>,
    query: Query,
}

fn samples() -> (Vec<Candidate>, Vec<Prompt>) {
    let (memories, prompts) = SAMPLES.split_once("=== prompts\n").unwrap();
    let memories = memories.split("=== ").filter(|part| !part.is_empty()).map(|part| {
        let (head, body) = part.split_once('\n').unwrap();
        let [path, kind, day, description] = head.splitn(4, " | ").collect::<Vec<_>>()[..] else {
            panic!("{head}")
        };
        Candidate {
            path: path.to_owned(),
            description: description.to_owned(),
            kind: Kind::parse(kind),
            body: body.to_owned(),
            modified: Timestamp::parse(day).unwrap().seconds,
            ..Candidate::default()
        }
    });
    let names = |list: &'static str| list.split(',').map(str::trim).filter(|name| !name.is_empty());
    let prompts = prompts.lines().map(|line| {
        let [class, relevant, tools, surfaced, text] = line.splitn(5, '|').collect::<Vec<_>>()[..]
        else {
            panic!("{line}")
        };
        let query = Query {
            text: text.trim().replace("\\n", "\n"),
            tools: names(tools).map(str::to_owned).collect(),
            surfaced: names(surfaced).map(str::to_owned).collect(),
        };
        Prompt { class: class.trim(), relevant: names(relevant).collect(), query }
    });
    (memories.collect(), prompts.collect())
}

/// Percent of the right memories among the first `k`, and percent of prompts that need none and got
/// none, by class; and how many were recalled on average.
fn measure(k: usize) -> (BTreeMap<&'static str, usize>, f64) {
    let (memories, prompts) = samples();
    let mut hits: BTreeMap<&'static str, (usize, usize)> = BTreeMap::new();
    let mut returned = 0_u32;
    for prompt in &prompts {
        let ranking = rank(&memories, &prompt.query, 5);
        let chosen: Vec<&str> =
            ranking.chosen().map(|place| memories[place].path.as_str()).collect();
        returned += u32::try_from(chosen.len()).unwrap();
        let right =
            prompt.relevant.iter().filter(|name| chosen.iter().take(k).any(|one| one == *name));
        let (found, all) = if prompt.relevant.is_empty() {
            (usize::from(chosen.is_empty()), 1)
        } else {
            (right.count(), prompt.relevant.len().min(k))
        };
        let class = hits.entry(prompt.class).or_default();
        *class = (class.0 + found, class.1 + all);
    }
    let shares = hits.into_iter().map(|(class, (found, all))| (class, 100 * found / all)).collect();
    (shares, f64::from(returned) / f64::from(u32::try_from(prompts.len()).unwrap()))
}

#[test]
fn the_right_memories_come_and_no_others() {
    let (shares, returned) = measure(5);
    let floors = [
        ("direct", 100),
        ("freshness", 100),
        ("tool", 100),
        ("long", 100),
        ("multi", 75),
        ("short", 80),
        ("crosslang", 83),
        ("paraphrase", 50),
        ("none", 75),
        ("surfaced", 66),
    ];
    for (class, floor) in floors {
        assert!(shares[class] >= floor, "{class}: {} of {floor}; all: {shares:?}", shares[class]);
    }
    assert_eq!(shares.len(), floors.len());
    assert!(returned <= 2.5, "{returned} on average");
}

#[test]
fn the_newer_of_two_comes_first() {
    let (shares, _) = measure(1);
    assert!(shares["freshness"] >= 80, "{shares:?}");
}

#[test]
fn the_plain_reference_of_a_tool_in_use_never_comes() {
    let (memories, prompts) = samples();
    for prompt in prompts.iter().filter(|prompt| prompt.class == "tool") {
        let ranking = rank(&memories, &prompt.query, 5);
        let mut chosen = ranking.chosen().map(|place| memories[place].path.as_str());
        assert!(chosen.all(|path| !path.contains("reference_")), "{}", prompt.query.text);
    }
}
