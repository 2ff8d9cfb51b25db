//! Verification: walks everything under each shard's lock in turn and says what does not fit together.
use crate::arena::Arena;
use crate::core::Core;
use crate::evict;
use crate::hash;
use crate::index::CHAIN_MAX;
use crate::item::Kind;
use crate::segment::State;
use crate::shard::{self, pieces, Locked};
use crate::sync::Ordering;
use crate::time::Time;
use std::collections::{HashMap, HashSet};

/// Problems that a report spells out; more are only counted.
const PROBLEMS_MAX: usize = 100;

/// Result of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Slots in use.
    pub items: u64,
    /// Bytes of their items.
    pub item_bytes: u64,
    /// Segments looked at.
    pub segments: u64,
    /// Problems found, those not spelt out included.
    pub problem_count: u64,
    /// The first hundred problems.
    pub problems: Vec<String>,
}

impl Report {
    /// Whether everything fits together.
    pub fn is_clean(&self) -> bool {
        self.problem_count == 0
    }

    fn problem(&mut self, text: impl FnOnce() -> String) {
        self.problem_count += 1;
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(text());
        }
    }
}

impl Arena {
    /// Checks the whole arena. Takes each shard's lock in turn, so writers wait meanwhile; readers do not.
    pub fn verify(&self) -> Report {
        let core = &*self.core;
        let mut report = Report { segments: core.segments.active() as u64, ..Report::default() };
        for shard in 0..core.shards.len() {
            match shard::lock(core, shard, Time::now()) {
                Ok(locked) => verify(&locked, &mut report),
                Err(error) => report.problem(|| format!("shard {shard}: {error}")),
            }
        }
        verify_segments(core, &mut report);
        verify_reserved(core, &mut report);
        report
    }
}

/// What the layout reserves is zero: a later version finds it so.
fn verify_reserved(core: &Core, report: &mut Report) {
    let control = core.control();
    let (tags, resize) = (&control.tags, &control.resize);
    let longs = [&tags.serial, &resize.limit, &resize.closer, &resize.flush_before];
    let words = [&resize.tags_ready, &resize.punched];
    let is_set = longs.iter().any(|word| word.load(Ordering::Relaxed) != 0)
        || words.iter().any(|word| word.load(Ordering::Relaxed) != 0);
    if is_set {
        report.problem(|| "control page: a reserved word is not zero".to_owned());
    }
    let policy = resize.policy.load(Ordering::Relaxed);
    let policies = if core.items.has_millis { 0..=3 } else { 0..=0 };
    if !policies.contains(&policy) {
        report.problem(|| format!("control page: no policy has the number {policy}"));
    }
    for slot in core.presence.knowing() {
        report.problem(|| format!("process {slot}: a reserved word is not zero"));
    }
}

fn verify_segments(core: &Core, report: &mut Report) {
    for segment in core.segments.all() {
        let word = core.segments.state(segment);
        match word.kind() {
            None => report.problem(|| format!("segment {}: unknown state {:#x}", segment.0, word.0)),
            Some(_) if word.shard() >= core.shards.len() => report
                .problem(|| format!("segment {}: belongs to shard {}, which does not exist", segment.0, word.shard())),
            _ => {}
        }
    }
}

