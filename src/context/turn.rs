//! What holds for one turn: the memories that matter, rules that now apply, the day, freshness, conflicts.
//! Border: words for values; what matters is decided by `recall` and `instructions`.

use crate::base::text::count;
use crate::base::time::Timestamp;
use crate::context::block::Block;

/// Blocks from the one that stays longest when there is little room.
pub const FIRST_KEPT: [&str; 5] = ["date", "state", "recalled", "rules", "unread"];

/// A memory to be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Below the memory directory.
    pub path: String,
    /// Layer, kind, author, age: what to know before relying on it.
    pub facts: String,
    /// Its text.
    pub text: String,
    /// Bytes that are left out.
    pub cut_bytes: u64,
}

/// A rule that applies because of a file that is worked on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The file it stands in.
    pub path: String,
    /// Why it applies.
    pub why: String,
    /// What it says.
    pub text: String,
}

/// How a team memory stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TeamState {
    /// When something last came from the remote or went there, in seconds since the epoch.
    pub contact: Option<i64>,
    /// Why the last contact failed.
    pub failure: Option<String>,
    /// What others pushed and nobody may take.
    pub refused: Option<String>,
    /// Files with an open conflict.
    pub conflicts: Vec<String>,
    /// What others changed since it was last told.
    pub news: Vec<String>,
    /// What is on disk and not shared, each with the reason.
    pub kept_out: Vec<String>,
}

/// What is told in one turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// The memories that matter, best first.
    pub recalled: Vec<Told>,
    /// Rules that now apply.
    pub rules: Vec<Rule>,
    /// How the team memory stands; `None` where there is none.
    pub team: Option<TeamState>,
    /// Memories that could not be read.
    pub unread: Vec<String>,
}

/// The blocks for a turn at a moment.
pub fn blocks(turn: &Turn, now: Timestamp) -> Vec<Block> {
    let mut blocks = vec![Block::section("date", "Date", &format!("Today is {}.", now.date()))];
    if let Some(state) = turn.team.as_ref().and_then(|team| state(team, now)) {
        blocks.push(Block::section("state", "State of the team memory", &state));
    }
    if !turn.recalled.is_empty() {
        let texts: Vec<String> = turn.recalled.iter().map(memory).collect();
        blocks.push(Block::section(
            "recalled",
            "Memories that may matter now",
            &texts.join("\n\n"),
        ));
    }
    if !turn.rules.is_empty() {
        let texts: Vec<String> = turn.rules.iter().map(rule).collect();
        blocks.push(Block::section("rules", "Rules for the files at hand", &texts.join("\n\n")));
    }
    if !turn.unread.is_empty() {
        let names = turn.unread.join(", ");
        let text = format!("These memories could not be read: {names}.");
        blocks.push(Block::section("unread", "Memories that cannot be read", &text));
    }
    blocks
}

fn memory(told: &Told) -> String {
    let mut text = format!("## {} ({})\n\n{}", told.path, told.facts, told.text.trim_end());
    if told.cut_bytes > 0 {
        let bytes = count(usize::try_from(told.cut_bytes).unwrap_or(usize::MAX), "byte", "bytes");
        text += &format!("\n\n[{bytes} more; read the file for the rest]");
    }
    text
}

fn rule(rule: &Rule) -> String {
    format!("## {} ({})\n\n{}", rule.path, rule.why, rule.text.trim_end())
}

/// What an agent should know of the team memory now; `None` when all is as it should be.
fn state(team: &TeamState, now: Timestamp) -> Option<String> {
    let mut lines = Vec::new();
    match team.contact {
        None => lines.push("It was never in touch with its remote.".to_owned()),
        Some(contact) => {
            let days = crate::recall::excerpt::age_days(contact, now.seconds);
            if days > 0 {
                let days = count(usize::try_from(days).unwrap_or(usize::MAX), "day", "days");
                lines.push(format!(
                    "It was last in touch with its remote {days} ago: others may know more."
                ));
            }
        }
    }
    lines.extend(team.failure.as_ref().map(|why| format!("The last sync failed: {why}")));
    lines.extend(team.refused.as_ref().map(|why| {
        format!("Something others pushed is refused and not here: {why} A person has to look: `memsync status`.")
    }));
    if !team.news.is_empty() {
        lines.push(format!("New from the others: {}.", team.news.join(", ")));
    }
    if !team.kept_out.is_empty() {
        let files = count(team.kept_out.len(), "file is", "files are");
        lines.push(format!(
            "{files} in `team/` and not shared until corrected:\n- {}",
            team.kept_out.join("\n- ")
        ));
    }
    if !team.conflicts.is_empty() {
        let open = count(team.conflicts.len(), "conflict is", "conflicts are");
        lines.push(format!(
            "{open} open, in {}. Both versions are kept; `memsync resolve` shows them. Ask before you rely on either.",
            team.conflicts.join(", ")
        ));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::block::joined;

    const NOW: Timestamp = Timestamp::utc(1_772_600_767);

    #[test]
    fn a_quiet_turn_says_the_date_alone() {
        let fresh = TeamState { contact: Some(NOW.seconds - 60), ..TeamState::default() };
        let turn = Turn { team: Some(fresh), ..Turn::default() };
        let told = blocks(&turn, NOW);
        assert_eq!(joined(&told), "# Date\n\nToday is 2026-03-04.\n");
    }

    #[test]
    fn what_is_wrong_is_said_with_what_to_do() {
        let team = TeamState {
            contact: Some(NOW.seconds - 3 * 86_400),
            failure: Some("no route to host".to_owned()),
            refused: Some("commit 0a1b is not signed.".to_owned()),
            conflicts: vec!["deploy.md".to_owned()],
            news: vec!["ports.md was edited".to_owned()],
            kept_out: vec!["line 3 of db.md looks like a secret".to_owned()],
        };
        let text = joined(&blocks(&Turn { team: Some(team), ..Turn::default() }, NOW));
        for fact in [
            "3 days ago",
            "no route to host",
            "commit 0a1b is not signed.",
            "1 conflict is open, in deploy.md",
            "New from the others: ports.md was edited.",
            "- line 3 of db.md looks like a secret",
            "`memsync resolve`",
            "`memsync status`",
        ] {
            assert!(text.contains(fact), "{fact}: {text}");
        }
    }

    #[test]
    fn a_memory_comes_with_what_to_know_of_it() {
        let told = Told {
            path: "team/ports.md".to_owned(),
            facts: "team, reference, by Ada, 47 days old; verify it".to_owned(),
            text: "Port 5433.\n".to_owned(),
            cut_bytes: 12,
        };
        let text = joined(&blocks(&Turn { recalled: vec![told], ..Turn::default() }, NOW));
        assert!(text.contains("## team/ports.md (team, reference, by Ada, 47 days old; verify it)\n\nPort 5433.\n\n[12 bytes more; read the file"));
    }
}
