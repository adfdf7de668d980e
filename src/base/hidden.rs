//! Characters that a person does not see but a model reads, judged by what stands around them.
//! Border: finds them; a joiner is fine where a script or an emoji needs it, never by itself.
//!
//! Rules for joiners follow UAX #31 (Default-Ignorable Code Points) and UTS #51 (emoji sequences).

use super::display::{is_emoji_glue, is_invisible};
use super::text::BOM;

/// Every hidden character of a text with its byte offset. A byte order mark at the start is none,
/// nor is a carriage return that ends a line.
pub fn hidden_characters(text: &str) -> impl Iterator<Item = (usize, char)> {
    let start = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let body = &text[start..];
    let plain = body.bytes().all(|b| b == b'\n' || b == b'\t' || (0x20..0x7F).contains(&b));
    let suspects = if plain { "" } else { body };
    suspects
        .char_indices()
        .filter(move |(at, c)| is_suspect(*c) && !is_needed(suspects, *at, *c))
        .map(move |(at, c)| (at + start, c))
}

/// Says in words what a hidden character is.
pub fn name_of_hidden(c: char) -> &'static str {
    match c {
        '\r' => "a carriage return inside a line",
        '\u{1B}' => "an escape that can steer a terminal",
        '\u{8}' => "a backspace",
        c if c.is_control() => "a control character",
        '\u{E0000}'..='\u{E007F}' => "a tag character",
        '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' => {
            "a variation selector that varies nothing"
        }
        '\u{200C}' | '\u{200D}' => "a joiner that joins nothing",
        '\u{200E}' | '\u{200F}' | '\u{61C}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
            "a mark that changes the direction of text"
        }
        '\u{FFF9}'..='\u{FFFB}' => "an interlinear annotation",
        _ => "an invisible character",
    }
}

fn is_suspect(c: char) -> bool {
    let control = c.is_control() && c != '\n' && c != '\t';
    let nobody = u32::from(c) & 0xFFFE == 0xFFFE || ('\u{FDD0}'..='\u{FDEF}').contains(&c);
    control || nobody || is_invisible(c) || is_emoji_glue(c)
}

/// Tells whether what stands around a suspect calls for it.
fn is_needed(text: &str, at: usize, c: char) -> bool {
    let before = text[..at].chars().next_back();
    let after = text[at + c.len_utf8()..].chars().next();
    let follows = |is: fn(char) -> bool| before.is_some_and(is);
    let leads = |is: fn(char) -> bool| after.is_some_and(is);
    match c {
        '\r' => after == Some('\n'),
        // A place to break a word, where letters stand on both sides.
        '\u{AD}' => follows(char::is_alphabetic) && leads(char::is_alphabetic),
        '\u{200B}' => follows(is_unspaced) && leads(is_unspaced),
        '\u{200C}' => follows(is_joining) && (leads(is_joining) || follows(is_virama)),
        '\u{200D}' => {
            follows(is_joining) && !leads(is_suspect)
                || ends_emoji(&text[..at]) && leads(is_pictograph)
        }
        '\u{200E}' | '\u{200F}' | '\u{61C}' => {
            !follows(is_suspect) && !leads(is_suspect) && has_right_to_left(text, at)
        }
        '\u{FE0E}' | '\u{FE0F}' => {
            follows(is_symbol) || after == Some('\u{20E3}') && follows(is_keycap)
        }
        // Variants of ideographs; the registered ones end long before what would spell letters.
        '\u{FE00}'..='\u{FE02}' | '\u{E0100}'..='\u{E010F}' => follows(is_ideograph),
        '\u{180B}'..='\u{180F}' => follows(is_mongolian),
        '\u{E0000}'..='\u{E007F}' => is_flag(text, at),
        _ => false,
    }
}

/// Letters and marks of scripts in which a joiner changes what is written: Arabic, Syriac, N'Ko,
/// Mongolian, the scripts of India and its neighbours.
fn is_joining(c: char) -> bool {
    matches!(c, '\u{620}'..='\u{65F}' | '\u{66E}'..='\u{6FC}' | '\u{700}'..='\u{7FF}' | '\u{840}'..='\u{85B}'
        | '\u{8A0}'..='\u{DFF}' | '\u{F00}'..='\u{109F}' | '\u{1780}'..='\u{17D3}' | '\u{1820}'..='\u{18AA}'
        | '\u{1900}'..='\u{1C4F}' | '\u{A800}'..='\u{A9DF}' | '\u{AA60}'..='\u{AA7F}' | '\u{ABC0}'..='\u{ABFF}'
        | '\u{FB50}'..='\u{FDC7}' | '\u{FE70}'..='\u{FEFC}' | '\u{10A00}'..='\u{10A5F}' | '\u{11000}'..='\u{11FFF}')
        && !is_suspect(c)
}

