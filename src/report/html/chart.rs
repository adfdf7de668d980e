//! The timeline as a bar chart in SVG, and the same numbers as a table.
//! Border: draws what `audit::timeline` counted.

use super::diff::push;
use crate::audit::report::Audit;
use crate::audit::timeline::{Span, Timeline};
use crate::base::time::Timestamp;

/// Units of the drawing: width of one span, height of the highest bar.
const WIDTH: usize = 20;
const HEIGHT: usize = 100;

/// Draws the changes over time; nothing where there are none.
pub(super) fn chart(out: &mut String, audit: &Audit) {
    // A refused change does not stretch the chart: anybody can write any date into a commit.
    let made = audit.origin.made.seconds;
    let stands = audit.events.iter().filter(|event| !event.verdict.class.is_refused());
    let first = stands.map(|event| event.time.seconds).min();
    let newest = audit.events.iter().map(|event| event.time.seconds);
    let first = first.or_else(|| newest.max()).unwrap_or(made).clamp(0, made.max(0));
    let timeline = Timeline::of(&audit.events, first, made);
    if timeline.spans.is_empty() {
        return;
    }
    let span =
        if timeline.days == 1 { "day".to_owned() } else { format!("{} days", timeline.days) };
    let (total, highest) = (audit.events.len(), timeline.highest());
    push(
        out,
        format_args!(
            "<section aria-labelledby=\"timeline\">\n<h2 id=\"timeline\">Changes over time</h2>\n\
             <div class=\"card chart\">\n<svg viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" \
             role=\"img\" aria-label=\"Bar chart of {total} changes, one bar for every {span}, at \
             most {highest} in one. The table below has the numbers.\">\n",
            timeline.spans.len() * WIDTH,
            HEIGHT + 4,
        ),
    );
    for (at, span) in timeline.spans.iter().enumerate() {
        bar(out, at, span, highest.max(1));
    }
    let end = timeline.spans.len() * WIDTH;
    push(
        out,
        format_args!(
            "<line class=\"base\" x1=\"0\" x2=\"{end}\" y1=\"{0}\" y2=\"{0}\"></line>\n</svg>\n",
            HEIGHT + 3
        ),
    );
    let day =
        |seconds: i64| Timestamp::utc(seconds).to_string().chars().take(10).collect::<String>();
    push(
        out,
        format_args!(
            "<div class=\"ends\"><span>{}</span><span>{}</span></div>\n\
             <ul class=\"key\" aria-hidden=\"true\"><li class=\"p\"><i></i>proven</li>\
             <li class=\"o\"><i></i>open trust</li><li class=\"a\"><i></i>needs attention</li></ul>\n\
             <details><summary>The numbers</summary>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" \
             aria-label=\"Changes over time\"><table>\n<thead><tr><th scope=\"col\">from</th>\
             <th scope=\"col\" class=\"n\">proven</th><th scope=\"col\" class=\"n\">open</th>\
             <th scope=\"col\" class=\"n\">attention</th></tr></thead>\n<tbody>\n",
            day(timeline.spans[0].start),
            day(made),
        ),
    );
    let busy = |span: &&Span| span.proven + span.open + span.attention > 0;
    for span in timeline.spans.iter().filter(busy) {
        push(
            out,
            format_args!(
                "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                day(span.start),
                span.proven,
                span.open,
                span.attention
            ),
        );
    }
    out.push_str("</tbody>\n</table></div>\n</details>\n</div>\n</section>\n");
}

/// One bar: what needs attention stands on top.
fn bar(out: &mut String, at: usize, span: &Span, highest: usize) {
    let x = at * WIDTH + 2;
    let mut bottom = HEIGHT + 3;
    for (class, number) in [("p", span.proven), ("o", span.open), ("a", span.attention)] {
        if number == 0 {
            continue;
        }
        let height = (number * HEIGHT / highest).max(2);
        bottom = bottom.saturating_sub(height);
        push(
            out,
            format_args!(
                "<rect class=\"{class}\" x=\"{x}\" y=\"{bottom}\" width=\"{}\" height=\"{height}\"></rect>\n",
                WIDTH - 4
            ),
        );
    }
}
