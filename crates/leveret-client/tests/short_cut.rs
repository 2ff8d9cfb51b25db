//! A server that is told to be at an address of this host is used through its arena, as long as it provably is that server.
use leveret_client::pool::{Code, Operation, Options, Pool, Request};
use leveret_engine::{Arena, OpenOptions};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::time::{Duration, Instant};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = PathBuf::from("/dev/shm").join(format!("leveret-short-cut-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn arena(&self, name: &str) -> Arena {
        Arena::open(&self.0.join(format!("{name}.arena")), &OpenOptions { memory: 8 << 20, ..OpenOptions::default() }).unwrap().0
    }

    fn pool(&self, host: &str, port: u16) -> Pool {
        let mut pool = Pool::new(Options::default());
        pool.add_server_in(&self.0, host, port, 0, 1);
        pool
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn network() -> String {
    std::fs::read_link("/proc/self/ns/net").unwrap().to_string_lossy().into_owned()
}

/// Until the belief of a moment ago has passed.
fn eventually(mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < until);
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn an_announced_tcp_endpoint_leads_to_its_arena_until_it_is_withdrawn() {
    let folder = Folder::new("tcp");
    folder.arena("bystander");
    let arena = folder.arena("served");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    assert!(folder.pool("127.0.0.2", port).arena().is_none(), "nothing is announced");
    let announcement = arena.announce(&format!("tcp 127.0.0.1:{port} {}", network())).unwrap();
    let mut pool = folder.pool("127.0.0.1", port);
    assert_eq!(pool.arena().expect("announced").path(), arena.path());
    let mut off = folder.pool("127.0.0.1", port);
    off.set_options(Options { short_cut: false, ..Options::default() });
    assert!(off.arena().is_none());
    let mut two = folder.pool("127.0.0.1", port);
    two.add_server("127.0.0.1", port, 0, 1);
    assert!(two.arena().is_none(), "a pool of several goes by its ring");
    drop(announcement);
    eventually(|| pool.arena().is_none());
    // The port belongs to another program now; requests go there.
    drop(listener);
    pool.begin();
    pool.add(&Request::new(Operation::Get, b"key")).unwrap();
    pool.run();
    assert_eq!(pool.next_answer().unwrap().code, Code::ConnectionFailure);
}

#[test]
fn a_unix_socket_is_asked_who_listens() {
    let folder = Folder::new("unix");
    let arena = folder.arena("served");
    let path = folder.0.join("leveret.sock");
    let _listener = UnixListener::bind(&path).unwrap();
    let _announcement = arena.announce(&format!("unix {}", path.display())).unwrap();
    assert!(folder.pool(path.to_str().unwrap(), 0).arena().is_some(), "this process listens, and has announced");
    assert!(folder.pool(&format!("unix://{}", path.display()), 0).arena().is_some());
    let other = folder.0.join("other.sock");
    let _other = UnixListener::bind(&other).unwrap();
    assert!(folder.pool(other.to_str().unwrap(), 0).arena().is_none());
}
