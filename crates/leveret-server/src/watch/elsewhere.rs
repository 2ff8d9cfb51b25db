//! Operations of other processes on the served arenas: PHP, Ruby, tools. They write them into an arena's journal while
//! a watcher asks; the thread of the watchers asks, and reads.
use super::event::{cmd, status};
use super::ring::EventRing;
use super::{Event, EventKind, Kinds, DEAD};
use leveret_engine::{Action, Arena, Deadline, Entry, Journal, Missed, ModeKind, StoreOutcome, Time, Topic};

/// Which kinds of events need which topics of the journal.
const TOPICS: [(Kinds, Topic); 4] = [
    (Kinds::FETCHERS.elsewhere(), Topic::Reads),
    (Kinds::MUTATIONS.elsewhere(), Topic::Stores),
    (Kinds::DELETIONS.elsewhere(), Topic::Deletes),
    (Kinds::EVICTIONS.elsewhere(), Topic::Evictions),
];

/// The journals of the served arenas, while there are watchers.
#[derive(Default)]
pub struct Elsewhere {
    followed: Vec<Followed>,
    /// When it was asked last, and for what.
    asked: Option<(Time, Kinds)>,
    lost: u64,
}

/// The arena of one database.
struct Followed {
    database: u8,
    arena: Arena,
    journal: Option<Journal>,
}

impl Elsewhere {
    /// This arena is served as this database from now on.
    pub fn follow(&mut self, database: u8, arena: &Arena) {
        self.forget(database);
        self.followed.push(Followed { database, arena: arena.clone(), journal: None });
        self.asked = None;
    }

    /// This database is served no more.
    pub fn forget(&mut self, database: u8) {
        self.followed.retain(|one| one.database != database);
    }

    /// No watcher is left.
    pub fn rest(&mut self) {
        self.followed.iter_mut().for_each(|one| one.journal = None);
        self.asked = None;
    }

    /// Entries that were never read.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Asks for the wanted topics, at most once a second.
    pub fn ask(&mut self, wanted: Kinds) {
        let now = Time::now();
        if self.asked == Some((now, wanted)) {
            return;
        }
        self.asked = Some((now, wanted));
        let topics = TOPICS.into_iter().filter(|(kinds, _)| wanted.has(*kinds));
        if topics.clone().next().is_none() {
            return;
        }
        for Followed { arena, journal, .. } in &mut self.followed {
            // Without memory for it now, perhaps in a second.
            *journal = journal.take().or_else(|| arena.journal());
            if let Some(journal) = journal {
                topics.clone().for_each(|(_, topic)| journal.ask(topic, now));
            }
        }
    }

    /// Puts new entries into the ring.
    pub fn collect(&mut self, wanted: Kinds, ring: &EventRing) {
        self.ask(wanted);
        for Followed { database, journal, .. } in &mut self.followed {
            if let Some(journal) = journal {
                self.lost += journal.read(&mut |entry| put(entry, *database, wanted, ring));
            }
        }
    }
}

fn put(entry: &Entry<'_>, database: u8, wanted: Kinds, ring: &EventRing) {
    let Some(event) = event(entry, database) else { return };
    if wanted.has(event.kinds()) {
        ring.put(entry.micros, &event);
    }
}

/// None: an action of a later version.
fn event<'k>(entry: &Entry<'k>, database: u8) -> Option<Event<'k>> {
    let (mut idle, mut ttl) = (0, 0);
    let (kind, status, cmd) = match entry.action {
        Action::Read(read) => (EventKind::Get, status_of_read(read), 0),
        Action::Store(way, ending) => {
            ttl = seconds_left(entry.deadline, entry.mtime).unwrap_or(0);
            let cmd = cmd_of(way)?;
            (EventKind::Store, status_of_store(cmd, ending)?, cmd)
        }
        Action::Deleted => (EventKind::Deleted, 0, cmd::DELETE),
        Action::Evicted(was_read) => {
            let now = Time::now();
            idle = now.0.saturating_sub(entry.mtime.0);
            ttl = seconds_left(entry.deadline, now).unwrap_or(DEAD);
            (EventKind::Eviction, u8::from(was_read), 0)
        }
        _ => return None,
    };
    let (size, cfd) = (entry.value_len, entry.pid as i32);
    Some(Event { kind, key: entry.key, status, cmd, size, ttl, idle, cfd, database, by: Some(entry.program) })
}

/// None: for ever.
fn seconds_left(deadline: Deadline, now: Time) -> Option<u32> {
    let at = deadline.time()?;
    Some(if at <= now { DEAD } else { at.0 - now.0 })
}

fn status_of_read(read: Result<(), Missed>) -> u8 {
    match read {
        Ok(()) => status::FOUND,
        Err(Missed::Absent) => status::NOT_FOUND,
        Err(Missed::Expired) => status::EXPIRED,
        Err(Missed::Flushed) => status::FLUSHED,
    }
}

fn cmd_of(way: ModeKind) -> Option<u8> {
    Some(match way {
        ModeKind::Set => cmd::SET,
        ModeKind::Add => cmd::ADD,
        ModeKind::Replace => cmd::REPLACE,
        ModeKind::Append => cmd::APPEND,
        ModeKind::Prepend => cmd::PREPEND,
        ModeKind::Cas => cmd::CAS,
        _ => return None,
    })
}

fn status_of_store(cmd: u8, ending: StoreOutcome) -> Option<u8> {
    Some(match ending {
        StoreOutcome::Stored => status::STORED,
        StoreOutcome::Exists if cmd == cmd::CAS => status::EXISTS,
        StoreOutcome::Missing if cmd == cmd::CAS => status::NOT_FOUND,
        StoreOutcome::Exists | StoreOutcome::Missing => status::NOT_STORED,
        StoreOutcome::TooLarge => status::TOO_LARGE,
        StoreOutcome::Failed => status::NO_MEMORY,
        _ => return None,
    })
}
