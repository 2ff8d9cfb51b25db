//! TLS, with OpenSSL's client and tools as the counterpart, and with bytes cut at random places.
mod serving;
use leveret_server::settings::{Listen, Security, TlsSettings};
use leveret_server::{ServeError, Settings, Shared, StartError};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::CertificateDer;
use serving::{Client, Server};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A folder with an authority, and what it has signed.
struct Papers(tempfile::TempDir);

impl Papers {
    fn new() -> Papers {
        let papers = Papers(tempfile::tempdir().expect("a folder"));
        papers.make("ca", &["-addext", "basicConstraints=critical,CA:TRUE"]);
        papers.sign("server");
        papers
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A certificate for localhost, and its key.
    fn sign(&self, name: &str) {
        let (ca, key) = (self.path("ca.pem"), self.path("ca.key"));
        let further = ["-CA", text(&ca), "-CAkey", text(&key)];
        let names = ["-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=CA:FALSE"];
        self.make(name, &[&further[..], &names].concat());
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

    fn settings(&self) -> TlsSettings {
        TlsSettings {
            chain_cert: self.path("server.pem"),
            key: Some(self.path("server.key")),
            ..TlsSettings::default()
        }
    }

    /// On the first address it is a plain one, by which the test ends the server; the other has TLS.
    fn serve(&self, tls: TlsSettings, further: Settings) -> (Server, SocketAddr) {
        let listen = vec![listen("127.0.0.1", Security::Plain), listen("127.0.0.2", Security::Standard)];
        let server = Server::start(Settings { listen, tls: Some(tls), threads: 2, ..further });
        let address = tls_address(&server, "127.0.0.2");
        (server, address)
    }

    /// Options of OpenSSL's client with which it shows this certificate.
    fn shown(&self, name: &str) -> [String; 4] {
        let file = |end: &str| text(&self.path(&format!("{name}.{end}"))).to_owned();
        ["-cert".to_owned(), file("pem"), "-key".to_owned(), file("key")]
    }

    /// OpenSSL's client.
    fn openssl(&self, address: SocketAddr, further: &[&str]) -> Client<OpenSsl> {
        let child = Command::new("openssl")
            .args(["s_client", "-quiet", "-servername", "localhost", "-verify_hostname", "localhost"])
            .args(["-verify_return_error", "-CAfile", text(&self.path("ca.pem")), "-connect", &address.to_string()])
            .args(further)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        Client { stream: OpenSsl(child.expect("openssl is installed")) }
    }

    fn rustls(&self, address: SocketAddr) -> Client<StreamOwned<ClientConnection, TcpStream>> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(self.path("ca.pem")).expect("a certificate")).expect("an authority");
        let config = ClientConfig::builder_with_provider(rustls::crypto::ring::default_provider().into())
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_root_certificates(roots)
            .with_no_client_auth();
        let connection =
            ClientConnection::new(config.into(), "localhost".try_into().expect("a name")).expect("a client");
        Client { stream: StreamOwned::new(connection, Client::tcp(address).stream) }
    }
}

fn listen(host: &str, security: Security) -> Listen {
    Listen { host: host.to_owned(), port: Some(0), security }
}

/// Where the server speaks TLS on this address.
fn tls_address(server: &Server, host: &str) -> SocketAddr {
    let address = |endpoint: &String| {
        let endpoint = endpoint.strip_prefix("guarded ").unwrap_or(endpoint);
        endpoint.strip_prefix("tls ")?.split(' ').next()?.parse().ok()
    };
    let mut addresses = server.endpoints.iter().filter_map(address);
    addresses.find(|address: &SocketAddr| address.ip().to_string() == host).expect("an address with TLS")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of text")
}

struct OpenSsl(Child);

impl Read for OpenSsl {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.0.stdout.as_mut().expect("a pipe").read(room)
    }
}

impl Write for OpenSsl {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.stdin.as_mut().expect("a pipe").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.stdin.as_mut().expect("a pipe").flush()
    }
}

