//! A thousand who want to watch and never read, and a server in a process of its own, whose memory can be told.
mod serving;
use serving::{serve_if_told, Client, Process};

#[test]
fn serve() {
    serve_if_told();
}

fn stat(client: &mut Client<std::net::TcpStream>, name: &str) -> u64 {
    client.send(b"stats\r\n");
    let text = client.read_up_to(b"END\r\n");
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("STAT {name} ")));
    line.expect("it is told").parse().expect("a number")
}

/// As many as may watch do, and are told nothing more once they are full; the others stay clients like any other. The
/// server answers all the while, and keeps a few megabytes for them, whatever happens.
#[test]
fn a_thousand_who_never_read_cost_bounded_memory() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Process::start("serve", dir.path(), "");
    let mut client = Client::tcp(server.tcp());
    let mut slow: Vec<_> = (0..1000).map(|_| Client::tcp(server.tcp())).collect();
    for (number, slow) in slow.iter_mut().enumerate() {
        let answer = if number < 20 { "OK\r\n" } else { "WATCHER_TOO_MANY log watcher limit reached\r\n" };
        slow.talk("watch mutations\r\n", answer);
    }
    let before = server.own_memory();
    let batch = format!("set {} 0 0 1 noreply\r\nx\r\n", "%".repeat(250)).repeat(1000) + "mn\r\n";
    // All of them are full: in a round nobody is told anything.
    let (mut sent, mut rounds) = (0, 0);
    while stat(&mut client, "log_watcher_skipped") == 0 || stat(&mut client, "log_watcher_sent") > sent {
        sent = stat(&mut client, "log_watcher_sent");
        for _ in 0..10 {
            client.talk(&batch, "MN\r\n");
        }
        rounds += 1;
    }
    let grown = server.own_memory().saturating_sub(before);
    assert!(grown < 32 << 20, "{grown} bytes for {rounds} rounds");
    for slow in &mut slow[20..] {
        slow.send(b"get a\r\n");
        slow.expect(b"END\r\n");
    }
    drop(slow);
    client.talk("set a 0 0 1\r\nx\r\n", "STORED\r\n");
}
