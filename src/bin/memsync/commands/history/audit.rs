//! `memsync audit`: every change with who, when, through which agent, what, and the verdict.
//! Border: arguments and words; the work is `sync::audit`, the formats are `memsync::report`.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::Args;
use memsync::audit::event::Event;
use memsync::audit::report::{Audit, QUIET_DAYS};
use memsync::audit::verdict::Class;
use memsync::base::time::Timestamp;
use memsync::report::advice::Exit;
use memsync::report::html::page;
use memsync::report::json::Document;
use memsync::report::json::audit::{AUDIT_FORMAT, AuditDocument};
use memsync::report::{audit as forms, json_text};
use memsync::scan::setup::write_report;
use memsync::sync::inspect::audit::{Audited, Query, audit};
use memsync::system::clock::Clock;

use crate::Outcome;
use crate::failure::Failure;
use crate::global::AnyFormat;
use crate::say::{BAD, FAINT, GOOD, STRONG, count};
use crate::session::Session;
use crate::ui::Ui;

/// Changes that are listed for people unless `-v` asks for all; more would bury the summary.
const CHANGES_SHOWN_MAX: usize = 100;

/// Options of `memsync audit`.
#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// Only changes from then on: a date, a time (RFC 3339) or days back such as `30d`
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Only changes by this member, or by an author of this name
    #[arg(long = "member", value_name = "MEMBER")]
    by: Option<String>,
    /// Only changes of this memory, under all names it had
    #[arg(long, value_name = "MEMORY")]
    memory: Option<String>,
    /// Write the report to FILE instead of stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Exit 0 whatever is found
    #[arg(long)]
    exit_zero: bool,
}

/// Audits, writes the report, and says by the exit code whether all is well.
pub(crate) fn run(args: AuditArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let is_terminal = std::io::stdout().is_terminal();
    if ui.any_format() == AnyFormat::Html && args.output.is_none() && is_terminal {
        let next = "Name a file with `--output audit.html`, or pipe stdout into one.";
        return Err(Failure::usage("a page is no text for a terminal", next));
    }
    let located = session.locate()?;
    let now = Clock::from_environment(&session.environment)?.now();
    let since = args.since.as_deref().map(|text| since(text, now)).transpose()?;
    let query = Query { since, member: args.by, memory: args.memory };
    let audited = {
        let busy = session.busy("reading the history");
        let progress = |done, total| busy.reach("auditing", done, total);
        audit(&located.place(), &query, now, &progress)?
    };
    match &args.output {
        Some(file) => {
            let text = render(&audited, ui.any_format());
            write_report(&session.folder.join(file), text.as_bytes())?;
            ui.note(format!("written to {}", file.display()));
            summary(ui, &audited.audit);
        }
        None => show(ui, &audited),
    }
    for unread in &audited.audit.unread {
        ui.warn(format!(
            "`{}` could not be read and was not scanned: {}",
            unread.path, unread.reason
        ));
    }
    Ok(if args.exit_zero { Exit::Done } else { exit(&audited.audit) })
}

fn exit(audit: &Audit) -> Exit {
    if audit.totals.refused > 0 {
        Exit::Trust
    } else if audit.totals.secrets > 0 {
        Exit::No
    } else if !audit.unread.is_empty() {
        Exit::World
    } else {
        Exit::Done
    }
}

/// A date, a time, or `30d` for that many days before now.
fn since(text: &str, now: Timestamp) -> Result<Timestamp, Failure> {
    let days = text.strip_suffix('d').and_then(|days| days.parse::<u32>().ok());
    let back = |days: u32| Timestamp::utc(now.seconds - i64::from(days) * 86_400);
    days.map(back).or_else(|| Timestamp::parse(text)).ok_or_else(|| {
        let shown = memsync::base::display::Escaped(text);
        Failure::usage(
            format!("`{shown}` is no date, time or number of days"),
            "Write `2026-01-31`, `2026-01-31T12:00:00Z` or `30d`.",
        )
    })
}

/// The report as one text, for a file.
fn render(audited: &Audited, format: AnyFormat) -> String {
    let audit = &audited.audit;
    match format {
        AnyFormat::Csv => forms::csv(audit),
        AnyFormat::Html => page(audited),
        AnyFormat::Sarif => json_text(&forms::sarif(audit)),
        AnyFormat::Jsonl => audit.events.iter().rev().map(json_line).collect(),
        AnyFormat::Human => lines(audit, usize::MAX).join("\n") + "\n",
        _ => json_text(&Document::new(AUDIT_FORMAT, AuditDocument { audit })),
    }
}

fn json_line(event: &Event) -> String {
    let line = serde_json::to_string(event).expect("because report types have string keys");
    memsync::base::display::escape_json(&line) + "\n"
}

fn show(ui: &mut Ui, audited: &Audited) {
    let audit = &audited.audit;
    match ui.any_format() {
        AnyFormat::Human => {
            let most = if ui.is_verbose() { usize::MAX } else { CHANGES_SHOWN_MAX };
            lines(audit, most).iter().for_each(|line| ui.line(line));
        }
        AnyFormat::Csv | AnyFormat::Jsonl | AnyFormat::Html => {
            ui.raw(render(audited, ui.any_format()).as_bytes());
        }
        _ => ui.line(render(audited, ui.any_format()).trim_end()),
    }
}

fn summary(ui: &mut Ui, audit: &Audit) {
    let (changes, totals) = (count(audit.totals.changes, "change", "changes"), &audit.totals);
    let secrets = count(totals.secrets, "credential", "credentials");
    ui.note(format!("{changes}, {} refused, {secrets} in the history", totals.refused));
}

