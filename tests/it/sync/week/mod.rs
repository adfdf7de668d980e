//! A week of two people and two agents: everything they may do to a team memory, in random order.
//! Border: random but the same in every run; a failure names its seed and tells the story. What each
//! command does by itself is tested beside it.

mod facts;
mod people;

use self::facts::Facts;
use self::people::{Hand, Office};
use crate::support::check::{assert_sound, assert_untouched};
use crate::support::random::Random;
use crate::support::{any_object_holds, token};

/// Days of a week.
const DAYS: usize = 5;

/// What happens on a day before everybody syncs.
const EVENTS: usize = 14;

/// What the week leaves: everybody has the same, and everything that was said and not taken back.
fn evening(office: &Office, facts: &Facts) {
    for _ in 0..2 {
        for hand in &office.hands {
            hand.exchange("sync");
        }
    }
    let hub = office.world.hub_files();
    for hand in &office.hands {
        hand.exchange("pull");
        assert_eq!(hand.member.committed(), hub, "{} has something else", hand.name);
        if hand.kept_out.is_empty() {
            assert_untouched(&hand.member);
        }
        assert!(!any_object_holds(&hand.member.team(), &token()), "{} has the token", hand.name);
    }
    assert_sound(&office.world.hub());
    assert!(!office.world.hub_holds(&token()), "the hub has the token");
    facts.assert_kept(&hub);
}

fn week(seed: u64) {
    let mut random = Random(seed);
    let mut office = Office::open();
    let mut facts = Facts::default();
    let mut story = vec![format!("seed {seed}")];
    let told = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        for day in 0..DAYS {
            for _ in 0..EVENTS {
                let who = random.below(office.hands.len());
                let happened = office.happen(who, &mut random, &mut facts);
                story.push(format!("day {day}, {}: {happened}", office.hands[who].name));
            }
            office.host_merges(&mut facts);
            office.hands.iter_mut().for_each(Hand::correct);
            evening(&office, &facts);
        }
        office.resolve_all(&mut facts);
        evening(&office, &facts);
        let status = office.hands[0].member.json(&["status"]);
        assert_eq!(status["conflicts"].as_array().unwrap().len(), 0, "{status}");
        office.hands[0].member.done(&["audit"]);
        office.hands[0].member.done(&["check", "--strict"]);
    }));
    if let Err(panic) = told {
        let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
        panic!("{}\n{text}", story.join("\n"));
    }
}

/// The seeds: two, or as many as `MEMSYNC_TEST_ROUNDS` says from `MEMSYNC_TEST_SEED` on.
#[expect(clippy::disallowed_methods, reason = "asks whether this run was given a number")]
fn seeds() -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let first = number("MEMSYNC_TEST_SEED").unwrap_or(0);
    first..first + number("MEMSYNC_TEST_ROUNDS").unwrap_or(1)
}

#[test]
fn two_people_and_two_agents_lose_nothing_in_a_week() {
    seeds().for_each(week);
}
