//! Arenas as servers of a pool.
use crate::common::{answers, Folder, Memcached};
use crate::pool::{batch, code, one, request, set};
use leveret_client::pool::{Code, Operation, Options, Pool, Request, ServerKind};
use leveret_engine::Time;
use std::time::Duration;

#[test]
fn an_arena_is_kept_for_the_next_pool_and_let_go_with_its_file() {
    let Folder(dir) = &Folder::new("kept");
    let mapped = || std::fs::read_to_string("/proc/self/maps").unwrap().matches("/kept").count();
    let ask = |operation| {
        let mut pool = Pool::new(Options::default());
        pool.add_server_in(dir, "arena:kept", 0, 0, 1);
        answers(&mut pool, &[Request { value: b"v", ..Request::new(operation, b"k") }])[0].0
    };
    assert_eq!(ask(Operation::Set), Code::Success);
    let maps = mapped();
    assert!(maps > 0);
    assert_eq!(ask(Operation::Get), Code::Success);
    assert_eq!(mapped(), maps, "it is neither opened twice nor closed");
    // Another arena takes its place.
    std::fs::remove_file(dir.join("kept.arena")).unwrap();
    assert_eq!(ask(Operation::Get), Code::NotFound);
    let left = std::fs::read_to_string("/proc/self/maps").unwrap();
    assert!(!left.lines().any(|line| line.contains("/kept") && line.ends_with("(deleted)")), "{left}");
}

#[test]
fn an_arena_is_a_server_like_any_other() {
    let Folder(dir) = &Folder::new("arena");
    let server = Memcached::tcp();
    let mut pool = Pool::new(Options::default());
    pool.add_server_in(dir, "arena:one", 0, 0, 1);
    assert!(pool.arena(Time::now()).is_some());
    pool.add_server(&server.host(), server.port(), 0, 1);
    pool.add_server_in(dir, "arena:two", 0, 0, 1);
    assert!(pool.arena(Time::now()).is_none(), "one of several is not the pool");
    let pool = &mut pool;
    let keys: Vec<String> = (0..100).map(|i| format!("key:{i}")).collect();
    let sets: Vec<Request<'_>> = keys.iter().map(|key| set(key, key.as_bytes())).collect();
    let gets: Vec<Request<'_>> = keys.iter().map(|key| request(Operation::Get, key)).collect();
    assert_eq!(batch(pool, &gets).len(), 0);
    assert!(batch(pool, &sets).iter().all(|told| told.1 == Code::Success));
    let told = batch(pool, &gets);
    assert_eq!(told.len(), keys.len());
    assert!(told.iter().all(|told| told.3 == keys[told.0].as_bytes() && told.4 == 7));

    let servers: Vec<usize> = keys.iter().map(|key| pool.locate(key.as_bytes()).unwrap()).collect();
    let local = &keys[servers.iter().position(|server| *server == 2).unwrap()];
    let add = Request { value: b"x", ..request(Operation::Add, local) };
    assert_eq!(code(pool, add), Code::NotStored);
    assert_eq!(code(pool, request(Operation::Delete, local)), Code::Success);
    assert_eq!(code(pool, request(Operation::Delete, local)), Code::NotFound);
    assert_eq!(code(pool, request(Operation::Get, local)), Code::NotFound);
    assert_eq!(code(pool, Request { value: b"x", ..request(Operation::Replace, local) }), Code::NotStored);
    assert_eq!(one(pool, Request { number: 3, initial: Some(8), ..request(Operation::Increment, local) }).5, 8);
    assert_eq!(one(pool, Request { number: 3, ..request(Operation::Decrement, local) }).5, 5);
    assert_eq!(one(pool, request(Operation::Get, local)).3, b"5");
    let listed = batch(pool, &[request(Operation::Keys, "")]);
    assert_eq!(listed.iter().filter(|told| told.1 == Code::Stat).count(), keys.len());
    assert!(batch(pool, &[request(Operation::Flush, "")]).iter().all(|told| told.1 == Code::Success));
    assert_eq!(batch(pool, &gets).len(), 0);
}

#[test]
fn the_path_of_an_arena_names_it_where_no_colon_may_stand() {
    let Folder(dir) = &Folder::new("path");
    let path = dir.join("one.arena").to_str().unwrap().to_string();
    let mut named = Pool::new(Options::default());
    named.add_server_in(dir, "arena:one", 0, 0, 1);
    assert_eq!(code(&mut named, set("k", b"value")), Code::Success);
    // A port is what such applications add by themselves.
    for (host, port) in [(path.clone(), 0), (path.clone(), 11211), (format!("unix://{path}"), 0)] {
        let mut pool = Pool::new(Options::default());
        pool.add_server(&host, port, 0, 1);
        assert_eq!(pool.server(0).map(|server| (server.kind, server.port)), Some((ServerKind::Arena, port)), "{host}");
        assert_eq!(one(&mut pool, request(Operation::Get, "k")).3, b"value", "{host}");
    }
}

#[test]
fn a_removed_arena_is_not_used_for_longer_than_a_second() {
    let Folder(dir) = &Folder::new("removed");
    let mut pool = Pool::new(Options::default());
    pool.add_server_in(dir, "arena:one", 0, 0, 1);
    assert_eq!(code(&mut pool, set("k", b"old")), Code::Success);
    std::fs::remove_file(dir.join("one.arena")).unwrap();
    while code(&mut pool, request(Operation::Get, "k")) == Code::Success {
        std::thread::sleep(Duration::from_millis(10));
    }
    // What others find under that name.
    let other = &mut Pool::new(Options::default());
    other.add_server_in(dir, "arena:one", 0, 0, 1);
    assert_eq!(code(&mut pool, set("k", b"new")), Code::Success);
    assert_eq!(one(other, request(Operation::Get, "k")).3, b"new");
}

#[test]
fn an_arena_is_looked_at_when_the_callers_second_is_another_one() {
    let Folder(dir) = &Folder::new("second");
    let mut pool = Pool::new(Options::default());
    pool.add_server_in(dir, "arena:one", 0, 0, 1);
    // The caller's clock: none of these seconds is over while this runs.
    let now = Time(Time::now().0 + 1000);
    assert_eq!(code(&mut pool, set("k", b"old")), Code::Success);
    let mut has = |now: Time| pool.arena(now).unwrap().get(b"k", Time::now()).is_some();
    assert!(has(now));
    std::fs::remove_file(dir.join("one.arena")).unwrap();
    assert!(has(now), "nothing was looked at");
    assert!(has(Time(now.0 - 1)), "nor is it when the clocks of two callers differ");
    assert!(!has(Time(now.0 + 1)), "this is the new arena");
}
