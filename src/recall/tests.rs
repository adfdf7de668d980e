//! Laws of ranking as a whole, on invented memories of a print shop.

use proptest::prelude::*;

use super::candidate::{Candidate, Field};
use super::query::Query;
use super::ranking::{Note, Ranking, rank};
use super::subject::Replaced;
use crate::memory::kind::Kind;

const DAY: i64 = 86_400;

fn memory(path: &str, kind: Kind, day: i64, description: &str, body: &str) -> Candidate {
    Candidate {
        path: path.to_owned(),
        description: description.to_owned(),
        kind: Some(kind),
        body: body.to_owned(),
        modified: day * DAY,
        ..Candidate::default()
    }
}

fn shop() -> Vec<Candidate> {
    use Kind::{Feedback, Project, Reference, User};
    vec![
        memory(
            "team/plates-offset.md",
            Project,
            100,
            "Offset plates are burned on Mondays by the night shift",
            "Plates for the offset press are burned on Mondays. Orders go to the night shift.",
        ),
        memory(
            "team/plates-digital.md",
            Project,
            300,
            "Offset plates are gone since spring, all jobs run on the digital press",
            "The offset press was retired, its plates are no longer burned. Orders go to the digital press.",
        ),
        memory(
            "team/reference_ripctl.md",
            Reference,
            120,
            "ripctl reference: queue, hold, release",
            "- `ripctl queue` lists jobs\n- `ripctl hold JOB`\n- `ripctl release JOB`",
        ),
        memory(
            "feedback_ripctl_purge.md",
            Feedback,
            140,
            "Careful: ripctl purge deletes held jobs of all customers",
            "Never run `ripctl purge`; it empties every queue without asking.",
        ),
        memory(
            "team/colour-proofs.md",
            Project,
            200,
            "Customers approve a colour proof before the run",
            "A proof is signed by the customer. The run starts only with a signed proof in the job ticket.",
        ),
        memory(
            "team/rueckgabe.md",
            Project,
            210,
            "Wann Kunden ihr Geld für Fehldrucke zurückbekommen",
            "Die Erstattung für einen Fehldruck wird innerhalb von 30 Tagen ausgezahlt, danach gibt es eine Gutschrift.",
        ),
        memory("user_tone.md", User, 50, "Short answers", "No summaries at the end."),
    ]
}

fn ask(text: &str) -> Query {
    Query { text: text.to_owned(), ..Query::default() }
}

fn chosen(candidates: &[Candidate], query: &Query) -> Vec<String> {
    rank(candidates, query, 5).chosen().map(|place| candidates[place].path.clone()).collect()
}

fn notes(ranking: &Ranking, place: usize) -> &[Note] {
    ranking.judged.iter().find(|judged| judged.place == place).map_or(&[], |judged| &judged.notes)
}

#[test]
fn what_answers_is_found_and_the_rest_is_not() {
    assert_eq!(
        chosen(&shop(), &ask("who has to sign the colour proof before we start")),
        ["team/colour-proofs.md"]
    );
}

#[test]
fn nothing_certain_is_nothing() {
    let shop = shop();
    for text in [
        "",
        " \n",
        "🔥🔥",
        "ok go on",
        "the and of to",
        "yes, do that",
        "why is the sky blue at noon",
    ] {
        assert_eq!(chosen(&shop, &ask(text)), Vec::<String>::new(), "{text}");
    }
    assert_eq!(chosen(&[], &ask("colour proof")), Vec::<String>::new());
}

#[test]
fn a_prompt_in_another_language_finds_it_by_meaning() {
    let shop = shop();
    assert_eq!(chosen(&shop, &ask("how long do we have for a refund?"))[0], "team/rueckgabe.md");
    assert_eq!(chosen(&shop, &ask("返金は何日以内ですか"))[0], "team/rueckgabe.md");
    let ranking = rank(&shop, &ask("how long do we have for a refund?"), 5);
    let matched = &ranking.judged[0].matches[0];
    assert_eq!((matched.word.as_str(), matched.meaning), ("refund", Some("refund")));
    assert_eq!(matched.fields, [Field::Body]);
}

