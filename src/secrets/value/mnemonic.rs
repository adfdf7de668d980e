//! The words a wallet is restored with (BIP 39): the English list and its checksum.
//! Border: words in, yes or no out; where in a text they stand is for the callers.

use std::sync::OnceLock;

use sha2::{Digest, Sha256};

/// The English list of BIP 39, in its order, which is alphabetical; without copyright (CC0).
const LIST: &str = include_str!("mnemonic.txt");

/// Each word stands for this many bits.
const WORD_BITS: usize = 11;

/// How many words a phrase may have.
const COUNTS: [usize; 5] = [12, 15, 18, 21, 24];

/// The longest and the shortest word.
#[cfg(test)]
const WORD_BYTES: std::ops::RangeInclusive<usize> = 3..=8;

fn words() -> &'static [&'static str] {
    static WORDS: OnceLock<Vec<&'static str>> = OnceLock::new();
    WORDS.get_or_init(|| LIST.split_ascii_whitespace().collect())
}

/// The number of a word in lower case; `None` where it is not in the list.
pub(crate) fn number(word: &[u8]) -> Option<usize> {
    words().binary_search_by(|known| known.as_bytes().cmp(word)).ok()
}

/// Tells that a phrase may have this many words.
pub(crate) fn is_count(words: usize) -> bool {
    COUNTS.contains(&words)
}

/// Tells that the numbers of words hold the checksum of the rest: chance for 1 in 16 to 1 in 256.
pub(crate) fn is_sound(numbers: &[usize]) -> bool {
    if !is_count(numbers.len()) {
        return false;
    }
    let bit = |at: usize| numbers[at / WORD_BITS] >> (WORD_BITS - 1 - at % WORD_BITS) & 1;
    let (bits, sum_bits) = (numbers.len() * WORD_BITS, numbers.len() / 3);
    let byte =
        |at: usize| (0..8).fold(0_u8, |byte, to| byte << 1 | u8::from(bit(at * 8 + to) == 1));
    let entropy: Vec<u8> = (0..(bits - sum_bits) / 8).map(byte).collect();
    let sum = Sha256::digest(&entropy)[0] >> (8 - sum_bits);
    let written = (bits - sum_bits..bits).fold(0, |sum, at| sum << 1 | u8::from(bit(at) == 1));
    sum == written
}

/// The phrase for some entropy, for samples; `None` where no phrase has as much.
pub(crate) fn phrase(entropy: &[u8]) -> Option<Vec<&'static str>> {
    let count = entropy.len() * 3 / 4;
    if !is_count(count) || !entropy.len().is_multiple_of(4) {
        return None;
    }
    let whole: Vec<u8> = entropy.iter().copied().chain([Sha256::digest(entropy)[0]]).collect();
    let bit = |at: usize| usize::from(whole[at / 8] >> (7 - at % 8) & 1);
    let number =
        |word: usize| (0..WORD_BITS).fold(0, |number, to| number << 1 | bit(word * WORD_BITS + to));
    Some((0..count).map(|word| words()[number(word)]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_the_one_of_the_standard() {
        assert_eq!(words().len(), 2_048);
        assert!(words().is_sorted());
        assert!(words().iter().all(|word| WORD_BYTES.contains(&word.len())));
        let text: String = words().iter().map(|word| format!("{word}\n")).collect();
        let hash = Sha256::digest(text);
        assert_eq!(hash[..4], [0x2f, 0x5e, 0xed, 0x53], "the hash that the standard's file has");
    }

    #[test]
    fn a_phrase_of_every_length_is_sound_and_another_word_is_noticed() {
        for bytes in [16, 20, 24, 28, 32] {
            let phrase = phrase(&vec![0x5A; bytes]).unwrap();
            let mut numbers: Vec<_> =
                phrase.iter().map(|word| number(word.as_bytes()).unwrap()).collect();
            assert!(is_sound(&numbers), "{bytes}");
            numbers[0] ^= 1;
            assert!(!is_sound(&numbers), "{bytes}");
            assert!(!is_sound(&numbers[1..]));
        }
        // The first test vector of the standard.
        let zeros = phrase(&[0; 16]).unwrap();
        assert_eq!(zeros.last(), Some(&"about"));
        assert_eq!(phrase(&[0; 15]), None);
    }
}
