//! What all conversations of a server share.
use crate::auth::{PasswordFile, UserError, Users};
use crate::counters::baseline::Baseline;
use crate::counters::latency::Latencies;
use crate::counters::prefixes::Prefixes;
use crate::counters::requests::{Counters, Totals};
use crate::counters::traffic::Network;
use crate::live::Live;
use crate::log::{self, Level};
use crate::redis::databases::DatabaseError;
use crate::redis::Redis;
use crate::tls::{Tls, TlsError};
use crate::watch::WatchHub;
use crate::Settings;
use leveret_engine::{reason, Arena, Error};
use rustix::mm::{mlockall, MlockAllFlags};
use std::fmt;
use std::path::Path;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Instant;

/// Why a server's files are refused. One line that names the file and the reason.
#[derive(Debug)]
pub enum StartError {
    /// Of `-Y` or `-S`.
    Users(UserError),
    /// Of `-Z`.
    Tls(TlsError),
    /// Of the databases of `--redis`.
    Database(DatabaseError),
}

impl fmt::Display for StartError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Users(error) => error.fmt(to),
            StartError::Tls(error) => error.fmt(to),
            StartError::Database(error) => error.fmt(to),
        }
    }
}

impl std::error::Error for StartError {}

impl From<UserError> for StartError {
    fn from(error: UserError) -> StartError {
        StartError::Users(error)
    }
}

impl From<TlsError> for StartError {
    fn from(error: TlsError) -> StartError {
        StartError::Tls(error)
    }
}

/// The cache, the settings, and the counters. One per server, in an `Arc`.
pub struct Shared {
    /// The cache. Locked to look at statistics, and when it is replaced; workers have their own, in `Worker`.
    arena: Mutex<Arena>,
    /// How often it was replaced.
    edition: AtomicU32,
    /// As given at the start.
    pub settings: Settings,
    /// Those that may have changed since.
    pub live: Live,
    /// What the sockets count.
    pub network: Network,
    /// `stats detail`.
    pub prefixes: Prefixes,
    /// The watchers, and their events.
    pub(crate) watch: Arc<WatchHub>,
    counters: Box<[Counters]>,
    latencies: Box<[Latencies]>,
    baseline: RwLock<Baseline>,
    users: Option<RwLock<Users>>,
    passwords: Option<PasswordFile>,
    tls: Option<Arc<Tls>>,
    redis: Option<Redis>,
    verbosity: AtomicU32,
    shows_sizes: AtomicBool,
    started: Instant,
}

impl Shared {
    /// Reads the files of users, certificates and keys, if there are any, and begins to count.
    pub fn new(arena: Arena, settings: Settings) -> Result<Shared, StartError> {
        let users = settings.auth_file.as_deref().map(Users::read).transpose()?;
        let passwords = settings.sasl_pwdb.as_deref().map(PasswordFile::open).transpose()?;
        let tls = settings.tls.as_ref().map(Tls::load).transpose()?.map(Arc::new);
        let redis = settings.redis.as_ref().map(|redis| Redis::open(&settings, redis, &arena)).transpose();
        let redis = redis.map_err(StartError::Database)?;
        let threads = settings.threads.max(1);
        let shared = Shared {
            network: Network::new(threads),
            watch: Arc::new(WatchHub::new(threads)),
            prefixes: Prefixes::new(settings.prefix_delimiter, settings.detail),
            counters: (0..threads).map(|_| Counters::default()).collect(),
            latencies: (0..threads).map(|_| Latencies::default()).collect(),
            baseline: RwLock::default(),
            users: users.map(RwLock::new),
            passwords,
            tls,
            redis,
            live: Live::new(&settings),
            verbosity: AtomicU32::new(u32::from(settings.verbosity)),
            shows_sizes: AtomicBool::new(settings.track_sizes),
            started: Instant::now(),
            arena: Mutex::new(arena),
            edition: AtomicU32::new(0),
            settings,
        };
        shared.lock_memory();
        shared.watch_arena(0, &shared.arena());
        for (number, arena) in shared.redis.iter().flat_map(|redis| redis.databases.made()) {
            shared.watch_arena(number, &arena);
        }
        shared.reset_stats();
        Ok(shared)
    }

    /// As `new`, for a tool that looks at an arena without a server: counts are those since the arena was made.
    pub fn local(arena: Arena, settings: Settings) -> Result<Arc<Shared>, StartError> {
        let shared = Shared::new(arena, settings)?;
        *shared.baseline.write().unwrap_or_else(PoisonError::into_inner) = Baseline::default();
        Ok(Arc::new(shared))
    }

    /// The cache as it is served now.
    pub fn arena(&self) -> Arena {
        self.latest().0
    }

    /// The same, with the other databases of `--redis` that were made.
    pub fn arenas(&self) -> Vec<Arena> {
        let others = self.redis.iter().flat_map(|redis| redis.databases.made()).map(|(_, arena)| arena);
        std::iter::once(self.arena()).chain(others).collect()
    }

    /// The cache, and how often it was replaced until then.
    pub(crate) fn latest(&self) -> (Arena, u32) {
        let arena = self.arena.lock().unwrap_or_else(PoisonError::into_inner);
        (arena.clone(), self.edition())
    }

    #[inline]
    pub(crate) fn edition(&self) -> u32 {
        self.edition.load(Acquire)
    }

