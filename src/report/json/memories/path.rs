//! Questions and answers of `memsync path check`, one JSON document per line each.
//! Border: reads and writes the shapes; the verdict comes from the gate.

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize};

use crate::base::display::Escaped;
use crate::base::path::{ACCEPTED, EntryMode, MemoryPath, PathProblem};
use crate::gate::entry::{EntryProblem, check_set};

/// One line of `memsync path check --from FILE.jsonl`.
///
/// ```json
/// {"id": 7, "path": "topics/deploy.md", "mode": "file"}
/// {"id": 8, "path_hex": "626164ff2e6d64"}
/// {"id": 9, "paths": ["straße.md", "strasse.md"]}
/// ```
/// - exactly one of `path`, `path_hex` (the raw bytes in hexadecimal, for what is not UTF-8) and
///   `paths` (the files of one tree, in tree order). A lone `\ud800` escape stands for its bytes.
/// - `mode`: `file` (default), `symlink`, `gitlink`, `exec`, `tree`, `set` (with `paths`), or a git
///   mode in octal digits such as `100664`.
/// - `id`: anything; the answer repeats it. Other keys are ignored.
#[derive(Debug, Deserialize)]
pub struct PathQuestion {
    #[serde(default)]
    id: Option<serde_json::Value>,
    #[serde(default)]
    path: Option<RawText>,
    #[serde(default)]
    path_hex: Option<String>,
    #[serde(default)]
    paths: Option<Vec<RawText>>,
    #[serde(default)]
    mode: Option<String>,
}

/// One answer: `{"format":"memsync.path/1","id":7,"path":"…","verdict":"reject","rule":"dotgit","reason":"…"}`.
///
/// - `id`: as asked; absent when there was none.
/// - `path` or `paths`: what was asked, escaped for display.
/// - `verdict`: `accept` or `reject`. `rule`: `ok`, or the first rule that refused.
/// - `reason`: one clause; absent with `accept`.
#[derive(Debug, Serialize)]
pub struct PathAnswer {
    /// The format of this document.
    pub format: &'static str,
    /// The id of the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<serde_json::Value>,
    /// The single path that was asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The set of paths that was asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<String>>,
    /// The verdict.
    pub verdict: Verdict,
    /// The rule behind it.
    pub rule: &'static str,
    /// Why, when it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Whether a path may be in a team memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It may.
    Accept,
    /// It may not.
    Reject,
}

/// Why a line is not a question.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PathQuestionError {
    /// It is not a JSON object with the fields of a question.
    #[error("the line is not a JSON question")]
    Json(#[from] serde_json::Error),
    /// It asks about nothing, or about two things.
    #[error("a question has exactly one of `path`, `path_hex` and `paths`")]
    Subject,
    /// The mode is not a known word and not octal.
    #[error("`{}` is not a mode", Escaped(.0))]
    Mode(String),
    /// The hexadecimal digits are not bytes.
    #[error("`path_hex` is not an even number of hexadecimal digits")]
    Hex,
}

/// What is asked about.
enum Subject {
    One(Vec<u8>, EntryMode),
    Set(Vec<Vec<u8>>),
}

/// Answers one line of a question file.
pub fn answer_line(line: &[u8]) -> Result<PathAnswer, PathQuestionError> {
    let question: PathQuestion = serde_json::from_slice(line)?;
    let (id, subject) = question.subject()?;
    Ok(match subject {
        Subject::One(path, mode) => answer_one(id, &path, mode),
        Subject::Set(paths) => answer_set(id, &paths),
    })
}

/// Answers for one path given by itself.
pub fn answer_path(path: &[u8]) -> PathAnswer {
    answer_one(None, path, EntryMode::File)
}

fn answer_one(id: Option<serde_json::Value>, path: &[u8], mode: EntryMode) -> PathAnswer {
    let problem = MemoryPath::parse_entry(path, mode).err();
    let path = Some(shown(path));
    let reason = |problem: &PathProblem| problem.reason.to_owned();
    PathAnswer {
        reason: problem.as_ref().map(reason),
        ..answer(id, path, None, problem.map(|problem| problem.rule))
    }
}

/// A set is refused for how its members meet before it is refused for one of them.
fn answer_set(id: Option<serde_json::Value>, paths: &[Vec<u8>]) -> PathAnswer {
    let raw: Vec<_> = paths.iter().map(Vec::as_slice).collect();
    let single = || raw.iter().find_map(|path| MemoryPath::parse_bytes(path).err());
    let problem = check_set(&raw).into_iter().next().or_else(|| single().map(EntryProblem::from));
    let paths = raw.iter().map(|path| shown(path)).collect();
    PathAnswer {
        reason: problem.as_ref().map(|problem| problem.message.clone()),
        ..answer(id, None, Some(paths), problem.map(|problem| problem.rule))
    }
}

fn answer(
    id: Option<serde_json::Value>,
    path: Option<String>,
    paths: Option<Vec<String>>,
    rule: Option<&'static str>,
) -> PathAnswer {
    let verdict = if rule.is_some() { Verdict::Reject } else { Verdict::Accept };
    let rule = rule.unwrap_or(ACCEPTED);
    PathAnswer { format: "memsync.path/1", id, path, paths, verdict, rule, reason: None }
}

fn shown(path: &[u8]) -> String {
    Escaped(&String::from_utf8_lossy(path)).to_string()
}

impl PathQuestion {
    fn subject(self) -> Result<(Option<serde_json::Value>, Subject), PathQuestionError> {
        let mode = self.mode.as_deref().unwrap_or("file");
        let path = match (self.path, self.path_hex, self.paths) {
            (None, None, Some(paths)) => {
                let paths = paths.into_iter().map(|path| path.0).collect();
                return Ok((self.id, Subject::Set(paths)));
            }
            (Some(path), None, None) => path.0,
            (None, Some(hex), None) => bytes_of(&hex).ok_or(PathQuestionError::Hex)?,
            _ => return Err(PathQuestionError::Subject),
        };
        let mode = mode_of(mode).ok_or_else(|| PathQuestionError::Mode(mode.to_owned()))?;
        Ok((self.id, Subject::One(path, mode)))
    }
}

fn mode_of(word: &str) -> Option<EntryMode> {
    Some(match word {
        "file" => EntryMode::File,
        "exec" => EntryMode::Executable,
        "symlink" => EntryMode::Symlink,
        "gitlink" => EntryMode::Gitlink,
        "tree" => EntryMode::Tree,
        octal => EntryMode::from_bits(u32::from_str_radix(octal, 8).ok()?),
    })
}

fn bytes_of(hex: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| Some(char::from(byte).to_digit(16)? as u8);
    let pairs = hex.as_bytes().chunks(2);
    pairs.map(|pair| Some(digit(pair[0])? << 4 | digit(*pair.get(1)?)?)).collect()
}

/// A JSON string as bytes, so that lone surrogates and raw invalid UTF-8 get a verdict, too.
#[derive(Debug)]
struct RawText(Vec<u8>);

impl<'de> Deserialize<'de> for RawText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;

        impl Visitor<'_> for Bytes {
            type Value = RawText;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E: de::Error>(self, raw: &[u8]) -> Result<RawText, E> {
                Ok(RawText(raw.to_owned()))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<RawText, E> {
                self.visit_bytes(text.as_bytes())
            }
        }

        deserializer.deserialize_bytes(Bytes)
    }
}
