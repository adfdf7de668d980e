//! How many tokens a text is, by a rule of thumb that needs no tokenizer.
//! Border: an estimate for budgets; a test holds it against a real tokenizer, within 15 % for texts in
//! Latin script. For other scripts the costs are fitted on short samples and promise less.
//!
//! The rule: a word of up to seven Latin letters is one token, each five letters more are another; a
//! change from small to capital letters starts a word. Three digits are one token. A sign is one, a run
//! of one sign half of it; one that leads straight into a Latin word costs a quarter. A line end is one.
//! A blank before a word is free, a run of blanks is one token. Letters of other scripts cost by the
//! script: ideographs and kana about one each, Hangul, Cyrillic, Greek, Arabic and the like less.

/// Letters of a Latin word that are one token.
const WORD_LETTERS: usize = 7;
/// Further letters that are one token more.
const MORE_LETTERS: usize = 5;
/// Digits of one token.
const DIGITS: usize = 3;
/// Hundredths of a token, so that no float is rounded differently anywhere.
const TOKEN: usize = 100;
const SIGN_BEFORE_WORD: usize = 25;
const SIGN_AGAIN: usize = 35;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Latin,
    Digit,
    Blank,
    Line,
    Sign,
    Other(usize),
}

/// Estimates the tokens of a text.
pub fn estimate(text: &str) -> usize {
    let mut cost = 0;
    let mut rest = text;
    let mut before = Class::Line;
    while let Some(first) = rest.chars().next() {
        let class = class_of(first);
        let end = rest
            .char_indices()
            .find(|(_, c)| class_of(*c) != class)
            .map_or(rest.len(), |(at, _)| at);
        let (run, after) = rest.split_at(end);
        let next = after.chars().next().map(class_of);
        cost += match class {
            Class::Latin => words(run),
            Class::Digit => run.len().div_ceil(DIGITS) * TOKEN,
            Class::Line => TOKEN,
            Class::Blank if run.len() == 1 && next != Some(Class::Line) => 0,
            Class::Blank => TOKEN,
            Class::Sign => signs(run, before, next),
            Class::Other(each) => run.chars().count() * each,
        };
        (before, rest) = (class, after);
    }
    cost.div_ceil(TOKEN)
}

fn class_of(c: char) -> Class {
    match c {
        '\n' | '\r' => Class::Line,
        ' ' | '\t' => Class::Blank,
        '0'..='9' => Class::Digit,
        'a'..='z' | 'A'..='Z' | '\u{00C0}'..='\u{024F}' => Class::Latin,
        '\u{0370}'..='\u{03FF}' => Class::Other(45),
        '\u{0400}'..='\u{052F}' => Class::Other(27),
        '\u{0590}'..='\u{06FF}' => Class::Other(40),
        '\u{0900}'..='\u{0DFF}' | '\u{0E00}'..='\u{0E7F}' => Class::Other(45),
        '\u{3040}'..='\u{30FF}' => Class::Other(72),
        '\u{3400}'..='\u{9FFF}' => Class::Other(85),
        '\u{AC00}'..='\u{D7AF}' => Class::Other(65),
        c if c.is_ascii() => Class::Sign,
        c if c.is_alphabetic() => Class::Other(60),
        // Dashes, quotes and arrows are one token, an emoji is two or three.
        c if u32::from(c) < 0x3000 => Class::Other(100),
        _ => Class::Other(220),
    }
}

/// A run of Latin letters: words that begin with a capital letter count each.
fn words(run: &str) -> usize {
    let mut cost = 0;
    let mut letters = 0;
    let mut is_small = false;
    let mut accents = 0;
    for c in run.chars() {
        if c.is_uppercase() && is_small {
            cost += word(letters);
            letters = 0;
        }
        is_small = c.is_lowercase();
        letters += 1;
        accents += usize::from(!c.is_ascii());
    }
    // A letter with an accent often ends a token of its own.
    cost + word(letters) + accents * TOKEN / 3
}

fn word(letters: usize) -> usize {
    (1 + letters.saturating_sub(WORD_LETTERS).div_ceil(MORE_LETTERS)) * TOKEN
}

fn signs(run: &str, before: Class, next: Option<Class>) -> usize {
    let mut cost = 0;
    let mut last = None;
    for c in run.chars() {
        cost += if last == Some(c) { SIGN_AGAIN } else { TOKEN };
        last = Some(c);
    }
    let leads = next == Some(Class::Latin) && before != Class::Blank;
    if leads { cost - (TOKEN - SIGN_BEFORE_WORD) } else { cost }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_digits_signs_and_scripts_count_as_the_rule_says() {
        let cases = [
            ("", 0),
            ("word", 1),
            ("two words", 2),
            ("internationalisation", 4),
            ("camelCase", 2),
            ("123", 1),
            ("1234", 2),
            ("a\nb", 3),
            ("x.y", 3),
            ("------", 3),
        ];
        for (text, tokens) in cases {
            assert_eq!(estimate(text), tokens, "{text:?}");
        }
        assert!(estimate("記憶を共有する") >= 5);
    }

    #[test]
    fn more_text_is_never_fewer_tokens() {
        let text = "A line — with `code_spans`, 12345 and ünïcode; 記憶.\n\n- next";
        let mut before = 0;
        for (at, _) in text.char_indices() {
            let tokens = estimate(&text[..at]);
            assert!(tokens + 1 >= before, "{:?}", &text[..at]);
            before = tokens;
        }
    }
}