    /// Serves the arena that the path names now, and creates it if there is none: the file was removed, as PHP
    /// processes notice too, and both must use the same cache. Counters of requests restart with it.
    pub(crate) fn reopen(&self) -> Result<Arena, leveret_place::PlaceError> {
        let old = self.arena();
        let (new, _) = Arena::open(old.path(), &self.settings.open_options(old.memory()))?;
        if let Some(Err(why)) = self.redis.as_ref().map(|redis| redis.databases.settle(0, &new)) {
            log::tell(Level::Warning, format_args!("database 0 keeps its policy: {why}"));
        }
        log::tell_older(&new);
        let mut arena = self.arena.lock().unwrap_or_else(PoisonError::into_inner);
        *arena = new.clone();
        self.edition.fetch_add(1, Release);
        drop(arena);
        self.lock_memory();
        self.watch_arena(0, &new);
        self.begin_to_count();
        Ok(new)
    }

    /// Database `number` of `--redis`, which is made, announced and watched if it is not there. `first` is the path of database 0.
    pub(crate) fn database_to_write(&self, number: u32, first: &Path) -> Result<Arena, Error> {
        let redis = self.redis().ok_or(Error::NoMemory)?;
        let (arena, is_opened) = redis.databases.get_or_make(number, first)?;
        if is_opened {
            redis.announced.add(number, &arena);
            self.watch_arena(number, &arena);
        }
        Ok(arena)
    }

    /// Tells watchers what happens in this arena beside the commands of this server.
    fn watch_arena(&self, database: u32, arena: &Arena) {
        arena.keep_out_of_journal();
        self.watch.follow(database, arena);
        let watch = self.watch.clone();
        arena.on_evict(move |evicted| watch.tell_evicted(database, evicted));
    }

    /// `-k`: the pages of the open arena stay in memory from their first use on. Not all at once, since an arena's file
    /// is far longer than its memory; and not what will be mapped later, for which each mapping would be held against
    /// the limit.
    fn lock_memory(&self) {
        if !self.settings.lock_memory {
            return;
        }
        if let Err(error) = mlockall(MlockAllFlags::CURRENT | MlockAllFlags::ONFAULT) {
            let why = reason(&error.into());
            log::tell(
                Level::Warning,
                format_args!("-k has no effect: {why}; raise the limit (ulimit -l, LimitMEMLOCK=)"),
            );
        }
    }

    /// How long this worker's requests took.
    pub(crate) fn latencies(&self, worker: usize) -> &Latencies {
        &self.latencies[worker % self.latencies.len()]
    }

    /// The same of all workers.
    pub(crate) fn all_latencies(&self) -> &[Latencies] {
        &self.latencies
    }

    /// The counters of one worker.
    #[inline]
    pub(crate) fn counters(&self, worker: usize) -> &Counters {
        &self.counters[worker % self.counters.len()]
    }

    /// The same of all workers.
    pub(crate) fn all_counters(&self) -> &[Counters] {
        &self.counters
    }

    /// The users, if clients must sign in. Locked only by clients that have not signed in yet.
    pub(crate) fn users(&self) -> Option<&RwLock<Users>> {
        self.users.as_ref()
    }

    /// The SASL users, if clients must sign in that way.
    #[inline]
    pub(crate) fn passwords(&self) -> Option<&PasswordFile> {
        self.passwords.as_ref()
    }

    /// TLS, if there is any (`-Z`).
    pub(crate) fn tls(&self) -> Option<&Arc<Tls>> {
        self.tls.as_ref()
    }

    /// What connections of `--redis` share, if there is that entrance.
    #[inline]
    pub(crate) fn redis(&self) -> Option<&Redis> {
        self.redis.as_ref()
    }

    /// SIGHUP: applies the changeable part of `settings`, if there are new ones, and reads the files of users and of
    /// certificates again. Invalid ones keep their old contents, and the reasons are returned. Signed-in clients stay
    /// signed in.
    pub fn reload(&self, settings: Option<&Settings>) -> Vec<StartError> {
        if let Some(settings) = settings {
            self.live.set(settings);
            self.set_verbosity(u32::from(settings.verbosity));
            self.show_sizes(settings.track_sizes);
        }
        let latest = settings.unwrap_or(&self.settings);
        let users =
            self.users.as_ref().zip(latest.auth_file.as_deref()).map(|(users, file)| -> Result<(), UserError> {
                *users.write().unwrap_or_else(PoisonError::into_inner) = Users::read(file)?;
                Ok(())
            });
        let tls = self.tls.as_ref().map(|tls| tls.refresh(settings.and_then(|settings| settings.tls.as_ref())));
        if let (Some(redis), true) = (&self.redis, self.users.is_some() || self.tls.is_some()) {
            redis.renew_nonce(self.users.is_some());
        }
        let users = users.and_then(Result::err).map(StartError::from);
        users.into_iter().chain(tls.and_then(Result::err).map(StartError::from)).collect()
    }

    /// What had been counted when counting began.
    pub(crate) fn baseline(&self) -> Baseline {
        self.baseline.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Resets the counters.
    pub(crate) fn reset_stats(&self) {
        self.begin_to_count();
        self.network.reset();
        self.prefixes.reset();
    }

    fn begin_to_count(&self) {
        let baseline = Baseline { arena: self.arena().stats(), totals: Totals::over(&self.counters) };
        *self.baseline.write().unwrap_or_else(PoisonError::into_inner) = baseline;
    }

    /// How much is told about connections and requests, on standard error.
    pub fn verbosity(&self) -> u32 {
        self.verbosity.load(Relaxed)
    }

    pub(crate) fn set_verbosity(&self, level: u32) {
        self.verbosity.store(level, Relaxed);
    }

    pub(crate) fn shows_sizes(&self) -> bool {
        self.shows_sizes.load(Relaxed)
    }

    pub(crate) fn show_sizes(&self, on: bool) {
        self.shows_sizes.store(on, Relaxed);
    }

    pub(crate) fn uptime_secs(&self) -> u64 {
        self.started.elapsed().as_secs()
    }
}