/// The sign that takes a consonant's vowel away.
fn is_virama(c: char) -> bool {
    matches!(
        c,
        '\u{94D}'
            | '\u{9CD}'
            | '\u{A4D}'
            | '\u{ACD}'
            | '\u{B4D}'
            | '\u{BCD}'
            | '\u{C4D}'
            | '\u{CCD}'
            | '\u{D4D}'
            | '\u{DCA}'
            | '\u{1039}'
            | '\u{103A}'
            | '\u{17D2}'
    )
}

/// Scripts that are written without spaces, where a break may be marked.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{E00}'..='\u{EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17D3}' | '\u{1980}'..='\u{19DF}'
        | '\u{1A20}'..='\u{1AAF}')
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{323AF}')
}

fn is_mongolian(c: char) -> bool {
    matches!(c, '\u{1820}'..='\u{18AA}')
}

/// Tells whether the line around a place holds a letter of a script that is written from right to left.
fn has_right_to_left(text: &str, at: usize) -> bool {
    let from = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = text[from..].split('\n').next().unwrap_or_default();
    line.chars().any(|c| {
        matches!(c, '\u{5D0}'..='\u{5EA}' | '\u{620}'..='\u{64A}' | '\u{66E}'..='\u{6D3}' | '\u{710}'..='\u{8C9}'
            | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}' | '\u{10800}'..='\u{10FFF}' | '\u{1E800}'..='\u{1EEFF}')
            && !is_suspect(c)
    })
}

/// Symbols that may be shown as text or as an emoji.
fn is_symbol(c: char) -> bool {
    is_pictograph(c) || matches!(c, '\u{2190}'..='\u{2BFF}')
}

fn is_keycap(c: char) -> bool {
    c.is_ascii_digit() || c == '#' || c == '*'
}

/// Extended_Pictographic of UTS #51.
fn is_pictograph(c: char) -> bool {
    matches!(c, '\u{A9}' | '\u{AE}' | '\u{203C}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2194}'..='\u{2199}'
        | '\u{21A9}' | '\u{21AA}' | '\u{231A}' | '\u{231B}' | '\u{2328}' | '\u{2388}' | '\u{23CF}'
        | '\u{23E9}'..='\u{23F3}' | '\u{23F8}'..='\u{23FA}' | '\u{24C2}' | '\u{25AA}' | '\u{25AB}' | '\u{25B6}'
        | '\u{25C0}' | '\u{25FB}'..='\u{25FE}' | '\u{2600}'..='\u{2605}' | '\u{2607}'..='\u{2612}'
        | '\u{2614}'..='\u{2685}' | '\u{2690}'..='\u{2705}' | '\u{2708}'..='\u{2712}' | '\u{2714}' | '\u{2716}'
        | '\u{271D}' | '\u{2721}' | '\u{2728}' | '\u{2733}' | '\u{2734}' | '\u{2744}' | '\u{2747}' | '\u{274C}'
        | '\u{274E}' | '\u{2753}'..='\u{2755}' | '\u{2757}' | '\u{2763}'..='\u{2767}' | '\u{2795}'..='\u{2797}'
        | '\u{27A1}' | '\u{27B0}' | '\u{27BF}' | '\u{2934}' | '\u{2935}' | '\u{2B05}'..='\u{2B07}' | '\u{2B1B}'
        | '\u{2B1C}' | '\u{2B50}' | '\u{2B55}' | '\u{3030}' | '\u{303D}' | '\u{3297}' | '\u{3299}'
        | '\u{1F000}'..='\u{1F0FF}' | '\u{1F10D}'..='\u{1F10F}' | '\u{1F12F}' | '\u{1F16C}'..='\u{1F171}'
        | '\u{1F17E}' | '\u{1F17F}' | '\u{1F18E}' | '\u{1F191}'..='\u{1F19A}' | '\u{1F1AD}'..='\u{1F1E5}'
        | '\u{1F201}'..='\u{1F20F}' | '\u{1F21A}' | '\u{1F22F}' | '\u{1F232}'..='\u{1F23A}'
        | '\u{1F23C}'..='\u{1F23F}' | '\u{1F249}'..='\u{1F3FA}' | '\u{1F400}'..='\u{1F53D}'
        | '\u{1F546}'..='\u{1F64F}' | '\u{1F680}'..='\u{1F6FF}' | '\u{1F774}'..='\u{1F77F}'
        | '\u{1F7D5}'..='\u{1F7FF}' | '\u{1F80C}'..='\u{1F80F}' | '\u{1F848}'..='\u{1F84F}'
        | '\u{1F85A}'..='\u{1F85F}' | '\u{1F888}'..='\u{1F88F}' | '\u{1F8AE}'..='\u{1F8FF}'
        | '\u{1F90C}'..='\u{1F93A}' | '\u{1F93C}'..='\u{1F945}' | '\u{1F947}'..='\u{1FAFF}'
        | '\u{1FC00}'..='\u{1FFFD}')
}

