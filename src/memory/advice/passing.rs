//! What is true for a day or two: dates that count from the day of writing, work that is under way.
//! Border: prose only; code and quotations were masked before.

use super::said;
use super::text::{Line, Lines};
use super::words::{Word, any, find, words};
use crate::memory::problem::Problem;

/// Days that are counted from the day of writing, in the languages of the samples of real folders.
const DAYS: &[&str] = &[
    "today",
    "yesterday",
    "tomorrow",
    "tonight",
    "this morning|afternoon|evening",
    "last night",
    "last|next monday|tuesday|wednesday|thursday|friday|saturday|sunday",
    "last|next|this week|month",
    "#|two|three|four|few days|weeks|months ago",
    "an|one hour|week|month ago",
    "#|two|three|few hours ago",
    "in #|two|three|few days|weeks",
    "heute|gestern",
    "morgen früh",
    "nächste|letzte|diese woche",
    "aujourd'hui|demain",
    "la semaine prochaine|dernière",
    "hoy|ayer",
    "la próxima semana",
    "hoje|ontem|amanhã",
    "сегодня|вчера|завтра",
];
/// The same where words are not parted.
const DAYS_UNPARTED: &[&str] = &[
    "今天",
    "昨天",
    "明天",
    "今日は",
    "昨日",
    "明日",
    "本周",
    "上周",
    "下周",
    "오늘",
    "어제",
    "내일",
];
/// A window that moves along counts from whenever it is read.
const WINDOWS: &[&str] = &["the", "every", "each", "per"];
/// Words about the notion of the day, not a day.
const NOTIONS: &[&str] =
    &["today's|tomorrow's|yesterday's", "if|whether today", "today or|and tomorrow|yesterday"];

/// A day that nobody can tell later.
pub(super) fn relative_date(lines: &Lines<'_>) -> Option<Problem> {
    lines.prose().find_map(|line| {
        let (at, day) = relative(line)?;
        let next = "Write the date itself, for example 2026-03-04.";
        let message = format!("`{day}` counts from the day it was written");
        Some(said(Some(line.at(at)), "advice-relative-date", message, next))
    })
}

/// Where such a day stands, and its words.
fn relative(line: &Line<'_>) -> Option<(usize, String)> {
    // A date beside it says which day is meant.
    if has_date(&line.prose) {
        return None;
    }
    let unparted = |day: &&&str| line.prose.contains(**day);
    if let Some(day) = DAYS_UNPARTED.iter().find(unparted) {
        return Some((line.prose.find(day)?, (*day).to_owned()));
    }
    let words = words(&line.prose);
    if any(&words, NOTIONS) {
        return None;
    }
    DAYS.iter().find_map(|day| {
        let at = find(&words, day)?;
        let before = at.checked_sub(1).map(|at| words[at].text.as_str());
        let is_window = before.is_some_and(|word| WINDOWS.contains(&word));
        let counts = !is_window && (words[at].text != "today" || is_of_an_event(&words, at));
        let said = || words[at..at + day.split(' ').count()].iter().map(|word| word.text.as_str());
        counts.then(|| (words[at].at, said().collect::<Vec<_>>().join(" ")))
    })
}

/// `today` is a day where something happened or will; in `there is no cache today` it means nowadays.
fn is_of_an_event(words: &[Word], at: usize) -> bool {
    const EVENTS: &[&str] = &[
        "was", "were", "did", "went", "made", "found", "met", "saw", "said", "got", "began",
        "came", "went", "will", "we'll", "i'll", "until", "since", "later", "earlier",
    ];
    let near = &words[at.saturating_sub(BEFORE_WORDS)..words.len().min(at + AFTER_WORDS + 1)];
    near.iter().any(|word| {
        EVENTS.contains(&word.text.as_str()) || (word.text.len() > 4 && word.text.ends_with("ed"))
    })
}

/// So many words before a day tell what it is about.
const BEFORE_WORDS: usize = 3;
/// And so many after it.
const AFTER_WORDS: usize = 5;

/// A date, or a day of a month, in the text.
fn has_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
    let is = |part: &str, len: usize| part.len() == len && part.bytes().all(|b| b.is_ascii_digit());
    let is_day = |part: &str| is(part, 1) || is(part, 2);
    let months =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let is_month =
        |part: &str| months.iter().any(|month| part.to_ascii_lowercase().starts_with(month));
    parts.windows(3).any(|part| {
        (is(part[0], 4) && is_day(part[1]) && is_day(part[2]))
            || (is_day(part[0]) && is_day(part[1]) && is(part[2], 4))
    }) || parts.windows(2).any(|part| {
        (is_day(part[0]) && is_month(part[1])) || (is_month(part[0]) && is_day(part[1]))
    })
}

/// What a person or an agent says of work that is under way.
const WORK: &[&str] = &[
    "currently|now|still working|debugging|implementing|refactoring|investigating|fixing",
    "i'm|we're working|debugging|implementing|refactoring|investigating|fixing",
    "am|are currently|now working|debugging|implementing|refactoring|investigating",
    "work in progress",
    "wip",
    "next session",
    "left off",
    "pick up from|here|there",
    "in progress on branch",
    "half done",
    "half way through",
    "uncommitted changes",
    "arbeite|arbeiten gerade an",
];
/// A rule about such work is none of it.
const RULES: &[&str] = &[
    "never",
    "always",
    "must",
    "don't",
    "do not",
    "should",
    "if",
    "when",
    "every|each",
    "ask",
    "avoid",
    "limit",
    "label|labels|labelled|labeled",
    "prefix",
];
/// Open boxes that make a list of what is to be done.
const BOXES_MIN: usize = 2;

/// Work that is done in a day or two.
pub(super) fn in_progress(lines: &Lines<'_>) -> Option<Problem> {
    let said_so = lines.prose().find_map(|line| {
        let words: Vec<Word> = words(&line.prose);
        if any(&words, RULES) {
            return None;
        }
        let at = WORK.iter().find_map(|phrase| find(&words, phrase))?;
        Some(line.at(words[at].at))
    });
    let is_box = |line: &&Line<'_>| {
        let text = line.raw.trim_start();
        text.starts_with("- [ ] ") || text.starts_with("* [ ] ")
    };
    let boxes: Vec<&Line<'_>> = lines.content().filter(is_box).collect();
    let listed = (boxes.len() >= BOXES_MIN).then(|| boxes[0].at(0));
    let at = said_so.or(listed)?;
    let next = "Keep plans and tasks for the session; save what still holds when the work is done.";
    let message = "it is about work that is under way".to_owned();
    Some(said(Some(at), "advice-in-progress", message, next))
}
