//! Tests of a value's own structure: checksums, decoded headers, key bodies, alphabets.
//! Border: looks at the value alone, never at the words around it.

use crate::secrets::encoding::base64::decode as base64;

/// What a check says about a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// It cannot be one.
    Reject,
    /// A checksum is wrong: a typing error, a made-up sample or a newer format.
    Weak,
    /// Nothing speaks against it.
    Plausible,
    /// It proves itself; no word around it can argue that away.
    Proven,
}

/// A named check, as rule files name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    /// The last 6 are the base62 CRC32 of the 30 before (GitHub, npm).
    Crc62,
    /// The last 8 hex are the CRC32, little-endian, of the 38 before the underscore (Grafana).
    CrcGrafana,
    /// The last 8 hex are the CRC32 of the 40 before (Cloudflare).
    CrcCloudflare,
    /// The last 8 upper hex are the CRC32 of everything before (Atlassian).
    CrcAtlassian,
    /// A JSON object with `alg` before the first dot.
    Jwt,
    /// A private key block with a body.
    Pem,
    /// An age identity with a right bech32 checksum.
    Age,
    /// AWS ids use the base32 alphabet; a right account part proves nothing but shape.
    AwsId,
    /// What follows the prefix decodes to JSON or starts like it.
    JsonBase64,
    /// Has a digit and a letter, or letters of both cases that are no words.
    Mixed,
    /// Has a lower-case and an upper-case letter.
    MixedCase,
    /// Letters look drawn, not written.
    Random,
    /// Could be a password somebody chose or drew.
    Password,
    /// A password in a URL: a chosen one, not everybody's default.
    UrlPassword,
    /// Decodes to `user:password`.
    BasicAuth,
    /// A password of digits and letters of both cases, or with marks.
    Strong,
    /// Digits and letters, a UUID, or drawn characters with joints between them.
    Service,
    /// Does not count up or down, is not one character again and again.
    Varied,
}

impl Check {
    /// The check a rule file names.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "crc62" => Self::Crc62,
            "crc-grafana" => Self::CrcGrafana,
            "crc-cloudflare" => Self::CrcCloudflare,
            "crc-atlassian" => Self::CrcAtlassian,
            "jwt" => Self::Jwt,
            "pem" => Self::Pem,
            "age" => Self::Age,
            "aws-id" => Self::AwsId,
            "json-base64" => Self::JsonBase64,
            "mixed" => Self::Mixed,
            "mixed-case" => Self::MixedCase,
            "random" => Self::Random,
            "password" => Self::Password,
            "url-password" => Self::UrlPassword,
            "basic-auth" => Self::BasicAuth,
            "strong" => Self::Strong,
            "service" => Self::Service,
            "varied" => Self::Varied,
            _ => return None,
        })
    }

    /// What the check says about a value.
    pub(crate) fn verdict(self, value: &[u8]) -> Verdict {
        match self {
            Self::Crc62 => crc62(value),
            Self::CrcGrafana => grafana(value),
            Self::CrcCloudflare => {
                tail_hex(value, 8, |body| crc32fast::hash(&body[body.len().saturating_sub(40)..]))
            }
            Self::CrcAtlassian => tail_hex(value, 8, crc32fast::hash),
            Self::Jwt => jwt(value),
            Self::Pem => pem(value),
            Self::Age => age(value),
            Self::AwsId => or_reject(value.get(4..).is_some_and(|id| {
                id.iter().any(u8::is_ascii_digit)
                    || crate::secrets::value::randomness::entropy(id) > 3.2
            })),
            Self::JsonBase64 => json_base64(value),
            Self::Mixed => or_reject(crate::secrets::value::randomness::is_mixed(value)),
            Self::MixedCase => or_reject(
                value.iter().any(u8::is_ascii_lowercase)
                    && value.iter().any(u8::is_ascii_uppercase),
            ),
            Self::Random => or_reject(crate::secrets::value::randomness::is_random(value)),
            Self::Password => or_reject(crate::secrets::value::password::is_password(value)),
            Self::UrlPassword => or_reject(url_password(value)),
            Self::BasicAuth => or_reject(basic_auth(value)),
            Self::Strong => or_reject(strong(value)),
            Self::Service => or_reject(service(value)),
            Self::Varied => or_reject(crate::secrets::value::randomness::is_varied(value)),
        }
    }
}

fn or_reject(plausible: bool) -> Verdict {
    if plausible { Verdict::Plausible } else { Verdict::Reject }
}

fn or_weak(proven: bool) -> Verdict {
    if proven { Verdict::Proven } else { Verdict::Weak }
}

/// CRC32 in base62 (`0-9A-Za-z`), zero-padded.
pub(crate) fn crc_base62(body: &[u8], width: usize) -> String {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut rest = crc32fast::hash(body) as usize;
    let mut digits = vec![b'0'; width];
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS[rest % 62];
        rest /= 62;
    }
    String::from_utf8_lossy(&digits).into_owned()
}

