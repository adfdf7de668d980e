//! Which words of a shell command may name files, and which of them it may write to.
//! Border: best effort on text. What a program does inside is not seen: the gate at commit is the wall.

/// A word of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Quotes taken off.
    pub text: String,
    /// Whether it stands where a file is written, moved or removed.
    pub is_written: bool,
}

/// Commands that change the files they are given.
const WRITERS: [&str; 14] = [
    "cp", "mv", "rm", "rmdir", "tee", "sed", "truncate", "ln", "install", "chmod", "touch", "dd",
    "rsync", "unlink",
];
/// A command longer than this is looked at up to here.
const WORDS_MAX: usize = 20_000;

/// The words of a command, and the folder each is seen from as far as `cd` tells.
pub fn words(command: &str) -> Vec<(String, Word)> {
    let mut found = Vec::new();
    let (mut folder, mut is_writer, mut is_first, mut is_redirected, mut is_cd) =
        (String::new(), false, true, false, false);
    for token in tokens(command) {
        match token {
            Token::End => (is_writer, is_first, is_cd, is_redirected) = (false, true, false, false),
            Token::Redirect => is_redirected = true,
            Token::Word(text) => {
                if is_cd {
                    folder = join(&folder, &text);
                    is_cd = false;
                }
                if is_first && !text.contains('=') {
                    let program = text.rsplit('/').next().unwrap_or_default();
                    is_writer = WRITERS.contains(&program);
                    is_cd = program == "cd" || program == "pushd";
                    is_first =
                        matches!(program, "sudo" | "env" | "command" | "exec" | "then" | "do");
                }
                let is_written = is_writer || is_redirected;
                is_redirected = false;
                found.push((folder.clone(), Word { text, is_written }));
            }
        }
    }
    found
}

/// A path seen from another.
pub fn join(folder: &str, path: &str) -> String {
    if folder.is_empty() || path.starts_with(['/', '~']) {
        path.to_owned()
    } else {
        format!("{folder}/{path}")
    }
}

enum Token {
    Word(String),
    /// The next word is a file that is written.
    Redirect,
    /// Another command begins.
    End,
}

fn tokens(command: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = command.chars().peekable();
    let mut quote = None;
    while let Some(c) = chars.next() {
        if tokens.len() >= WORDS_MAX {
            break;
        }
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some('\''), _) => word.get_or_insert_default().push(c),
            (_, '\\') => word.get_or_insert_default().extend(chars.next()),
            (Some(_), _) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                word.get_or_insert_default();
                quote = Some(c);
            }
            (None, '>') => {
                tokens.extend(word.take().map(Token::Word));
                while chars.next_if(|next| matches!(next, '>' | '|' | '&')).is_some() {}
                tokens.push(Token::Redirect);
            }
            (None, '\n' | ';' | '|' | '&' | '(' | ')' | '{' | '}' | '`') => {
                tokens.extend(word.take().map(Token::Word));
                tokens.push(Token::End);
            }
            (None, '<') => tokens.extend(word.take().map(Token::Word)),
            (None, _) if c.is_whitespace() => tokens.extend(word.take().map(Token::Word)),
            (None, _) => word.get_or_insert_default().push(c),
        }
    }
    tokens.extend(word.take().map(Token::Word));
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_where_a_command_writes_them() {
        let written = |command: &str| -> Vec<String> {
            let words = words(command).into_iter().filter(|(_, word)| word.is_written);
            words.map(|(folder, word)| join(&folder, &word.text)).collect()
        };
        assert_eq!(written("echo x > team/a.md"), ["team/a.md"]);
        assert_eq!(written("echo x>>'team/a b.md'; cat y"), ["team/a b.md"]);
        assert_eq!(
            written("cd ~/m/team && cat > x.md <<'EOF'\nhello > there\nEOF"),
            ["~/m/team/x.md", "~/m/team/there"]
        );
        assert_eq!(written("cat a | tee -a \"team/x.md\""), ["tee", "-a", "team/x.md"]);
        assert_eq!(written("A=1 /bin/rm -rf team/.git"), ["/bin/rm", "-rf", "team/.git"]);
        assert!(written("cat team/a.md && ls team").is_empty());
        assert_eq!(words(&"a ".repeat(100_000)).len(), WORDS_MAX);
    }
}