/// Tells whether a text ends in an emoji, perhaps with a skin tone or a selector.
fn ends_emoji(text: &str) -> bool {
    let mut back = text.chars().rev();
    let last = back.next();
    let varied = matches!(last, Some('\u{FE0F}' | '\u{1F3FB}'..='\u{1F3FF}'));
    (if varied { back.next() } else { last }).is_some_and(is_pictograph)
}

/// The flags that are written with tags: England, Scotland, Wales (UTS #51, RGI tag sequences).
const FLAGS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];

/// Tells whether a tag character is part of a flag: a black flag, the tags, the end of tags.
fn is_flag(text: &str, at: usize) -> bool {
    let is_tag = |c: &char| ('\u{E0000}'..='\u{E007F}').contains(c);
    let before = text[..at].chars().rev().take(FLAGS[0].len()).take_while(is_tag).count();
    let start = at - before * '\u{E0000}'.len_utf8();
    let spelled = |flag: &str| {
        let tag = |b: u32| char::from_u32(0xE0000 + b);
        flag.bytes()
            .map(|b| tag(u32::from(b)))
            .chain([Some('\u{E007F}')])
            .flatten()
            .collect::<String>()
    };
    text[..start].ends_with('\u{1F3F4}')
        && FLAGS.iter().any(|flag| text[start..].starts_with(&spelled(flag)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(text: &str) -> Vec<char> {
        hidden_characters(text).map(|(_, c)| c).collect()
    }

    #[test]
    fn what_scripts_and_emoji_need_is_not_hidden() {
        for text in [
            "plain\ttext\r\nnext line\r\n",
            "\u{FEFF}with a byte order mark",
            "⚠️ ✔️ ✓️ ▶️ ☑️ ❤️ ™️ ©️ ℹ️ ↔️ 〰️ ㊙️ 🅰️ ☺︎ →︎",
            "1️⃣ #️⃣ *️⃣",
            "👩‍🔧 👩🏽‍🚒 👨‍👩‍👧‍👦 🏳️‍🌈 🏴‍☠️ ❤️‍🔥 👩🏼‍❤️‍💋‍👨🏿 🧑‍⚕️ 🐻‍❄️ 😶‍🌫️",
            "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} and \
             🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
            "می\u{200C}خواهم، کتاب\u{200C}ها",
            "ه\u{200D} ۱۴۰۲",
            "क्\u{200D}ष र्\u{200D}य क्\u{200C}",
            "ശ്രീ ന്\u{200D} അവന്\u{200D}",
            "ක්\u{200D}ර",
            "ภาษา\u{200B}ไทย",
            "Donau\u{AD}dampf\u{AD}schiff",
            "שלום\u{200F}! \u{200E}abc",
            "葛\u{E0100}城 祇\u{FE00}",
            "ᠠ\u{180B}ᠨ",
            "récolte 部署冻结 заморозка Ünï",
        ] {
            assert_eq!(hidden(text), [], "{text:?}");
        }
    }

    #[test]
    fn everything_else_that_nobody_sees_is_hidden_with_its_place() {
        for (text, expected) in [
            ("a\u{1B}[2Jb", vec!['\u{1B}']),
            ("a\rb\r\n", vec!['\r']),
            ("end\r", vec!['\r']),
            ("a\r\r\n", vec!['\r']),
            ("pass\u{8}\u{8}", vec!['\u{8}', '\u{8}']),
            (
                "\u{7F}\u{0}\u{B}\u{C}\u{85}\u{9B}",
                vec!['\u{7F}', '\0', '\u{B}', '\u{C}', '\u{85}', '\u{9B}'],
            ),
            ("a\u{FEFF}b", vec!['\u{FEFF}']),
            ("\u{FEFF}\u{FEFF}b", vec!['\u{FEFF}']),
            ("a\u{200D}b", vec!['\u{200D}']),
            ("a\u{200C}b", vec!['\u{200C}']),
            ("😀\u{200D} x", vec!['\u{200D}']),
            ("😀\u{200D}\u{200D}😀", vec!['\u{200D}', '\u{200D}']),
            ("می\u{200C}\u{200D}خ", vec!['\u{200C}', '\u{200D}']),
            ("می\u{200C} x", vec!['\u{200C}']),
            ("a\u{FE0F}", vec!['\u{FE0F}']),
            ("1\u{FE0F}", vec!['\u{FE0F}']),
            ("😀\u{FE0F}\u{FE0F}", vec!['\u{FE0F}']),
            ("😀\u{FE01}", vec!['\u{FE01}']),
            ("😀\u{E0141}\u{E0142}", vec!['\u{E0141}', '\u{E0142}']),
            ("葛\u{E0161}", vec!['\u{E0161}']),
            ("葛\u{E0100}\u{E0101}", vec!['\u{E0101}']),
            ("x\u{E0041}\u{E007F}", vec!['\u{E0041}', '\u{E007F}']),
            ("🏴\u{E0068}\u{E0069}\u{E007F}", vec!['\u{E0068}', '\u{E0069}', '\u{E007F}']),
            ("\u{FFF9}a\u{FFFA}b\u{FFFB}", vec!['\u{FFF9}', '\u{FFFA}', '\u{FFFB}']),
            ("\u{202E}evil\u{202C}", vec!['\u{202E}', '\u{202C}']),
            ("abc \u{200E}def", vec!['\u{200E}']),
            ("שלום \u{2067}x\u{2069}", vec!['\u{2067}', '\u{2069}']),
            ("שלום\u{200F}\u{200E}\u{200F}", vec!['\u{200F}', '\u{200E}', '\u{200F}']),
            ("a\u{200B}b \u{2060}c \u{2063}", vec!['\u{200B}', '\u{2060}', '\u{2063}']),
            ("a \u{AD}b", vec!['\u{AD}']),
            ("a\u{AD}\u{AD}b", vec!['\u{AD}', '\u{AD}']),
            (
                "\u{3164}\u{115F}\u{34F}\u{17B4}",
                vec!['\u{3164}', '\u{115F}', '\u{34F}', '\u{17B4}'],
            ),
            ("a\u{2028}b\u{FFFE}", vec!['\u{2028}', '\u{FFFE}']),
        ] {
            assert_eq!(hidden(text), expected, "{text:?}");
        }
        assert_eq!(hidden_characters("\u{FEFF}é\u{7}").next(), Some((5, '\u{7}')));
    }

    proptest::proptest! {
        #[test]
        fn no_spelling_of_ascii_passes(
            word in "[ -~]{2,12}",
            cover in proptest::collection::vec(proptest::sample::select(vec!["a", "😀", "葛", "م", "क", " ", "1", "ᠠ", "ש"]), 1..6),
            coding in 0_usize..4,
        ) {
            // The codings in use: tags, selectors by byte, joiners by bit, selectors by bit.
            let bits = |zero: char, one: char| -> String {
                let bit = |b: u8, at: u8| if b >> at & 1 == 1 { one } else { zero };
                word.bytes().flat_map(|b| (0..8).map(move |at| bit(b, at))).collect()
            };
            let spelled: String = match coding {
                0 => word.bytes().filter_map(|b| char::from_u32(0xE0000 + u32::from(b))).collect(),
                1 => word.bytes().filter_map(|b| char::from_u32(0xE0100 + u32::from(b) - 16)).collect(),
                2 => bits('\u{200C}', '\u{200D}'),
                _ => bits('\u{FE0E}', '\u{FE0F}'),
            };
            let whole = cover.concat() + &spelled;
            proptest::prop_assert!(hidden_characters(&whole).next().is_some(), "{whole:?}");
            // Spread over the cover, one after each character of it.
            let letters: Vec<&str> = cover.iter().copied().cycle().take(spelled.chars().count()).collect();
            let spread: String = letters.iter().zip(spelled.chars()).map(|(l, c)| format!("{l}{c}")).collect();
            if coding < 2 {
                proptest::prop_assert!(hidden_characters(&spread).next().is_some(), "{spread:?}");
            }
        }
    }
}
