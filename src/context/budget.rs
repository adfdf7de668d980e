//! Which blocks stay when not all of them fit, in one fixed order.
//! Border: whole blocks, or whole lines of the last one; nothing is worded anew.

use crate::context::block::Block;
use crate::context::tokens::estimate;
use crate::memory::index::utf16_len;

/// How much may be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Tokens, estimated; `None` without a limit.
    pub tokens: Option<usize>,
    /// Characters of one answer, in UTF-16 code units, where the client has a limit.
    pub characters: Option<usize>,
}

impl Budget {
    fn holds(self, tokens: usize, characters: usize) -> bool {
        self.tokens.is_none_or(|max| tokens <= max)
            && self.characters.is_none_or(|max| characters <= max)
    }
}

/// What fits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fitted {
    /// The blocks in their order.
    pub blocks: Vec<Block>,
    /// Names of blocks that were cut at a line.
    pub cut: Vec<&'static str>,
    /// Names of blocks that were left out.
    pub left_out: Vec<&'static str>,
}

/// Fits blocks into a budget. `first_kept` names blocks from the one that stays longest; a block that is
/// not named gives way before all of them.
pub fn fit(blocks: Vec<Block>, first_kept: &[&str], budget: Budget) -> Fitted {
    let rank = |block: &Block| {
        first_kept.iter().position(|name| *name == block.name).unwrap_or(first_kept.len())
    };
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_by_key(|at| rank(&blocks[*at]));
    let mut kept: Vec<Option<Block>> = vec![None; blocks.len()];
    let mut fitted = Fitted::default();
    let (mut tokens, mut characters) = (0, 0);
    let mut is_full = false;
    for at in order {
        let block = &blocks[at];
        // The line end between two blocks counts as well.
        let whole = (tokens + block.tokens, characters + block.characters() + 1);
        if !is_full && budget.holds(whole.0, whole.1) {
            (tokens, characters) = whole;
            kept[at] = Some(block.clone());
            continue;
        }
        // What comes later in the order is never told in place of what comes before.
        let part = (!is_full).then(|| cut(block, budget, tokens, characters)).flatten();
        is_full = true;
        match part {
            Some(part) => {
                fitted.cut.push(block.name);
                kept[at] = Some(part);
            }
            None => fitted.left_out.push(block.name),
        }
    }
    fitted.blocks = kept.into_iter().flatten().collect();
    fitted
}

/// As many whole lines of a block as fit, with a line that says so; `None` where only its heading would.
fn cut(block: &Block, budget: Budget, tokens: usize, characters: usize) -> Option<Block> {
    let lines: Vec<&str> = block.text.split_inclusive('\n').collect();
    let with_note = |count: usize| {
        let left = lines.len() - count;
        let what = if left == 1 { "line is" } else { "lines are" };
        format!("{}[{left} more {what} left out here for want of room]\n", lines[..count].concat())
    };
    let fits = |count: &usize| {
        let text = with_note(*count);
        budget.holds(tokens + estimate(&text), characters + utf16_len(&text) + 1)
    };
    // The heading and its blank line say nothing by themselves.
    let least = 3;
    let (mut low, mut high) = (least, lines.len().saturating_sub(1));
    if low > high || !fits(&low) {
        return None;
    }
    while low < high {
        let middle = (low + high).div_ceil(2);
        if fits(&middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    Some(Block::of(block.name, with_note(low)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks() -> Vec<Block> {
        let long: String = (0..50).map(|n| format!("- line {n}\n")).collect();
        vec![
            Block::section("a", "A", "first"),
            Block::section("long", "Long", &long),
            Block::section("b", "B", "last"),
        ]
    }

    fn names(fitted: &Fitted) -> Vec<&str> {
        fitted.blocks.iter().map(|block| block.name).collect()
    }

    #[test]
    fn without_a_limit_all_stay_in_their_order() {
        let fitted = fit(blocks(), &["b"], Budget { tokens: None, characters: None });
        assert_eq!(names(&fitted), ["a", "long", "b"]);
        assert!(fitted.cut.is_empty() && fitted.left_out.is_empty());
    }

    #[test]
    fn what_is_named_last_gives_way_first_and_is_cut_at_a_line() {
        for max in 0..200 {
            let budget = Budget { tokens: Some(max), characters: None };
            let fitted = fit(blocks(), &["b", "a", "long"], budget);
            let tokens: usize = fitted.blocks.iter().map(|block| block.tokens).sum();
            assert!(tokens <= max, "{max}: {tokens}");
            assert!(names(&fitted).contains(&"b") || fitted.blocks.is_empty(), "{max}");
            for block in &fitted.blocks {
                assert!(block.text.ends_with('\n') && block.text.starts_with("# "));
            }
        }
        let budget = Budget { tokens: None, characters: Some(120) };
        let fitted = fit(blocks(), &["b", "a", "long"], budget);
        assert_eq!(
            (names(&fitted), fitted.cut.as_slice()),
            (vec!["a", "long", "b"], &["long"][..])
        );
        let characters: usize = fitted.blocks.iter().map(|block| block.characters() + 1).sum();
        assert!(characters <= 120);
        assert!(fitted.blocks[1].text.contains("more lines are left out here"));
    }
}
