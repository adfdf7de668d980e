//! Tells drawn characters from written ones: entropy, letter pairs, runs that count.
//! Border: looks at the value alone; which words stand around it is for the callers.

/// Shannon entropy in bits per byte.
pub(crate) fn entropy(value: &[u8]) -> f32 {
    if value.is_empty() {
        return 0.0;
    }
    let mut counts = [0_u32; 256];
    for byte in value {
        counts[usize::from(*byte)] += 1;
    }
    let total = value.len() as f32;
    counts.iter().filter(|n| **n > 0).map(|n| *n as f32 / total).map(|p| -p * p.log2()).sum()
}

/// How far the character after `a` is from counting on: 1 for `ab`, -1 for `ba`, 0 for `aa`.
fn step(pair: &[u8]) -> i16 {
    i16::from(pair[1].to_ascii_lowercase()) - i16::from(pair[0].to_ascii_lowercase())
}

/// Tells that a value neither counts (`abcdef`, `987654`) nor repeats for most of its length.
pub(crate) fn is_varied(value: &[u8]) -> bool {
    if value.len() < 2 {
        return false;
    }
    let dull = value.windows(2).filter(|pair| step(pair).abs() <= 1).count();
    if is_counting(value) {
        return false;
    }
    let distinct = {
        let mut seen = [false; 256];
        value.iter().for_each(|b| seen[usize::from(*b)] = true);
        seen.iter().filter(|s| **s).count()
    };
    dull * 2 < value.len() && distinct > value.len().min(12) / 3
}

/// Tells that letters and digits, each on their own, count on: `a1b2c3d4`, `Aa1Bb2Cc3`.
pub(crate) fn is_counting(value: &[u8]) -> bool {
    let counts = |test: fn(&u8) -> bool| {
        let run: Vec<u8> = value.iter().copied().filter(test).collect();
        let on = run.windows(2).filter(|pair| (0..=1).contains(&step(pair))).count();
        run.len() < 2 || on * 10 >= (run.len() - 1) * 9
    };
    counts(u8::is_ascii_alphabetic) && counts(u8::is_ascii_digit)
}

/// Tells that a value looks drawn at random: enough of it, several classes, no words.
pub(crate) fn is_random(value: &[u8]) -> bool {
    if value.len() < 14 || !is_varied(value) || entropy(value) < 3.0 || is_worded(value) {
        return false;
    }
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let changes = value.windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count();
    // Names change class a few times; drawn characters do every second or third time.
    changes * 3 >= value.len()
        || digits * 5 >= value.len()
        || is_gibberish(value)
        || (digits > 0 && bigram_surprisal(value).0 > 4.4)
}

/// Tells that a value is words written together: `ReallySecretTokenThatExpiresAfter60Minutes`.
pub(crate) fn is_worded(value: &[u8]) -> bool {
    // Words joined by dashes may be a passphrase, a drawn value may hold slashes.
    if value.iter().any(|b| b"-/+".contains(b)) || value.iter().all(u8::is_ascii_hexdigit) {
        return false;
    }
    let (mut held, mut run, mut words) = (0, 0, 0);
    for at in 0..=value.len() {
        let byte = value.get(at).copied().unwrap_or(b' ');
        let hump = at > 0 && byte.is_ascii_uppercase() && !value[at - 1].is_ascii_uppercase();
        if hump || !byte.is_ascii_alphabetic() {
            if run >= WORD_LETTERS_MIN {
                held += run;
                words += 1;
            }
            run = 0;
        }
        run += usize::from(byte.is_ascii_alphabetic());
    }
    let marks = value.iter().filter(|b| b"_.".contains(b)).count();
    words >= 2 && held * 10 >= (value.len() - marks) * 8 && !is_gibberish(value)
}

/// Shorter runs of letters are no words.
const WORD_LETTERS_MIN: usize = 3;

/// The class of a byte: lower, upper, digit, other.
fn class(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    }
}

/// Surprisal in bits of each letter after each letter in English prose and in code, row by row from
/// `a`, counted over the distinct words of some thousand documents.
const SURPRISE: [&[u8; 26]; 26] = [
    b"75459759597333959442665866",
    b"36463778369266478557389969",
    b"38563894495489289454599969",
    b"36751778399767369647577979",
    b"47435568799453867334956479",
    b"47774479299589299476599969",
    b"48782855398575579347287989",
    b"38882999398768389672599979",
    b"56444559998452369643969896",
    b"45662776565666266637466666",
    b"57661568388655677736577778",
    b"38852889399398389855489949",
    b"26882989499459339958589968",
    b"39434439597786579833669979",
    b"77458769787442659365354989",
    b"39663987599388349344489979",
    b"58665765676577776666166667",
    b"38562759396745389644568959",
    b"59582895397777449842488969",
    b"39682883299759449445597959",
    b"65554879499454849332999899",
    b"38791968299889558879888888",
    b"39973884289785499528986889",
    b"18574787488667738773787568",
    b"56565767478544328634666875",
    b"47772777577776177777687766",
];

/// Mean surprisal of the letter pairs and their number; pairs across a digit or a mark do not count.
fn bigram_surprisal(value: &[u8]) -> (f32, usize) {
    let (mut bits, mut pairs) = (0_u32, 0_usize);
    for pair in value.windows(2) {
        if pair[0].is_ascii_alphabetic() && pair[1].is_ascii_alphabetic() {
            let at = |b: u8| usize::from(b.to_ascii_lowercase() - b'a');
            bits += u32::from(SURPRISE[at(pair[0])][at(pair[1])] - b'0');
            pairs += 1;
        }
    }
    (bits as f32 / pairs.max(1) as f32, pairs)
}

/// Mean surprisal above which letters are drawn, not written. English words lie around 3.5,
/// drawn letters around 6.2.
const GIBBERISH_BITS: f32 = 5.0;

/// Tells that the letters of a value are drawn, not words of a language.
pub(crate) fn is_gibberish(value: &[u8]) -> bool {
    let (bits, pairs) = bigram_surprisal(value);
    pairs >= 4 && bits > GIBBERISH_BITS
}

/// Tells that a value is long and of digits and letters, however dull: what a vendor's own
/// document or a test would call a key.
pub(crate) fn is_key_shaped(value: &[u8]) -> bool {
    let has = |test: fn(&u8) -> bool| value.iter().any(test);
    let plain = value.iter().all(|b| b.is_ascii_alphanumeric() || b"-_.+/=".contains(b));
    plain
        && value.len() >= 16
        && !is_worded(value)
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
        && entropy(value) > 2.5
}

/// Tells that a value has a digit and a letter, or letters of both cases that are no words.
pub(crate) fn is_mixed(value: &[u8]) -> bool {
    let has = |test: fn(&u8) -> bool| value.iter().any(test);
    if has(u8::is_ascii_digit) {
        return has(u8::is_ascii_alphabetic);
    }
    has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && is_random(value)
}
