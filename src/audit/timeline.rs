//! Changes over time: a bounded number of equal spans, with how many changes each holds.
//! Border: counts; drawing is `report::html`.

use super::event::Event;
use super::verdict::Class;

/// Spans of one timeline: as many bars as a phone can show.
pub const SPANS_MAX: i64 = 48;

const DAY_SECONDS: i64 = 86_400;

/// One span of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// When it begins, in seconds since the epoch.
    pub start: i64,
    /// Changes that are proven, or merges that need no proof.
    pub proven: usize,
    /// Changes that open trust accepted.
    pub open: usize,
    /// Changes a person has to look at.
    pub attention: usize,
}

/// Spans of whole days, oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    /// How many days each span has.
    pub days: i64,
    /// The spans without gap; none where there is no event.
    pub spans: Vec<Span>,
}

impl Timeline {
    /// Counts events from `from` to `to`; dates outside are counted in the first or last span, so
    /// that one wrong clock does not squeeze all others into one bar.
    pub fn of(events: &[Event], from: i64, to: i64) -> Self {
        let day = |seconds: i64| seconds.div_euclid(DAY_SECONDS);
        let seconds = |event: &Event| event.time.seconds.clamp(from.min(to), to.max(from));
        let first = events.iter().map(seconds).min().map(day);
        let Some(first) = first else { return Self { days: 1, spans: Vec::new() } };
        let last = day(to).max(first);
        let length = last - first + 1;
        let days = (length + SPANS_MAX - 1) / SPANS_MAX;
        let count = (length + days - 1) / days;
        let span = |at: i64| Span {
            start: (first + at * days) * DAY_SECONDS,
            proven: 0,
            open: 0,
            attention: 0,
        };
        let mut spans: Vec<Span> = (0..count).map(span).collect();
        for event in events {
            let at = usize::try_from((day(seconds(event)) - first) / days).unwrap_or_default();
            let Some(span) = spans.get_mut(at) else { continue };
            let part = if event.needs_attention() {
                &mut span.attention
            } else if event.verdict.class == Class::Open {
                &mut span.open
            } else {
                &mut span.proven
            };
            *part += 1;
        }
        Self { days, spans }
    }

    /// The most changes in one span.
    pub fn highest(&self) -> usize {
        self.spans.iter().map(|span| span.proven + span.open + span.attention).max().unwrap_or(0)
    }
}
