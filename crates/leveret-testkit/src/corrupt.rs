//! Damaged and hostile arenas: a valid image with changed bytes is opened and used by a child process. It may answer
//! with errors and misses; it may not crash, hang, or give a value that was stored under another key.

use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use leveret_engine::{
    Amendment, Arena, CountTerms, Cursor, Deadline, Delta, EvictionPolicy, Lease, Marks, Meta, Mode, NewCas,
    OpenOptions, ReadOptions, Terms, Time, Value,
};

use crate::arena_copy::ArenaImage;
use crate::layout::{
    regions, seal_superblock, FileRegion, DATA, INDEX, OVERFLOW, SEGMENT_HEADERS, SEGMENT_HEADER_LEN, SUPERBLOCK_LEN,
};
use crate::process::{self, ChildEnd};
use crate::rng::Rng;
use crate::seeded::{self, Age};
use crate::values::{self, show};

const KEYS: u64 = 500;

/// How a round does its damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attack {
    /// Bytes are changed before the arena is opened.
    Before,
    /// So are the superblock's, and its checksum is made right again.
    Superblock,
    /// Another process goes on changing bytes while the arena is used.
    Meanwhile,
    /// The file is cut while the arena is used.
    Truncate,
}

/// One change of the file.
#[derive(Clone, Copy, Debug)]
struct Patch {
    region: u32,
    offset: u64,
    word: u64,
}

impl Patch {
    /// Whether it changes where the items of a segment end, which the next writer there goes by: no reader can tell an
    /// item that was written over in its middle.
    fn moves_an_end(&self) -> bool {
        self.region == SEGMENT_HEADERS && self.offset % SEGMENT_HEADER_LEN == 0
    }

    /// Whether a slot may point into the value of another item. A get compares the key; a walk takes the key from there.
    fn turns_a_slot(&self) -> bool {
        matches!(self.region, INDEX | OVERFLOW)
    }
}

/// Until when the values that are found must be whole, and be those of their keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trust {
    Never,
    UntilWritten,
    Always,
}

/// The valid arena that some rounds start from.
pub struct Ground {
    number: u64,
    options: OpenOptions,
    image: ArenaImage,
    regions: Vec<FileRegion>,
}

/// Rounds on one ground.
const ROUNDS_ON: u64 = 16;

fn key(index: u64) -> Vec<u8> {
    format!("key:{index}").into_bytes()
}

/// Of each length at which a value may lie in another way.
fn value(index: u64, version: u64) -> Vec<u8> {
    let len = match index % 50 {
        7 => 70_000,
        8 => 31_000,
        // Around the largest value of one segment of 32 KiB, and tails after two whole ones.
        9 => 32_600 + index / 50 * 20,
        10 => 65_400 + index / 50 * 20,
        11 => 97_000 + index / 50 * 200,
        12 => 17_000,
        _ => (index * 31) % 700,
    };
    values::frame(&key(index), version, index, len as usize)
}

fn is_number(index: u64) -> bool {
    index % 10 == 3
}

fn options(rng: &mut Rng) -> OpenOptions {
    let memory = *rng.pick(&[8 << 20, 8 << 20, (9 << 20) + 4096, (12 << 20) - 1, 16 << 20]);
    // A damaged lock word may name a living owner: waits for it must be short here.
    OpenOptions::new().memory(memory).cores(*rng.pick(&[1, 2, 16])).lock_timeout(Duration::from_millis(20))
}

impl Ground {
    /// The ground of the round with this seed: `before`, if that is the one, or a new one.
    pub fn of(folder: &Path, seed: u64, before: Option<Ground>) -> Result<Ground, String> {
        let number = seed / ROUNDS_ON;
        match before {
            Some(ground) if ground.number == number => Ok(ground),
            _ => Ground::new(folder, number),
        }
    }

    /// Makes an arena with items of all kinds. Its number says of what size, form and age it is.
    fn new(folder: &Path, number: u64) -> Result<Ground, String> {
        let path = folder.join("ground.arena");
        let mut rng = Rng::new(number);
        let options = options(&mut rng);
        let age = if rng.one_in(2) {
            Age::default()
        } else {
            Age { flushes: u32::MAX - 1, generation: *rng.pick(&[(1 << 32) - 90, (1 << 40) - 90]), cas: (1 << 32) - 9 }
        };
        process::run(|| {
            let arena = seeded::create_aged(&path, &options, number, &age).and_then(|()| {
                Arena::open(&path, &options)
                    .map(|(arena, _)| arena)
                    .map_err(|error| std::io::Error::other(error.to_string()))
            });
            let arena = arena.map_err(|error| error.to_string())?;
            fill(&arena).map_err(|error| error.to_string())?;
            Ok(String::new())
        })
        .into_result()?;
        let image = ArenaImage::read_path(&path).map_err(|error| error.to_string())?;
        let regions = regions(&image);
        Ok(Ground { number, options, image, regions })
    }