/// The report for people.
fn lines(audit: &Audit, most: usize) -> Vec<String> {
    let mut out = head(audit);
    let attention: Vec<&Event> = audit.events.iter().filter(|e| e.needs_attention()).collect();
    if !attention.is_empty() {
        out.push(format!("{STRONG}Needs attention{STRONG:#}"));
        attention.iter().for_each(|event| out.extend(event_lines(event)));
        out.push(String::new());
    }
    if !audit.events.is_empty() {
        out.push(format!("{STRONG}Changes, newest first{STRONG:#}"));
    }
    for event in audit.events.iter().take(most) {
        out.extend(event_lines(event));
    }
    if let Some(more) = audit.events.len().checked_sub(most).filter(|more| *more > 0) {
        out.push(format!(
            "  and {more} older; `-v` lists all, `--format html --output FILE` makes a page"
        ));
    }
    out.extend(silence(audit));
    out
}

fn head(audit: &Audit) -> Vec<String> {
    let origin = &audit.origin;
    let introduction = origin.introduction.map(|id| id.short()).unwrap_or_default();
    let mut out = vec![format!(
        "Team memory {STRONG}{introduction}{STRONG:#}, branch {} at {}, trust: {}",
        memsync::base::display::Escaped(&origin.branch),
        origin.tip.short(),
        origin.trust
    )];
    let classes = audit.totals.classes.iter();
    let classes: Vec<String> = classes.map(|(class, number)| format!("{number} {class}")).collect();
    let filter = &audit.filter;
    let asked = [("since", &filter.since), ("by", &filter.member), ("of", &filter.memory)];
    let asked =
        asked.iter().filter_map(|(word, value)| Some(format!(" {word} {}", value.as_ref()?)));
    let asked: String = asked.collect();
    out.push(format!(
        "{}{asked}: {}",
        count(audit.totals.changes, "change", "changes"),
        if classes.is_empty() { "nothing to judge".to_owned() } else { classes.join(", ") }
    ));
    if audit.totals.unproven > 0 {
        out.push(format!(
            "{BAD}Trust is open{BAD:#}: nobody is proven for {} of them.",
            audit.totals.unproven
        ));
    }
    if audit.totals.secrets > 0 {
        out.push(format!(
            "{BAD}{}{BAD:#} in the history, {} still there. Revoke each: whoever has a clone has it.",
            count(audit.totals.secrets, "credential", "credentials"),
            audit.totals.secrets_present
        ));
    }
    out.push(String::new());
    out
}

fn event_lines(event: &Event) -> Vec<String> {
    let class = event.verdict.class;
    let style = match class {
        _ if class.is_refused() => BAD,
        Class::Good | Class::NeutralMerge => GOOD,
        _ => STRONG,
    };
    let agent = event.agent.as_ref().map(|agent| format!(", by {agent}")).unwrap_or_default();
    let session =
        event.session.as_ref().map(|session| format!(" (session {session})")).unwrap_or_default();
    let taken = if event.taken { "" } else { ", not taken" };
    let mut out = vec![
        format!(
            "  {STRONG}{}{STRONG:#} {style}{}{style:#}{taken}  {}",
            event.commit.short(),
            class.name(),
            event.subject
        ),
        format!("    {FAINT}{}, {}{agent}{session}{FAINT:#}", event.who(), event.time),
    ];
    if let Some(why) = &event.verdict.why {
        let by = event.verdict.by.filter(|_| class == Class::Vouched);
        let by = by.map(|id| format!(", vouched for in {}", id.short())).unwrap_or_default();
        out.push(format!("    {style}{why}{style:#} ({}){by}", event.verdict.rule));
    }
    if event.altered_merge {
        out.push(format!("    {BAD}a merge that holds what none of its parents has{BAD:#}"));
    }
    for file in &event.files {
        let from = file.from.as_ref().map(|from| format!(" (was {from})")).unwrap_or_default();
        let fields = if file.fields.is_empty() {
            String::new()
        } else {
            format!(": {}", file.fields.join(", "))
        };
        out.push(format!("    {:7} {}{from}{fields}", file.deed.word(), file.path));
    }
    for leak in &event.secrets {
        let state = if leak.present { "still there" } else { "in the history only" };
        out.push(format!(
            "    {BAD}{}{BAD:#} in {}:{} ({}), {state}: {}",
            leak.finding.message,
            leak.finding.path,
            leak.finding.line,
            leak.finding.rule,
            leak.finding.excerpt
        ));
    }
    out
}

/// Members who never wrote, memories that nobody touched for long.
fn silence(audit: &Audit) -> Vec<String> {
    let mut out = Vec::new();
    let silent: Vec<&str> = audit.silent_members().map(|member| member.id.as_str()).collect();
    if !silent.is_empty() {
        out.push(String::new());
        out.push(format!(
            "{STRONG}Members who can write and never did:{STRONG:#} {}",
            silent.join(", ")
        ));
    }
    let quiet: Vec<_> = audit.quiet_memories().collect();
    if !quiet.is_empty() {
        out.push(String::new());
        out.push(format!("{STRONG}Memories nobody touched for {QUIET_DAYS} days{STRONG:#}"));
        for memory in quiet {
            let by = memory.by.as_deref().unwrap_or("nobody");
            out.push(format!("  {} ({} days, last by {by})", memory.path, memory.days));
        }
    }
    out
}
