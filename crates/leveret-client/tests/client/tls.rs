//! Servers named `tls://`: Debian's memcached with -Z and certificates of OpenSSL's, and servers that say something else.
use crate::common::{answers, free_port, own_address, Memcached};
use leveret_client::pool::{Code, Operation, Options, Pool, Protocol, Request, TlsOptions};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// A folder with an authority, and what it has signed.
struct Papers(tempfile::TempDir);

impl Papers {
    fn new() -> Papers {
        let papers = Papers(tempfile::tempdir().unwrap());
        papers.authority("ca");
        papers.sign("server", "2", &format!("IP:{}", own_address()));
        papers
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn authority(&self, name: &str) {
        self.make(name, &["-addext", "basicConstraints=critical,CA:TRUE"]);
    }

    fn sign(&self, name: &str, days: &str, names: &str) {
        let (ca, key) = (self.path("ca.pem"), self.path("ca.key"));
        let names = format!("subjectAltName={names}");
        let further = ["-addext", &names, "-addext", "basicConstraints=CA:FALSE", "-days", days];
        self.make(name, &[&["-CA", text(&ca), "-CAkey", text(&key)], &further[..]].concat());
    }

    fn make(&self, name: &str, further: &[&str]) {
        let made = Command::new("openssl")
            .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"])
            .args(["-subj", &format!("/CN={name}"), "-keyout", text(&self.path(&format!("{name}.key")))])
            .args(["-out", text(&self.path(&format!("{name}.pem")))])
            .args(further)
            .stderr(Stdio::null())
            .status();
        assert!(made.expect("openssl is installed").success(), "{name}");
    }

    /// A copy that has expired.
    fn outdate(&self, name: &str, copy: &str) {
        let key = self.path(&format!("{name}.key"));
        // OpenSSL takes no days before today from 3.4 on, and dates from then on only.
        let dates: [&[&str]; 2] =
            [&["-days", "-1"], &["-not_before", "20200101000000Z", "-not_after", "20200102000000Z"]];
        let made = dates.iter().any(|dates| {
            let made = Command::new("openssl")
                .args(["x509", "-in", text(&self.path(&format!("{name}.pem"))), "-signkey", text(&key)])
                .args(["-out", text(&self.path(&format!("{copy}.pem")))])
                .args(*dates)
                .stderr(Stdio::null())
                .status();
            made.expect("openssl is installed").success()
        });
        assert!(made, "{copy}");
        std::fs::copy(key, self.path(&format!("{copy}.key"))).unwrap();
    }

    /// memcached with the papers of `name`.
    fn memcached(&self, name: &str, further: &[&str]) -> Memcached {
        let chain = format!("ssl_chain_cert={}", text(&self.path(&format!("{name}.pem"))));
        let key = format!("ssl_key={}", text(&self.path(&format!("{name}.key"))));
        Memcached::tcp_with(free_port(), &[&["-Z", "-o", &chain, "-o", &key], further].concat())
    }

    fn options(&self) -> TlsOptions {
        TlsOptions { ca_file: Some(self.path("ca.pem")), ..TlsOptions::default() }
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn pool(tls: TlsOptions, ports: &[u16]) -> Pool {
    let mut pool = Pool::new(Options { tls, connect_timeout: Duration::from_secs(20), ..Options::default() });
    for port in ports {
        pool.add_server(&format!("tls://{}", own_address()), *port, 0, 1);
    }
    pool
}

fn set<'a>(key: &'a str, value: &'a [u8]) -> Request<'a> {
    Request { value, ..Request::new(Operation::Set, key.as_bytes()) }
}

fn get(key: &str) -> Request<'_> {
    Request::new(Operation::Get, key.as_bytes())
}

/// A set fails, and the answer says why.
fn refusal(tls: TlsOptions, port: u16) -> String {
    let mut pool = pool(tls, &[port]);
    let (code, why, _) = answers(&mut pool, &[set("a", b"1")]).remove(0);
    assert_eq!(code, Code::ConnectionFailure);
    assert_eq!(answers(&mut pool, &[get("a")])[0].0, Code::ServerTemporarilyDisabled);
    let why = String::from_utf8(why).unwrap();
    let name = format!("tls://{}:{port}: ", own_address());
    why.strip_prefix(&name).unwrap_or_else(|| panic!("{why:?} does not begin with {name:?}")).to_owned()
}

#[test]
fn many_keys_and_long_values_over_several_servers() {
    let papers = Papers::new();
    let servers: Vec<Memcached> = (0..3).map(|_| papers.memcached("server", &[])).collect();
    let plain = Memcached::tcp();
    let ports: Vec<u16> = servers.iter().map(Memcached::port).collect();
    let mut pool = pool(papers.options(), &ports);
    pool.add_server(&plain.host(), plain.port(), 0, 1);
    let keys: Vec<String> = (0..400).map(|number| format!("key{number}")).collect();
    let values: Vec<String> = (0..400).map(|number| "v".repeat(number % 400)).collect();
    // Of more than 16 KiB in one batch memcached 1.6.18 forgets the end, unless something follows.
    for protocol in [Protocol::Text, Protocol::Binary, Protocol::Meta, Protocol::Text] {
        pool.set_options(Options { protocol, ..pool.options().clone() });
        let sets: Vec<Request<'_>> = keys.iter().zip(&values).map(|(key, value)| set(key, value.as_bytes())).collect();
        assert!(answers(&mut pool, &sets).iter().all(|(code, ..)| *code == Code::Success));
        let gets: Vec<Request<'_>> = keys.iter().map(|key| get(key)).collect();
        for (got, value) in answers(&mut pool, &gets).iter().zip(&values) {
            assert_eq!((got.0, got.1.as_slice()), (Code::Success, value.as_bytes()));
        }
    }
    // Longer than a record, and than what TLS keeps of what is unsent.
    let long: Vec<u8> = (0..700_000_u32).map(|number| (number % 251) as u8).collect();
    for key in &keys[..8] {
        assert_eq!(answers(&mut pool, &[set(key, &long)])[0].0, Code::Success);
    }
    let gets: Vec<Request<'_>> = keys[..8].iter().map(|key| get(key)).collect();
    assert!(answers(&mut pool, &gets).iter().all(|(_, value, _)| *value == long));
}

#[test]
fn what_is_wrong_with_a_certificate_is_said() {
    let papers = Papers::new();
    papers.authority("other");
    papers.sign("elsewhere", "2", "DNS:elsewhere.example");
    let server = papers.memcached("server", &[]);
    let other = TlsOptions { ca_file: Some(papers.path("other.pem")), ..TlsOptions::default() };
    assert_eq!(refusal(other.clone(), server.port()), "its certificate is not from an authority of the CA file");
    let unverified = TlsOptions { verify: false, ..other };
    assert_eq!(answers(&mut pool(unverified, &[server.port()]), &[set("a", b"1")])[0].0, Code::Success);

    // One that is in the list itself is believed, also where it could sign others, as OpenSSL's users make them; not for
    // another name, and not too late.
    papers.make("own", &["-addext", &format!("subjectAltName=IP:{}", own_address())]);
    papers.make("strange", &["-addext", "subjectAltName=DNS:strange.example"]);
    papers.make("nameless", &[]);
    papers.outdate("own", "past");
    for (name, told) in [
        ("own", None),
        ("past", Some("its certificate has expired")),
        ("strange", Some("its certificate is for another name")),
        ("nameless", Some("its certificate names no host: it takes a subjectAltName")),
    ] {
        let server = papers.memcached(name, &[]);
        assert_ne!(refusal(papers.options(), server.port()), "", "{name}");
        let own = TlsOptions { ca_file: Some(papers.path(&format!("{name}.pem"))), ..TlsOptions::default() };
        match told {
            Some(told) => assert_eq!(refusal(own, server.port()), told),
            None => assert_eq!(answers(&mut pool(own, &[server.port()]), &[set("a", b"1")])[0].0, Code::Success),
        }
    }

    let server = papers.memcached("elsewhere", &[]);
    assert_eq!(refusal(papers.options(), server.port()), "its certificate is for another name");
    let named = TlsOptions { peer_name: Some("elsewhere.example".to_owned()), ..papers.options() };
    assert_eq!(answers(&mut pool(named, &[server.port()]), &[set("a", b"1")])[0].0, Code::Success);
}

#[test]
fn who_asks_for_a_certificate_is_shown_one() {
    let papers = Papers::new();
    papers.sign("client", "2", "DNS:client");
    let ca = format!("ssl_ca_cert={}", text(&papers.path("ca.pem")));
    let server = papers.memcached("server", &["-o", "ssl_verify_mode=2", "-o", &ca]);
    let shown = TlsOptions {
        certificate: Some(papers.path("client.pem")),
        key: Some(papers.path("client.key")),
        ..papers.options()
    };
    assert_eq!(answers(&mut pool(shown.clone(), &[server.port()]), &[set("a", b"1")])[0].0, Code::Success);
    assert_ne!(answers(&mut pool(papers.options(), &[server.port()]), &[set("a", b"1")])[0].0, Code::Success);
    let mixed = TlsOptions { key: Some(papers.path("server.key")), ..shown };
    assert!(refusal(mixed, server.port()).contains("server.key: this key does not belong to the certificate"));
}

#[test]
fn files_that_do_not_do_are_named() {
    let papers = Papers::new();
    let server = papers.memcached("server", &[]);
    let absent = TlsOptions { ca_file: Some("/nowhere/ca.pem".into()), ..TlsOptions::default() };
    assert!(refusal(absent, server.port()).starts_with("/nowhere/ca.pem: "));
    let key = TlsOptions { ca_file: Some(papers.path("ca.key")), ..TlsOptions::default() };
    assert!(refusal(key, server.port()).ends_with("ca.key: no certificate in it (PEM: BEGIN CERTIFICATE)"));
    let swapped = TlsOptions { certificate: Some(papers.path("ca.pem")), ..papers.options() };
    assert!(refusal(swapped, server.port()).contains("ca.pem: no private key in it"));
}

#[test]
fn a_server_without_tls_is_told_apart() {
    let plain = Memcached::tcp();
    let tls = TlsOptions { verify: false, ..TlsOptions::default() };
    assert_eq!(refusal(tls, plain.port()), "it speaks without TLS there");
}

/// Others are served while one does not get on with its handshake, and that one is given up in the time of a connect.
#[test]
fn a_handshake_that_never_ends_holds_nobody_up() {
    let papers = Papers::new();
    let server = papers.memcached("server", &[]);
    let listener = TcpListener::bind((own_address(), 0)).unwrap();
    let silent = listener.local_addr().unwrap().port();
    let mut pool = pool(papers.options(), &[server.port(), silent]);
    pool.set_options(Options { connect_timeout: Duration::from_millis(500), ..pool.options().clone() });
    let keys: Vec<String> = (0..20).map(|number| format!("key{number}")).collect();
    let sets: Vec<Request<'_>> = keys.iter().map(|key| set(key, b"1")).collect();
    let answers = answers(&mut pool, &sets);
    let given_up: Vec<_> = answers.iter().filter(|(code, ..)| *code == Code::Timeout).collect();
    assert!(!given_up.is_empty() && given_up.len() < answers.len());
    assert!(given_up.iter().all(|(_, why, _)| why.ends_with(b"the TLS handshake was not finished")));
    assert!(answers.iter().all(|(code, ..)| matches!(code, Code::Success | Code::Timeout)));
}

/// Bytes of no record, and an end in the middle of one.
#[test]
fn nonsense_in_a_handshake_is_refused() {
    for said in [&b"\x16\x03\x03\xff\xff"[..], b"\x15\x03\x03\x00\x02\x02\x28", b"\x00", b""] {
        let listener = TcpListener::bind((own_address(), 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut hello = [0; 16];
            stream.read_exact(&mut hello).unwrap();
            stream.write_all(said).unwrap();
        });
        assert!(!refusal(TlsOptions { verify: false, ..TlsOptions::default() }, port).is_empty());
        server.join().unwrap();
    }
}
