//! Every number that ranking hangs on, with its reason. Border: numbers and their arithmetic only.
//!
//! They were set on invented projects and checked by leaving one out: numbers searched for on the
//! others alone did no better on it than these round ones.
//! Only `+ - * /` and the square root are used, which give the same bits on every machine.

/// How much a word in the name, in the description and in the body counts.
pub const FIELD_WEIGHTS: [f64; 3] = [2.6, 2.9, 1.3];
/// Saturation of repeated words (`k1` of BM25).
pub const SATURATION: f64 = 0.9;
/// How much a long memory is discounted (`b` of BM25).
pub const LENGTH: f64 = 0.45;
/// So many unseen notes stand behind every collection, so that a word is not rare because the
/// collection is small.
pub const UNSEEN_NOTES: f64 = 60.0;
/// In how many of them an ordinary word, a word of any request, and a meaning are expected.
pub const UNSEEN_WITH_WORD: f64 = 0.9;
/// The same for the words of `data/common.txt`.
pub const UNSEEN_WITH_COMMON: f64 = 15.0;
/// The same for a meaning, which many words share.
pub const UNSEEN_WITH_MEANING: f64 = 2.5;

/// A word of any request.
pub const COMMON: f64 = 0.75;
/// A part of an identifier.
pub const PART: f64 = 0.9;
/// A whole identifier.
pub const WHOLE: f64 = 1.6;
/// A number.
pub const NUMBER: f64 = 0.4;
/// A pair of CJK characters.
pub const CHARACTERS: f64 = 0.25;
/// Two words side by side as in the prompt.
pub const SIDE_BY_SIDE: f64 = 0.45;
/// Another word of the same meaning, in the same language; in another one it counts in full.
pub const SAME_MEANING: f64 = 0.75;
/// A line that was pasted rather than written.
pub const PASTED: f64 = 0.45;
/// A prompt of which less was written is measured with what was pasted.
pub const WRITTEN_ENOUGH: f64 = 2.0;
/// What a self-contained request leaves of a score, once and twice said.
pub const SELF_CONTAINED: f64 = 0.4;
/// What warns about a tool in use is needed, whatever the words say.
pub const WARNS_ABOUT_TOOL: f64 = 1.2;
/// What an outdated memory keeps of its score.
pub const OUTDATED: f64 = 0.55;
/// What is left of the score of a memory that answers nothing beyond what was already shown.
pub const ALREADY_ANSWERED: f64 = 0.7;

/// The line below which nothing is certain enough.
pub const LINE: f64 = 0.25;
/// The line for a prompt of at most [`SHORT_WORDS`] words, which gives few words to agree on.
pub const LINE_SHORT: f64 = 0.12;
/// So many words that say something make a prompt short.
pub const SHORT_WORDS: usize = 3;
/// Beside a best memory, others may lie below the line by this factor,
pub const BESIDE_LINE: f64 = 0.5;
/// but not below this share of the best one,
pub const BESIDE_BEST: f64 = 0.35;
/// this share where the prompt is short,
pub const BESIDE_BEST_SHORT: f64 = 0.25;
/// this share where it is mostly pasted, which means one thing went wrong,
pub const BESIDE_BEST_PASTED: f64 = 0.6;
/// and this share for what answers a part of the prompt that nothing chosen so far answers.
pub const BESIDE_BEST_NEW: f64 = 0.08;

/// How alike two memories must be to be on one subject.
pub const SAME_SUBJECT: f64 = 0.34;
/// What words like "since" or "no longer" in the newer one add to that.
pub const SAYS_IT_REPLACES: f64 = 0.12;
/// Memories written within so many days of each other do not replace one another.
pub const REPLACES_AFTER_DAYS: i64 = 20;
/// So many of the best are asked whether a newer memory replaces them.
pub const ASKED_FOR_SUCCESSOR_MAX: usize = 24;

/// How rare something is that is in `found` of `all` memories, from 0 to 1.
pub fn rarity(all: usize, found: usize, unseen: f64) -> f64 {
    let inverse = |found: f64| {
        let notes = as_f64(all) + UNSEEN_NOTES;
        natural_log((notes - found + 0.5) / (found + 0.5) + 1.0)
    };
    (inverse(as_f64(found) + unseen) / inverse(0.5)).min(1.0)
}

/// A count as a number; counts here stay far below 2^32.
pub fn as_f64(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// `x` to the power of 3/8 by square roots.
pub fn damped(x: f64) -> f64 {
    let fourth = x.max(0.0).sqrt().sqrt();
    fourth * fourth.sqrt()
}

/// The natural logarithm of a number of at least 1, by halving and the series of `artanh`: the
/// system's own differs by machine in the last bits.
fn natural_log(mut x: f64) -> f64 {
    const LN_2: f64 = std::f64::consts::LN_2;
    let mut halvings = 0.0;
    while x > 1.5 {
        x /= 2.0;
        halvings += 1.0;
    }
    let y = (x - 1.0) / (x + 1.0);
    let square = y * y;
    let (mut power, mut sum, mut odd) = (y, 0.0, 1.0);
    while odd < 30.0 {
        sum += power / odd;
        power *= square;
        odd += 2.0;
    }
    halvings * LN_2 + 2.0 * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_the_logarithm() {
        for x in [1.0, 1.2, 1.5, 1.500_001, 2.0, 3.7, 60.5, 4_000.0] {
            assert!((natural_log(x) - f64::ln(x)).abs() < 1e-12, "{x}");
        }
    }

    #[test]
    fn what_is_in_fewer_memories_is_rarer() {
        let found: Vec<f64> = (0..40).map(|found| rarity(40, found, UNSEEN_WITH_WORD)).collect();
        assert!(found.windows(2).all(|pair| pair[0] > pair[1]));
        assert!(found.iter().all(|rarity| (0.0..=1.0).contains(rarity)));
        assert!(rarity(40, 3, UNSEEN_WITH_COMMON) < rarity(40, 3, UNSEEN_WITH_WORD));
    }
}
