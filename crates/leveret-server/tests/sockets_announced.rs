//! What a server tells this machine about itself, and who may speak to it.
mod serving;
use leveret_engine::Arena;
use leveret_place::RespListener;
use leveret_server::redis::settings::{RedisPlace, RedisSettings};
use leveret_server::Settings;
use serving::{hold, serve_if_told, Client, Process, Server};
use std::net::TcpStream;

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

/// A client of this host may use the arenas in the server's place once the socket has told it the nonce that they announce.
#[test]
fn the_nonce_of_the_announcements_is_told_to_who_has_signed_in_since_it_was_drawn() {
    let redis = RedisSettings::new(RedisPlace::Tcp { port: None, is_tls: false });
    let secret = RedisSettings { password: Some("secret".to_owned()), ..redis };
    let server = Server::start(Settings { redis: Some(secret), ..Settings::default() });
    let first = server.shared.arena();
    let announced = |arena: &Arena| -> Vec<RespListener> {
        let texts = arena.services().into_iter().map(|service| service.text);
        texts.filter_map(|text| RespListener::parse(&text)).collect()
    };
    let nonce = || announced(&first)[0].nonce;
    let own = |nonce: Option<u128>, client: &mut Client<TcpStream>| {
        let text = format!("# Leveret\r\nleveret_nonce:{:032x}\r\nleveret_databases:16\r\n", nonce.unwrap_or_default());
        client.send(b"INFO leveret\r\n");
        client.expect(format!("${}\r\n{text}\r\n", text.len()).as_bytes());
    };
    let mut client = server.connect_redis();
    hold(
        &mut client,
        "INFO leveret
         < -NOAUTH Authentication required.
         AUTH wrong
         < -WRONGPASS invalid username-password pair or user is disabled.
         INFO leveret
         < -NOAUTH Authentication required.
         AUTH secret
         < +OK",
    );
    let drawn = nonce();
    assert!(drawn.is_some());
    own(drawn, &mut client);
    // A database that is made is announced with its number, and the same nonce.
    hold(&mut client, "SELECT 3\n< +OK\nSET a b\n< +OK");
    let third = leveret_engine::OpenOptions::new().create(false);
    let third = Arena::open(&first.path().with_file_name("served.db3.arena"), &third).expect("made").0;
    let (in_first, in_third) = (announced(&first), announced(&third));
    assert_eq!((in_first.len(), in_third.len()), (1, 1));
    assert_eq!(in_third[0], RespListener { database: 3, ..in_first[0].clone() });
    assert_eq!((in_first[0].database, in_first[0].databases), (0, 16));
    assert!(server.endpoints.contains(&format!("resp 0 {}", in_first[0].endpoint)), "{in_first:?}");
    // Who was let in with the old password stays, and has no proof of the new one.
    hold(&mut client, "CONFIG SET requirepass other\n< +OK");
    let renewed = nonce();
    assert!(renewed.is_some() && renewed != drawn && announced(&third)[0].nonce == renewed);
    own(drawn, &mut client);
    hold(&mut client, "AUTH secret\n< -WRONGPASS invalid username-password pair or user is disabled.");
    own(drawn, &mut client);
    hold(&mut client, "AUTH other\n< +OK");
    own(renewed, &mut client);
    hold(&mut client, "RESET\n< +RESET\nINFO leveret\n< -NOAUTH Authentication required.");
    let mut other = server.connect_redis();
    hold(&mut other, "AUTH default other\n< +OK\nCONFIG SET requirepass \"\"\n< +OK");
    assert_eq!((nonce(), announced(&third)[0].nonce), (None, None));
    // INFO as people read it has no nonce.
    for plain in ["INFO", "INFO all", "INFO everything"] {
        other.send(format!("{plain}\r\nPING\r\n").as_bytes());
        let text = other.read_up_to(b"+PONG\r\n");
        assert!(text.contains("leveret_version:") && !text.contains("leveret_nonce"), "{plain}");
    }
    drop(server);
    assert!(announced(&first).is_empty() && announced(&third).is_empty());
}