    /// One round. The error says what was done and what happened.
    pub fn round(&self, folder: &Path, seed: u64) -> Result<(), String> {
        let mut rng = Rng::new(seed);
        let path = folder.join("damaged.arena");
        let attack = *rng.pick(&[
            Attack::Before,
            Attack::Before,
            Attack::Before,
            Attack::Superblock,
            Attack::Meanwhile,
            Attack::Truncate,
        ]);
        let mut image = self.image.clone();
        let mut patches = Vec::new();
        if attack != Attack::Truncate {
            for _ in 0..rng.between(1, 24) {
                let patch = self.draw(&image, attack, &mut rng);
                image.patch(patch.offset, &patch.word.to_ne_bytes());
                patches.push(patch);
            }
        }
        if attack == Attack::Superblock {
            let mut page = image.bytes::<SUPERBLOCK_LEN>(0);
            seal_superblock(&mut page);
            image.patch(0, &page);
        }
        image.write(&path).map_err(|error| error.to_string())?;
        // Changed items may read as anything; so may all items while a process writes, and those in the page where a
        // file is cut, whose rest becomes zeros.
        let changes_items =
            matches!(attack, Attack::Meanwhile | Attack::Truncate) || patches.iter().any(|patch| patch.region == DATA);
        let trust = match patches.iter().any(Patch::moves_an_end) {
            _ if changes_items => Trust::Never,
            true => Trust::UntilWritten,
            false => Trust::Always,
        };
        let trusts_slots = !patches.iter().any(Patch::turns_a_slot);
        let use_seed = rng.bits();
        let mut child = process::spawn(|| use_arena(&path, &self.options, use_seed, trust, trusts_slots));
        let file = File::options().write(true).open(&path).map_err(|error| error.to_string())?;
        let ending = loop {
            if let Some(ending) = child.try_wait() {
                break ending;
            }
            match attack {
                Attack::Meanwhile => {
                    let patch = self.draw(&self.image, attack, &mut rng);
                    // A file that the child has removed or cut takes the write or refuses it; both will do.
                    let _ = file.write_all_at(&patch.word.to_ne_bytes(), patch.offset);
                }
                Attack::Truncate => {
                    std::thread::sleep(Duration::from_micros(rng.below(8000)));
                    let len = rng.below(self.image.len());
                    file.set_len(len).map_err(|error| error.to_string())?;
                    break child.wait();
                }
                _ => break child.wait(),
            }
        };
        match ending {
            ChildEnd::Done(_) => Ok(()),
            bad => Err(format!("{attack:?} on {:?}, changes {patches:x?}: {bad}", self.options)),
        }
    }

    /// A word somewhere, mostly where it hurts.
    fn draw(&self, image: &ArenaImage, attack: Attack, rng: &mut Rng) -> Patch {
        if attack == Attack::Superblock && rng.one_in(3) {
            let offset = if rng.one_in(2) { 8 * rng.below(20) } else { 1024 + 8 * rng.below(45) };
            return Patch { region: 0, offset, word: self.word(image, offset, rng) };
        }
        loop {
            let region = *rng.pick(&self.regions);
            // Only where there is something: the holes of a sparse file are no part of the arena yet.
            let inside: Vec<(u64, u64)> = image
                .extents()
                .map(|(start, len)| (start.max(region.off), (start + len).min(region.off + region.len)))
                .filter(|(start, end)| start < end)
                .collect();
            if inside.is_empty() {
                continue;
            }
            let (start, end) = *rng.pick(&inside);
            let near =
                if rng.one_in(2) { start + rng.below((end - start).min(4096)) } else { start + rng.below(end - start) };
            let offset = (near & !7).max(start);
            return Patch { region: region.id, offset, word: self.word(image, offset, rng) };
        }
    }

    /// A new word for this place: a small change of the old one, a number at a border, another word of the file, or
    /// anything.
    fn word(&self, image: &ArenaImage, offset: u64, rng: &mut Rng) -> u64 {
        let old = u64::from_ne_bytes(image.bytes(offset));
        match rng.below(10) {
            0 | 1 => old ^ 1 << rng.below(64),
            2 => old.wrapping_add(1),
            3 => old.wrapping_sub(1),
            4 => 0,
            5 => u64::MAX,
            6 => old & !0xffff_ffff | rng.below(1 << 16),
            7 => old & 0xffff_ffff | rng.bits() << 32,
            8 => u64::from_ne_bytes(image.bytes(offset.wrapping_add(8 * rng.below(1000)))),
            _ => rng.bits(),
        }
    }
}

