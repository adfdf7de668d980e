//! The table of addresses: what is accepted, and which rule refuses the rest.

use std::path::Path;

use super::{RemoteUrl, Transport, URL_BYTES_MAX, UrlRule};

#[test]
fn addresses_that_teams_use_are_accepted() {
    for (text, transport, host) in [
        ("https://github.com/team/memory.git", Transport::Https, Some("github.com")),
        ("https://user@host.example:8443/team/memory", Transport::Https, Some("host.example")),
        ("https://user%40corp.example@host.example/x", Transport::Https, Some("host.example")),
        (
            "https://org@dev.azure.com/org/My%20Project/_git/x",
            Transport::Https,
            Some("dev.azure.com"),
        ),
        ("https://[2001:db8::1]:8443/x.git", Transport::Https, Some("[2001:db8::1]")),
        ("https://xn--bcher-kva.example/x.git", Transport::Https, Some("xn--bcher-kva.example")),
        ("http://127.0.0.1:8080/x.git", Transport::LoopbackHttp, Some("127.0.0.1")),
        ("http://localhost/x.git", Transport::LoopbackHttp, Some("localhost")),
        ("http://[::1]:3000/x.git", Transport::LoopbackHttp, Some("[::1]")),
        ("ssh://git@host.example:2222/team/memory.git", Transport::Ssh, Some("host.example")),
        ("ssh://host.example/~alice/memory.git", Transport::Ssh, Some("host.example")),
        ("git@github.com:team/memory.git", Transport::Ssh, Some("github.com")),
        ("my_alias:memory.git", Transport::Ssh, Some("my_alias")),
        ("alice@[::1]:/srv/git/memory.git", Transport::Ssh, Some("[::1]")),
        ("host.example:~/my memory.git", Transport::Ssh, Some("host.example")),
        ("git://host.example/x.git", Transport::Git, Some("host.example")),
        ("file:///srv/git/memory.git", Transport::File, None),
        ("/srv/git/my memory.git", Transport::Path, None),
        ("./hub.git", Transport::Path, None),
        ("../hub.git", Transport::Path, None),
        ("hub.git", Transport::Path, None),
        ("/srv/odd:name/100%/x.git", Transport::Path, None),
        ("./部署/hub.git", Transport::Path, None),
    ] {
        let url = RemoteUrl::parse(text).unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!((url.transport(), url.host(), url.as_str()), (transport, host, text));
    }
}

/// Addresses and the rule that names their fault.
const HOSTILE: &[(&str, UrlRule)] = &[
    ("", UrlRule::Empty),
    ("  \n", UrlRule::Empty),
    // Options in disguise.
    ("--upload-pack=touch /tmp/x", UrlRule::LeadingDash),
    ("-oProxyCommand=touch x:repo", UrlRule::LeadingDash),
    ("-u./x", UrlRule::LeadingDash),
    ("ssh://-oProxyCommand=x/repo", UrlRule::LeadingDash),
    ("ssh://user@-host/repo", UrlRule::LeadingDash),
    ("ssh://-user@host/repo", UrlRule::LeadingDash),
    ("ssh://%2doProxyCommand=x@host/repo", UrlRule::LeadingDash),
    ("user@-host:repo", UrlRule::LeadingDash),
    ("-user@host:repo", UrlRule::LeadingDash),
    ("host:-repo", UrlRule::LeadingDash),
    ("host:--upload-pack=x", UrlRule::LeadingDash),
    ("git://-host/x", UrlRule::LeadingDash),
    ("https://-host/x", UrlRule::LeadingDash),
    ("https://host.-x/x", UrlRule::Host),
    // Remote helpers and other schemes.
    ("ext::sh -c 'touch x'", UrlRule::Helper),
    ("fd::17", UrlRule::Helper),
    ("fd::17/x", UrlRule::Helper),
    ("foo::https://host/x", UrlRule::Helper),
    ("::https://host/x", UrlRule::Helper),
    ("https::host/x", UrlRule::Helper),
    ("javascript:alert(1)", UrlRule::Scheme),
    ("data:text/plain,x", UrlRule::Scheme),
    ("https:/host/x", UrlRule::Scheme),
    ("HTTPS:host/x", UrlRule::Scheme),
    ("HTTPS://host/x", UrlRule::Scheme),
    ("ftp://host/x", UrlRule::Scheme),
    ("ext://host/x", UrlRule::Scheme),
    ("git+ssh://host/x", UrlRule::Scheme),
    ("http+unix://host/x", UrlRule::Scheme),
    ("http://host.example/x", UrlRule::PlainHttp),
    ("http://127.0.0.1.evil.example/x", UrlRule::PlainHttp),
    ("http://localhost.evil.example/x", UrlRule::PlainHttp),
    ("http://2130706433/x", UrlRule::PlainHttp),
    // Passwords and tokens.
    ("https://user:secret@host/x", UrlRule::Credential),
    ("https://user:@host/x", UrlRule::Credential),
    ("https://:secret@host/x", UrlRule::Credential),
    ("https://user%3Asecret@host/x", UrlRule::Credential),
    ("ssh://user:secret@host/x", UrlRule::Credential),
    ("user:secret@host:x", UrlRule::Credential),
    ("https://host/x?access_token=1", UrlRule::Path),
    ("https://host/x#frag", UrlRule::Path),
    // Control characters, as they are and encoded.
    ("https://host/x\nhost=evil", UrlRule::Control),
    ("https://host/x\r", UrlRule::Control),
    ("https://host/x\0", UrlRule::Control),
    ("https://host/x\x1b[2J", UrlRule::Control),
    ("https://host/\u{202E}x", UrlRule::Control),
    ("https://host/\u{200B}x", UrlRule::Control),
    ("/srv/a\nb", UrlRule::Control),
    ("https://host/%0ahost=evil", UrlRule::Control),
    ("https://host%0d.example/x", UrlRule::Control),
    ("https://%0a@host/x", UrlRule::Control),
    ("https://host/%00", UrlRule::Control),
    ("https://host/%7f", UrlRule::Control),
    ("https://host/%250a", UrlRule::Control),
    ("https://host/%25250d", UrlRule::Control),
    ("https://host/%E2%80%AE", UrlRule::Control),
    ("https://host/%ff", UrlRule::Control),
    ("https://host/%zz", UrlRule::Percent),
    ("https://host/100%", UrlRule::Percent),
    // White space.
    (" https://host/x", UrlRule::Space),
    ("https://host/x ", UrlRule::Space),
    ("https://host/a b", UrlRule::Space),
    ("https://ho st/x", UrlRule::Space),
    ("host:a\u{3000}b", UrlRule::Space),
    // Hosts.
    ("https:///x", UrlRule::Host),
    ("https://user@/x", UrlRule::Host),
    ("ssh:///x", UrlRule::Host),
    ("file://host/x", UrlRule::Host),
    ("file://localhost/x", UrlRule::Host),
    ("https://h%41st/x", UrlRule::Host),
    ("https://höst/x", UrlRule::Host),
    ("https://host..example/x", UrlRule::Host),
    ("https://.host/x", UrlRule::Host),
    ("https://ho$(x)st/x", UrlRule::Host),
    ("https://host;x/x", UrlRule::Host),
    ("https://[::1/x", UrlRule::Host),
    ("https://[fe80::1%25eth0]/x", UrlRule::Host),
    ("https://[host]/x", UrlRule::Host),
    ("[host:22]:x", UrlRule::Host),
    ("C:\\repo", UrlRule::Host),
    ("c:/repo", UrlRule::Host),
    (":repo", UrlRule::Host),
    // Users and ports.
    ("https://a@b@host/x", UrlRule::User),
    ("https://@host/x", UrlRule::User),
    ("ssh://us$er@host/x", UrlRule::User),
    ("us er@host:x", UrlRule::User),
    ("ssh://host:0/x", UrlRule::Port),
    ("ssh://host:65536/x", UrlRule::Port),
    ("ssh://host:+22/x", UrlRule::Port),
    ("ssh://host:/x", UrlRule::Port),
    ("ssh://host:22:33/x", UrlRule::Host),
    ("https://host:x/x", UrlRule::Port),
    // Paths.
    ("https://host", UrlRule::Path),
    ("https://host/", UrlRule::Path),
    ("ssh://host", UrlRule::Path),
    ("host:", UrlRule::Path),
    ("ssh://host/a\\b", UrlRule::Path),
    ("file://", UrlRule::Path),
    ("\\\\server\\share", UrlRule::Path),
];

