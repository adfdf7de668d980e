//! Words of a line, and phrases among them.
//! Border: finds words; which phrases mean something is said where they are looked for.

/// A word in lower case and where it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) at: usize,
    pub(super) text: String,
}

/// The words of a text. An apostrophe inside a word belongs to it, a hyphen parts two.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    let mut is_open = false;
    for (at, c) in text.char_indices() {
        let is_apostrophe = matches!(c, '\'' | '’') && is_open;
        if c.is_alphanumeric() || c == '_' || is_apostrophe {
            if !is_open {
                found.push(Word { at, text: String::new() });
            }
            if let Some(word) = found.last_mut() {
                match is_apostrophe {
                    true => word.text.push('\''),
                    false => word.text.extend(c.to_lowercase()),
                }
            }
            is_open = true;
        } else {
            is_open = false;
        }
    }
    found
}

/// Where a phrase begins among words. Alternatives of a word are parted by `|`; `#` is a number of up to
/// three digits.
pub(super) fn find(words: &[Word], phrase: &str) -> Option<usize> {
    let wanted: Vec<&str> = phrase.split(' ').collect();
    (0..words.len().saturating_sub(wanted.len() - 1)).find(|at| {
        words[*at..].iter().zip(&wanted).all(|(word, wanted)| {
            wanted.split('|').any(|one| match one {
                "#" => word.text.len() <= 3 && word.text.bytes().all(|b| b.is_ascii_digit()),
                one => word.text == one,
            })
        })
    })
}

/// Whether one of some phrases is there.
pub(super) fn any(words: &[Word], phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| find(words, phrase).is_some())
}
