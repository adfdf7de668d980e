//! The list of changes: filters, one foldable entry per change, its files as word diffs, and how
//! the signature was judged.
//! Border: markup; which changes are listed is the page's decision.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::diff::{diff, push};
use super::text::{Html, moment};
use super::{PAGE_CHANGES_MAX, PAGE_DIFF_BYTES_MAX};
use crate::audit::event::{ChangeKind, Event, Touched};
use crate::audit::verdict::Class;
use crate::base::id::ObjectId;
use crate::base::time::Timestamp;
use crate::sync::inspect::audit::Audited;

/// Choices in one filter; the text field finds the rest.
const CHOICES_MAX: usize = 500;

/// Writes the section with all changes of the page.
pub(super) fn changes(out: &mut String, audited: &Audited, shown: &[&Event]) {
    let all = audited.audit.events.len();
    out.push_str("<section aria-labelledby=\"changes\">\n<h2 id=\"changes\">Changes</h2>\n");
    if shown.len() < all {
        push(
            out,
            format_args!(
                "<p>This page holds {} of {all} changes: the newest, and older ones that need \
                 attention. The limit is {PAGE_CHANGES_MAX}; <code>memsync audit --since</code>, \
                 <code>--member</code> and <code>--memory</code> make a page of a part, \
                 <code>--format jsonl</code> lists all.</p>\n",
                shown.len()
            ),
        );
    }
    let names = names(shown);
    filters(out, shown, &names);
    out.push_str("<ol class=\"events\" id=\"events\" reversed>\n");
    let on_page: BTreeSet<ObjectId> = shown.iter().map(|event| event.commit).collect();
    let mut room = PAGE_DIFF_BYTES_MAX;
    for event in shown {
        entry(out, audited, event, &names, &on_page, &mut room);
    }
    out.push_str("</ol>\n");
    if shown.is_empty() {
        out.push_str("<p class=\"card\">No change matches.</p>\n");
    }
    out.push_str("</section>\n");
}

/// For each path the newest name of its memory, so that a filter finds all of its history.
fn names(shown: &[&Event]) -> HashMap<String, String> {
    let mut names: HashMap<String, String> = HashMap::new();
    for event in shown {
        for file in &event.files {
            let newest =
                names.entry(file.path.clone()).or_insert_with(|| file.path.clone()).clone();
            if let Some(from) = &file.from {
                names.entry(from.clone()).or_insert(newest);
            }
        }
    }
    names
}

fn filters(out: &mut String, shown: &[&Event], names: &HashMap<String, String>) {
    let who: BTreeSet<&str> = shown.iter().map(|event| event.who()).collect();
    let memories: BTreeSet<&str> = names.values().map(String::as_str).collect();
    let tags: BTreeSet<&str> = shown.iter().flat_map(|event| event.tags()).collect();
    let agents: BTreeSet<&str> = shown.iter().filter_map(|event| event.agent.as_deref()).collect();
    out.push_str(
        "<form class=\"filters card\" id=\"filters\" hidden aria-label=\"Filter the changes\">\n",
    );
    let choices = [
        ("who", "Who", who),
        ("memory", "Memory", memories),
        ("verdict", "Verdict", tags),
        ("agent", "Agent", agents),
    ];
    for (name, label, values) in choices {
        push(
            out,
            format_args!(
                "<div><label for=\"f-{name}\">{label}</label><select id=\"f-{name}\" name=\"{name}\">\
                 <option value=\"\">any</option>"
            ),
        );
        for value in values.iter().take(CHOICES_MAX) {
            push(out, format_args!("<option value=\"{0}\">{0}</option>", Html(value)));
        }
        out.push_str("</select></div>\n");
    }
    for (name, label) in [("from", "From"), ("to", "To")] {
        push(
            out,
            format_args!(
                "<div><label for=\"f-{name}\">{label}</label>\
                 <input id=\"f-{name}\" name=\"{name}\" type=\"date\"></div>\n"
            ),
        );
    }
    out.push_str(
        "<div class=\"wide\"><label for=\"f-text\">Text</label><input id=\"f-text\" name=\"text\" type=\"search\" \
         autocomplete=\"off\"></div>\n<div class=\"buttons\"><button type=\"button\" id=\"f-reset\">Reset</button>\
         <button type=\"button\" id=\"f-unfold\">Open all</button></div>\n</form>\n\
         <p class=\"soft\" id=\"count\" role=\"status\"></p>\n",
    );
}

