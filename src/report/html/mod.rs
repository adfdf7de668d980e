//! An audit as one self-contained page: readable without JavaScript, no network, nothing of a text
//! of others becomes markup.
//! Border: writes a string. Texts come from `sync::audit` with credentials masked.
//!
//! The content security policy allows exactly the style and the script of this page, by hash.

mod chart;
mod diff;
mod events;
mod tables;
mod text;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

pub use self::diff::DIFF_LINES_MAX;
pub use self::tables::PAGE_ROWS_MAX;

use self::diff::push;
use self::text::{Html, moment};
use crate::audit::event::Event;
use crate::audit::report::Audit;
use crate::sync::inspect::audit::Audited;

/// Changes on one page: as many as a browser on a phone filters without a pause.
pub const PAGE_CHANGES_MAX: usize = 1_000;

/// Of those, how many may be older ones that need attention.
pub const PAGE_ATTENTION_MAX: usize = 200;

/// Bytes of all diffs together; later changes are listed without.
pub const PAGE_DIFF_BYTES_MAX: usize = 6_000_000;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page.
pub fn page(audited: &Audited) -> String {
    let audit = &audited.audit;
    let shown = shown(audit);
    let mut out = head();
    title(&mut out, audit);
    banner(&mut out, audit);
    tiles(&mut out, audit);
    chart::chart(&mut out, audit);
    attention(&mut out, audit, &shown);
    events::changes(&mut out, audited, &shown);
    tables::members(&mut out, audit);
    tables::memories(&mut out, audit);
    tables::secrets(&mut out, audit, &shown);
    tables::legend(&mut out, audit);
    foot(&mut out, audit);
    out
}

/// The changes on the page, newest first: the newest, and older ones that need attention.
fn shown(audit: &Audit) -> Vec<&Event> {
    if audit.events.len() <= PAGE_CHANGES_MAX {
        return audit.events.iter().collect();
    }
    let (newest, older) = audit.events.split_at(PAGE_CHANGES_MAX - PAGE_ATTENTION_MAX);
    let bad = older.iter().filter(|event| event.needs_attention()).take(PAGE_ATTENTION_MAX);
    newest.iter().chain(bad).collect()
}

fn head() -> String {
    let hash = |content: &str| STANDARD.encode(Sha256::digest(content.as_bytes()));
    let (style, script) = (hash(STYLE), hash(SCRIPT));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'sha256-{style}'; script-src 'sha256-{script}'; base-uri 'none'; \
         form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>Team memory audit</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#changes\">Skip to the changes</a>\n"
    )
}

fn title(out: &mut String, audit: &Audit) {
    let origin = &audit.origin;
    let introduction = origin.introduction.map(|id| id.short()).unwrap_or_default();
    let made = origin.made.to_string();
    push(
        out,
        format_args!(
            "<header>\n<h1>Team memory audit</h1>\n<p class=\"soft\">Every change of team memory \
             <code>{introduction}</code>, branch <code>{}</code> at <code>{}</code>, as of \
             <time datetime=\"{}\">{}</time>.</p>\n",
            Html(&origin.branch),
            origin.tip.short(),
            Html(&made),
            Html(&moment(&crate::base::time::Timestamp::utc(origin.made.seconds).to_string())),
        ),
    );
    let filter = &audit.filter;
    let asked = [
        ("changes since", &filter.since),
        ("changes by", &filter.member),
        ("changes of", &filter.memory),
    ];
    for (words, value) in asked {
        if let Some(value) = value {
            push(out, format_args!("<p>Only {words} <strong>{}</strong>.</p>\n", Html(value)));
        }
    }
    out.push_str("</header>\n<main>\n");
}

/// The one sentence a reader takes home.
fn banner(out: &mut String, audit: &Audit) {
    let totals = &audit.totals;
    let (class, head, words) = if totals.refused > 0 || totals.secrets > 0 {
        let words = "Each is listed below with the reason. A refused change must not reach an \
                     agent; a credential has to be revoked, because whoever has a clone has it.";
        ("bad", attention_words(audit), words)
    } else if totals.unproven > 0 {
        let head = format!("{} of {} changes are not proven", totals.unproven, totals.changes);
        ("warn", head, "The team's trust is open: whoever can push to the remote could write them.")
    } else if totals.altered_merges > 0 {
        let words = "Such a merge holds content that none of its parents has. Look at it.";
        ("warn", attention_words(audit), words)
    } else {
        let words = "Each is signed by a member whose role allowed it, or needs no signature, and \
                     no credential came into the history.";
        ("good", format!("All {} changes are proven", totals.changes), words)
    };
    push(
        out,
        format_args!(
            "<div class=\"card banner {class}\"><strong>{}</strong><p>{words}</p></div>\n",
            Html(&head)
        ),
    );
}

