//! The allowlist behind [`RemoteUrl::parse`], form by form.
//! Border: decides; the words of each refusal are [`UrlRule`]'s.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::{RemoteUrl, Transport, URL_BYTES_MAX, UrlRule};
use crate::base::display::is_unsafe_to_show;
use crate::git::redact::is_token;

/// Longest host name (RFC 1035).
const HOST_BYTES_MAX: usize = 253;

/// How often percent-encoding is undone to look for what it hides; git undoes it once.
const DECODE_ROUNDS_MAX: usize = 4;

/// Names of URL schemes: `https:/typo` and `javascript:x` are no hosts of the `host:path` form.
const SCHEMES: [&str; 19] = [
    "http",
    "https",
    "ssh",
    "git",
    "file",
    "ftp",
    "ftps",
    "ext",
    "fd",
    "git+ssh",
    "ssh+git",
    "rsync",
    "javascript",
    "data",
    "mailto",
    "about",
    "blob",
    "persistent-https",
    "svn",
];

/// Reads the form of the address and checks each part of it.
pub(super) fn parse(text: &str) -> Result<RemoteUrl, UrlRule> {
    check_whole(text)?;
    match text.split_once("://") {
        Some((scheme, rest)) if is_scheme(scheme) => url(text, scheme, rest),
        _ => match text.find([':', '/']) {
            Some(at) if text.as_bytes()[at] == b':' && !is_drive(text) => scp_like(text),
            _ => local(text),
        },
    }
}

/// What holds for every form.
fn check_whole(text: &str) -> Result<(), UrlRule> {
    if text.trim().is_empty() {
        return Err(UrlRule::Empty);
    }
    if text.len() > URL_BYTES_MAX {
        return Err(UrlRule::TooLong);
    }
    if text.chars().any(is_unsafe_to_show) {
        return Err(UrlRule::Control);
    }
    if text.trim() != text || text.chars().any(|c| c.is_whitespace() && c != ' ') {
        return Err(UrlRule::Space);
    }
    if text.starts_with('-') {
        return Err(UrlRule::LeadingDash);
    }
    let before_slash = text.split('/').next().unwrap_or(text);
    if before_slash.contains("::") && !before_slash.contains('[') {
        return Err(UrlRule::Helper);
    }
    Ok(())
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}