fn verify(locked: &Locked<'_>, report: &mut Report) {
    let core = locked.core;
    let shard = locked.index;
    let buckets = core.index.buckets(shard);
    let mut overflow = HashSet::new();
    let mut reached: HashMap<u32, (u32, u64)> = HashMap::new();
    let mut occupied = 0;
    for bucket in 0..buckets {
        let mut keys = HashSet::new();
        let mut length = 0;
        for line in core.index.chain(shard, bucket) {
            length += 1;
            let Some(number) = line.link(Ordering::Relaxed) else { continue };
            if core.index.overflow_bucket(shard, number).is_none() || length == CHAIN_MAX {
                report.problem(|| format!("shard {shard}, bucket {bucket}: its chain leads nowhere ({number})"));
            } else if !overflow.insert(number) {
                report.problem(|| format!("shard {shard}, bucket {bucket}: overflow bucket {number} is in two chains"));
            }
        }
        for spot in core.index.spots(shard, bucket) {
            occupied += 1;
            report.items += 1;
            let Some(view) = core.item_behind(shard, spot.word) else {
                report.problem(|| format!("shard {shard}, bucket {bucket}: slot {:#x} leads to no item", spot.word.0));
                continue;
            };
            report.item_bytes += view.size();
            if view.at + view.size() > core.segments.written_end(view.segment) {
                report.problem(|| {
                    format!(
                        "shard {shard}, bucket {bucket}: item at {} is beyond the end of segment {}",
                        view.at, view.segment.0
                    )
                });
            }
            if core.items.has_reserved(&view) {
                report.problem(|| format!("shard {shard}, bucket {bucket}: the item at {} has reserved bits", view.at));
            }
            let mut key = Vec::new();
            core.items.data.append_to(view.key(), view.header.key_len(), &mut key);
            let hash = core.hasher.hash(&key);
            if core.hasher.shard_of(hash) != shard
                || hash::bucket(hash, buckets) != bucket
                || hash::tag(hash) != spot.word.tag()
            {
                report.problem(|| {
                    format!(
                        "shard {shard}, bucket {bucket}: holds key '{}', which belongs to another place",
                        key.escape_ascii()
                    )
                });
            }
            if !keys.insert(key.clone()) {
                report
                    .problem(|| format!("shard {shard}, bucket {bucket}: key '{}' is there twice", key.escape_ascii()));
            }
            let counts = reached.entry(view.segment.0).or_default();
            counts.0 += 1;
            counts.1 += view.size();
            if view.kind == Kind::Large {
                verify_large(locked, report, &key, hash, &view);
            }
        }
    }
    verify_own_segments(locked, report, &reached);
    let head = locked.shard();
    if head.tally.occupied.load(Ordering::Relaxed) != occupied {
        report.problem(|| {
            format!(
                "shard {shard}: counts {} slots in use, and {occupied} are",
                head.tally.occupied.load(Ordering::Relaxed)
            )
        });
    }
}

fn verify_large(locked: &Locked<'_>, report: &mut Report, key: &[u8], hash: u64, view: &crate::item::View) {
    let core = locked.core;
    if core.items.division_of(view).is_none() {
        report.problem(|| format!("key '{}': its pieces do not add up", key.escape_ascii()));
    }
    for index in 0..view.pieces() {
        let extent = core.items.extent_of(view, index);
        if core.segments.piece(extent, locked.index, hash).is_none() {
            report.problem(|| {
                format!("key '{}': piece {index} in segment {} is not its own", key.escape_ascii(), extent.segment)
            });
        }
    }
}

fn verify_own_segments(locked: &Locked<'_>, report: &mut Report, reached: &HashMap<u32, (u32, u64)>) {
    let core = locked.core;
    for segment in core.segments.all() {
        let word = core.segments.state(segment);
        if word.shard() != locked.index {
            continue;
        }
        let header = core.segments.header(segment);
        match word.kind() {
            Some(State::Draining) if !evict::is_under_way(core, segment, word) => {
                report.problem(|| format!("segment {}: a drain was not finished", segment.0))
            }
            Some(State::Large) if !pieces::is_listed(locked, segment, word) => {
                report.problem(|| format!("segment {}: a piece of a large value that no item lists", segment.0))
            }
            Some(State::Open | State::Sealed) => {
                let (items, bytes) = reached.get(&segment.0).copied().unwrap_or_default();
                if u64::from(header.live_bytes()) > core.segments.size() {
                    report.problem(|| format!("segment {}: counts more live bytes than it has", segment.0));
                }
                // These two are hints, which a kill may leave too high; too low would let live items be dropped.
                if header.live_items() < items || u64::from(header.live_bytes()) < bytes {
                    report.problem(|| {
                        format!("segment {}: counts {} items and has {items}", segment.0, header.live_items())
                    });
                }
            }
            _ => {}
        }
    }
}
