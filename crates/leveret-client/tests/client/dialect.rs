//! A pool whose protocol nobody has chosen speaks text, and binary with a server that knows nothing else.
use crate::common::{answers, free_port, own_address, Folder, Memcached};
use leveret_client::pool::{Code, Operation, Options, Pool, Request};
use std::io::Read;
use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;

fn pool(dir: &Path, ports: &[u16]) -> Pool {
    let mut pool = Pool::new(Options {
        detects: true,
        io_timeout: Duration::from_secs(60),
        retry_timeout: Duration::ZERO,
        ..Options::default()
    });
    for port in ports {
        pool.add_server_in(dir, &own_address().to_string(), *port, 0, 1);
    }
    pool
}

/// Batches that a pool may begin with; each is one's first. Short text keeps such a server waiting, long text makes it
/// hang up.
fn batches() -> Vec<Vec<Request<'static>>> {
    let of = Request::new;
    let set = |key, value| Request { value, ..of(Operation::Set, key) };
    let count = |key| Request { number: 5, ..of(Operation::Increment, key) };
    let long = vec![b'x'; 300_000].leak();
    vec![
        vec![of(Operation::Get, b"k")],
        vec![set(b"k", b"v"), of(Operation::Get, b"k"), of(Operation::Get, b"none"), set(b"n", b"37"), count(b"n")],
        vec![of(Operation::Get, b"a-key-of-some-length"), of(Operation::Get, b"another-key-of-some-length")],
        vec![set(b"large", long), of(Operation::Get, b"large")],
        vec![
            Request { value: b"1", exptime: 100, ..of(Operation::Add, b"added") },
            count(b"added"),
            of(Operation::Delete, b"added"),
        ],
        vec![count(b"k")],
        vec![of(Operation::Version, b"")],
        vec![of(Operation::Stats, b"")],
        vec![Request { exptime: 10, ..of(Operation::Touch, b"k") }],
        vec![Request { value: b"quiet", quiet: true, ..of(Operation::Set, b"q") }, of(Operation::Get, b"q")],
        vec![of(Operation::Flush, b""), of(Operation::Get, b"k")],
    ]
}

#[test]
fn a_server_without_text_answers_as_any_other() {
    for (number, requests) in batches().iter().enumerate() {
        let folder = Folder::new(&format!("same-{number}"));
        let text = Memcached::tcp();
        let binary = Memcached::tcp_with(free_port(), &["-B", "binary"]);
        let want = answers(&mut pool(&folder.0, &[text.port()]), requests);
        let mut pool = pool(&folder.0, &[binary.port()]);
        // What a count on text is told differs in its words.
        let codes =
            |answers: &[(Code, Vec<u8>, u64)]| answers.iter().map(|answer| (answer.0, answer.2)).collect::<Vec<_>>();
        assert_eq!(codes(&answers(&mut pool, requests)), codes(&want), "{requests:?}");
        assert_eq!(answers(&mut pool, &[Request::new(Operation::Version, b"")])[0].0, Code::Success);
    }
}

/// A cluster in which one server knows binary only.
#[test]
fn servers_of_a_pool_may_speak_differently() {
    let folder = Folder::new("mixed");
    let servers = [
        Memcached::tcp(),
        Memcached::tcp_with(free_port(), &["-B", "binary"]),
        Memcached::tcp_with(free_port(), &["-B", "ascii"]),
    ];
    let mut pool = pool(&folder.0, &servers.each_ref().map(Memcached::port));
    let keys: Vec<String> = (0..30).map(|number| format!("key{number}")).collect();
    for key in &keys {
        let value = key.as_bytes();
        assert_eq!(
            answers(&mut pool, &[Request { value, ..Request::new(Operation::Set, value) }])[0].0,
            Code::Success,
            "{key}"
        );
    }
    let gets: Vec<_> = keys.iter().map(|key| Request::new(Operation::Get, key.as_bytes())).collect();
    let found = answers(&mut pool, &gets);
    assert!(found.iter().zip(&keys).all(|(found, key)| found.1 == key.as_bytes()), "{found:?}");
}

#[test]
fn what_was_found_is_remembered_for_others_until_it_is_wrong() {
    let folder = Folder::new("memory");
    let port = free_port();
    let mut server = Memcached::tcp_with(port, &["-B", "binary"]);
    let version = [Request::new(Operation::Version, b"")];
    let mut first = pool(&folder.0, &[port]);
    assert_eq!(answers(&mut first, &version)[0].0, Code::Success);
    let arena = folder.arena("protocols");
    assert_eq!(arena.stats().items, 1);
    // Without text it can only be right at once if it was remembered: nothing but binary is sent here.
    let mut impatient = pool(&folder.0, &[port]);
    assert_eq!(answers(&mut impatient, &version)[0].0, Code::Success);
    server.kill();
    let _replaced = Memcached::tcp_with(port, &["-B", "ascii"]);
    let mut later = pool(&folder.0, &[port]);
    later.set_options(Options { io_timeout: Duration::from_millis(300), ..later.options().clone() });
    assert_ne!(answers(&mut later, &version)[0].0, Code::Success);
    assert_eq!(arena.stats().items, 0);
    later.set_options(Options { io_timeout: Duration::from_secs(60), ..later.options().clone() });
    assert_eq!(answers(&mut later, &version)[0].0, Code::Success);
}

/// Nobody else is sent anything but what the caller asks, and `version`; where text was chosen, not even that.
#[test]
fn a_silent_server_hears_no_binary() {
    let folder = Folder::new("silent");
    for detects in [true, false] {
        let listener = TcpListener::bind((own_address(), 0)).unwrap();
        let mut pool = pool(&folder.0, &[listener.local_addr().unwrap().port()]);
        pool.set_options(Options { detects, io_timeout: Duration::from_millis(400), ..pool.options().clone() });
        assert_eq!(answers(&mut pool, &[Request::new(Operation::Get, b"key")])[0].0, Code::Timeout);
        pool.quit();
        listener.set_nonblocking(true).unwrap();
        let mut heard = Vec::new();
        while let Ok((mut connection, _)) = listener.accept() {
            connection.set_nonblocking(false).unwrap();
            let mut said = String::new();
            connection.read_to_string(&mut said).unwrap();
            heard.push(said);
        }
        let probe = "version\r\n".repeat(3);
        assert_eq!(heard, if detects { vec!["get key\r\n".to_owned(), probe] } else { vec!["get key\r\n".to_owned()] });
    }
}
