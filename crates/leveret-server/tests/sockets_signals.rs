//! Servers in processes of their own, which are told to end, or are killed.
mod serving;
use serving::{await_delivery, own_address, serve_if_told, Client, Process};
use std::io::Write;

#[test]
fn serve() {
    serve_if_told();
}

#[test]
fn a_killed_server_loses_nothing_and_is_replaced_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut options = format!("listen={}", own_address());
    for round in 0..5 {
        let server = Process::start("serve", dir.path(), &options);
        // From now on the same port, in which connections of the killed server linger.
        options = format!("listen={} port={}", own_address(), server.tcp().port());
        let mut client = Client::tcp(server.tcp());
        for past in 0..round {
            client.talk(&format!("get k{past}\r\n"), &format!("VALUE k{past} 0 1\r\n{past}\r\nEND\r\n"));
        }
        client.talk(&format!("set k{round} 0 0 1\r\n{round}\r\n"), "STORED\r\n");
        server.kill();
    }
}

#[test]
fn a_killed_server_leaves_a_unix_socket_that_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("socket");
    let options = format!("unix={}", path.display());
    let first = Process::start("serve", dir.path(), &options);
    Client::unix(&path).talk("set a 0 0 1\r\nx\r\n", "STORED\r\n");
    first.kill();
    assert!(path.exists());
    let second = Process::start("serve", dir.path(), &options);
    Client::unix(&path).talk("get a\r\n", "VALUE a 0 1\r\nx\r\nEND\r\n");
    second.signal("-TERM");
    assert!(second.wait());
    assert!(!path.exists());
}

#[test]
fn what_has_arrived_is_answered_before_the_end() {
    for signal in ["-TERM", "-INT"] {
        let dir = tempfile::tempdir().unwrap();
        let server = Process::start("serve", dir.path(), "");
        let mut clients: Vec<_> = (0..20).map(|_| Client::tcp(server.tcp())).collect();
        let value = "v".repeat(1_000_000);
        clients[0].talk(&format!("set big 0 0 {}\r\n{value}\r\n", value.len()), "STORED\r\n");
        for client in &mut clients {
            client.talk("mn\r\n", "MN\r\n");
        }
        for client in &mut clients {
            client.stream.write_all(b"mn\r\nget big\r\nget big\r\nmn\r\nhalf a reque").unwrap();
        }
        // It is there before the signal.
        clients.iter().for_each(|client| await_delivery(&client.stream));
        server.signal(signal);
        let answer = format!("MN\r\n{}MN\r\n", format!("VALUE big 0 {}\r\n{value}\r\nEND\r\n", value.len()).repeat(2));
        for client in &mut clients {
            client.expect(answer.as_bytes());
            assert_eq!(client.read_to_end(), b"");
        }
        assert!(server.wait(), "{signal}");
    }
}

#[test]
fn sigusr1_leaves_a_note_for_the_successor_who_checks_it() {
    let dir = tempfile::tempdir().unwrap();
    let meta = dir.path().join("memory.meta");
    let first = Process::start("serve", dir.path(), "memory_file=memory");
    Client::tcp(first.tcp()).talk("set a 0 0 1\r\nx\r\n", "STORED\r\n");
    first.signal("-USR1");
    assert!(first.wait());
    let left = std::fs::read(&meta).unwrap();
    let second = Process::start("serve", dir.path(), "memory_file=memory");
    Client::tcp(second.tcp()).talk("get a\r\n", "VALUE a 0 1\r\nx\r\nEND\r\n");
    second.signal("-TERM");
    assert!(second.wait());
    std::fs::write(&meta, &left[..left.len() / 2]).unwrap();
    let Err(said) = Process::try_start("serve", dir.path(), "memory_file=memory", &[]) else { panic!("it starts") };
    assert!(said.contains("memory.meta"), "{said}");
}

#[test]
fn ports_are_told_in_the_file_that_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("ports");
    let server = Process::try_start("serve", dir.path(), "udp=free", &[("MEMCACHED_PORT_FILENAME", &file)]).unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.starts_with(&format!("TCP INET: {}\n", server.tcp().port())), "{text}");
    let udp = text.lines().find_map(|line| line.strip_prefix("UDP INET: ")).expect(&text);
    let endpoint = format!("udp 127.0.0.1:{udp}");
    assert!(server.endpoints.iter().any(|known| known.starts_with(&endpoint)), "{endpoint} in {:?}", server.endpoints);
}

#[test]
fn a_hangup_does_not_end_it() {
    let dir = tempfile::tempdir().unwrap();
    let server = Process::start("serve", dir.path(), "");
    let mut client = Client::tcp(server.tcp());
    // It answers, so it has begun to look after signals.
    client.talk("mn\r\n", "MN\r\n");
    server.signal("-HUP");
    client.talk("mn\r\n", "MN\r\n");
}