#[test]
fn of_two_on_one_subject_the_newer_comes_first() {
    let shop = shop();
    let ranking = rank(&shop, &ask("when are the offset plates burned on mondays"), 5);
    assert_eq!(ranking.judged[0].place, 1);
    assert!(notes(&ranking, 0).contains(&Note::ReplacedBy(1, Replaced::ByLikeness)));
    assert!(notes(&ranking, 1).contains(&Note::Replaces(0)));
}

#[test]
fn a_memory_may_say_what_it_replaces() {
    let mut shop = shop();
    shop[6].supersedes = vec!["colour-proofs".to_owned()];
    let ranking = rank(&shop, &ask("who signs the colour proof"), 5);
    assert_eq!(ranking.judged[0].place, 6, "whatever its words");
    assert!(notes(&ranking, 4).contains(&Note::ReplacedBy(6, Replaced::BySaying)));
}

#[test]
fn memories_that_replace_each_other_end() {
    let mut shop = shop();
    shop[4].supersedes = vec!["user_tone.md".to_owned()];
    shop[6].supersedes = vec!["colour-proofs.md".to_owned()];
    assert!(!rank(&shop, &ask("colour proof"), 5).judged.is_empty());
}

#[test]
fn a_tool_in_use_brings_its_warning_and_not_its_reference() {
    let shop = shop();
    let mut query = ask("clear the held jobs");
    query.tools = vec!["Bash".to_owned(), "ripctl".to_owned()];
    assert_eq!(chosen(&shop, &query), ["feedback_ripctl_purge.md"]);
    let ranking = rank(&shop, &query, 5);
    assert_eq!(notes(&ranking, 2), [Note::DocumentsTool]);
    assert!(notes(&ranking, 3).contains(&Note::WarnsAboutTool));
    query.tools.clear();
    assert!(
        chosen(&shop, &ask("ripctl: which command lists the queue"))
            .contains(&"team/reference_ripctl.md".to_owned())
    );
}

#[test]
fn what_was_shown_is_not_shown_again_nor_what_it_replaced() {
    let shop = shop();
    for name in ["team/plates-digital.md", "plates-digital.md", "plates-digital"] {
        let mut query = ask("when are the offset plates burned");
        query.surfaced = vec![name.to_owned()];
        assert_eq!(chosen(&shop, &query), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn the_limit_holds() {
    let query = ask("offset plates digital press orders customers proof ripctl jobs purge");
    for limit in 0..4 {
        assert!(rank(&shop(), &query, limit).chosen().count() <= limit);
    }
    assert_eq!(rank(&shop(), &query, 3).chosen().count(), 3);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_order_of_the_candidates_decides_nothing(seed in any::<u64>(), word in 0_usize..6) {
        let words = ["colour proof", "offset plates", "refund", "held jobs", "night shift orders", "erstattung"];
        let query = ask(words[word]);
        let shop = shop();
        let mut shuffled = shop.clone();
        let mut state = seed | 1;
        for place in (1..shuffled.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            shuffled.swap(place, usize::try_from(state >> 33).unwrap_or(0) % (place + 1));
        }
        prop_assert_eq!(chosen(&shop, &query), chosen(&shuffled, &query));
    }

    #[test]
    fn any_prompt_and_any_memory_are_judged(text in "\\PC{0,120}", body in "\\PC{0,200}", name in "\\PC{0,20}") {
        let mut shop = shop();
        shop.push(Candidate { path: name.clone(), name, body, ..Candidate::default() });
        let ranking = rank(&shop, &ask(&text), 5);
        prop_assert_eq!(ranking.judged.len(), shop.len());
        prop_assert!(ranking.judged.iter().all(|judged| judged.score.is_finite() && judged.score >= 0.0));
        let again = rank(&shop, &ask(&text), 5);
        prop_assert_eq!(ranking, again);
    }
}