fn crc62(value: &[u8]) -> Verdict {
    let Some(from) = value.len().checked_sub(36) else { return Verdict::Weak };
    let (body, sum) = value[from..].split_at(30);
    or_weak(crc_base62(body, 6).as_bytes() == sum)
}

fn tail_hex(value: &[u8], width: usize, sum: impl Fn(&[u8]) -> u32) -> Verdict {
    let Some(cut) = value.len().checked_sub(width) else { return Verdict::Weak };
    let (body, tail) = value.split_at(cut);
    let right = std::str::from_utf8(tail).ok().and_then(|hex| u32::from_str_radix(hex, 16).ok());
    or_weak(right == Some(sum(body)))
}

fn grafana(value: &[u8]) -> Verdict {
    let Some(cut) = value.len().checked_sub(9) else { return Verdict::Weak };
    let (body, tail) = value.split_at(cut);
    let sum =
        std::str::from_utf8(&tail[1..]).ok().and_then(|hex| u32::from_str_radix(hex, 16).ok());
    let body = &body[body.len().saturating_sub(37)..];
    or_weak(sum.is_some_and(|sum| sum.swap_bytes() == crc32fast::hash(body)))
}

fn jwt(value: &[u8]) -> Verdict {
    let header = value.split(|b| *b == b'.').next().unwrap_or_default();
    match base64(header) {
        Some(json) if json.starts_with(b"{") => {
            let has_alg = json.windows(5).any(|w| w == b"\"alg\"");
            let sample = value
                .split(|b| *b == b'.')
                .nth(1)
                .and_then(base64)
                .is_some_and(|body| is_sample(&body));
            match (sample, has_alg) {
                (true, _) => Verdict::Reject,
                (false, true) => Verdict::Plausible,
                (false, false) => Verdict::Weak,
            }
        }
        _ => Verdict::Reject,
    }
}

/// What the token on jwt.io and its copies in documents say.
fn is_sample(body: &[u8]) -> bool {
    const SAMPLES: [&[u8]; 6] = [
        b"\"John Doe\"",
        b"\"Jane Doe\"",
        b"\"sub\":\"1234567890\"",
        b"\"some\":\"payload\"",
        b"\"foo\":\"bar\"",
        b"\"hello\":\"world\"",
    ];
    let text: Vec<u8> = body.iter().copied().filter(|b| *b != b'\n').collect();
    let text = String::from_utf8_lossy(&text).replace("\": \"", "\":\"");
    SAMPLES.iter().any(|sample| text.as_bytes().windows(sample.len()).any(|w| w == *sample))
}

