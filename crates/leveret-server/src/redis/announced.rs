//! What the arenas of the databases tell clients of this host: where the entrance listens, which database an arena is, and a
//! nonce. A client that was let in over the socket is told the same nonce there, and may then use the arenas in its place.
//!
//! Each start and each change of a password draws another nonce: then clients must sign in again.
use crate::announcing::announce_text;
use leveret_engine::{Announcement, Arena};
use leveret_place::RespListener;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The announcements in all databases.
pub(crate) struct Announced {
    databases: u32,
    state: Mutex<State>,
}

impl std::fmt::Debug for Announced {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Announced").field("databases", &self.databases).finish_non_exhaustive()
    }
}

struct State {
    nonce: u128,
    /// Clients must give a password.
    asks_for_password: bool,
    listeners: Vec<AnnouncedListener>,
    arenas: BTreeMap<u32, (Arena, Vec<Announcement>)>,
}

/// A listener, as clients of this host are to find it.
#[derive(Debug)]
pub(crate) struct AnnouncedListener {
    /// `tcp 127.0.0.1:6379 net:[…]`, `unix /path`.
    pub endpoint: String,
    /// Its clients must show a certificate.
    pub asks_for_certificate: bool,
    /// Announced as a server without passwords, in any case (`--announce`).
    pub is_open: bool,
}

impl Announced {
    /// Announces nothing yet.
    pub fn new(databases: u32, asks_for_password: bool) -> Announced {
        let state = State { nonce: draw(), asks_for_password, listeners: Vec::new(), arenas: BTreeMap::new() };
        Announced { databases, state: Mutex::new(state) }
    }

    /// The nonce of now. To be asked for before a password is compared: then a password that was changed meanwhile comes
    /// with a nonce that is out of date.
    pub fn nonce(&self) -> u128 {
        self.lock().nonce
    }

    /// The server listens there: announces it in all databases that are open.
    pub fn begin(&self, listeners: Vec<AnnouncedListener>) {
        let mut state = self.lock();
        state.listeners = listeners;
        self.tell_all(&mut state);
    }

    /// The server listens no longer.
    pub fn end(&self) {
        let mut state = self.lock();
        state.listeners.clear();
        state.arenas.clear();
    }

    /// A database was opened, made, or replaced by another file.
    pub fn add(&self, database: u32, arena: &Arena) {
        let mut state = self.lock();
        let announcements = self.announcements(&state, database, arena);
        state.arenas.insert(database, (arena.clone(), announcements));
    }

    /// The file of a database has gone.
    pub fn remove(&self, database: u32) {
        self.lock().arenas.remove(&database);
    }

    /// Changes the passwords and draws another nonce. `change` returns whether a password is required from now on.
    /// Meanwhile, nothing is announced.
    pub fn renew(&self, change: impl FnOnce() -> bool) {
        let mut state = self.lock();
        state.arenas.values_mut().for_each(|(_, announcements)| announcements.clear());
        state.asks_for_password = change();
        state.nonce = draw();
        self.tell_all(&mut state);
    }

    fn tell_all(&self, state: &mut State) {
        let mut arenas = std::mem::take(&mut state.arenas);
        for (database, (arena, announcements)) in &mut arenas {
            announcements.clear();
            *announcements = self.announcements(state, *database, arena);
        }
        state.arenas = arenas;
    }

    fn announcements(&self, state: &State, database: u32, arena: &Arena) -> Vec<Announcement> {
        let text = |listener: &AnnouncedListener| {
            let asks = state.asks_for_password || listener.asks_for_certificate;
            let nonce = (asks && !listener.is_open).then_some(state.nonce);
            RespListener { database, endpoint: listener.endpoint.clone(), nonce, databases: self.databases }.to_string()
        };
        state.listeners.iter().filter_map(|listener| announce_text(arena, &text(listener))).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Never the same again: the standard library seeds each state from the system.
fn draw() -> u128 {
    let word = || u128::from(RandomState::new().hash_one(std::process::id()));
    word() << 64 | word()
}

#[cfg(test)]
mod tests {
    use super::*;
    use leveret_engine::OpenOptions;

    fn texts(arena: &Arena) -> Vec<String> {
        arena.services().into_iter().map(|service| service.text).collect()
    }

    #[test]
    fn each_database_tells_its_number_and_each_change_another_nonce() {
        let dir = tempfile::tempdir().expect("a folder");
        let arenas: Vec<Arena> = (0..3)
            .map(|number| {
                let path = dir.path().join(format!("{number}.arena"));
                Arena::open(&path, &OpenOptions::new().memory(8 << 20)).expect("an arena").0
            })
            .collect();
        let listener = |endpoint: &str, asks_for_certificate, is_open| AnnouncedListener {
            endpoint: endpoint.to_owned(),
            asks_for_certificate,
            is_open,
        };
        let announced = Announced::new(16, true);
        announced.add(0, &arenas[0]);
        assert_eq!(texts(&arenas[0]), Vec::<String>::new());
        announced.begin(vec![
            listener("tcp 127.0.0.1:1 net:[1]", false, false),
            listener("tls 127.0.0.1:2 net:[1]", true, false),
            listener("unix /a", true, true),
        ]);
        let mut nonces = vec![announced.nonce()];
        for (is_asked, number) in [(true, 1), (false, 2), (true, 2)] {
            announced.renew(|| {
                assert!(arenas.iter().all(|arena| texts(arena).is_empty()));
                is_asked
            });
            announced.add(number, &arenas[number as usize]);
            let nonce = announced.nonce();
            assert!(!nonces.contains(&nonce));
            nonces.push(nonce);
            for (number, arena) in arenas.iter().enumerate().take(number as usize + 1) {
                let auth = |is_asked| if is_asked { format!(" auth:{nonce:032x}") } else { String::new() };
                let word = |is_asked| if is_asked { "guarded " } else { "" };
                let want = [
                    format!("{}resp {number} tcp 127.0.0.1:1 net:[1]{} dbs:16", word(is_asked), auth(is_asked)),
                    format!("guarded resp {number} tls 127.0.0.1:2 net:[1]{} dbs:16", auth(true)),
                    format!("resp {number} unix /a dbs:16"),
                ];
                assert_eq!(texts(arena), want);
            }
        }
        announced.remove(1);
        assert!(texts(&arenas[1]).is_empty() && !texts(&arenas[0]).is_empty());
        announced.end();
        announced.add(1, &arenas[1]);
        assert!(arenas.iter().all(|arena| texts(arena).is_empty()));
    }
}