fn attention_words(audit: &Audit) -> String {
    let totals = &audit.totals;
    let parts = [
        (totals.refused, "refused change", "refused changes"),
        (totals.secrets, "credential in the history", "credentials in the history"),
        (totals.altered_merges, "merge that changed content", "merges that changed content"),
    ];
    let said = parts.iter().filter(|(number, ..)| *number > 0);
    let said: Vec<String> = said
        .map(|(number, one, many)| format!("{number} {}", if *number == 1 { one } else { many }))
        .collect();
    said.join(", ")
}

fn tiles(out: &mut String, audit: &Audit) {
    let totals = &audit.totals;
    let writers = audit.members.iter().filter(|member| member.changes > 0).count();
    let agents = totals.agents.keys().filter(|agent| *agent != "(none)").count();
    let bad = |number: usize| if number > 0 { "bad" } else { "" };
    let warn = |number: usize| if number > 0 { "warn" } else { "" };
    let proven = audit.events.iter().filter(|event| event.verdict.class.is_proven()).count();
    let quiet = audit.quiet_memories().count();
    let silent = audit.silent_members().count();
    out.push_str("<ul class=\"tiles\" aria-label=\"Figures\">\n");
    for (class, number, words) in [
        ("", totals.changes, "changes"),
        ("", proven, "of them proven"),
        (bad(totals.refused), totals.refused, "refused"),
        (bad(totals.secrets), totals.secrets, "credentials"),
        (warn(totals.altered_merges), totals.altered_merges, "altered merges"),
        ("", writers, "members who wrote"),
        ("", agents, "agents"),
        ("", audit.memories.len(), "memories"),
        (warn(quiet), quiet, "untouched for long"),
        (warn(silent), silent, "silent writers"),
    ] {
        push(out, format_args!("<li class=\"card {class}\"><b>{number}</b> {words}</li>\n"));
    }
    out.push_str("</ul>\n");
}

/// Links to what a person has to look at.
fn attention(out: &mut String, audit: &Audit, shown: &[&Event]) {
    let open: Vec<&&Event> = shown.iter().filter(|event| event.needs_attention()).collect();
    if open.is_empty() {
        return;
    }
    let all = audit.events.iter().filter(|event| event.needs_attention()).count();
    out.push_str("<section aria-labelledby=\"attention\">\n<h2 id=\"attention\">Needs attention</h2>\n<div class=\"card\"><ul class=\"plain\">\n");
    for event in open.iter().take(PAGE_ATTENTION_MAX) {
        push(
            out,
            format_args!("<li><a href=\"#c-{}\">{}</a> ", event.commit, event.commit.short()),
        );
        events::badges(out, event);
        push(
            out,
            format_args!(
                " {} <span class=\"soft\">by {}, {}</span></li>\n",
                Html(&event.subject),
                Html(event.who()),
                Html(&moment(&event.time.to_string()))
            ),
        );
    }
    out.push_str("</ul>\n");
    if let Some(more) = all.checked_sub(open.len().min(PAGE_ATTENTION_MAX)).filter(|n| *n > 0) {
        push(
            out,
            format_args!(
                "<p>And {more} more: <code>memsync audit --format jsonl</code> lists all.</p>\n"
            ),
        );
    }
    out.push_str("</div>\n</section>\n");
}

fn foot(out: &mut String, audit: &Audit) {
    push(
        out,
        format_args!(
            "</main>\n<footer>\n<p>Written by memsync {} on the machine of a member. The page is \
             one file, loads nothing from any network and holds at most {PAGE_CHANGES_MAX} changes. \
             Check any of it yourself: <code>memsync audit</code>, or \
             <code>git verify-commit</code> with the signers file of the team memory \
             (tip <code>{}</code>).</p>\n</footer>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
            env!("CARGO_PKG_VERSION"),
            audit.origin.tip,
        ),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn style_and_script_cannot_end_their_element_or_reach_a_network() {
        for content in [STYLE, SCRIPT] {
            let lower = content.to_lowercase();
            for word in
                ["</", "<!--", "url(", "@import", "fetch(", "xmlhttp", "innerhtml", "eval(", "http"]
            {
                assert!(!lower.contains(word), "{word}");
            }
        }
        assert!(head().contains("default-src 'none'"));
    }
}