fn tone(event: &Event) -> &'static str {
    match event.verdict.class {
        class if class.is_refused() => "bad",
        _ if !event.secrets.is_empty() => "bad",
        _ if event.altered_merge => "warn",
        Class::Vouched | Class::Open => "warn",
        _ => "good",
    }
}

/// What an event is, as labels: never by colour alone.
pub(super) fn badges(out: &mut String, event: &Event) {
    let class = event.verdict.class;
    let (tone, sign) = match class {
        _ if class.is_refused() => ("bad", "✕"),
        Class::Vouched | Class::Open => ("warn", "!"),
        _ => ("good", "✓"),
    };
    push(
        out,
        format_args!(
            "<span class=\"badge {tone}\"><span aria-hidden=\"true\">{sign} </span>{}</span>",
            class.name()
        ),
    );
    if event.altered_merge {
        out.push_str(" <span class=\"badge warn\">altered merge</span>");
    }
    if !event.secrets.is_empty() {
        out.push_str(" <span class=\"badge bad\">credential</span>");
    }
    if !event.taken {
        out.push_str(" <span class=\"badge\">not taken</span>");
    }
}

fn entry(
    out: &mut String,
    audited: &Audited,
    event: &Event,
    names: &HashMap<String, String>,
    on_page: &BTreeSet<ObjectId>,
    room: &mut usize,
) {
    let utc = Timestamp::utc(event.time.seconds).to_string();
    let memories: BTreeSet<&str> = event
        .files
        .iter()
        .flat_map(|file| [names.get(&file.path).unwrap_or(&file.path), &file.path])
        .map(String::as_str)
        .collect();
    let memories: Vec<&str> = memories.into_iter().collect();
    push(
        out,
        format_args!(
            "<li class=\"event {}\" id=\"c-{}\" data-who=\"{}\" data-memory=\"{}\" data-tags=\"{}\" \
             data-agent=\"{}\" data-day=\"{}\"><details>\n<summary><span class=\"line\">",
            tone(event),
            event.commit,
            Html(event.who()),
            Html(&memories.join("\n")),
            Html(&event.tags().join("\n")),
            Html(event.agent.as_deref().unwrap_or_default()),
            Html(utc.get(..10).unwrap_or(&utc)),
        ),
    );
    badges(out, event);
    push(
        out,
        format_args!(
            "<span class=\"subject\">{}</span><span class=\"more\">details</span></span>\n\
             <span class=\"meta\"><time datetime=\"{}\">{}</time> · <strong>{}</strong>{}{} · {}</span></summary>\n",
            Html(&event.subject),
            Html(&utc),
            Html(&moment(&utc)),
            Html(event.who()),
            if event.member.is_none() { " (not proven)" } else { "" },
            Html(&event.agent.as_ref().map(|agent| format!(" · {agent}")).unwrap_or_default()),
            Html(&file_names(&event.files)),
        ),
    );
    out.push_str("<div class=\"body\">\n");
    reasons(out, event, on_page);
    facts(out, audited, event);
    if event.files.is_empty() {
        out.push_str("<p class=\"soft\">It changes no file itself.</p>\n");
    }
    for (file, text) in event.files.iter().zip(audited.texts(event)) {
        head_of(out, file);
        match text {
            _ if *room == 0 => {
                out.push_str("<p class=\"soft\">The diff is left out: the page is full.</p>\n");
            }
            Some(text) => {
                let shown = diff(&text);
                *room = room.saturating_sub(shown.len());
                out.push_str(&shown);
            }
            None => out.push_str("<p class=\"soft\">Too large to show, or no text.</p>\n"),
        }
        out.push_str("</div>\n");
    }
    out.push_str("</div></details></li>\n");
}

/// The first few files of a change: memories, then the index, then what steers programs.
fn file_names(files: &[Touched]) -> String {
    const NAMED: usize = 4;
    let mut named: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    named.sort_by_key(|path| (path.starts_with('.'), *path == "MEMORY.md"));
    named.truncate(NAMED);
    match files.len().checked_sub(NAMED).filter(|more| *more > 0) {
        Some(more) => format!("{} and {more} more", named.join(", ")),
        None if files.is_empty() => "no file".to_owned(),
        None => named.join(", "),
    }
}

