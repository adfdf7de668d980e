//! Asks for a passphrase on the terminal, without echo.
//! Border: talks to the terminal itself, never to stdin or stdout, so that pipes stay clean.
//! Where there is no terminal nobody is asked.

use memsync::base::display::Escaped;
use memsync::trust::key::{Passphrase, PassphrasePrompt};

/// Longest passphrase that is read.
#[cfg(unix)]
const PASSPHRASE_BYTES_MAX: usize = 4_096;

/// The person at the terminal.
pub(crate) struct Terminal;

impl PassphrasePrompt for Terminal {
    fn passphrase(&mut self, subject: &str, attempt: u32) -> Option<Passphrase> {
        let again = if attempt > 1 { "That did not open it. " } else { "" };
        ask(&format!("{again}Passphrase for {}: ", Escaped(subject)))
    }
}

/// Asks for a new passphrase twice; `None` without a terminal, when empty or when they differ.
pub(crate) fn new_passphrase() -> Option<Passphrase> {
    let first = ask("New passphrase: ").filter(|first| !first.is_empty())?;
    let second = ask("The same again: ")?;
    (first.expose() == second.expose()).then_some(first)
}

#[cfg(unix)]
fn ask(question: &str) -> Option<Passphrase> {
    use std::fs::File;
    use std::io::Write as _;

    use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

    /// Gives the terminal its echo back, whatever happens.
    struct Echo(File, Termios);

    impl Drop for Echo {
        fn drop(&mut self) {
            _ = tcsetattr(&self.0, OptionalActions::Flush, &self.1);
        }
    }

    let mut terminal = File::options().read(true).write(true).open("/dev/tty").ok()?;
    let before = tcgetattr(&terminal).ok()?;
    let mut silent = before.clone();
    // Without ISIG, Ctrl-C arrives as a byte: dying in the middle would leave a silent terminal.
    silent.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG);
    let echo = Echo(terminal.try_clone().ok()?, before);
    tcsetattr(&terminal, OptionalActions::Flush, &silent).ok()?;
    write!(terminal, "{question}").ok()?;
    let line = read_line(&terminal);
    writeln!(terminal).ok()?;
    drop(echo);
    let text = zeroize::Zeroizing::new(line?);
    std::str::from_utf8(&text).ok().map(|text| Passphrase::new(text.to_owned()))
}

/// Reads keys up to Enter; backspace and Ctrl-U work, Ctrl-C and Ctrl-D give up.
#[cfg(unix)]
fn read_line(mut terminal: impl std::io::Read) -> Option<Vec<u8>> {
    // All the room at once: growing would leave copies behind in memory.
    let mut line = Vec::with_capacity(PASSPHRASE_BYTES_MAX);
    let mut key = [0];
    while terminal.read(&mut key).ok()? == 1 && line.len() < PASSPHRASE_BYTES_MAX {
        match key[0] {
            b'\n' | b'\r' => return Some(line),
            0x03 | 0x04 => return None,
            0x15 => line.clear(),
            0x08 | 0x7f => {
                // A character in UTF-8 goes as a whole.
                while line.pop().is_some_and(|byte| byte & 0xc0 == 0x80) {}
            }
            byte => line.push(byte),
        }
    }
    None
}

#[cfg(not(unix))]
fn ask(_: &str) -> Option<Passphrase> {
    None
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::read_line;

    #[test]
    fn editing_keys_work_and_control_c_gives_up() {
        let read = |keys: &[u8]| read_line(keys).map(|line| String::from_utf8(line).unwrap());
        assert_eq!(read(b"four words\r"), Some("four words".to_owned()));
        assert_eq!(read("aé\x7fb\x08c\n".as_bytes()), Some("ac".to_owned()));
        assert_eq!(read(b"wrong\x15right\n"), Some("right".to_owned()));
        assert_eq!(read(b"\x7f\n"), Some(String::new()));
        assert_eq!(read(b"ab\x03"), None);
        assert_eq!(read(b"cut off"), None);
    }
}
