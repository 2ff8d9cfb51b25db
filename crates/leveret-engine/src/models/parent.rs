//! Parents of workers: the first worker of a new parent empties the arena, once, before any sibling stores in it.
use super::world::{explore, get, set, Grain, World};
use crate::arena::Arena;
use std::sync::Mutex;
use std::time::Duration;

const OLD: &[u8] = b"old";
const LEN: usize = 8;
/// Tokens of two parents, and of a later self of the first.
const FIRST: u64 = 1 << 50;
const OTHER: u64 = 2 << 50;
const LATER: u64 = FIRST + 1;

/// A worker comes, as `enter_parent` lets him. Whether the arena was emptied for him.
fn enter(arena: &Arena, token: u64, lives: bool) -> bool {
    let listed = || arena.lists_parent(token);
    let is_new = !listed() && {
        let _lock = arena.core.map.host.lock_file(Duration::MAX, &listed);
        !listed() && arena.list_parent(token, |_| lives).expect("there")
    };
    assert_eq!(get(arena, OLD), None, "of the time before");
    is_new
}

/// Two workers start at once, and each stores a lasting item. How often the arena was emptied.
fn two_come(name: &str, tokens: [u64; 2], lives: bool, judge: impl Fn(&Arena, usize)) {
    explore(name, Grain::Header, |world: &World| {
        let [one, other] = [2, 3].map(|pid| world.registered(pid));
        set(&one, OLD, b'o', LEN);
        let emptied = Mutex::new(0);
        let come = |arena: &Arena, token: u64, key: &[u8]| {
            let is_new = enter(arena, token, lives);
            *emptied.lock().expect("no panic") += usize::from(is_new);
            set(arena, key, b'n', LEN);
        };
        world.run([Box::new(|| come(&one, tokens[0], b"one")), Box::new(|| come(&other, tokens[1], b"two"))]);
        judge(&one, emptied.into_inner().expect("no panic"));
    });
}

fn holds(arena: &Arena, key: &[u8]) -> bool {
    get(arena, key) == Some((b'n', LEN))
}

#[test]
fn one_worker_of_a_parent_empties_the_arena() {
    two_come("parent: two workers", [FIRST; 2], true, |arena, emptied| {
        assert_eq!(emptied, 1);
        assert!(holds(arena, b"one") && holds(arena, b"two"));
    });
}

#[test]
fn a_second_server_empties_nothing() {
    two_come("parent: two parents", [FIRST, OTHER], true, |arena, emptied| {
        assert_eq!(emptied, 1);
        assert!(holds(arena, b"one") && holds(arena, b"two"));
        assert!(arena.lists_parent(FIRST) && arena.lists_parent(OTHER));
    });
}

/// Of a parent that is gone only the list is left, and the next one takes its place.
#[test]
fn who_follows_a_dead_parent_empties_the_arena() {
    two_come("parent: one is dead", [FIRST, OTHER], false, |arena, emptied| {
        assert_eq!(emptied, 2);
        assert!(holds(arena, b"one") || holds(arena, b"two"));
        assert!(arena.lists_parent(FIRST) != arena.lists_parent(OTHER));
    });
}

/// A worker of before, with its last request, beside the first of the restarted parent.
#[test]
fn a_worker_of_a_former_self_comes_too_late() {
    two_come("parent: former self", [FIRST, LATER], true, |arena, _| {
        assert!(holds(arena, b"two"), "what the parent of today stored");
        assert!(arena.lists_parent(LATER) && !arena.lists_parent(FIRST));
    });
}
