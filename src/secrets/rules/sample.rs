//! Writes out the examples of rules, so that no rule file holds anything that looks like a secret.
//! Border: deterministic; the same template gives the same text everywhere.
//!
//! `{alnum:36}` is 36 characters of a class; `{jwt}`, `{uuid}`, `{pem:NAME}` are whole values;
//! `{crc62:30}`, `{crc8:40}` … are checksums over that many bytes written before; `{{` is a brace.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

use crate::secrets::value::mnemonic;
use crate::secrets::value::structure;

const DIGIT: &str = "0123456789";
const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// A small generator (xorshift64*), seeded by the template itself.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(high).unwrap_or(0) % sides
    }

    fn pick(&mut self, from: &str, count: usize) -> String {
        let from: Vec<char> = from.chars().collect();
        (0..count).map(|_| from[self.roll(from.len())]).collect()
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| u8::try_from(self.roll(256)).unwrap_or(0)).collect()
    }
}

/// The text a template stands for; `None` for a generator that does not exist.
pub(crate) fn expand(template: &str) -> Option<String> {
    variant(template, 0)
}

/// One of the many texts a template stands for, by its number.
pub(crate) fn variant(template: &str, number: u64) -> Option<String> {
    let seed = template.bytes().fold(0xCBF2_9CE4_8422_2325_u64 ^ number, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    });
    let mut dice = Dice(seed | 1);
    let mut text = String::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        text.push_str(&rest[..open]);
        rest = &rest[open + 1..];
        if let Some(after) = rest.strip_prefix('{') {
            text.push('{');
            rest = after;
            continue;
        }
        let close = rest.find('}')?;
        let (name, argument) = rest[..close].split_once(':').unwrap_or((&rest[..close], ""));
        let piece = generate(name, argument, &text, &mut dice)?;
        text.push_str(&piece);
        rest = &rest[close + 1..];
    }
    text.push_str(rest);
    Some(text)
}

fn generate(name: &str, argument: &str, before: &str, dice: &mut Dice) -> Option<String> {
    let count = || argument.parse::<usize>().ok();
    let tail = || before.len().checked_sub(count()?).map(|from| before.as_bytes()[from..].to_vec());
    let alphabet = match name {
        "digit" => DIGIT.to_owned(),
        "lower" => LOWER.to_owned(),
        "upper" => UPPER.to_owned(),
        "alpha" => format!("{LOWER}{UPPER}"),
        "alnum" => format!("{DIGIT}{LOWER}{UPPER}"),
        "lownum" => format!("{DIGIT}{LOWER}"),
        "upnum" => format!("{DIGIT}{UPPER}"),
        "hex" => "0123456789abcdef".to_owned(),
        "upperhex" => "0123456789ABCDEF".to_owned(),
        "base32" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".to_owned(),
        "base58" => "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".to_owned(),
        "word" => format!("{DIGIT}{LOWER}{UPPER}_-"),
        "b64" => format!("{DIGIT}{LOWER}{UPPER}+/"),
        _ => return whole(name, argument, &tail, dice),
    };
    Some(dice.pick(&alphabet, count()?))
}

/// Values made as a whole.
fn whole(
    name: &str,
    argument: &str,
    tail: &dyn Fn() -> Option<Vec<u8>>,
    dice: &mut Dice,
) -> Option<String> {
    Some(match name {
        "repeat" => {
            let (what, times) = argument.rsplit_once('*')?;
            what.repeat(times.parse().ok()?)
        }
        "crc62" => structure::crc_base62(&tail()?, 6),
        "crc8" => format!("{:08x}", crc32fast::hash(&tail()?)),
        "crc8up" => format!("{:08X}", crc32fast::hash(&tail()?)),
        "crc8le" => format!("{:08x}", crc32fast::hash(&tail()?).swap_bytes()),
        "uuid" => {
            let hex = |dice: &mut Dice, n| dice.pick("0123456789abcdef", n);
            let (a, b, c, d, e) =
                (hex(dice, 8), hex(dice, 4), hex(dice, 3), hex(dice, 3), hex(dice, 12));
            format!("{a}-{b}-4{c}-a{d}-{e}")
        }
        "jwt" => {
            let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"HS256","typ":"JWT"}"#);
            let body = format!(r#"{{"sub":"{}","iat":1780089000}}"#, dice.pick(DIGIT, 10));
            let signature = URL_SAFE_NO_PAD.encode(dice.bytes(32));
            format!("{header}.{}.{signature}", URL_SAFE_NO_PAD.encode(body))
        }
        "b64of" => STANDARD
            .encode(expand(&argument.replace('<', "{").replace('>', "}").replace(';', ":"))?),
        "pem" => pem(argument, dice),
        "age" => structure::age_secret(&dice.bytes(32)),
        // `{seed:12}` words of a wallet; what stands between them as the second argument.
        "seed" => {
            let (count, form) = argument.split_once(':').unwrap_or((argument, ""));
            let words = mnemonic::phrase(&dice.bytes(count.parse::<usize>().ok()? * 4 / 3))?;
            match form {
                "numbered" => numbered(&words),
                "list" => format!("- {}", words.join("\n- ")),
                _ => words.join(" "),
            }
        }
        _ => return None,
    })
}

/// Words one on a line, counted.
fn numbered(words: &[&str]) -> String {
    let lines = words.iter().enumerate().map(|(at, word)| format!("{}. {word}", at + 1));
    lines.collect::<Vec<_>>().join("\n")
}

/// A private key block whose body decodes to the structure its label promises.
fn pem(label: &str, dice: &mut Dice) -> String {
    let mut body = match label {
        "OPENSSH PRIVATE KEY" => b"openssh-key-v1\0".to_vec(),
        // An ASN.1 sequence of the length that follows.
        _ => vec![0x30, 0x82, 0x01, 0x00],
    };
    body.extend(dice.bytes(256));
    let text = STANDARD.encode(body);
    let lines: Vec<&str> =
        text.as_bytes().chunks(64).filter_map(|line| std::str::from_utf8(line).ok()).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----", lines.join("\n"))
}