/// `C:\repo` and `C:/repo`, paths on Windows.
fn is_drive(text: &str) -> bool {
    cfg!(windows)
        && text.as_bytes().get(1) == Some(&b':')
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// `scheme://[user@]host[:port]/path`.
fn url(text: &str, scheme: &str, rest: &str) -> Result<RemoteUrl, UrlRule> {
    let transport = match scheme {
        "https" => Transport::Https,
        "http" => Transport::LoopbackHttp,
        "ssh" => Transport::Ssh,
        "git" => Transport::Git,
        "file" => Transport::File,
        _ => return Err(UrlRule::Scheme),
    };
    if rest.contains(char::is_whitespace) {
        return Err(UrlRule::Space);
    }
    let decoded = decode(rest)?;
    let at = rest.find('/').ok_or(UrlRule::Path)?;
    let (authority, path) = rest.split_at(at);
    let (user, server) = match authority.rsplit_once('@') {
        Some((user, server)) => (Some(checked_user(user, transport)?), server),
        None => (None, authority),
    };
    if transport == Transport::File {
        // git would read `file://host/share` as a network path.
        let path = decoded.strip_prefix(authority).ok_or(UrlRule::Path)?;
        return match authority {
            "" => build(text, transport, (None, None), checked_path(path, "")?),
            _ => Err(UrlRule::Host),
        };
    }
    let host = checked_server(server)?;
    if transport == Transport::LoopbackHttp && !is_loopback(host) {
        return Err(UrlRule::PlainHttp);
    }
    // A query or fragment can carry a token, and no git host needs one.
    let banned =
        if matches!(transport, Transport::Https | Transport::LoopbackHttp) { "?#" } else { "" };
    let path = checked_path(path, banned)?;
    if path == "/" {
        return Err(UrlRule::Path);
    }
    build(text, transport, (user, Some(host)), path)
}

/// `[user@]host:path`, as scp takes it.
fn scp_like(text: &str) -> Result<RemoteUrl, UrlRule> {
    let (user, rest) = match text.split_once('@') {
        Some((user, rest)) if !user.contains('/') => (Some(user), rest),
        _ => (None, text),
    };
    let (host, path) = match rest.find("]:") {
        Some(at) if rest.starts_with('[') => (&rest[..=at], &rest[at + 2..]),
        _ => rest.split_once(':').ok_or(UrlRule::Path)?,
    };
    if user.is_none() && SCHEMES.contains(&host.to_ascii_lowercase().as_str()) {
        return Err(UrlRule::Scheme);
    }
    let user = user.map(|user| checked_user(user, Transport::Ssh)).transpose()?;
    if user.is_none() && host.len() == 1 {
        return Err(UrlRule::Host); // A drive of Windows on one machine, a host on another.
    }
    let host = checked_host(host)?;
    build(text, Transport::Ssh, (user, Some(host)), checked_path(path, "")?)
}

/// A path on this machine.
fn local(text: &str) -> Result<RemoteUrl, UrlRule> {
    let path = if cfg!(windows) { text } else { checked_path(text, "")? };
    build(text, Transport::Path, (None, None), path)
}

fn build(
    text: &str,
    transport: Transport,
    (user, host): (Option<&str>, Option<&str>),
    path: &str,
) -> Result<RemoteUrl, UrlRule> {
    let owned = |part: Option<&str>| part.map(str::to_owned);
    Ok(RemoteUrl {
        text: text.to_owned(),
        transport,
        user: owned(user),
        host: owned(host),
        path: path.to_owned(),
    })
}

/// A user name: no password behind it, and not a token itself.
fn checked_user(user: &str, transport: Transport) -> Result<&str, UrlRule> {
    let decoded = if transport == Transport::Ssh && !user.contains('%') {
        user.to_owned()
    } else {
        decode(user)?
    };
    if decoded.starts_with('-') {
        return Err(UrlRule::LeadingDash);
    }
    if decoded.contains(':') || is_token(&decoded) {
        return Err(UrlRule::Credential);
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._-+@".contains(c);
    // A second raw `@` would let the host be read in two ways.
    if decoded.is_empty() || !decoded.chars().all(allowed) || user.contains('@') {
        return Err(UrlRule::User);
    }
    Ok(user)
}

/// `host` or `host:port`.
fn checked_server(server: &str) -> Result<&str, UrlRule> {
    let (host, port) = match server.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (server, None),
    };
    let digits = |port: &str| port.bytes().all(|b| b.is_ascii_digit());
    if port.is_some_and(|port| !digits(port) || !port.parse::<u16>().is_ok_and(|port| port > 0)) {
        return Err(UrlRule::Port);
    }
    checked_host(host)
}

/// A name of ASCII letters, digits, `.`, `-`, `_`, or an IPv6 address in brackets.
fn checked_host(host: &str) -> Result<&str, UrlRule> {
    if host.starts_with('-') {
        return Err(UrlRule::LeadingDash);
    }
    if let Some(address) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return address.parse::<Ipv6Addr>().map(|_| host).map_err(|_| UrlRule::Host);
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let labels = host.strip_suffix('.').unwrap_or(host).split('.');
    let is_name = labels.into_iter().all(|label| !label.is_empty() && !label.starts_with('-'));
    if host.is_empty() || host.len() > HOST_BYTES_MAX || !is_name || !host.chars().all(allowed) {
        return Err(UrlRule::Host);
    }
    Ok(host)
}

/// A path that no program reads as an option or in two ways.
fn checked_path<'a>(path: &'a str, banned: &str) -> Result<&'a str, UrlRule> {
    if path.starts_with('-') {
        return Err(UrlRule::LeadingDash);
    }
    if path.is_empty() || path.contains('\\') || path.contains(|c| banned.contains(c)) {
        return Err(UrlRule::Path);
    }
    if path.chars().any(is_unsafe_to_show) {
        return Err(UrlRule::Control);
    }
    Ok(path)
}

/// Whether a host is this machine by name or by address.
fn is_loopback(host: &str) -> bool {
    let v6 = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
        || v6.parse::<Ipv6Addr>().is_ok_and(|address| address.is_loopback())
}

/// Undoes percent-encoding once, and refuses what any number of rounds would bring to light.
fn decode(text: &str) -> Result<String, UrlRule> {
    let once = decode_once(text).ok_or(UrlRule::Percent)?;
    let mut deeper = once.clone();
    for _ in 0..DECODE_ROUNDS_MAX {
        if deeper.chars().any(|c| is_unsafe_to_show(c) || c == char::REPLACEMENT_CHARACTER) {
            return Err(UrlRule::Control);
        }
        match decode_once(&deeper) {
            Some(next) if next != deeper => deeper = next,
            _ => break,
        }
    }
    Ok(once)
}

/// `None` where a percent sign starts no byte. Bytes that are no UTF-8 come out as U+FFFD.
fn decode_once(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        (bytes, rest) = match (first, tail) {
            (b'%', [high, low, tail @ ..]) => {
                let digit = |b: &u8| char::from(*b).to_digit(16);
                bytes.push((digit(high)? * 16 + digit(low)?) as u8);
                (bytes, tail)
            }
            (b'%', _) => return None,
            (byte, tail) => {
                bytes.push(*byte);
                (bytes, tail)
            }
        };
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