fn fill(arena: &Arena) -> Result<(), leveret_engine::Error> {
    let now = Time::now();
    // Two versions: a damaged slot may lead to the older one, which is no other key's.
    for version in 0..2 {
        for index in 0..KEYS {
            let deadline = if index % 4 == 0 { Deadline::after(now, 1000 + index as u32) } else { Deadline::NEVER };
            let meta = Meta::default().with_flags((index % 3) as u32);
            let bytes = value(index, version);
            let value = if is_number(index) { Value::Integer(index as i64) } else { Value::Bytes(&bytes) };
            arena.store(&key(index), value, meta, deadline, Mode::Set, now)?;
            if index % 7 == 0 {
                arena.get_with(&key(index), ReadOptions::new().with_cas(), now)?;
            }
        }
    }
    for index in 0..8 {
        arena.lease(&key(index), Duration::ZERO);
    }
    Ok(())
}

/// Does everything that can be done with an arena. Errors and misses are fine.
fn use_arena(
    path: &Path,
    options: &OpenOptions,
    seed: u64,
    trust: Trust,
    trusts_slots: bool,
) -> Result<String, String> {
    let mut rng = Rng::new(seed);
    let arena = match Arena::open(path, &options.create(false)) {
        Ok((arena, _)) => arena,
        Err(error) => return Ok(error.to_string()),
    };
    let now = Time::now();
    for index in 0..KEYS {
        look(&arena, index, now, trust != Trust::Never)?;
    }
    walk(&arena, now, trust != Trust::Never && trusts_slots)?;
    let trusts_values = trust == Trust::Always;
    for _ in 0..150 {
        change(&arena, &mut rng, now, trusts_values)?;
        let index = rng.below(KEYS);
        ask_more(&arena, index, &mut rng, now);
        look(&arena, index, now, trusts_values)?;
    }
    let _ = arena.enter_parent(rng.bits());
    let _ = arena.stats();
    let _ = arena.verify();
    arena.tend(Time(now.0 + 5000), usize::MAX);
    for index in 0..KEYS {
        look(&arena, index, now, trusts_values)?;
    }
    let _ = arena.flush();
    for index in 0..20 {
        let _ = arena.set(&key(index), &value(index, 9), Deadline::NEVER, now);
        look(&arena, index, now, trusts_values)?;
    }
    let _ = arena.check();
    Ok(String::new())
}

fn look(arena: &Arena, index: u64, now: Time, trusts_values: bool) -> Result<(), String> {
    let Some(item) = arena.get(&key(index), now) else { return Ok(()) };
    if trusts_values {
        judge(&item.key, &item.value, index)?;
    }
    Ok(())
}

fn judge(key: &[u8], value: &[u8], index: u64) -> Result<(), String> {
    if is_number(index) {
        // Its number lies in the data, which was not changed; counting may have changed it.
        return match std::str::from_utf8(value).ok().and_then(|text| text.trim_end().parse::<i64>().ok()) {
            Some(_) => Ok(()),
            None => values::frames_of(key, value).map(|_| ()),
        };
    }
    values::frames_of(key, value).map(|_| ())
}

fn walk(arena: &Arena, now: Time, trusts_values: bool) -> Result<(), String> {
    for item in arena.iter(now) {
        let Ok(item) = item else { break };
        let index = std::str::from_utf8(&item.key).ok().and_then(|text| text.strip_prefix("key:")?.parse::<u64>().ok());
        match index {
            Some(index) if trusts_values => judge(&item.key, &item.value, index)?,
            None if trusts_values => return Err(format!("a walk met {}, which nobody stored", show(&item.key))),
            _ => {}
        }
    }
    // A cursor may come from anywhere, too.
    let mut cursor = Cursor { shard: 1, level: 3, bucket: u64::MAX / 2 };
    for _ in 0..3 {
        if !matches!(arena.scan(&mut cursor, now, &mut |_, _| {}), Ok(true)) {
            break;
        }
    }
    Ok(())
}

