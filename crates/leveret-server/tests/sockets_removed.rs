//! An arena whose file is removed while it is served. PHP processes make a new one and go on there; a server that went
//! on with the old one would be a second truth.
mod serving;
use leveret_engine::{Arena, Deadline, Time};
use leveret_server::Settings;
use serving::{Client, Server};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::Duration;

/// Asks until the answer is this one. The server looks after its arena once a second.
fn until(client: &mut Client<TcpStream>, request: &str, answer: &str) {
    let mut got = vec![0; 1000];
    loop {
        client.send(request.as_bytes());
        let len = client.stream.read(&mut got).expect("an answer");
        assert!(len > 0, "hung up");
        if got[..len] == *answer.as_bytes() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn path_of(server: &Server) -> PathBuf {
    server.shared.arena().path().to_owned()
}

/// A server with one item, one of its clients, and the arena's file.
fn server_with_an_item() -> (Server, Client<TcpStream>, PathBuf) {
    let server = Server::start(Settings::default());
    let mut client = server.connect();
    client.talk("set a 0 0 1\r\nx\r\n", "STORED\r\n");
    let path = path_of(&server);
    (server, client, path)
}

/// Waits until the server has looked after its arena: its clock moves on right before it does.
fn await_look(server: &Server) {
    for _ in 0..2 {
        let before = server.shared.network.uptime_secs();
        while server.shared.network.uptime_secs() == before {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn announced(arena: &Arena) -> Vec<String> {
    arena.services().into_iter().map(|service| service.text).collect()
}

#[test]
fn what_others_made_in_its_place_is_served_and_connections_stay() {
    let server = Server::start(Settings { udp_port: None, threads: 3, ..Settings::default() });
    let mut clients: Vec<_> = (0..9).map(|_| server.connect()).collect();
    clients[0].talk("set a 0 0 1\r\nx\r\n", "STORED\r\n");
    let (path, old) = (path_of(&server), server.shared.arena());
    let free = old.stats().segments_free;
    let mut storing = server.connect();
    storing.send(&[b"set large 0 0 900000\r\n".as_slice(), &[b'l'; 450_000]].concat());
    // Its worker may be another one than that of whoever asks for it.
    while old.stats().segments_free == free {
        std::thread::sleep(Duration::from_millis(1));
    }
    clients[0].talk("get large\r\n", "END\r\n");
    std::fs::remove_file(&path).unwrap();
    let new = serving::arena(path.parent().unwrap());
    new.set(b"fresh", b"from the host", Deadline::NEVER, Time::now()).unwrap();
    for client in &mut clients {
        until(client, "get fresh a\r\n", "VALUE fresh 0 13\r\nfrom the host\r\nEND\r\n");
    }
    clients[1].talk("set wire 0 0 5\r\nhello\r\n", "STORED\r\n");
    assert_eq!(new.get(b"wire", Time::now()).unwrap().value, b"hello");
    // Workers may serve the new arena a moment before it is announced there.
    while announced(&new) != server.endpoints || !announced(&old).is_empty() {
        std::thread::sleep(Duration::from_millis(1));
    }
    // What had begun before the removal ends as if it had ended before it.
    storing.send(&[b'l'; 450_000]);
    storing.talk("\r\nget large fresh\r\n", "STORED\r\nVALUE fresh 0 13\r\nfrom the host\r\nEND\r\n");
    assert!(new.verify().is_clean());
}

#[test]
fn where_nobody_made_one_the_server_does_and_lets_go_of_the_old_memory() {
    let server = Server::start(Settings { threads: 3, ..Settings::default() });
    let mut clients: Vec<_> = (0..6).map(|_| server.connect()).collect();
    for client in &mut clients {
        client.talk("set a 0 0 1\r\nx\r\n", "STORED\r\n");
    }
    let (path, memory) = (path_of(&server), server.shared.arena().memory());
    for _ in 0..3 {
        std::fs::remove_file(&path).unwrap();
        until(&mut clients[0], "get a\r\n", "END\r\n");
        clients[0].talk("set a 0 0 1\r\ny\r\n", "STORED\r\n");
        for client in &mut clients {
            until(client, "get a\r\n", "VALUE a 0 1\r\ny\r\nEND\r\n");
        }
    }
    assert_eq!(server.shared.arena().memory(), memory);
    // The workers that had nothing to do were woken for this.
    let removed = format!("{} (deleted)", path.display());
    while std::fs::read_to_string("/proc/self/maps").unwrap().contains(&removed) {
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn while_there_can_be_no_other_the_old_one_is_served() {
    let (server, mut client, path) = server_with_an_item();
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    await_look(&server);
    client.talk("get a\r\n", "VALUE a 0 1\r\nx\r\nEND\r\n");
    std::fs::remove_dir(&path).unwrap();
    until(&mut client, "get a\r\n", "END\r\n");
    client.talk("set a 0 0 1\r\ny\r\n", "STORED\r\n");
    assert_eq!(serving::arena(path.parent().unwrap()).get(b"a", Time::now()).unwrap().value, b"y");
}

#[test]
fn a_file_that_is_cut_short_harms_nobody_and_is_replaced_once_it_is_removed() {
    let (server, mut client, path) = server_with_an_item();
    std::fs::File::options().write(true).open(&path).unwrap().set_len(4096).unwrap();
    for _ in 0..100 {
        client.stream.write_all(b"get a\r\n").unwrap();
        assert!(client.stream.read(&mut [0; 100]).unwrap() > 0);
    }
    // A walk that ends early does not end as a whole one.
    let mut reader = server.connect();
    reader.send(b"lru_crawler metadump all\r\n");
    let said = String::from_utf8(reader.read_to_end()).unwrap();
    assert_eq!(said, "SERVER_ERROR the cache was removed while the server ran\r\n");
    std::fs::remove_file(&path).unwrap();
    until(&mut client, "set a 0 0 1\r\ny\r\n", "STORED\r\n");
    client.talk("get a\r\n", "VALUE a 0 1\r\ny\r\nEND\r\n");
}
