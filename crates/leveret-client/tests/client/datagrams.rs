//! Gets by UDP, over a network that loses, repeats and reorders.
use crate::common::{free_port, own_address, Memcached};
use leveret_client::pool::{Code, Operation, Options, Pool, Request};
use std::net::UdpSocket;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;

fn value(i: usize) -> Vec<u8> {
    format!("{i}:").repeat(1 + i * 97 % 2500).into_bytes()
}

fn filled(udp_port: u16, server: &Memcached, count: usize) -> Pool {
    let mut pool = Pool::new(Options::default());
    pool.add_server(&server.host(), server.port(), udp_port, 1);
    pool.begin();
    for i in 0..count {
        pool.add(&Request { value: &value(i), ..Request::new(Operation::Set, format!("key:{i}").as_bytes()) }).unwrap();
    }
    assert_eq!(pool.run(), Code::Success);
    pool
}

/// Every value is right and none is missing, but for one key that never was.
fn check(pool: &mut Pool, keys: std::ops::Range<usize>) {
    pool.begin();
    for i in keys.clone() {
        pool.add(&Request::new(Operation::Get, format!("key:{i}").as_bytes())).unwrap();
    }
    pool.add(&Request::new(Operation::Get, b"missing")).unwrap();
    assert_eq!(pool.run(), Code::Success);
    let mut count = 0;
    while let Some(answer) = pool.next_answer() {
        assert_eq!(answer.code, Code::Success);
        assert!(answer.value == value(keys.start + answer.request), "{}", answer.request);
        count += 1;
    }
    assert_eq!(count, keys.len());
}

/// Between client and server: what is to be done with the n-th datagram of an answer.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Pass,
    Lose,
    Twice,
    /// Behind the next one.
    Later,
}

fn relay(server_port: u16, fate: impl Fn(usize) -> Fate + Send + 'static) -> (u16, Arc<AtomicUsize>) {
    let front = UdpSocket::bind((own_address(), 0)).unwrap();
    let back = UdpSocket::bind((own_address(), 0)).unwrap();
    back.connect((own_address(), server_port)).unwrap();
    let port = front.local_addr().unwrap().port();
    let client = Arc::new(std::sync::Mutex::new(None));
    let passed = Arc::new(AtomicUsize::new(0));
    let (to_server, from_client, asked) = (back.try_clone().unwrap(), front.try_clone().unwrap(), Arc::clone(&client));
    std::thread::spawn(move || {
        let mut room = [0; 65_536];
        while let Ok((len, peer)) = from_client.recv_from(&mut room) {
            *asked.lock().unwrap() = Some(peer);
            to_server.send(&room[..len]).unwrap();
        }
    });
    let count = Arc::clone(&passed);
    std::thread::spawn(move || {
        let mut room = [0; 65_536];
        let mut later: Option<Vec<u8>> = None;
        while let Ok(len) = back.recv(&mut room) {
            let peer = client.lock().unwrap().unwrap();
            let send = |datagram: &[u8]| front.send_to(datagram, peer).unwrap();
            match fate(count.fetch_add(1, Ordering::Relaxed)) {
                Fate::Lose => {}
                Fate::Later => later = Some(room[..len].to_vec()),
                fate => {
                    send(&room[..len]);
                    if fate == Fate::Twice {
                        send(&room[..len]);
                    }
                    if let Some(datagram) = later.take() {
                        send(&datagram);
                    }
                }
            }
        }
    });
    (port, passed)
}

#[test]
fn single_gets_and_batches_come_by_udp() {
    let server = Memcached::tcp();
    let (port, passed) = relay(server.port(), |_| Fate::Pass);
    let pool = &mut filled(port, &server, 200);
    check(pool, 5..6);
    assert!(passed.load(Ordering::Relaxed) >= 2);
    check(pool, 0..50);
    check(pool, 0..200);
    assert!(passed.load(Ordering::Relaxed) > 200, "values span datagrams");
    pool.begin();
    pool.add(&Request::new(Operation::Get, b"missing")).unwrap();
    pool.run();
    assert_eq!(pool.next_answer().unwrap().code, Code::NotFound);
    // Straight to memcached, as OPT_USE_UDP asks for it.
    let options = Options { udp: true, ..Options::default() };
    let mut direct = Pool::new(options);
    direct.add_server(&server.host(), server.port(), 0, 1);
    check(&mut direct, 0..200);
}

#[test]
fn a_network_that_loses_repeats_and_reorders_makes_no_wrong_value() {
    let server = Memcached::tcp();
    let fates: [fn(usize) -> Fate; 4] = [
        |n| if n % 7 == 3 { Fate::Lose } else { Fate::Pass },
        |n| if n % 3 == 0 { Fate::Twice } else { Fate::Pass },
        |n| if n % 2 == 0 { Fate::Later } else { Fate::Pass },
        |_| Fate::Lose,
    ];
    for fate in fates {
        let (port, passed) = relay(server.port(), fate);
        let pool = &mut filled(port, &server, 60);
        for _ in 0..3 {
            check(pool, 0..60);
        }
        assert!(passed.load(Ordering::Relaxed) > 0);
    }
}

#[test]
fn without_a_listener_the_stream_answers() {
    let server = Memcached::tcp();
    let pool = &mut filled(free_port(), &server, 60);
    for _ in 0..3 {
        check(pool, 0..60);
    }
}

#[test]
fn a_get_does_not_overtake_the_store_before_it() {
    let server = Memcached::tcp();
    let pool = &mut filled(server.port(), &server, 1);
    for round in 0..200 {
        let text = round.to_string();
        pool.begin();
        pool.add(&Request { value: text.as_bytes(), ..Request::new(Operation::Set, b"key:0") }).unwrap();
        pool.add(&Request::new(Operation::Get, b"key:0")).unwrap();
        pool.run();
        assert_eq!(pool.next_answer().unwrap().code, Code::Success);
        assert_eq!(pool.next_answer().unwrap().value, text.as_bytes());
    }
}

/// The numbers of requests began with 1 and rose by one: whoever could send datagrams to a client could answer in a
/// server's place.
#[test]
fn nobody_foresees_the_numbers_of_requests() {
    let silent = UdpSocket::bind((own_address(), 0)).unwrap();
    let port = silent.local_addr().unwrap().port();
    let mut firsts = std::collections::HashSet::new();
    let mut steps = std::collections::HashSet::new();
    for _ in 0..4 {
        // The stream refuses, so each batch ends when its datagrams are given up.
        let mut pool = Pool::new(Options {
            io_timeout: Duration::from_millis(1),
            retry_timeout: Duration::ZERO,
            ..Options::default()
        });
        pool.add_server(&own_address().to_string(), free_port(), port, 1);
        pool.begin();
        for key in ["a", "b"] {
            pool.add(&Request::new(Operation::Get, key.as_bytes())).unwrap();
        }
        pool.run();
        let next = || {
            let mut room = [0; 2048];
            silent.recv(&mut room).unwrap();
            u16::from_be_bytes([room[0], room[1]])
        };
        let ids = [next(), next(), next(), next()];
        assert_eq!(std::collections::HashSet::from(ids).len(), ids.len(), "each try has another one");
        firsts.insert(ids[0]);
        steps.insert(ids[1].wrapping_sub(ids[0]));
    }
    assert!(firsts.len() > 1 && steps.len() > 1, "{firsts:?} {steps:?}");
}
