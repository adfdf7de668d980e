//! A memory as it is handed to an agent: whole up to a limit, and from the second day on with its
//! age. Border: text in, text out.

/// A longer memory is cut at the last paragraph that fits.
pub const EXCERPT_BYTES_MAX: usize = 4_096;
const SECONDS_A_DAY: i64 = 86_400;

/// The text, and how many bytes of it are left out.
pub fn excerpt(text: &str, bytes: u64) -> (&str, u64) {
    if bytes <= EXCERPT_BYTES_MAX as u64 && text.len() <= EXCERPT_BYTES_MAX {
        return (text, 0);
    }
    let head = &text[..text.floor_char_boundary(EXCERPT_BYTES_MAX)];
    // A cut that leaves less than half is worse than one inside a paragraph.
    let usable = |at: &usize| *at >= EXCERPT_BYTES_MAX / 2;
    let paragraph = head.rfind("\n\n").map(|at| at + 1).filter(usable);
    let line = || head.rfind('\n').map(|at| at + 1).filter(usable);
    let end = paragraph.or_else(line).unwrap_or(head.len());
    (&head[..end], bytes.max(text.len() as u64) - end as u64)
}

/// Whole days between two moments; a memory from the future is of today.
pub fn age_days(modified: i64, now: i64) -> u64 {
    u64::try_from((now - modified) / SECONDS_A_DAY).unwrap_or(0)
}

/// What to say about a memory's age; `None` on its first day.
pub fn age_advice(age_days: u64) -> Option<String> {
    match age_days {
        0 => None,
        1 => Some("1 day old; verify it against the code before relying on it".to_owned()),
        days => Some(format!("{days} days old; verify it against the code before relying on it")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_memory_is_cut_at_a_paragraph() {
        let check = |text: &str| {
            let (kept, left) = excerpt(text, text.len() as u64);
            assert!(text.starts_with(kept) && kept.len() <= EXCERPT_BYTES_MAX);
            assert_eq!(kept.len() as u64 + left, text.len() as u64);
            kept.to_owned()
        };
        assert_eq!(check(&"x".repeat(EXCERPT_BYTES_MAX)).len(), EXCERPT_BYTES_MAX);
        assert_eq!(check(&"x".repeat(EXCERPT_BYTES_MAX + 1)).len(), EXCERPT_BYTES_MAX);
        let paragraphs = format!("{}\n\n", "word ".repeat(200)).repeat(5);
        assert!(check(&paragraphs).ends_with(" \n"), "the blank line goes with what is cut");
        assert!(check(&"line\n".repeat(2_000)).ends_with("line\n"));
        assert_eq!(check(&"ä".repeat(3_000)).len(), EXCERPT_BYTES_MAX);
        assert_eq!(excerpt("head", 200_000_000), ("head", 199_999_996));
    }

    #[test]
    fn age_is_said_from_the_second_day_on() {
        const NOON: i64 = 43_200;
        assert_eq!(age_days(NOON, NOON + 86_399), 0);
        assert_eq!(age_days(NOON, NOON + 86_400), 1);
        assert_eq!(age_days(NOON, 0), 0);
        assert_eq!(age_advice(0), None);
        assert!(age_advice(1).is_some_and(|advice| advice.starts_with("1 day old; verify")));
        assert!(age_advice(47).is_some_and(|advice| advice.starts_with("47 days old; verify")));
    }
}
