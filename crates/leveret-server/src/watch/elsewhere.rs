//! Operations of other processes on the arena: PHP, Ruby, tools. They write them into the arena's journal while a
//! watcher asks; the thread of the watchers asks, and reads.
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

/// The arena's journal, while there are watchers.
#[derive(Default)]
pub struct Elsewhere {
    arena: Option<Arena>,
    journal: Option<Journal>,
    /// When it was asked last, and for what.
    asked: Option<(Time, Kinds)>,
    lost: u64,
}

impl Elsewhere {
    /// Another arena is served.
    pub fn follow(&mut self, arena: &Arena) {
        let lost = self.lost;
        *self = Elsewhere { arena: Some(arena.clone()), lost, ..Elsewhere::default() };
    }

    /// No watcher is left.
    pub fn rest(&mut self) {
        (self.journal, self.asked) = (None, None);
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
        let mut topics = TOPICS.into_iter().filter(|(kinds, _)| wanted.has(*kinds)).peekable();
        if topics.peek().is_some() && self.journal.is_none() {
            // Without memory for it now, perhaps in a second.
            self.journal = self.arena.as_ref().and_then(Arena::journal);
        }
        if let Some(journal) = &self.journal {
            topics.for_each(|(_, topic)| journal.ask(topic, now));
        }
    }

    /// Puts new entries into the ring.
    pub fn collect(&mut self, wanted: Kinds, ring: &EventRing) {
        self.ask(wanted);
        if let Some(journal) = &mut self.journal {
            self.lost += journal.read(&mut |entry| put(entry, wanted, ring));
        }
    }
}

fn put(entry: &Entry<'_>, wanted: Kinds, ring: &EventRing) {
    let Some(event) = event(entry) else { return };
    if wanted.has(event.kinds()) {
        ring.put(entry.micros, &event);
    }
}

/// None: an action of a later version.
fn event<'k>(entry: &Entry<'k>) -> Option<Event<'k>> {
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
    Some(Event { kind, key: entry.key, status, cmd, size, ttl, idle, cfd, database: 0, by: Some(entry.program) })
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