impl Drop for OpenSsl {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A watcher through TLS is told the same lines as one without, all of them, and may go.
#[test]
fn openssl_watches() {
    const STORES: usize = 1500;
    let papers = Papers::new();
    let (server, address) = papers.serve(papers.settings(), Settings::default());
    let mut through_tls = papers.openssl(address, &[]);
    through_tls.talk("watch mutations\r\n", "OK\r\n");
    let mut plain = server.connect();
    plain.talk("watch mutations\r\n", "OK\r\n");
    let mut client = papers.rustls(address);
    for round in 0..STORES / 100 {
        let batch: String = (0..100).map(|number| format!("set k{round}.{number} 0 0 1 noreply\r\nx\r\n")).collect();
        client.talk(&(batch + "mn\r\n"), "MN\r\n");
    }
    client.talk("set the.end 0 0 2\r\nxy\r\n", "STORED\r\n");
    let told = through_tls.read_up_to(b" size=2\n");
    assert_eq!(told.lines().count(), STORES + 1);
    assert_eq!(told, plain.read_up_to(b" size=2\n"));
    through_tls.send(b"quit\r\n");
    assert_eq!(through_tls.read_to_end(), b"");
    client.talk("get the.end\r\n", "VALUE the.end 0 2\r\nxy\r\nEND\r\n");
}

#[test]
fn openssl_speaks_with_the_server_in_both_versions() {
    let papers = Papers::new();
    let (server, address) = papers.serve(TlsSettings { session_cache: true, ..papers.settings() }, Settings::default());
    let value = "v".repeat(700_000);
    for version in ["-tls1_2", "-tls1_3"] {
        let mut client = papers.openssl(address, &[version]);
        client.talk("set a 5 0 3\r\nabc\r\n", "STORED\r\n");
        client.talk("get a\r\n", "VALUE a 5 3\r\nabc\r\nEND\r\n");
        client.talk(&format!("set large 0 0 700000\r\n{value}\r\n"), "STORED\r\n");
        client.talk("get large\r\n", &format!("VALUE large 0 700000\r\n{value}\r\nEND\r\n"));
    }
    // The same cache, without TLS.
    server
        .connect()
        .talk("get large a\r\n", &format!("VALUE large 0 700000\r\n{value}\r\nVALUE a 5 3\r\nabc\r\nEND\r\n"));
    let mut stats = server.connect();
    stats.send(b"stats\r\nstats settings\r\nquit\r\n");
    let stats = String::from_utf8(stats.read_to_end()).expect("text");
    for line in [
        "ssl_new_sessions 2",
        "ssl_handshake_errors 0",
        "ssl_enabled yes",
        "ssl_session_cache yes",
        "ssl_min_version tlsv1.2",
    ] {
        assert!(stats.contains(&format!("STAT {line}\r\n")), "{line} in {stats}");
    }
}

#[test]
fn a_minimum_version_and_a_list_of_ciphers_are_kept_to() {
    let papers = Papers::new();
    let ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256".to_owned();
    let (_few, few) = papers.serve(TlsSettings { ciphers: Some(ciphers), ..papers.settings() }, Settings::default());
    let (_new, new) = papers.serve(TlsSettings { is_min_tls13: true, ..papers.settings() }, Settings::default());
    papers.openssl(few, &["-tls1_2"]).talk("mn\r\n", "MN\r\n");
    papers.openssl(few, &["-tls1_3"]).talk("mn\r\n", "MN\r\n");
    papers.openssl(new, &["-tls1_3"]).talk("mn\r\n", "MN\r\n");
    for (address, refused) in [(few, &["-tls1_2", "-cipher", "ECDHE-ECDSA-AES256-GCM-SHA384"][..]), (new, &["-tls1_2"])]
    {
        assert_eq!(papers.openssl(address, refused).read_to_end(), b"", "{refused:?}");
    }
}

#[test]
fn clients_show_the_certificates_that_the_verify_mode_asks_for() {
    let (papers, others) = (Papers::new(), Papers::new());
    papers.sign("client");
    others.sign("client");
    let of = |papers: &Papers| (papers.path("client.pem"), papers.path("client.key"));
    let (ours, theirs) = (of(&papers), of(&others));
    for verify_mode in [1, 2, 3] {
        let tls = TlsSettings { verify_mode, ca_cert: Some(papers.path("ca.pem")), ..papers.settings() };
        let (_server, address) = papers.serve(tls, Settings::default());
        papers.openssl(address, &["-cert", text(&ours.0), "-key", text(&ours.1)]).talk("mn\r\n", "MN\r\n");
        let mut stranger = papers.openssl(address, &["-cert", text(&theirs.0), "-key", text(&theirs.1)]);
        assert_eq!(stranger.read_to_end(), b"");
        let mut nobody = papers.openssl(address, &[]);
        if verify_mode == 1 {
            nobody.talk("mn\r\n", "MN\r\n");
        } else {
            assert_eq!(nobody.read_to_end(), b"");
        }
    }
}

/// Listeners of each security in one server, in whichever order they are named and whatever `ssl_verify_mode` says.
#[test]
fn each_listener_asks_for_the_certificates_that_its_prefix_says() {
    let (papers, others) = (Papers::new(), Papers::new());
    papers.sign("client");
    others.sign("client");
    let named = [
        ("127.0.0.1", Security::Plain),
        ("127.0.0.2", Security::Basic),
        ("127.0.0.3", Security::Standard),
        ("127.0.0.4", Security::Mutual),
    ];
    for (turn, verify_mode) in [(0, 0), (1, 1), (2, 2), (3, 3), (0, 2)] {
        let mut listen: Vec<Listen> = named.iter().map(|(host, security)| self::listen(host, *security)).collect();
        listen.rotate_left(turn);
        if turn % 2 == 1 {
            listen.reverse();
        }
        let tls = TlsSettings { verify_mode, ca_cert: Some(papers.path("ca.pem")), ..papers.settings() };
        let server = Server::start(Settings { listen, tls: Some(tls), threads: 2, ..Settings::default() });
        server.connect().talk("mn\r\n", "MN\r\n");
        for (host, security) in &named[1..] {
            let address = tls_address(&server, host);
            let level = match security {
                Security::Basic => 0,
                Security::Mutual => 2,
                _ => verify_mode,
            };
            for version in ["-tls1_2", "-tls1_3"] {
                let talks = |shown: &[String]| {
                    let options: Vec<&str> = [version].into_iter().chain(shown.iter().map(String::as_str)).collect();
                    let mut client = papers.openssl(address, &options);
                    let _ = client.stream.write_all(b"mn\r\nquit\r\n");
                    match &client.read_to_end()[..] {
                        b"MN\r\n" => true,
                        b"" => false,
                        other => panic!("{}", other.escape_ascii()),
                    }
                };
                let context = format!("{host} {version} {verify_mode}");
                assert!(talks(&papers.shown("client")), "{context}: signed by the authority");
                assert_eq!(talks(&others.shown("client")), level == 0, "{context}: signed by another one");
                assert_eq!(talks(&[]), level < 2, "{context}: no certificate");
            }
        }
    }
}

/// A session that began without a certificate is no way past a listener that asks for one.
#[test]
fn a_session_of_one_listener_is_not_resumed_at_a_stricter_one() {
    let papers = Papers::new();
    let listen = [("127.0.0.1", Security::Plain), ("127.0.0.2", Security::Standard), ("127.0.0.3", Security::Mutual)];
    let tls = TlsSettings { session_cache: true, ca_cert: Some(papers.path("ca.pem")), ..papers.settings() };
    let listen = listen.map(|(host, security)| self::listen(host, security)).to_vec();
    let server = Server::start(Settings { listen, tls: Some(tls), threads: 2, ..Settings::default() });
    let [open, strict] = ["127.0.0.2", "127.0.0.3"].map(|host| tls_address(&server, host));
    for version in ["-tls1_2", "-tls1_3"] {
        let session = papers.path(version);
        let mut first = papers.openssl(open, &[version, "-sess_out", text(&session)]);
        first.talk("mn\r\n", "MN\r\n");
        first.send(b"quit\r\n");
        assert_eq!(first.read_to_end(), b"");
        let resumed = [version, "-sess_in", text(&session)];
        papers.openssl(open, &resumed).talk("mn\r\n", "MN\r\n");
        assert_eq!(papers.openssl(strict, &resumed).read_to_end(), b"", "{version}");
    }
}

/// Authorities of a listener that asks for certificates are read again, and cannot be taken away while it listens.
#[test]
fn authorities_change_while_the_server_runs_but_stay_while_they_are_needed() {
    let (papers, others) = (Papers::new(), Papers::new());
    papers.sign("client");
    others.sign("client");
    for has_mutual in [true, false] {
        let ca = papers.path("authorities.pem");
        std::fs::copy(papers.path("ca.pem"), &ca).expect("a copy");
        let tls = TlsSettings { ca_cert: Some(ca.clone()), ..papers.settings() };
        let security = if has_mutual { Security::Mutual } else { Security::Standard };
        let listen = vec![listen("127.0.0.1", Security::Plain), listen("127.0.0.2", security)];
        let settings = Settings { listen, tls: Some(tls.clone()), threads: 1, shutdown: true, ..Settings::default() };
        let server = Server::start(settings.clone());
        let address = tls_address(&server, "127.0.0.2");
        // The first answer says that the server runs.
        server.connect().talk("mn\r\n", "MN\r\n");
        let lets_in = |papers: &Papers, of: &Papers| {
            let shown = of.shown("client");
            let mut client = papers.openssl(address, &shown.each_ref().map(String::as_str));
            let _ = client.stream.write_all(b"mn\r\nquit\r\n");
            client.read_to_end() == b"MN\r\n"
        };
        let without = Settings { tls: Some(TlsSettings { ca_cert: None, ..tls }), ..settings.clone() };
        let refused: Vec<String> = server.shared.reload(Some(&without)).iter().map(ToString::to_string).collect();
        assert_eq!(refused.len(), usize::from(has_mutual), "{refused:?}");
        assert!(refused.iter().all(|line| line.contains("ssl_ca_cert")), "{refused:?}");
        assert!(server.shared.reload(Some(&settings)).is_empty());
        assert_eq!([lets_in(&papers, &papers), lets_in(&papers, &others)], [true, !has_mutual]);
        std::fs::copy(others.path("ca.pem"), &ca).expect("a copy");
        server.connect().talk("refresh_certs\r\n", "OK\r\n");
        assert_eq!([lets_in(&papers, &papers), lets_in(&papers, &others)], [!has_mutual, true]);
    }
}

/// A client of this host uses the arena itself, where nobody asks for its certificate.
#[test]
fn an_address_that_asks_for_certificates_leads_no_client_to_the_arena() {
    let papers = Papers::new();
    for (security, verify_mode, announce, is_guarded) in [
        (Security::Mutual, 0, false, true),
        (Security::Mutual, 0, true, false),
        (Security::Standard, 2, false, true),
        (Security::Standard, 3, false, true),
        (Security::Standard, 3, true, false),
        (Security::Standard, 1, false, false),
        (Security::Standard, 0, false, false),
        (Security::Basic, 2, false, false),
        (Security::Plain, 2, false, false),
    ] {
        let tls = TlsSettings { verify_mode, ca_cert: Some(papers.path("ca.pem")), ..papers.settings() };
        let listen = vec![listen("127.0.0.1", Security::Plain), listen("127.0.0.2", security)];
        let server = Server::start(Settings { listen, tls: Some(tls), announce, ..Settings::default() });
        server.connect().talk("mn\r\n", "MN\r\n");
        let services = server.shared.arena().services();
        let told = |host: &str| services.iter().find(|service| service.text.contains(host)).expect("told").text.clone();
        assert!(told("127.0.0.1:").starts_with("tcp "), "{services:?}");
        assert_eq!(told("127.0.0.2:").starts_with("guarded "), is_guarded, "{security:?} {verify_mode}: {services:?}");
    }
}

/// Nor does it fall back to less than was asked for.
#[test]
fn a_listener_that_lacks_what_it_needs_does_not_start() {
    let papers = Papers::new();
    let bind = |security, tls: Option<TlsSettings>| {
        leveret_server::bind(&Settings { listen: vec![listen("127.0.0.1", security)], tls, ..Settings::default() })
    };
    for (security, tls, missing) in [
        (Security::Basic, None, "-Z"),
        (Security::Mutual, None, "-Z"),
        (Security::Mutual, Some(papers.settings()), "ssl_ca_cert"),
    ] {
        let error = bind(security, tls).expect_err("refused");
        assert!(matches!(error, ServeError::Insecure { .. }), "{error:?}");
        assert!(error.to_string().contains(missing) && error.to_string().contains("127.0.0.1"), "{error}");
    }
    assert!(bind(Security::Mutual, Some(TlsSettings { ca_cert: Some("ca".into()), ..papers.settings() })).is_ok());
}

/// The old certificates stay in use where the new ones cannot be: an administrator who copies half of a pair must not
/// have a cache without clients.
#[test]
fn certificates_are_read_anew_when_they_are_good() {
    let papers = Papers::new();
    let (server, address) = papers.serve(papers.settings(), Settings::default());
    let shown = || papers.rustls(address);
    let certificate = |mut client: Client<StreamOwned<ClientConnection, TcpStream>>| {
        client.talk("mn\r\n", "MN\r\n");
        client.stream.conn.peer_certificates().expect("a certificate")[0].to_vec()
    };
    let mut before = shown();
    before.talk("mn\r\n", "MN\r\n");
    let first = certificate(shown());
    let key = papers.path("server.key");
    std::fs::write(&key, "no key").expect("a file");
    let mut plain = server.connect();
    let refused = format!(
        "SERVER_ERROR {}: no private key in it (PEM, without a passphrase: BEGIN PRIVATE KEY)\r\n",
        key.display()
    );
    plain.talk("refresh_certs\r\n", &refused);
    assert_eq!(certificate(shown()), first, "the old one is still in use");
    papers.sign("server");
    plain.talk("refresh_certs\r\n", "OK\r\n");
    assert_ne!(certificate(shown()), first);
    before.talk("mn\r\n", "MN\r\n");
    let without = Server::start(Settings::default());
    without.connect().talk("refresh_certs\r\n", "Error TLS not enabled\r\n");
}

/// As in the tests of Go's memcached client.
#[test]
fn a_key_is_taken_for_what_it_is_whatever_its_first_line_says() {
    let papers = Papers::new();
    let key = std::fs::read_to_string(papers.path("server.key")).expect("text");
    for other in ["RSA PRIVATE KEY", "EC PRIVATE KEY"] {
        std::fs::write(papers.path("other.key"), key.replace("PRIVATE KEY", other)).expect("a file");
        let settings = TlsSettings { key: Some(papers.path("other.key")), ..papers.settings() };
        let (_server, address) = papers.serve(settings, Settings::default());
        papers.openssl(address, &[]).talk("mn\r\n", "MN\r\n");
    }
}

#[test]
fn what_is_wrong_with_a_file_is_said_with_its_name() {
    let papers = Papers::new();
    // OpenSSL takes no days before today from 3.4 on, and dates from then on only.
    let dates: [&[&str]; 2] = [&["-days", "-1"], &["-not_before", "20200101000000Z", "-not_after", "20200102000000Z"]];
    let made = dates.iter().any(|dates| {
        let made = Command::new("openssl")
            .args(["x509", "-in", text(&papers.path("server.pem")), "-signkey", text(&papers.path("server.key"))])
            .args(["-out", text(&papers.path("old.pem"))])
            .args(*dates)
            .stderr(Stdio::null())
            .status();
        made.expect("openssl is installed").success()
    });
    assert!(made, "old.pem");
    std::fs::write(papers.path("empty"), "").expect("a file");
    std::fs::write(papers.path("torn"), "-----BEGIN CERTIFICATE-----\n%%%\n-----END CERTIFICATE-----\n")
        .expect("a file");
    for (chain, key, names, why) in [
        ("missing", "server.key", "missing", "no such file"),
        ("empty", "server.key", "empty", "no certificate"),
        ("torn", "server.key", "torn", "not PEM"),
        ("old.pem", "server.key", "old.pem", "has expired"),
        ("server.pem", "missing", "missing", "no such file"),
        ("server.pem", "server.pem", "server.pem", "no private key"),
        ("server.pem", "ca.key", "ca.key", "does not belong to the certificate"),
        ("server.pem", "", "", "not a file"),
    ] {
        let tls = TlsSettings { chain_cert: papers.path(chain), key: Some(papers.path(key)), ..TlsSettings::default() };
        let told = refusal(tls);
        assert!(told.contains(text(&papers.path(names))) && told.contains(why) && !told.contains('\n'), "{told}");
    }
    let told = refusal(TlsSettings { ciphers: Some("RC4-SHA".to_owned()), ..papers.settings() });
    assert!(told.contains("RC4-SHA") && told.contains("ECDHE-RSA-AES128-GCM-SHA256"), "{told}");
}

fn refusal(tls: TlsSettings) -> String {
    let dir = tempfile::tempdir().expect("a folder");
    match Shared::new(serving::arena(dir.path()), Settings { tls: Some(tls.clone()), ..Settings::default() }) {
        Err(error @ StartError::Tls(_)) => error.to_string(),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("{tls:?} is taken"),
    }
}

#[test]
fn plain_text_on_a_tls_port_and_the_reverse_end_the_connection() {
    let papers = Papers::new();
    let (server, address) = papers.serve(papers.settings(), Settings::default());
    let mut plain = Client::tcp(address);
    plain.send(b"get a\r\n");
    assert_eq!(plain.read_to_end(), b"");
    // A handshake that begins with its end.
    let mut torn = Client::tcp(address);
    torn.send(b"\x16\x03\x01\x00\x04\x0e\x00\x00\x00");
    let alert = torn.read_to_end();
    assert_eq!(alert.first(), Some(&21), "an alert: {alert:?}");
    assert_eq!(server.shared_handshake_errors(), 2);
    let mut reverse = papers.openssl(server.address, &[]);
    let _ = reverse.stream.write_all(b"mn\r\n");
    drop(reverse);
    papers.rustls(address).talk("mn\r\n", "MN\r\n");
    server.connect().talk("mn\r\n", "MN\r\n");
}

#[test]
fn a_handshake_that_never_ends_is_ended() {
    let papers = Papers::new();
    let settings = Settings { idle_timeout_secs: 1, ..Settings::default() };
    let (server, address) = papers.serve(papers.settings(), settings);
    let mut silent: Vec<_> = (0..50).map(|_| Client::tcp(address)).collect();
    for client in &mut silent[..25] {
        client.send(b"\x16\x03\x01\x02\x00\x01");
    }
    for client in &mut silent {
        assert_eq!(client.read_to_end(), b"");
    }
    assert_eq!(server.shared_handshake_errors(), 50);
}

/// However the bytes are cut, and whoever asks for more than the socket takes before reading any of it.
#[test]
fn bytes_may_be_cut_anywhere() {
    let papers = Papers::new();
    let (_server, address) = papers.serve(papers.settings(), Settings::default());
    let mut random = 88_172_645_463_325_252u64;
    let mut below = |bound: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % bound as u64) as usize
    };
    let (mut asked, mut wanted) = (Vec::new(), Vec::new());
    for number in 0..300 {
        let len = match number % 10 {
            0 => below(300_000),
            1..=3 => below(20_000),
            _ => below(100),
        };
        let value: Vec<u8> = (0..len).map(|at| b'a' + ((at + number) % 26) as u8).collect();
        asked.extend_from_slice(format!("set k 0 0 {len}\r\n").as_bytes());
        asked.extend_from_slice(&[&value[..], b"\r\nget k\r\n"].concat());
        wanted.extend_from_slice(format!("STORED\r\nVALUE k 0 {len}\r\n").as_bytes());
        wanted.extend_from_slice(&[&value[..], b"\r\nEND\r\n"].concat());
    }
    let mut client = papers.rustls(address);
    let (mut sent, mut read) = (0, 0);
    while sent < asked.len() {
        // Never so much ahead that both sides wait for the other to read.
        let len = (1 + below(40_000)).min(asked.len() - sent);
        client.send(&asked[sent..sent + len]);
        sent += len;
        if sent % 7 == 0 {
            // All that is answered by now for sure; large values come and go as they are, so as much as was sent.
            let due = sent.saturating_sub(400_000).min(wanted.len());
            if due > read {
                client.expect(&wanted[read..due]);
                read = due;
            }
        }
    }
    client.expect(&wanted[read..]);

    // 100 MiB of answers that nobody fetches at first.
    let value = "x".repeat(500_000);
    client.talk(&format!("set x 0 0 500000\r\n{value}\r\n"), "STORED\r\n");
    client.send("get x\r\n".repeat(200).as_bytes());
    papers.rustls(address).talk("mn\r\n", "MN\r\n");
    let answer = format!("VALUE x 0 500000\r\n{value}\r\nEND\r\n");
    for _ in 0..200 {
        client.expect(answer.as_bytes());
    }
    client.send(b"quit\r\n");
    assert_eq!(client.read_to_end(), b"", "an end that is said, and no cut");
}

impl Server {
    fn shared_handshake_errors(&self) -> u64 {
        let mut client = self.connect();
        client.send(b"stats\r\nquit\r\n");
        let stats = String::from_utf8(client.read_to_end()).expect("text");
        let line = stats.lines().find_map(|line| line.strip_prefix("STAT ssl_handshake_errors "));
        line.and_then(|count| count.trim().parse().ok()).expect("a count")
    }
}
