//! `memsync list`: the memories of both layers.
//! Border: arguments and words; the flow is `local::list`.

use clap::{Args, ValueEnum};
use memsync::base::display::Escaped;
use memsync::base::text::count;
use memsync::local::list::{Listed, list};
use memsync::memory::kind::{Kind, Scope};
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::memories::list::{LIST_FORMAT, ListDocument, ListedMemory};

use crate::Outcome;
use crate::global::Format;
use crate::say::{FAINT, STRONG};
use crate::session::Session;
use crate::ui::Ui;

/// Options of `memsync list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Only memories that never leave this machine
    #[arg(long, conflicts_with_all = ["team", "all"])]
    private: bool,
    /// Only the team's
    #[arg(long, conflicts_with = "all")]
    team: bool,
    /// Both; this is the default
    #[arg(long)]
    all: bool,
    /// Only this kind
    #[arg(long, value_enum, value_name = "KIND")]
    kind: Option<KindArg>,
    /// Only memories that nobody changed for so many days
    #[arg(long, value_name = "DAYS")]
    stale: Option<u64>,
    /// Only memories whose author has this in the name
    #[arg(long, value_name = "MEMBER")]
    author: Option<String>,
}

/// The kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum KindArg {
    /// Who one works with
    User,
    /// How the work is to be done
    Feedback,
    /// What is going on and why
    Project,
    /// Where something is found
    Reference,
}

impl ListArgs {
    fn wants(&self, one: &Listed) -> bool {
        let kind = self.kind.map(|kind| match kind {
            KindArg::User => Kind::User,
            KindArg::Feedback => Kind::Feedback,
            KindArg::Project => Kind::Project,
            KindArg::Reference => Kind::Reference,
        });
        let author = self.author.as_ref().map(|author| author.to_lowercase());
        let has_author = |wanted: &String| {
            one.author.as_ref().is_some_and(|author| author.to_lowercase().contains(wanted))
        };
        (!self.private || one.layer == Scope::Private)
            && (!self.team || one.layer == Scope::Team)
            && kind.is_none_or(|kind| one.kind == Some(kind))
            && self.stale.is_none_or(|days| one.age_days >= days)
            && author.as_ref().is_none_or(has_author)
    }
}

/// Lists.
pub(crate) fn run(args: &ListArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let memdir = session.locate()?.memdir;
    let found = list(&memdir, session.now()?)?;
    for note in &found.notes {
        ui.warn(Escaped(note).to_string());
    }
    let wanted: Vec<&Listed> = found.memories.iter().filter(|one| args.wants(one)).collect();
    match ui.format() {
        Format::Human => say(&wanted, &memdir, ui),
        Format::Json => {
            let memories = wanted.iter().map(|one| ListedMemory::of(one)).collect();
            ui.json(&Document::new(LIST_FORMAT, ListDocument { memories }));
        }
        Format::Jsonl => wanted.iter().for_each(|one| ui.json_line(&ListedMemory::of(one))),
    }
    Ok(Exit::Done)
}

fn say(wanted: &[&Listed], memdir: &std::path::Path, ui: &mut Ui) {
    for one in wanted {
        let kind = one.kind.map_or("-", |kind| kind.name());
        let mut facts = vec![format!("{kind}, {}", age(one.age_days))];
        facts.extend(one.author.iter().map(|author| format!("by {author}")));
        facts.extend((!one.is_visible).then(|| "not seen by agents".to_owned()));
        facts.extend(one.is_sealed.then(|| "sealed".to_owned()));
        facts.extend(one.has_conflict.then(|| "open conflict".to_owned()));
        facts.extend(one.superseded_by.iter().map(|by| format!("replaced by {by}")));
        let (path, facts) = (Escaped(&one.path), facts.join(", "));
        ui.line(format!("{STRONG}{path}{STRONG:#}  {FAINT}{}{FAINT:#}", Escaped(&facts)));
        let about = if one.description.is_empty() { &one.name } else { &one.description };
        ui.line(format!("    {}", Escaped(about)));
    }
    match wanted.len() {
        0 => ui.note(format!("no memory in {}", memdir.display())),
        memories => ui.note(count(memories, "memory", "memories")),
    }
}

fn age(days: u64) -> String {
    match days {
        0 => "today".to_owned(),
        days => {
            format!("{} old", count(usize::try_from(days).unwrap_or(usize::MAX), "day", "days"))
        }
    }
}