/// The characters between the header and footer lines, without the whitespace and escapes of
/// the text they are embedded in.
fn pem_body(value: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(value);
    let after = text.split_once("-----").map_or("", |(_, rest)| rest);
    let after = after.split_once("-----").map_or("", |(_, rest)| rest);
    let body = after.split("-----").next().unwrap_or_default();
    let body = body.replace("\\r", "").replace("\\n", "").replace("\\t", "");
    // A key stands in long runs; short words behind the header are prose that mentions one.
    let lines = body.lines().filter(|line| !line.contains(": "));
    let runs: Vec<&str> = lines.flat_map(str::split_ascii_whitespace).collect();
    let word = |run: &&&str| {
        run.len() < PEM_RUN_CHARS_MIN && run.bytes().filter(u8::is_ascii_alphabetic).count() > 1
    };
    let prose = runs.iter().filter(word).count();
    let runs = if prose > 4 { &[][..] } else { &runs };
    runs.iter()
        .flat_map(|run| run.bytes())
        .filter(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='))
        .collect()
}

/// Lines of a key have at least this many characters, but for the last one and few others.
const PEM_RUN_CHARS_MIN: usize = 12;

/// A key body has at least this many base64 characters (an Ed25519 key in PKCS#8 has 64).
const PEM_BODY_CHARS_MIN: usize = 40;

fn pem(value: &[u8]) -> Verdict {
    let body = pem_body(value);
    let cut = |part: &[u8]| value.windows(part.len()).any(|w| w == part);
    if cut(b"...")
        || cut(b". . .")
        || cut(b"EXAMPLE")
        || body.len() < PEM_BODY_CHARS_MIN
        || !crate::secrets::value::randomness::is_varied(&body)
    {
        return Verdict::Reject;
    }
    let head =
        base64(&body[..body.len() / 4 * 4]).or_else(|| base64(&body[..36])).unwrap_or_default();
    let der = head.first() == Some(&0x30);
    let openssh = head.starts_with(b"openssh-key-v1\0");
    if der || openssh {
        Verdict::Proven
    } else if crate::secrets::value::randomness::entropy(&body) > 4.0 {
        Verdict::Plausible
    } else {
        Verdict::Reject
    }
}

fn url_password(value: &[u8]) -> bool {
    use crate::secrets::value::password::is_password;
    use crate::secrets::value::placeholder::is_placeholder;
    use crate::secrets::value::randomness::is_gibberish;
    let value = &crate::secrets::encoding::percent::decode(value);
    let mixed_case =
        value.iter().any(u8::is_ascii_lowercase) && value.iter().any(u8::is_ascii_uppercase);
    is_password(value)
        || !is_placeholder(value) && value.len() >= 8 && mixed_case && is_gibberish(value)
}

fn basic_auth(value: &[u8]) -> bool {
    let Some(decoded) = base64(value) else { return false };
    let drawn = value.len() >= 24
        && crate::secrets::value::randomness::is_random(value)
        && crate::secrets::value::randomness::is_mixed(value);
    if drawn && !decoded.iter().all(u8::is_ascii) {
        return true;
    }
    let Some(colon) = decoded.iter().position(|b| *b == b':') else { return false };
    let printable = decoded.iter().all(|b| (0x20..0x7F).contains(b));
    printable && colon > 0 && crate::secrets::value::password::is_password(&decoded[colon + 1..])
}

/// Three classes with a digit: what a policy asks for and words rarely are.
fn strong(value: &[u8]) -> bool {
    let has = |test: fn(&u8) -> bool| value.iter().any(test);
    let marks = value.iter().any(u8::is_ascii_punctuation);
    let cases = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    has(u8::is_ascii_digit) && (cases || marks && has(u8::is_ascii_alphabetic))
        || cases && crate::secrets::value::randomness::is_gibberish(value)
}

/// Least entropy of a value with joints, which names in code have as well.
const JOINED_ENTROPY_MIN: f32 = 3.6;

fn service(value: &[u8]) -> bool {
    let hex = value.iter().filter(|b| **b != b'-').all(u8::is_ascii_hexdigit);
    let plain = value.iter().all(u8::is_ascii_alphanumeric) || hex && value.len() == 36;
    let drawn = || {
        crate::secrets::value::randomness::is_random(value)
            && crate::secrets::value::randomness::entropy(value) >= JOINED_ENTROPY_MIN
    };
    crate::secrets::value::randomness::is_mixed(value) && (plain || drawn())
}

const BECH32: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";

/// The bech32 checksum over human-readable part and data (BIP 173).
fn polymod(values: impl Iterator<Item = u8>) -> u32 {
    const GENERATOR: [u32; 5] = [0x3B6A_57B2, 0x2650_8E6D, 0x1EA1_19FA, 0x3D42_33DD, 0x2A14_62B3];
    values.fold(1_u32, |sum, value| {
        let top = sum >> 25;
        let mut next = (sum & 0x01FF_FFFF) << 5 ^ u32::from(value);
        for (bit, generator) in GENERATOR.iter().enumerate() {
            if top >> bit & 1 == 1 {
                next ^= generator;
            }
        }
        next
    })
}

fn expanded_prefix(prefix: &str) -> impl Iterator<Item = u8> {
    prefix.bytes().map(|b| b >> 5).chain([0]).chain(prefix.bytes().map(|b| b & 31))
}

fn age(value: &[u8]) -> Verdict {
    let lower = value.to_ascii_lowercase();
    let Some(cut) = lower.iter().rposition(|b| *b == b'1') else { return Verdict::Weak };
    let prefix = String::from_utf8_lossy(&lower[..cut]).into_owned();
    let data: Option<Vec<u8>> = lower[cut + 1..]
        .iter()
        .map(|b| BECH32.iter().position(|c| c == b).and_then(|at| u8::try_from(at).ok()))
        .collect();
    let Some(data) = data else { return Verdict::Weak };
    or_weak(polymod(expanded_prefix(&prefix).chain(data)) == 1)
}

/// An age identity over the given key bytes, for samples.
pub(crate) fn age_secret(key: &[u8]) -> String {
    let prefix = "age-secret-key-";
    let (mut data, mut bits, mut held) = (Vec::new(), 0_u32, 0_u32);
    for byte in key {
        held = held << 8 | u32::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            data.push((held >> bits & 31) as u8);
        }
        held &= (1 << bits) - 1;
    }
    if bits > 0 {
        data.push((held << (5 - bits) & 31) as u8);
    }
    let sum = polymod(expanded_prefix(prefix).chain(data.iter().copied()).chain([0; 6])) ^ 1;
    data.extend((0..6).map(|place| (sum >> (5 * (5 - place)) & 31) as u8));
    let body = data.iter().map(|value| BECH32[usize::from(*value)] as char);
    format!("{prefix}1{}", body.collect::<String>()).to_ascii_uppercase()
}

fn json_base64(value: &[u8]) -> Verdict {
    let Some(at) = value.windows(2).position(|w| w == b"ey") else { return Verdict::Plausible };
    let body = &value[at..];
    let cut = body.len().min(64) / 4 * 4;
    match base64(&body[..cut]) {
        Some(json) if json.starts_with(b"{\"") || json.starts_with(b"{ \"") => Verdict::Plausible,
        _ => Verdict::Weak,
    }
}
