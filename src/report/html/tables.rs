//! Members, memories and credentials as tables, and what each verdict means.
//! Border: markup; on a phone each row becomes a block with its column names. Blocks are no rows to
//! a screen reader, so the roles of a table are written out.

use std::collections::BTreeSet;

use super::diff::push;
use super::text::{Html, moment};
use crate::audit::event::Event;
use crate::audit::report::{Audit, QUIET_DAYS};
use crate::audit::verdict::Class;
use crate::base::id::ObjectId;

/// Rows of one table on the page; the rest is counted.
pub const PAGE_ROWS_MAX: usize = 500;

/// Opens a section with a table.
fn open(out: &mut String, id: &str, title: &str, intro: &str, columns: &[&str]) {
    push(
        out,
        format_args!(
            "<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{title}</h2>\n<p>{intro}</p>\n\
             <div class=\"card scroll\"><table class=\"stack\" role=\"table\">\n\
             <thead role=\"rowgroup\"><tr role=\"row\">"
        ),
    );
    for column in columns {
        push(out, format_args!("<th scope=\"col\" role=\"columnheader\">{column}</th>"));
    }
    out.push_str("</tr></thead>\n<tbody role=\"rowgroup\">\n");
}

/// One row; the cells hold markup that is escaped already.
fn row(out: &mut String, columns: &[&str], cells: &[String]) {
    out.push_str("<tr role=\"row\">");
    for (name, cell) in columns.iter().zip(cells) {
        push(out, format_args!("<td role=\"cell\" data-name=\"{name}\">{cell}</td>"));
    }
    out.push_str("</tr>\n");
}

fn close(out: &mut String, rows: usize) {
    out.push_str("</tbody>\n</table></div>\n");
    if let Some(more) = rows.checked_sub(PAGE_ROWS_MAX).filter(|more| *more > 0) {
        push(
            out,
            format_args!(
                "<p>And {more} more: <code>memsync audit --format json</code> lists all.</p>\n"
            ),
        );
    }
    out.push_str("</section>\n");
}

fn html(text: &str) -> String {
    Html(text).to_string()
}

/// A link that filters the changes; without JavaScript it leads to their list.
fn filter(name: &str, value: &str) -> String {
    let plain = value.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_./".contains(&b));
    if plain { format!("<a href=\"#{name}&#61;{0}\">{0}</a>", Html(value)) } else { html(value) }
}

/// The members, and who cannot be proven.
pub(super) fn members(out: &mut String, audit: &Audit) {
    if audit.members.is_empty() {
        return;
    }
    let columns = ["Member", "Name", "Role", "Changes", "Last change", "Keys"];
    let intro = "Counted over the whole history. A silent writer can change what every agent reads \
                 and never did: ask whether the key is still needed.";
    open(out, "members", "Members", intro, &columns);
    for member in audit.members.iter().take(PAGE_ROWS_MAX) {
        let keys: Vec<String> = member
            .keys
            .iter()
            .map(|key| format!("<code>{}</code>", html(&key.to_string())))
            .collect();
        let silent =
            if member.silent { " <span class=\"badge warn\">silent writer</span>" } else { "" };
        let role = member.role.map_or("left the team", |role| role.as_str());
        let last = member.last.as_deref().map_or_else(|| "never".to_owned(), moment);
        let cells = [
            filter("who", &member.id) + silent,
            html(member.name.as_deref().unwrap_or_default()),
            html(role),
            member.changes.to_string(),
            html(&last),
            keys.join("<br>"),
        ];
        row(out, &columns, &cells);
    }
    close(out, audit.members.len());
}

/// The memories, those that grew old first.
pub(super) fn memories(out: &mut String, audit: &Audit) {
    if audit.memories.is_empty() {
        return;
    }
    let columns = ["Memory", "Changes", "Last change", "By", "Days ago"];
    let intro = format!(
        "What agents read now. Nobody touched a quiet one for {QUIET_DAYS} days or more: it may be wrong by now."
    );
    open(out, "memories", "Memories", &intro, &columns);
    let mut lines: Vec<_> = audit.memories.iter().collect();
    lines.sort_by(|a, b| b.days.cmp(&a.days).then_with(|| a.path.cmp(&b.path)));
    for memory in lines.iter().take(PAGE_ROWS_MAX) {
        let quiet = if memory.quiet { " <span class=\"badge warn\">quiet</span>" } else { "" };
        let cells = [
            filter("memory", &memory.path) + quiet,
            memory.changes.to_string(),
            html(&memory.last.as_deref().map(moment).unwrap_or_default()),
            html(memory.by.as_deref().unwrap_or_default()),
            memory.days.to_string(),
        ];
        row(out, &columns, &cells);
    }
    close(out, audit.memories.len());
}

/// The credentials that came in; their values are nowhere on the page.
pub(super) fn secrets(out: &mut String, audit: &Audit, shown: &[&Event]) {
    if audit.totals.secrets == 0 {
        return;
    }
    let columns = ["What", "Where", "Came in with", "Now", "Fingerprint"];
    let intro = "Whoever has a clone has them, also after they were removed. Revoke each; accept a \
                 false alarm with <code>memsync scan allow FINGERPRINT --reason …</code>.";
    open(out, "secrets", "Credentials in the history", intro, &columns);
    let on_page: BTreeSet<ObjectId> = shown.iter().map(|event| event.commit).collect();
    let leaks =
        audit.events.iter().flat_map(|event| event.secrets.iter().map(move |leak| (event, leak)));
    for (event, leak) in leaks.take(PAGE_ROWS_MAX) {
        let commit = if on_page.contains(&event.commit) {
            format!("<a href=\"#c-{}\">{}</a>", event.commit, event.commit.short())
        } else {
            format!("<code>{}</code>", event.commit.short())
        };
        let cells = [
            format!("{} <code>{}</code>", html(&leak.finding.message), html(&leak.finding.rule)),
            format!("<code>{}</code>, line {}", html(&leak.finding.path), leak.finding.line),
            format!("{commit} by {}", html(event.who())),
            if leak.present { "still there".to_owned() } else { "in the history only".to_owned() },
            format!("<code>{}</code>", html(&leak.finding.fingerprint)),
        ];
        row(out, &columns, &cells);
    }
    close(out, audit.totals.secrets);
}

/// What the words mean, and where trust starts.
pub(super) fn legend(out: &mut String, audit: &Audit) {
    out.push_str("<section aria-labelledby=\"legend\">\n<h2 id=\"legend\">How to read the verdicts</h2>\n<div class=\"card\">\n<dl class=\"facts\">\n");
    for class in Class::ALL {
        push(out, format_args!("<dt>{}</dt><dd>{}</dd>\n", class.name(), class.meaning()));
    }
    out.push_str(
        "<dt>altered merge</dt><dd>A merge that holds content none of its parents has.</dd>\n\
         <dt>credential</dt><dd>A credential came into the history with the change.</dd>\n</dl>\n",
    );
    let origin = &audit.origin;
    let introduction = origin.introduction.map(|id| id.to_string()).unwrap_or_default();
    match &origin.founder {
        Some(founder) => push(
            out,
            format_args!(
                "<p>Trust starts at commit <code>{introduction}</code>, signed with \
                 <code>{}</code>, pinned when this machine joined. A change is good when its key \
                 stands in the roster of everything it builds on, with a role that allows it.</p>\n",
                Html(founder)
            ),
        ),
        None => push(
            out,
            format_args!(
                "<p>Trust began open at commit <code>{introduction}</code>: no key is pinned.</p>\n"
            ),
        ),
    }
    out.push_str("</div>\n</section>\n");
}
