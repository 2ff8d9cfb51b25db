//! Removes expired keys that no client requests, so that DBSIZE, SCAN and `expired_keys` show what clients of Redis
//! expect. The engine reclaims segments whose items have all expired; this finds expired keys between live ones. The
//! same walk counts the keys with a deadline.
use leveret_engine::{Arena, Cursor, Time};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time limits of a sweep of one database: where its last sweep found many expired keys, and elsewhere.
const WORTH: Duration = Duration::from_millis(1);
const ELSEWHERE: Duration = Duration::from_micros(250);

/// Slots and buckets that are looked at before the clock is asked.
const STEP: usize = 2048;

/// The sweeps of all databases.
#[derive(Debug)]
pub(crate) struct Sweeper {
    /// Where the next sweep of each database continues, and the counts of its present round.
    rounds: Mutex<Vec<Round>>,
    found: Box<[Found]>,
}

#[derive(Clone, Debug, Default)]
struct Round {
    cursor: Cursor,
    mortal: u64,
    millis_left: u64,
    /// A tenth of what the last sweep met was dead.
    was_worth: bool,
}

/// What the last whole round over a database has found.
#[derive(Debug, Default)]
struct Found {
    mortal: AtomicU64,
    mean_millis: AtomicU64,
}

impl Sweeper {
    /// For `databases` databases.
    pub fn new(databases: u32) -> Sweeper {
        let databases = databases as usize;
        Sweeper {
            rounds: Mutex::new(vec![Round::default(); databases]),
            found: (0..databases).map(|_| Found::default()).collect(),
        }
    }

    /// Sweeps a piece of each of these databases. Returns whether the next sweep is worth the while soon: keys have deadlines.
    pub fn sweep(&self, databases: &[(u32, Arena)]) -> bool {
        let mut rounds = self.rounds.lock().unwrap_or_else(PoisonError::into_inner);
        let mut is_worth = false;
        for (number, arena) in databases {
            let place = *number as usize;
            let Some((round, found)) = rounds.get_mut(place).zip(self.found.get(place)) else { continue };
            let (begun, now) = (Instant::now(), Time::now());
            let lasts = if round.was_worth { WORTH } else { ELSEWHERE };
            let (mut seen, mut removed) = (0, 0);
            // An arena that is gone is looked after once a second.
            while let Ok(swept) = arena.sweep(&mut round.cursor, now, STEP) {
                (seen, removed) = (seen + swept.seen, removed + swept.removed);
                round.mortal += swept.mortal;
                round.millis_left = round.millis_left.saturating_add(swept.millis_left);
                if swept.is_round {
                    found.mortal.store(round.mortal, Relaxed);
                    found.mean_millis.store(round.millis_left / round.mortal.max(1), Relaxed);
                    *round = Round::default();
                    break;
                }
                if begun.elapsed() >= lasts {
                    break;
                }
            }
            round.was_worth = removed > 0 && removed * 10 >= seen;
            is_worth |= round.was_worth || round.mortal > 0 || found.mortal.load(Relaxed) > 0;
        }
        is_worth
    }

    /// How many keys of a database had a deadline, and how many milliseconds were left to them in the mean, when it was last
    /// swept as a whole.
    pub fn mortal(&self, database: u32) -> (u64, u64) {
        let found = self.found.get(database as usize);
        found.map_or((0, 0), |found| (found.mortal.load(Relaxed), found.mean_millis.load(Relaxed)))
    }
}