fn reasons(out: &mut String, event: &Event, on_page: &BTreeSet<ObjectId>) {
    let verdict = &event.verdict;
    if let Some(why) = &verdict.why {
        let tone = if verdict.class.is_refused() { "" } else { "warn" };
        push(
            out,
            format_args!(
                "<p class=\"why {tone}\">{} Rule <code>{}</code>: {}.",
                Html(verdict.class.meaning()),
                Html(&verdict.rule),
                Html(why)
            ),
        );
        if let Some(by) = verdict.by {
            let words =
                if verdict.class == Class::Vouched { "Accepted in" } else { "It builds on" };
            let link = if on_page.contains(&by) {
                format!("<a href=\"#c-{by}\">{}</a>", by.short())
            } else {
                format!("<code>{}</code>", by.short())
            };
            push(out, format_args!(" {words} {link}."));
        }
        out.push_str("</p>\n");
    }
    if event.altered_merge {
        out.push_str(
            "<p class=\"why warn\">A merge that holds what none of its parents has. The files below \
             are compared with what its parents merge to.</p>\n",
        );
    }
    for leak in &event.secrets {
        let state = if leak.present { "and is still there" } else { "and is in the history only" };
        push(
            out,
            format_args!(
                "<p class=\"why\">{} came in with <code>{}</code>, line {} {state}: <code>{}</code> \
                 Revoke it.</p>\n",
                Html(&leak.finding.message),
                Html(&leak.finding.path),
                leak.finding.line,
                Html(&leak.finding.excerpt)
            ),
        );
    }
}

/// Who, through what, and everything about the signature.
fn facts(out: &mut String, audited: &Audited, event: &Event) {
    let audit = &audited.audit;
    let name = event
        .member
        .as_ref()
        .and_then(|id| audit.members.iter().find(|member| member.id == *id)?.name.clone());
    let by = match (&event.member, name) {
        (Some(id), Some(name)) => format!("{name} ({id}), proven by signature"),
        (Some(id), None) => format!("{id}, proven by signature; left the team since"),
        (None, _) => "nobody is proven".to_owned(),
    };
    let signature = match event.key {
        Some(key) => format!("{key}, SSH signature over exactly this content, namespace git"),
        None => "none that proves this content".to_owned(),
    };
    let class = event.verdict.class;
    let verdict = format!("{}: {}", class.name(), class.meaning());
    let mut rows: BTreeMap<usize, (&str, String)> = BTreeMap::new();
    let mut row = |name: &'static str, value: String| {
        rows.insert(rows.len(), (name, value));
    };
    row("Member", by);
    row("Author as written", format!("{} <{}>", event.author, event.email));
    if let Some(claimed) = event.claimed.as_ref().filter(|id| event.member.as_ref() != Some(id)) {
        row("Member as claimed", format!("{claimed}, not proven"));
    }
    if let Some(agent) = &event.agent {
        row("Agent", agent.clone());
    }
    if let Some(session) = &event.session {
        row("Session", session.clone());
    }
    row("Written", event.time.to_string());
    row("Verdict", verdict);
    row("Signed with", signature);
    row("Commit", event.commit.to_string());
    let parents: Vec<String> = event.parents.iter().map(|id| id.short()).collect();
    row("Builds on", if parents.is_empty() { "nothing".to_owned() } else { parents.join(", ") });
    out.push_str("<dl class=\"facts\">\n");
    for (name, value) in rows.values() {
        push(out, format_args!("<dt>{name}</dt><dd>{}</dd>\n", Html(value)));
    }
    out.push_str("</dl>\n");
}

fn head_of(out: &mut String, file: &Touched) {
    let word = match file.deed {
        ChangeKind::Added => "good",
        ChangeKind::Deleted => "bad",
        ChangeKind::Edited | ChangeKind::Renamed => "",
    };
    push(
        out,
        format_args!(
            "<div class=\"file\"><h3><span class=\"badge {word}\">{}</span> <span class=\"path mono\">{}</span></h3>\n",
            file.deed.word(),
            Html(&file.path)
        ),
    );
    if let Some(from) = &file.from {
        push(out, format_args!("<p class=\"fields\">before: <code>{}</code></p>\n", Html(from)));
    }
    if !file.fields.is_empty() {
        push(out, format_args!("<p class=\"fields\">{}</p>\n", Html(&file.fields.join(", "))));
    }
}
