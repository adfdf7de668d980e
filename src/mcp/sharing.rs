//! `memory_status`, `memory_sync`, `memory_resolve`: how the team memory stands, and putting it right.
//! Border: words for what the flows report.

use crate::base::display::Escaped;
use crate::base::text::count;
use crate::base::time::Timestamp;
use crate::mcp::answer::{Said, team_revision, told, within_limit};
use crate::mcp::arguments::{self, given, one_of};
use crate::mcp::desk::Call;
use crate::merge::conflict::resolve::Choice;
use crate::sync::exchange::pull_push::{Direction, exchange};
use crate::sync::inspect::status::status;
use crate::sync::outcome::HeldBack;
use crate::sync::write::resolve::{Decision, Open, close, open};

/// So much of each side of a conflict is shown.
const SIDE_CHARACTERS_MAX: usize = 8_000;

impl Call<'_> {
    /// What is shared, what is not and why, what is open.
    pub(super) fn status(&self) -> Said {
        let located = self.located()?;
        let found = status(&located.place(), &self.actor()?).map_err(told)?;
        let mut lines = vec![format!("[{}]", team_revision(&located.place()))];
        lines.push(format!(
            "{} in {}.",
            count(found.memories, "memory", "memories"),
            found.team.display()
        ));
        lines.push(match &found.remote {
            Some(remote) => format!("Shared over {remote}."),
            None => "No remote is set: nothing is shared.".to_owned(),
        });
        let waiting = [
            (found.changes.len(), ["changed file", "changed files"]),
            (found.ahead, ["commit", "commits"]),
        ];
        let waiting = waiting.into_iter().filter(|(number, _)| *number > 0);
        let waiting: Vec<String> =
            waiting.map(|(number, [one, many])| count(number, one, many)).collect();
        lines.push(match waiting.is_empty() {
            true => "Everything here is shared.".to_owned(),
            false => format!("Not shared yet: {}. memory_sync shares.", waiting.join(" and ")),
        });
        if found.behind > 0 {
            lines.push(format!(
                "{} of others are not here yet: memory_sync.",
                count(found.behind, "commit", "commits")
            ));
        }
        let contact = found.last.fetched.max(found.last.pushed);
        lines.extend(contact.map(|seconds| {
            format!("Last in touch with the remote at {}.", Timestamp::utc(seconds))
        }));
        lines.extend(found.last.failure.iter().map(|why| format!("The last sync failed: {why}")));
        lines.extend(found.refused.iter().map(kept_out));
        lines.extend(found.last.refused.iter().map(|refused| {
            format!(
                "Something others pushed is refused: {} A person has to look: `memsync status`.",
                refused.message
            )
        }));
        if !found.conflicts.is_empty() {
            let paths: Vec<&str> = found.conflicts.iter().map(|one| one.path.as_str()).collect();
            lines.push(format!(
                "Conflicts are open in {}: memory_resolve shows both texts.",
                paths.join(", ")
            ));
        }
        Ok(within_limit(lines, "`memsync status` shows all."))
    }

    /// Takes what others shared and shares what is here.
    pub(super) fn sync(&self) -> Said {
        let located = self.located()?;
        let (sender, receiver) = std::sync::mpsc::channel();
        let git = self.desk.git(Box::new(move |step| {
            sender.send(step.stage).ok();
        }));
        let actor = self.actor()?;
        (self.progress)("looking at what changed here".to_owned());
        let place = located.place();
        let outcome = std::thread::scope(|scope| {
            // Steps arrive from git's own thread, and stop when the exchange is over.
            scope.spawn(move || {
                let mut last = String::new();
                for stage in receiver {
                    if stage != last {
                        (self.progress)(stage.clone());
                        last = stage;
                    }
                }
            });
            let outcome = exchange(&place, &actor, &git, Direction::Push);
            drop(git);
            outcome
        });
        let outcome = outcome.map_err(told)?;
        let mut lines = vec![format!("[{}]", team_revision(&place))];
        lines.push(format!(
            "{} received, {} sent.",
            count(outcome.received, "commit", "commits"),
            outcome.pushed
        ));
        lines.extend(
            outcome
                .files
                .iter()
                .map(|file| format!("team/{} is as the others have it now", file.path)),
        );
        lines.extend(outcome.staged.held_back.iter().map(kept_out));
        if let Some(refused) = &outcome.refused {
            lines.push(format!(
                "Something others pushed is refused: {} A person has to look: `memsync status`.",
                refused.message
            ));
        }
        for conflict in &outcome.conflicts {
            lines.push(format!("A conflict is open in team/{}: memory_resolve.", conflict.path));
        }
        Ok(within_limit(lines, "memory_status says how it stands."))
    }

    /// Shows open conflicts, or closes one.
    pub(super) fn resolve(&self, arguments: &arguments::Resolve) -> Said {
        let located = self.located()?;
        let place = located.place();
        let Some(named) = given(arguments.conflict.as_deref()) else {
            let all = open(&place).map_err(told)?;
            let mut lines = vec![format!("[{}]", team_revision(&place))];
            if all.is_empty() {
                lines.push("No conflict is open.".to_owned());
            }
            lines.extend(all.iter().map(shown));
            return Ok(within_limit(lines, "Close one, then ask again."));
        };
        let decision = match (given(arguments.keep.as_deref()), &arguments.text) {
            (None, Some(text)) => Decision::Text(text.clone().into_bytes()),
            (Some(word), None) => {
                let word = one_of("side", word, &["file", "set_aside", "both"])?;
                Decision::Choice(match word.as_str() {
                    "file" => Choice::Kept,
                    "set_aside" => Choice::Other,
                    _ => Choice::Both,
                })
            }
            _ => {
                return Err("say either `keep` or `text`.\nNext: call it without `conflict` to see both sides; where the meaning differs, ask the person.".to_owned());
            }
        };
        let done = close(&place, &self.actor()?, named, &decision).map_err(told)?;
        Ok(format!(
            "[{}]\nClosed the conflict in team/{}. Next: memory_sync shares it.",
            team_revision(&place),
            done.path
        ))
    }
}

fn kept_out(held: &HeldBack) -> String {
    let why: Vec<String> = held
        .reasons
        .iter()
        .map(|reason| match reason.position {
            Some(at) => format!("line {}: {}", at.line, reason.message),
            None => reason.message.clone(),
        })
        .collect();
    format!("team/{} is not shared until corrected: {}", held.path, why.join("; "))
}

/// A conflict with both texts.
fn shown(open: &Open) -> String {
    let conflict = match &open.conflict {
        Ok(conflict) => conflict,
        Err(why) => return format!("{}: its record cannot be read: {why}", open.id),
    };
    let side = |content: Option<&[u8]>| match content {
        None => "(deleted)".to_owned(),
        Some(bytes) => String::from_utf8_lossy(bytes).chars().take(SIDE_CHARACTERS_MAX).collect(),
    };
    let kept = conflict.kept.content.as_ref().map(|content| content.as_bytes());
    let other = conflict.other.content.as_ref().map(|content| content.as_bytes());
    format!(
        "Conflict {} in team/{} ({}):\n--- in the file (keep: file)\n{}\n--- set aside (keep: set_aside)\n{}\n---",
        open.id.get(..10).unwrap_or(&open.id),
        conflict.path,
        Escaped(&conflict.part.to_string()),
        side(kept).trim_end(),
        side(other).trim_end()
    )
}
