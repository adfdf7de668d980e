//! `memsync where`: how the memory directory is found.
//! Border: the rules are `store::locate`.

use clap::Args;
use memsync::base::display::Escaped;
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::team::place::WHERE_FORMAT;
use memsync::store::locate::Fate;

use crate::Outcome;
use crate::global::Format;
use crate::say::{FAINT, STRONG};
use crate::session::Session;
use crate::ui::Ui;

/// Options of `memsync where`.
#[derive(Debug, Args)]
pub(crate) struct WhereArgs {}

/// Shows every rule and which one won.
pub(crate) fn run(_args: WhereArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    if ui.format() != Format::Human {
        ui.json(&Document::new(WHERE_FORMAT, &located));
        return Ok(Exit::Done);
    }
    ui.line(shown(&located.memdir));
    for rule in &located.rules {
        let value = rule.value.as_deref().map_or_else(|| "not set".to_owned(), shown);
        let source = Escaped(&rule.source);
        ui.line(match rule.fate {
            Fate::Won => format!("  {STRONG}chosen{STRONG:#}   {source}: {value}"),
            Fate::Later => format!("  later    {source}: {value}"),
            Fate::Unset => format!("  {FAINT}unset    {source}{FAINT:#}"),
            Fate::Ignored => format!("  ignored  {source}: {value}"),
        });
    }
    for rule in located.rules.iter().filter(|rule| rule.fate == Fate::Ignored) {
        ui.warn(format!(
            "{} is ignored: {}",
            rule.source,
            rule.reason.as_deref().unwrap_or_default()
        ));
    }
    for stray in &located.strays {
        ui.warn(format!("an agent kept memories apart in `{}`", stray.display()));
    }
    Ok(Exit::Done)
}

fn shown(path: &std::path::Path) -> String {
    Escaped(&path.to_string_lossy()).to_string()
}
