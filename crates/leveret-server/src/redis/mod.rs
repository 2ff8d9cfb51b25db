//! The Redis entrance (`--redis`): shared state of its connections. `dialects/redis` serves each of them; the crate
//! `leveret-strings` executes commands on keys.
pub(crate) mod announced;
pub(crate) mod clients;
pub(crate) mod counters;
pub mod databases;
pub(crate) mod gate;
pub mod settings;
pub(crate) mod sweep;
pub(crate) mod times;
pub(crate) mod writes;

use crate::Settings;
pub use databases::path_of as path_of_database;

use announced::Announced;
use clients::{Client, Clients};
use counters::CommandCounters;
use databases::{DatabaseArenas, DatabaseError};
use gate::Gate;
use leveret_engine::{Arena, MEMORY_MIN};
use leveret_strings::Scripts;
use settings::RedisSettings;
use std::hash::{BuildHasher, RandomState};
use std::net::SocketAddr;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, PoisonError, RwLock};
use sweep::Sweeper;
use writes::WriteCounts;

/// What all connections of the entrance share.
#[derive(Debug)]
pub(crate) struct Redis {
    pub settings: RedisSettings,
    pub databases: DatabaseArenas,
    pub gate: Gate,
    pub clients: Clients,
    pub writes: WriteCounts,
    pub counters: CommandCounters,
    pub sweeper: Sweeper,
    pub scripts: Scripts,
    pub announced: Announced,
    /// Forty hexadecimal digits that no other start has.
    pub run_id: String,
    /// The most memory that was allocated at a tick.
    pub peak: AtomicU64,
    password: RwLock<Option<Vec<u8>>>,
}

impl Redis {
    /// The entrance to this arena and to the databases beside it.
    pub fn open(settings: &Settings, redis: &RedisSettings, first: &Arena) -> Result<Redis, DatabaseError> {
        let options = settings.open_options(first.memory().max(MEMORY_MIN));
        let threads = settings.threads.max(1);
        let databases = DatabaseArenas::open(first, redis.databases, options, redis.own.clone())?;
        let announced = Announced::new(redis.databases, redis.password.is_some() || settings.auth_file.is_some());
        announced.add(0, first);
        databases.made().iter().for_each(|(number, arena)| announced.add(*number, arena));
        Ok(Redis {
            databases,
            announced,
            gate: Gate::new(threads),
            clients: Clients::default(),
            writes: WriteCounts::default(),
            counters: CommandCounters::new(threads),
            sweeper: Sweeper::new(redis.databases),
            scripts: Scripts::default(),
            run_id: run_id(),
            peak: AtomicU64::new(0),
            password: RwLock::new(redis.password.as_ref().map(|password| password.clone().into_bytes())),
            settings: redis.clone(),
        })
    }

    /// Notes a connection that has come to a worker.
    pub fn welcome(&self, worker: usize, fd: i32, peer: Option<SocketAddr>, endpoint: &str) -> Arc<Client> {
        // Redis writes `path:0` for both sides of a Unix socket.
        let local = endpoint.rsplit(' ').next().unwrap_or_default();
        let (peer, local) = match peer {
            Some(peer) => (peer.to_string(), local.to_owned()),
            None => (format!("{local}:0"), format!("{local}:0")),
        };
        self.clients.add(worker, fd, peer, local)
    }

    /// Forgets a connection that has ended, and that it watched keys.
    pub fn farewell(&self, client: &Client) {
        if client.watched.swap(0, Relaxed) > 0 {
            self.writes.watch(false);
        }
        self.clients.remove(client);
    }

    /// Once a second: rates, and databases whose file has gone, which are returned.
    pub fn tick(&self) -> Vec<u32> {
        self.counters.tick();
        let gone = self.databases.check();
        gone.iter().for_each(|number| self.announced.remove(*number));
        gone
    }

    /// Removes some expired items. `first` is database 0. Returns whether another call is worthwhile soon.
    pub fn sweep(&self, first: &Arena) -> bool {
        let mut databases = self.databases.made();
        databases.push((0, first.clone()));
        self.sweeper.sweep(&databases)
    }

    /// The password of the user `default`; `None`: no password is required.
    pub fn password(&self) -> Option<Vec<u8>> {
        self.password.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the password; an empty one means none. Clients that are signed in stay so; `has_users`: the users of `-Y`
    /// must sign in, in any case.
    pub fn set_password(&self, password: &[u8], has_users: bool) {
        let new = (!password.is_empty()).then(|| password.to_vec());
        let is_asked = new.is_some() || has_users;
        self.announced.renew(|| {
            *self.password.write().unwrap_or_else(PoisonError::into_inner) = new;
            is_asked
        });
    }

    /// Other users, or other certificates: clients that use the arenas must sign in again.
    pub fn renew_nonce(&self, has_users: bool) {
        let is_asked = self.password().is_some() || has_users;
        self.announced.renew(|| is_asked);
    }
}

fn run_id() -> String {
    let word = || RandomState::new().hash_one(std::process::id());
    let text = format!("{:016x}{:016x}{:016x}", word(), word(), word());
    text[..40].to_owned()
}
