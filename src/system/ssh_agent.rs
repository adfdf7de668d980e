//! A client of ssh-agent: which ed25519 keys it holds, and a signature by one of them.
//! Border: the agent protocol (draft-miller-ssh-agent) over its Unix socket, bounded and timed.
//! The agent never gives a key away; on systems without Unix sockets there is no agent.

use std::path::{Path, PathBuf};

use crate::base::display::Escaped;
use crate::trust::key::PublicKey;
use crate::trust::signature::{SignError, Signer};
use crate::trust::wire::{put_string, take_string, take_u32};

/// Most bytes of one reply, as OpenSSH limits itself.
const REPLY_BYTES_MAX: usize = 256 * 1_024;
/// Most keys that are looked at.
const KEYS_MAX: u32 = 2_048;
/// Seconds to wait for a list of keys.
const LIST_SECONDS_MAX: u64 = 5;
/// Seconds to wait for a signature: a person may have to confirm it.
const SIGN_SECONDS_MAX: u64 = 60;

const FAILURE: u8 = 5;
const REQUEST_IDENTITIES: u8 = 11;
const IDENTITIES_ANSWER: u8 = 12;
const SIGN_REQUEST: u8 = 13;
const SIGN_RESPONSE: u8 = 14;

/// Why the agent was of no use.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// The socket cannot be reached or stays silent.
    #[error("cannot talk to the ssh-agent at `{}`", Escaped(&.socket.to_string_lossy()))]
    Io {
        /// The socket.
        socket: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The agent said no, or the person did.
    #[error("the ssh-agent refused")]
    Refused,
    /// The agent does not hold the key.
    #[error("the ssh-agent does not hold the key {0:?}")]
    NoKey(PublicKey),
    /// The reply is not what the protocol says.
    #[error("the ssh-agent gave an answer that cannot be read")]
    Reply,
}

/// One key inside an agent; signs through it.
#[derive(Clone, Debug)]
pub struct AgentKey {
    socket: PathBuf,
    key: PublicKey,
}

impl AgentKey {
    /// Asks the agent at `socket` (`SSH_AUTH_SOCK`) for this key.
    pub fn find(socket: &Path, key: PublicKey) -> Result<Self, AgentError> {
        if list(socket)?.contains(&key) {
            return Ok(Self { socket: socket.to_owned(), key });
        }
        Err(AgentError::NoKey(key))
    }

    fn request_signature(&self, bytes: &[u8]) -> Result<[u8; 64], AgentError> {
        let mut request = vec![SIGN_REQUEST];
        put_string(&mut request, &self.key.to_blob());
        put_string(&mut request, bytes);
        request.extend_from_slice(&0_u32.to_be_bytes());
        let reply = ask(&self.socket, &request, SIGN_SECONDS_MAX)?;
        let mut rest = body(&reply, SIGN_RESPONSE)?;
        let mut pair =
            take_string(&mut rest).filter(|_| rest.is_empty()).ok_or(AgentError::Reply)?;
        let algorithm = take_string(&mut pair);
        let raw = take_string(&mut pair).filter(|_| pair.is_empty());
        match (algorithm, raw) {
            (Some(b"ssh-ed25519"), Some(raw)) => raw.try_into().map_err(|_| AgentError::Reply),
            _ => Err(AgentError::Reply),
        }
    }
}

impl Signer for AgentKey {
    fn public_key(&self) -> PublicKey {
        self.key
    }

    fn sign_bytes(&self, bytes: &[u8]) -> Result<[u8; 64], SignError> {
        let failed = |error| SignError::Agent { key: self.key, source: Box::new(error) };
        self.request_signature(bytes).map_err(failed)
    }
}

/// The ed25519 keys an agent holds; other types are passed over.
pub fn list(socket: &Path) -> Result<Vec<PublicKey>, AgentError> {
    let reply = ask(socket, &[REQUEST_IDENTITIES], LIST_SECONDS_MAX)?;
    let mut rest = body(&reply, IDENTITIES_ANSWER)?;
    let count = take_u32(&mut rest).filter(|count| *count <= KEYS_MAX).ok_or(AgentError::Reply)?;
    let mut keys = Vec::new();
    for _ in 0..count {
        let blob = take_string(&mut rest).ok_or(AgentError::Reply)?;
        take_string(&mut rest).ok_or(AgentError::Reply)?;
        keys.extend(PublicKey::from_blob(blob).and_then(|raw| PublicKey::from_bytes(raw).ok()));
    }
    Ok(keys)
}

