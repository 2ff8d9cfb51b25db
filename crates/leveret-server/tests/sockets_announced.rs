//! What a server tells this machine about itself, and who may speak to it.
mod serving;
use leveret_engine::Arena;
use leveret_server::Settings;
use serving::{serve_if_told, Client, Process, Server};

#[test]
fn serve() {
    serve_if_told();
}

fn announced(arena: &Arena) -> Vec<String> {
    let mut texts: Vec<String> = arena.services().into_iter().map(|service| service.text).collect();
    texts.sort();
    texts
}

#[test]
fn endpoints_are_announced_while_they_are_served() {
    let server = Server::start(Settings { udp_port: None, ..Settings::default() });
    // It answers, so it has announced itself.
    server.connect().talk("mn\r\n", "MN\r\n");
    let mut endpoints = server.endpoints.clone();
    endpoints.sort();
    assert_eq!(announced(&server.shared.arena()), endpoints);
    let shared = server.shared.clone();
    drop(server);
    assert_eq!(announced(&shared.arena()), Vec::<String>::new());
}

#[test]
fn nobody_believes_what_a_killed_server_announced() {
    let dir = tempfile::tempdir().unwrap();
    let server = Process::start("serve", dir.path(), "");
    Client::tcp(server.tcp()).talk("mn\r\n", "MN\r\n");
    let arena = serving::arena(dir.path());
    assert_eq!(announced(&arena), server.endpoints);
    server.kill();
    assert_eq!(announced(&arena), Vec::<String>::new());
}

#[test]
fn users_are_read_again_when_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("users");
    std::fs::write(&file, "ann:old\n").unwrap();
    // Who must say who they are cannot tell this server to stop at its end, but for `known`.
    let server = Server::start(Settings { auth_file: Some(file.clone()), ..Settings::default() });
    let mut known = server.connect();
    known.talk("set x 0 0 7\r\nann old\r\n", "STORED\r\n");
    std::fs::write(&file, "ann:new\n").unwrap();
    assert!(server.shared.reload(None).is_empty());
    server.connect().talk("set x 0 0 7\r\nann old\r\n", "CLIENT_ERROR authentication failure\r\n");
    server.connect().talk("set x 0 0 7\r\nann new\r\n", "STORED\r\n");
    std::fs::write(&file, "no user\n").unwrap();
    assert_eq!(server.shared.reload(None).len(), 1);
    server.connect().talk("set x 0 0 7\r\nann new\r\n", "STORED\r\n");
    known.talk("mn\r\n", "MN\r\n");
    known.send(b"shutdown\r\n");
}

/// Who uses a server's arena in place of its socket is asked for nothing, so a server that asks must not be found so.
#[test]
fn a_server_that_asks_for_passwords_announces_no_place_to_go_to_unless_told() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("users");
    std::fs::write(&file, "ann:secret\n").unwrap();
    for announce in [false, true] {
        let server = Server::start(Settings { auth_file: Some(file.clone()), announce, ..Settings::default() });
        let mut known = server.connect();
        known.talk("set x 0 0 10\r\nann secret\r\n", "STORED\r\n");
        let texts = announced(&server.shared.arena());
        let want = |endpoint: &String| if announce { endpoint.clone() } else { format!("guarded {endpoint}") };
        assert_eq!(texts, server.endpoints.iter().map(want).collect::<Vec<_>>());
        known.send(b"shutdown\r\n");
    }
}
