//! The longest hold of a shard's lock, in instructions: a child stores into a full arena one instruction at a time, and
//! after each the parent checks whether a lock is held. Instructions repeat on any machine, and exclude the time of
//! other processes.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use leveret_engine::{Arena, Deadline, OpenOptions, Time};

use crate::arena_copy::ArenaImage;
use crate::layout;
use crate::stepper::{self, ChildStep};

/// Stores into full memory.
#[derive(Clone, Copy, Debug)]
pub struct Stores {
    /// The arena's memory.
    pub memory: u64,
    /// Length of the values.
    pub value_len: usize,
    /// Whether some keys live for a second only: their segments die while others are written.
    pub mixed_lives: bool,
    /// Whether all that lies there has been read once: drains keep nearly all, and each frees little.
    pub is_read: bool,
    /// How many are stepped.
    pub count: u32,
}

/// The counts.
#[derive(Clone, Debug)]
pub struct HoldCounts {
    /// Instructions of the longest hold.
    pub longest: u64,
    /// Of all holds on average.
    pub mean: u64,
    /// How many there were.
    pub holds: u64,
    /// Where the longest spent them: functions, and how many of its instructions each ran.
    pub places: Vec<(String, u64)>,
    /// Items evicted meanwhile.
    pub evicted: u64,
}

fn store(arena: &Arena, number: u64, stores: &Stores, value: &[u8]) -> Result<(), String> {
    let now = Time::now();
    let deadline = match number % 4 {
        0 if stores.mixed_lives => Deadline::of_second(now.0 + 1),
        1 if stores.mixed_lives => Deadline::of_second(now.0 + 3600),
        _ => Deadline::NEVER,
    };
    let mut key = [0; 16];
    key[..8].copy_from_slice(&number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_ne_bytes());
    key[8..].copy_from_slice(&number.to_ne_bytes());
    arena.set(&key, value, deadline, now).map_err(|error| error.to_string())
}

/// Fills an arena at `path`, and counts.
pub fn count(path: &Path, stores: Stores) -> Result<HoldCounts, String> {
    let options = OpenOptions::new().memory(stores.memory);
    let open = move || Arena::open(path, &options).map(|(arena, _)| arena).map_err(|error| error.to_string());
    let value = vec![7; stores.value_len];
    let mut child = stepper::start(
        || {
            let arena = open()?;
            let mut number = 0;
            // The first ones that had to go were looked for at once; after a quarter more, drains are ahead of writes.
            while arena.stats().evicted == 0 {
                (0..1000).try_for_each(|step| store(&arena, number + step, &stores, &value))?;
                number += 1000;
            }
            let more = stores.memory / 4 / (32 + stores.value_len as u64);
            (0..more).try_for_each(|step| store(&arena, number + step, &stores, &value))?;
            if stores.is_read {
                let now = Time::now();
                arena.iter(now).flatten().for_each(|item| drop(arena.get(&item.key, now)));
            }
            let evicted = arena.stats().evicted;
            Ok((arena, number + more, evicted))
        },
        |(arena, number, _)| {
            (0..u64::from(stores.count)).try_for_each(|step| store(arena, number + step, &stores, &value))
        },
        |(arena, _, evicted)| Ok((arena.stats().evicted - evicted).to_string()),
    )?;
    let file = File::open(path).map_err(|error| error.to_string())?;
    let superblock = ArenaImage::read_start(&file, layout::SUPERBLOCK_LEN).map_err(|error| error.to_string())?;
    let shards = layout::shards(&superblock).ok_or("the arena names no shards")?;
    let (mut hold, mut longest) = (Vec::new(), Vec::new());
    let (mut sum, mut holds) = (0, 0);
    let mut bytes = vec![0; shards.len as usize];
    while let ChildStep::Ran { at, .. } = child.step()? {
        file.read_exact_at(&mut bytes, shards.off).map_err(|error| error.to_string())?;
        if layout::is_one_locked(&bytes) {
            hold.push(at);
        } else if !hold.is_empty() {
            sum += hold.len() as u64;
            holds += 1;
            if hold.len() > longest.len() {
                std::mem::swap(&mut hold, &mut longest);
            }
            hold.clear();
        }
    }
    let evicted = child.finish().into_result()?.parse().map_err(|_| "the child counted nothing".to_owned())?;
    Ok(HoldCounts { longest: longest.len() as u64, mean: sum / holds.max(1), holds, places: places(&longest), evicted })
}

/// The functions that most of these instructions belong to.
fn places(addresses: &[u64]) -> Vec<(String, u64)> {
    let mut sorted = addresses.to_vec();
    sorted.sort_unstable();
    let mut counts: Vec<(String, u64)> = Vec::new();
    for same in sorted.chunk_by(|one, other| one == other) {
        let name = stepper::function(same[0]);
        match counts.iter_mut().find(|(found, _)| *found == name) {
            Some((_, count)) => *count += same.len() as u64,
            None => counts.push((name, same.len() as u64)),
        }
    }
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts.truncate(4);
    counts
}