/// The body of a reply of the expected type.
fn body(reply: &[u8], expected: u8) -> Result<&[u8], AgentError> {
    match reply.split_first() {
        Some((kind, rest)) if *kind == expected => Ok(rest),
        Some((&FAILURE, _)) => Err(AgentError::Refused),
        _ => Err(AgentError::Reply),
    }
}

/// Sends one request and reads one reply, all of it within `seconds`.
#[cfg(unix)]
fn ask(socket: &Path, request: &[u8], seconds: u64) -> Result<Vec<u8>, AgentError> {
    use std::io::{Error, ErrorKind, Read as _, Write as _};
    use std::os::unix::net::UnixStream;
    use std::time::{Duration, Instant};

    let io = |source| AgentError::Io { socket: socket.to_owned(), source };
    let deadline = Instant::now() + Duration::from_secs(seconds);
    let left = || {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(Error::from(ErrorKind::TimedOut)) } else { Ok(Some(left)) }
    };
    let mut stream = UnixStream::connect(socket).map_err(io)?;
    let mut framed = Vec::with_capacity(request.len() + 4);
    put_string(&mut framed, request);
    stream.set_write_timeout(left().map_err(io)?).map_err(io)?;
    stream.write_all(&framed).map_err(io)?;
    // Each read gets only the time that is left, so that a slow trickle ends, too.
    let mut read = |buffer: &mut [u8]| -> Result<(), Error> {
        let mut filled = 0;
        while filled < buffer.len() {
            stream.set_read_timeout(left()?)?;
            match stream.read(&mut buffer[filled..]) {
                Ok(0) => return Err(Error::from(ErrorKind::UnexpectedEof)),
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    };
    let mut len = [0; 4];
    read(&mut len).map_err(io)?;
    let len = u32::from_be_bytes(len) as usize;
    if len == 0 || len > REPLY_BYTES_MAX {
        return Err(AgentError::Reply);
    }
    let mut reply = vec![0; len];
    read(&mut reply).map_err(io)?;
    Ok(reply)
}

#[cfg(not(unix))]
fn ask(socket: &Path, _: &[u8], _: u64) -> Result<Vec<u8>, AgentError> {
    let source = std::io::Error::from(std::io::ErrorKind::Unsupported);
    Err(AgentError::Io { socket: socket.to_owned(), source })
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::os::unix::net::UnixListener;
    use std::time::{Duration, Instant};

    use super::*;

    /// Answers one request with these raw bytes and keeps the line open.
    fn answering(reply: Vec<u8>) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("agent");
        let listener = UnixListener::bind(&socket).unwrap();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 5];
            stream.read_exact(&mut request).unwrap();
            stream.write_all(&reply).unwrap();
            std::thread::sleep(Duration::from_secs(20));
        });
        (folder, socket)
    }

    #[test]
    fn hostile_answers_are_refused_without_a_large_allocation() {
        let framed = |body: &[u8]| [&(body.len() as u32).to_be_bytes(), body].concat();
        for reply in [
            vec![0xff; 4],
            vec![0; 4],
            framed(&[IDENTITIES_ANSWER]),
            framed(&[IDENTITIES_ANSWER, 0xff, 0xff, 0xff, 0xff]),
            framed(&[IDENTITIES_ANSWER, 0, 0, 0, 1, 0, 0, 0, 9, 1]),
            framed(&[99]),
        ] {
            let (_folder, socket) = answering(reply.clone());
            assert!(matches!(list(&socket), Err(AgentError::Reply)), "{reply:?}");
        }
        let (_folder, socket) = answering(framed(&[FAILURE]));
        assert!(matches!(list(&socket), Err(AgentError::Refused)));
    }

    #[test]
    fn a_silent_agent_is_given_up() {
        let (_folder, socket) = answering(Vec::new());
        let start = Instant::now();
        assert!(matches!(ask(&socket, &[REQUEST_IDENTITIES], 1), Err(AgentError::Io { .. })));
        assert!(start.elapsed() < Duration::from_secs(15));
        assert!(matches!(list(Path::new("/nowhere/agent")), Err(AgentError::Io { .. })));
    }
}