fn change(arena: &Arena, rng: &mut Rng, now: Time, trusts_values: bool) -> Result<(), String> {
    let index = rng.below(KEYS);
    let key = key(index);
    let mut bytes = value(index, 2);
    if rng.one_in(12) {
        bytes = values::frame(&key, 3, index, rng.between(33_000, 300_000) as usize);
    }
    // Text joined to a number would be neither.
    let modes = [Mode::Set, Mode::Add, Mode::Replace, Mode::Append, Mode::Prepend];
    let mode = *rng.pick(if is_number(index) { &modes[..3] } else { &modes });
    let deadline = Deadline::after(now, rng.below(2000) as u32);
    // What these answer is not judged: with a damaged file any error and any miss is right.
    match rng.below(10) {
        0..=4 => drop(arena.store(&key, Value::Bytes(&bytes), Meta::default(), deadline, mode, now)),
        5 => drop(arena.delete(&key, now)),
        6 => drop(arena.touch(&key, deadline, now)),
        7 => drop(arena.count(&key, Delta::Increment(1), None, now)),
        8 => drop(arena.get_with(&key, ReadOptions::new().with_cas(), now).map(|item| {
            let cas = item.map_or(0, |item| item.cas);
            arena.store(&key, Value::Bytes(&bytes), Meta::default(), Deadline::NEVER, Mode::Cas(cas), now)
        })),
        _ => {
            if let Lease::Granted(ticket) = arena.lease(&key, Duration::from_secs(9)) {
                arena.release(&ticket);
            }
        }
    }
    look(arena, index, now, trusts_values)
}

/// Further requests of servers and bindings. Their results are not judged either; requests that change values use keys
/// that are not checked.
fn ask_more(arena: &Arena, index: u64, rng: &mut Rng, now: Time) {
    let key = key(index);
    let other = format!("other:{}", index % 20).into_bytes();
    let soon = Deadline::after(now, rng.below(2000) as u32);
    match rng.below(16) {
        0 => {
            let amendment = Amendment::new(soon, Marks::STALE, NewCas::Next);
            drop(arena.amend(&key, now, &mut |_| Some(amendment)));
            drop(arena.amend(&other, now, &mut |_| Some(amendment.drop_value(true))));
        }
        1 => {
            let terms = CountTerms::new().cas(Some(7)).deadline(Some(soon)).want_cas(true).compare(None);
            drop(arena.count_if(&other, Delta::Decrement(1), Some((1, soon)), &terms, now));
        }
        2 => {
            let terms = Terms::new(Mode::Set).compare(Some(rng.bits())).older_is_stale(true).want_cas(true);
            drop(arena.store_if(&key, Value::Bytes(&value(index, 4)), Meta::default(), soon, &terms, now));
        }
        3 => drop(arena.get_and_touch(&key, soon, now)),
        4 => drop(arena.add_integer(&other, 1, Some(soon), now)),
        5 => drop(arena.cas_integer(&other, 1, 2, now)),
        6 => {
            let found = arena.peek(&key, now).unwrap_or_default();
            let _ = arena.is_current(&found.version, now);
        }
        7 => {
            let announced = arena.announce("unix /run/leveret.sock");
            drop(arena.services());
            drop(announced);
        }
        8 => send(arena, &key, now),
        9 => drop(arena.take(&other, now)),
        10 => {
            let terms = Terms::new(Mode::Set).keep_deadline(true);
            drop(arena.swap(&other, Value::Integer(rng.bits() as i64), Meta::default(), soon, &terms, now));
        }
        11 => {
            let millis = Deadline::at_millis(u64::from(now.0) * 1000 + rng.below(200_000));
            drop(arena.retime(&key, now, &mut |_| Some(millis)));
            drop(arena.get_and_retime(&other, now, &mut |found| (found.deadline > millis).then_some(millis)));
        }
        12 => drop(arena.count_signed(&other, rng.bits() as i64, now)),
        13 => {
            let mut cursor = Cursor { shard: rng.below(8) as u32, level: 0, bucket: rng.below(300) };
            drop(arena.sweep(&mut cursor, now, 500));
        }
        14 => {
            let policies = [EvictionPolicy::All, EvictionPolicy::Volatile, EvictionPolicy::None];
            arena.set_policy(policies[rng.below(3) as usize]);
            let terms = Terms::new(Mode::Set);
            drop(arena.store_typed(&other, &value(index, 4), Meta::default(), soon, &terms, now));
            drop(arena.get_with(&other, ReadOptions::new().typed().with_cas(), now));
        }
        _ => receive(arena, &key, &values::frame(&key, 5, index, rng.between(33_000, 300_000) as usize), now),
    }
}

/// The kernel reads the value itself; the other side is gone already.
fn send(arena: &Arena, key: &[u8], now: Time) {
    let (Some(found), Ok((ours, _))) = (arena.find(key, now), UnixStream::pair()) else { return };
    if let Some(outgoing) = arena.outgoing(&found) {
        drop(outgoing.send(b"head", ours.as_fd(), &mut Vec::new(), usize::MAX));
    }
}

fn receive(arena: &Arena, key: &[u8], value: &[u8], now: Time) {
    if let Some(mut incoming) = arena.incoming(key, value.len(), now) {
        incoming.append(value);
        drop(incoming.store(key, Meta::default(), Deadline::NEVER, &Mode::Set.into(), now));
    }
}