#[test]
fn hostile_addresses_are_refused_by_the_rule_that_names_their_fault() {
    let token = format!("https://ghp_{}@host/x", "a1B2".repeat(9));
    let long = format!("https://host/{}", "a".repeat(URL_BYTES_MAX));
    let made = [(token.as_str(), UrlRule::Credential), (long.as_str(), UrlRule::TooLong)];
    for (text, rule) in HOSTILE.iter().copied().chain(made) {
        match RemoteUrl::parse(text) {
            Err(problem) => assert_eq!(problem.rule, rule, "{text}"),
            Ok(url) => panic!("{text} was accepted as {:?}", url.transport()),
        }
    }
}

#[test]
fn a_refused_address_is_shown_without_its_secret_and_without_escapes() {
    let problem = RemoteUrl::parse("https://bob:hunter22@host/x\x1b[2J").unwrap_err();
    assert_eq!(
        problem.to_string(),
        "remote address `https://***@host/x\\u{1b}[2J` is not allowed: it holds a control or invisible character"
    );
    let scp = RemoteUrl::parse("bob:hunter22@host:x").unwrap_err().to_string();
    assert!(!scp.contains("hunter22"), "{scp}");
}

#[test]
fn relative_paths_become_absolute_below_the_folder() {
    for (text, absolute) in [
        ("../hub.git", "/home/a/hub.git"),
        ("./x/./y", "/home/a/b/x/y"),
        ("hub.git", "/home/a/b/hub.git"),
        ("/srv/x", "/srv/x"),
        ("host:x", "host:x"),
    ] {
        let url = RemoteUrl::parse(text).unwrap();
        assert_eq!(url.is_relative(), !text.starts_with('/') && !text.starts_with("host"));
        assert_eq!(url.resolved(Path::new("/home/a/b")).unwrap().as_str(), absolute);
    }
}

#[test]
fn a_file_address_names_its_decoded_path() {
    let url = RemoteUrl::parse("file:///srv/my%20hub.git").unwrap();
    assert_eq!(url.local_path(), Some(Path::new("/srv/my hub.git")));
    assert_eq!(RemoteUrl::parse("ssh://host/x").unwrap().local_path(), None);
}

#[test]
fn arbitrary_text_never_panics_and_what_passes_parses_again() {
    proptest::proptest!(|(text in "(https://|ssh://|file://|[a-z@:/%.\\[\\]-]{0,8})\\PC{0,30}")| {
        if let Ok(url) = RemoteUrl::parse(&text) {
            let again = RemoteUrl::parse(url.as_str());
            proptest::prop_assert_eq!(again.as_ref(), Ok(&url));
            proptest::prop_assert!(!url.as_str().starts_with('-'));
        }
    });
}
