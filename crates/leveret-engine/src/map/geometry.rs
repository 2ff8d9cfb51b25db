//! An arena's shape: its superblock and the regions behind it. docs/memory-layout.md draws the same picture for people.
use super::layout::{
    Control, JournalRing, LeaseSlot, ProcessSlot, ServiceSlot, Shard, BUCKET_SIZE, LEASES_PER_SHARD, PARENTS,
    PROCESS_SLOTS, SEGMENT_HEADER, SEGMENT_STATE, SERVICES,
};
use crate::crc::{crc32, crc32_of};
use crate::error::{OpenError, MEMORY_MAX, MEMORY_MIN};

/// Version of this file, `layout.rs`, `segment/header.rs` and `item/layout.rs` that new arenas have.
pub const FORMAT: u32 = 2;
/// The oldest one that is read. Any number outside of these two is another layout: such files are refused.
const FORMAT_FIRST: u32 = 1;
const MAGIC: [u8; 8] = *b"LEVERET\0";
const ENDIAN: u32 = 0x0102_0304;

/// The superblock's own size, and the alignment of every region.
pub(crate) const PAGE: u64 = 4096;
const DIRECTORY: usize = 1024;
const REGIONS_MAX: usize = 32;
/// Offset of the incompatible feature bits: a program must know all that are set. The next 8 bytes hold compatible
/// ones.
const INCOMPATIBLE: usize = 16;
/// Where the superblock's checksum lies.
const CRC: usize = 128;

/// Also what fits into the 12 bits of a state word, with room to spare.
const SHARDS_MAX: u32 = 256;
/// Most buckets of one shard: twice as many could not be counted in 32 bits.
const BUCKETS_MAX: u64 = 1 << 30;
const GHOSTS_MAX: u64 = 1 << 30;
/// Logarithms of the fewest and the most cells for tags. False misses are rarer the more there are, so a large arena has
/// more of them.
const TAG_CELLS: std::ops::RangeInclusive<u32> = if cfg!(model) { 3..=3 } else { 13..=22 };

/// Contents of a region. Unknown ids in a file are ignored, so that a later version may add regions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub(crate) enum RegionId {
    Control = 1,
    Processes = 2,
    Shards = 3,
    SegmentStates = 4,
    SegmentHeaders = 5,
    UsedMap = 6,
    OverflowMap = 7,
    Ghosts = 8,
    Leases = 9,
    Parents = 10,
    /// Endpoints of servers that serve this arena.
    Services = 11,
    /// Zero in this version: generations of namespaces.
    Namespaces = 12,
    Index = 13,
    Overflow = 14,
    Data = 15,
    /// Behind all others, since arenas from before it have none. Its memory is allocated for the first watcher.
    Journal = 16,
    /// Of layout 2. Zero in this version: when each tag was last forgotten.
    Tags = 17,
}

const REGIONS: [RegionId; 17] = [
    RegionId::Control,
    RegionId::Processes,
    RegionId::Shards,
    RegionId::SegmentStates,
    RegionId::SegmentHeaders,
    RegionId::UsedMap,
    RegionId::OverflowMap,
    RegionId::Ghosts,
    RegionId::Leases,
    RegionId::Parents,
    RegionId::Services,
    RegionId::Namespaces,
    RegionId::Index,
    RegionId::Overflow,
    RegionId::Data,
    RegionId::Journal,
    RegionId::Tags,
];

/// Where a region lies in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Region {
    pub off: u64,
    pub len: u64,
}

/// The numbers that shape an arena: read once at attach into private memory, never from the file again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    /// Version of the layout.
    pub layout: u32,
    /// Limit of everything that is allocated: metadata, index and data.
    pub memory: u64,
    pub segment_shift: u32,
    pub segments_max: u32,
    pub shard_shift: u32,
    pub process_slots: u32,
    /// Main buckets a shard's index may grow to.
    pub buckets_max: u32,
    /// The index is allocated in chunks of this many main buckets and half as many overflow buckets.
    pub chunk_buckets: u32,
    /// Fingerprints of evicted items a shard remembers.
    pub ghosts: u32,
    pub hash_seed: u64,
    pub uuid: [u8; 16],
    pub boot_id: [u8; 16],
    pub created_unix: u64,
    pub file_len: u64,
    regions: [Region; REGIONS.len()],
}

fn floor_power(value: u64) -> u64 {
    1 << value.max(1).ilog2()
}

fn page_ceil(len: u64) -> u64 {
    len.div_ceil(PAGE) * PAGE
}

impl Geometry {
    /// Shapes a new arena of `memory` bytes for a machine with `cores` processors.
    pub fn new(
        memory: u64,
        cores: u32,
        hash_seed: u64,
        uuid: [u8; 16],
        boot_id: [u8; 16],
        created_unix: u64,
    ) -> Result<Geometry, OpenError> {
        if !(MEMORY_MIN..=MEMORY_MAX).contains(&memory) {
            return Err(OpenError::Memory { asked: memory });
        }
        // Segment-granular eviction matches the object-granular one from some hundred segments on, and waste at a
        // segment's end stays small while items are small next to it.
        let segment_size = floor_power(memory / 1024).clamp(32 << 10, 1 << 20);
        let segments_max = (memory / segment_size) as u32;
        // A shard needs some 64 segments of its own for that, and more than two a core buy no concurrency.
        let shards = floor_power(u64::from(cores.max(1).saturating_mul(2).min(segments_max / 64).min(SHARDS_MAX)));
        let geometry = Geometry {
            layout: FORMAT,
            memory,
            segment_shift: segment_size.ilog2(),
            segments_max,
            shard_shift: shards.ilog2(),
            process_slots: PROCESS_SLOTS,
            buckets_max: floor_power(memory / 4 / BUCKET_SIZE / shards).min(BUCKETS_MAX) as u32,
            chunk_buckets: (segment_size.min(64 << 10) / BUCKET_SIZE) as u32,
            ghosts: floor_power(memory / 256 / shards).min(GHOSTS_MAX) as u32,
            hash_seed,
            uuid,
            boot_id,
            created_unix,
            file_len: 0,
            regions: Default::default(),
        };
        Ok(geometry.laid_out())
    }

    /// The same arena as another version lays it out.
    pub fn of_layout(self, layout: u32) -> Geometry {
        Geometry { layout, ..self }.laid_out()
    }

    /// The same arena in a file with `times` times the places for segments and for the index.
    #[cfg(test)]
    pub fn with_places(self, times: u32) -> Geometry {
        let (segments_max, buckets_max) = (self.segments_max * times, self.buckets_max * times);
        Geometry { segments_max, buckets_max, ..self }.laid_out()
    }

    /// Puts the regions behind each other.
    fn laid_out(mut self) -> Geometry {
        let mut off = PAGE;
        for id in REGIONS {
            let len = self.region_len(id);
            self.regions[id as usize - 1] = if len == 0 { Region::default() } else { Region { off, len } };
            off += len;
        }
        self.file_len = off;
        self
    }

    /// As small as the code allows, for models: one shard, whose index begins with eight buckets.
    #[cfg(all(model, test))]
    pub fn tiny() -> Geometry {
        let geometry = Geometry {
            layout: FORMAT,
            memory: 72 << 10,
            segment_shift: 9,
            segments_max: 8,
            shard_shift: 0,
            process_slots: 4,
            buckets_max: 16,
            chunk_buckets: 8,
            ghosts: 4,
            hash_seed: 0,
            uuid: [0; 16],
            boot_id: [0; 16],
            created_unix: 0,
            file_len: 0,
            regions: Default::default(),
        };
        geometry.laid_out()
    }

    fn region_len(&self, id: RegionId) -> u64 {
        let shards = u64::from(self.shards());
        let segments = u64::from(self.segments_max);
        page_ceil(match id {
            RegionId::Control => size_of::<Control>() as u64,
            RegionId::Processes => u64::from(self.process_slots) * size_of::<ProcessSlot>() as u64,
            RegionId::Shards => shards * size_of::<Shard>() as u64,
            RegionId::SegmentStates => segments * SEGMENT_STATE,
            RegionId::SegmentHeaders => segments * SEGMENT_HEADER,
            RegionId::UsedMap => segments.div_ceil(64) * 8,
            RegionId::OverflowMap => shards * self.overflow_words() as u64 * 8,
            RegionId::Ghosts => shards * u64::from(self.ghosts) * 4,
            RegionId::Leases => shards * (LEASES_PER_SHARD * size_of::<LeaseSlot>()) as u64,
            RegionId::Parents => (PARENTS * 8) as u64,
            RegionId::Services => (SERVICES * size_of::<ServiceSlot>()) as u64,
            RegionId::Namespaces => PAGE,
            RegionId::Index => shards * u64::from(self.buckets_max) * BUCKET_SIZE,
            RegionId::Overflow => shards * u64::from(self.overflow_max()) * BUCKET_SIZE,
            RegionId::Data => segments << self.segment_shift,
            RegionId::Journal => size_of::<JournalRing>() as u64,
            RegionId::Tags if self.layout == 1 => 0,
            RegionId::Tags => 8 << (self.memory / 1024).ilog2().clamp(*TAG_CELLS.start(), *TAG_CELLS.end()),
        })
    }

    /// Whether a region may be missing.
    fn is_optional(&self, id: RegionId) -> bool {
        self.layout == 1 && matches!(id, RegionId::Journal | RegionId::Tags)
    }

    pub fn region(&self, id: RegionId) -> Region {
        self.regions[id as usize - 1]
    }

    pub fn shards(&self) -> u32 {
        1 << self.shard_shift
    }

    pub fn segment_size(&self) -> u64 {
        1 << self.segment_shift
    }

    /// The longest key, bytes.
    #[inline]
    pub fn key_max(&self) -> usize {
        (self.segment_size() as usize / 4).min(usize::from(u16::MAX))
    }

    /// The longest value, bytes: an eighth of the arena, but no more than the segments that its record can list, beside
    /// the longest key, in half of one.
    pub fn value_max(&self) -> u64 {
        (self.memory / 8).min(self.segment_size() * self.segment_size() / 16)
    }

    /// Overflow buckets a shard may use. Under linear hashing up to a quarter of the main buckets overflow at once.
    pub fn overflow_max(&self) -> u32 {
        self.buckets_max / 2
    }

    pub fn overflow_words(&self) -> usize {
        (self.overflow_max() as usize).div_ceil(64)
    }

    /// Everything in front of the index: allocated when the arena is created.
    pub fn metadata_len(&self) -> u64 {
        self.region(RegionId::Index).off
    }

    /// Bytes that one index chunk of one shard costs: its main buckets and half as many overflow buckets.
    pub fn chunk_len(&self) -> u64 {
        u64::from(self.chunk_buckets) * BUCKET_SIZE * 3 / 2
    }

    /// Index chunks that a shard starts with. A process maps those parts of the index that its keys lie in, at the price
    /// of a page fault each: so a new index is small, and grows by splits.
    pub fn first_chunks(&self) -> u32 {
        1
    }

    /// Main buckets that a shard starts with.
    pub fn first_buckets(&self) -> u32 {
        self.first_chunks() * self.chunk_buckets
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut page = vec![0u8; PAGE as usize];
        let mut put = |off: usize, bytes: &[u8]| page[off..off + bytes.len()].copy_from_slice(bytes);
        put(0, &MAGIC);
        put(8, &self.layout.to_ne_bytes());
        put(12, &ENDIAN.to_ne_bytes());
        // 16..32: incompatible and compatible feature bits, none yet.
        put(32, &self.uuid);
        put(48, &self.boot_id);
        put(64, &self.created_unix.to_ne_bytes());
        put(72, &self.hash_seed.to_ne_bytes());
        put(80, &self.file_len.to_ne_bytes());
        put(88, &self.memory.to_ne_bytes());
        let regions = REGIONS.into_iter().filter(|id| self.region(*id).len != 0);
        for (index, number) in [
            self.segment_shift,
            self.shard_shift,
            self.segments_max,
            self.process_slots,
            self.buckets_max,
            self.chunk_buckets,
            self.ghosts,
            regions.clone().count() as u32,
        ]
        .into_iter()
        .enumerate()
        {
            put(96 + 4 * index, &number.to_ne_bytes());
        }
        for (index, id) in regions.enumerate() {
            let at = DIRECTORY + 24 * index;
            put(at, &(id as u32).to_ne_bytes());
            put(at + 8, &self.region(id).off.to_ne_bytes());
            put(at + 16, &self.region(id).len.to_ne_bytes());
        }
        let crc = crc32(&page);
        page[CRC..CRC + 4].copy_from_slice(&crc.to_ne_bytes());
        page
    }

    /// Reads a superblock. For any bytes, the result is either refused with a reason or safe to compute offsets with.
    pub fn decode(page: &[u8], file_len: u64) -> Result<Geometry, Unfit> {
        let foreign = |why: &str| Unfit::Foreign(why.to_owned());
        if page.len() < PAGE as usize || page[..8] != MAGIC {
            return Err(foreign("it does not begin like an arena"));
        }
        let u32_at = |off: usize| u32::from_ne_bytes(page[off..off + 4].try_into().expect("four bytes"));
        let u64_at = |off: usize| u64::from_ne_bytes(page[off..off + 8].try_into().expect("eight bytes"));
        let id_at = |off: usize| -> [u8; 16] { page[off..off + 16].try_into().expect("sixteen bytes") };
        if u32_at(12) != ENDIAN {
            return Err(foreign("it was made on a machine of another byte order"));
        }
        let layout = u32_at(8);
        if !(FORMAT_FIRST..=FORMAT).contains(&layout) {
            return Err(Unfit::Layout(layout));
        }
        // Itself it counts as zero.
        if crc32_of(&[&page[..CRC], &[0; 4], &page[CRC + 4..PAGE as usize]]) != u32_at(CRC) {
            return Err(foreign("its superblock is damaged (checksum)"));
        }
        if u64_at(INCOMPATIBLE) != 0 {
            return Err(Unfit::Features(u64_at(INCOMPATIBLE)));
        }
        let mut geometry = Geometry {
            layout,
            memory: u64_at(88),
            segment_shift: u32_at(96),
            shard_shift: u32_at(100),
            segments_max: u32_at(104),
            process_slots: u32_at(108),
            buckets_max: u32_at(112),
            chunk_buckets: u32_at(116),
            ghosts: u32_at(120),
            hash_seed: u64_at(72),
            uuid: id_at(32),
            boot_id: id_at(48),
            created_unix: u64_at(64),
            file_len: u64_at(80),
            regions: Default::default(),
        };
        let sane = (MEMORY_MIN..=MEMORY_MAX).contains(&geometry.memory)
            && (15..=20).contains(&geometry.segment_shift)
            && geometry.shard_shift <= SHARDS_MAX.ilog2()
            && (64..=(MEMORY_MAX >> 15) as u32).contains(&geometry.segments_max)
            && (1..=1 << 15).contains(&geometry.process_slots)
            && geometry.buckets_max.is_power_of_two()
            && u64::from(geometry.buckets_max) <= BUCKETS_MAX
            && geometry.chunk_buckets.is_power_of_two()
            && (64..=geometry.buckets_max).contains(&geometry.chunk_buckets)
            && geometry.ghosts.is_power_of_two()
            && (64..=GHOSTS_MAX).contains(&u64::from(geometry.ghosts))
            && u32_at(124) as usize <= REGIONS_MAX;
        if !sane {
            return Err(foreign("its superblock has numbers that no arena has"));
        }
        for index in 0..u32_at(124) as usize {
            let at = DIRECTORY + 24 * index;
            if let Some(id) = REGIONS.into_iter().find(|id| *id as u32 == u32_at(at)) {
                geometry.regions[id as usize - 1] = Region { off: u64_at(at + 8), len: u64_at(at + 16) };
            }
        }
        let mut end = PAGE;
        for id in REGIONS {
            let region = geometry.region(id);
            if geometry.is_optional(id) && region == Region::default() {
                continue;
            }
            // In this order, so that no two overlap and everything before the index is allocated at creation.
            if region.off % PAGE != 0
                || region.off < end
                || region.len != geometry.region_len(id)
                || region.off.checked_add(region.len).is_none_or(|end| end > geometry.file_len)
            {
                return Err(foreign("its regions do not fit each other"));
            }
            end = region.off + region.len;
        }
        if geometry.file_len != file_len {
            return Err(foreign(&format!(
                "it has {file_len} bytes and should have {}: it was truncated",
                geometry.file_len
            )));
        }
        Ok(geometry)
    }
}

/// Why a superblock is refused.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unfit {
    Foreign(String),
    Layout(u32),
    Features(u64),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(memory: u64, cores: u32) -> Geometry {
        Geometry::new(memory, cores, 7, [1; 16], [2; 16], 3).expect("in range")
    }

    #[test]
    fn survives_the_file() {
        for (memory, cores) in
            [(8 << 20, 1), (64 << 20, 2), (1 << 30, 16), (128 << 30, 128), (1 << 40, 1), (1 << 40, 256)]
        {
            let geometry = sample(memory, cores);
            assert_eq!(Geometry::decode(&geometry.encode(), geometry.file_len), Ok(geometry.clone()));
            assert!(geometry.metadata_len() < memory / 16, "metadata of {memory} takes {}", geometry.metadata_len());
        }
    }

    #[test]
    fn an_arena_from_before_the_journal_is_taken() {
        let mut geometry = sample(8 << 20, 2).of_layout(1);
        let journal = std::mem::take(&mut geometry.regions[RegionId::Journal as usize - 1]);
        geometry.file_len = journal.off;
        assert_eq!(Geometry::decode(&geometry.encode(), geometry.file_len), Ok(geometry));
    }

    /// Its superblock is what programs wrote that knew no other, byte for byte.
    #[test]
    fn an_arena_of_layout_1_is_laid_out_as_before() {
        let geometry = sample(8 << 20, 2).of_layout(1);
        let page = geometry.encode();
        let word = |at: usize| u32::from_ne_bytes(page[at..at + 4].try_into().expect("four bytes"));
        assert_eq!((word(8), word(124), word(CRC)), (1, 16, 0x8AF7_22F5));
        assert_eq!(geometry.region(RegionId::Tags), Region::default());
        assert_eq!(Geometry::decode(&page, geometry.file_len), Ok(geometry));
    }

    #[test]
    fn layouts_of_other_programs_are_refused_by_their_number_before_anything_else() {
        let mut page = sample(8 << 20, 2).encode();
        for layout in [0, 3, u32::MAX] {
            page[8..12].copy_from_slice(&layout.to_ne_bytes());
            assert_eq!(Geometry::decode(&page, 0), Err(Unfit::Layout(layout)));
        }
    }

    #[test]
    fn the_cells_of_tags_grow_with_the_memory() {
        for (memory, cells) in [(8 << 20, 1 << 13), (16 << 20, 1 << 14), (100 << 20, 1 << 16), (1 << 40, 1 << 22)] {
            assert_eq!(sample(memory, 2).region(RegionId::Tags).len, 8 * cells);
        }
    }

    /// The error said that a file of version 1 is not read by a program that reads version 1.
    #[test]
    fn unknown_features_are_named_unless_they_are_damage() {
        let geometry = sample(8 << 20, 2);
        let page_with = |at: usize, bits: u64, is_sealed: bool| {
            let mut page = geometry.encode();
            page[at..at + 8].copy_from_slice(&bits.to_ne_bytes());
            if is_sealed {
                page[CRC..CRC + 4].fill(0);
                let crc = crc32(&page);
                page[CRC..CRC + 4].copy_from_slice(&crc.to_ne_bytes());
            }
            Geometry::decode(&page, geometry.file_len)
        };
        for bits in (0..64).map(|bit| 1 << bit).chain([3, u64::MAX]) {
            assert_eq!(page_with(INCOMPATIBLE, bits, true), Err(Unfit::Features(bits)));
            assert!(matches!(page_with(INCOMPATIBLE, bits, false), Err(Unfit::Foreign(_))), "{bits:x}");
            assert_eq!(page_with(INCOMPATIBLE + 8, bits, true).as_ref(), Ok(&geometry), "compatible: {bits:x}");
        }
    }

    #[test]
    fn every_damaged_byte_is_refused() {
        let geometry = sample(8 << 20, 2);
        let page = geometry.encode();
        for at in 0..PAGE as usize {
            let mut bad = page.clone();
            bad[at] ^= 0x41;
            assert!(Geometry::decode(&bad, geometry.file_len).is_err(), "byte {at}");
        }
        assert!(Geometry::decode(&page, geometry.file_len - 1).is_err());
        assert!(Geometry::decode(&page[..100], geometry.file_len).is_err());
    }

    /// The tables of docs/memory-layout.md: sizes of arenas, and the regions in their order.
    #[test]
    fn the_page_tells_the_truth() {
        let page = include_str!("../../../../docs/memory-layout.md");
        let rows = page
            .lines()
            .filter_map(|line| line.strip_prefix("| "))
            .map(|line| line.split('|').map(str::trim).collect::<Vec<_>>());
        let bytes = |text: &str| {
            let (number, unit) = text.split_once(' ').expect("a number and its unit");
            let unit = ["B", "KiB", "MiB", "GiB"].iter().position(|known| *known == unit).expect("a unit");
            number.replace(',', "").parse::<u64>().expect("a number") << (10 * unit)
        };
        let (mut sizes, mut regions) = (0, 0);
        for row in rows {
            if let [memory, segment, segments, shards, key, value, ""] = row[..] {
                if !memory.starts_with(|c: char| c.is_ascii_digit()) {
                    continue;
                }
                let geometry = sample(bytes(memory), 2);
                assert_eq!(geometry.segment_size(), bytes(segment), "{memory}");
                assert_eq!(geometry.segments_max.to_string(), segments.replace(',', ""), "{memory}");
                assert_eq!(geometry.shards().to_string(), shards, "{memory}");
                assert_eq!((geometry.segment_size() / 4).min(65_535), bytes(key), "{memory}");
                assert_eq!(geometry.memory / 8, bytes(value), "{memory}");
                sizes += 1;
            } else if let [id, name, _size, _holds, ""] = row[..] {
                let Ok(id) = id.parse::<u32>() else { continue };
                let region = REGIONS[regions];
                assert_eq!(region as u32, id);
                let told = format!("{region:?}").to_lowercase();
                assert_eq!(told, name.replace(' ', "").to_lowercase(), "region {id}");
                regions += 1;
            }
        }
        assert_eq!((sizes, regions), (3, REGIONS.len()));
    }

    #[test]
    fn sizes_out_of_range_are_refused() {
        for memory in [0, (8 << 20) - 1, (1 << 40) + 1] {
            assert!(Geometry::new(memory, 2, 0, [0; 16], [0; 16], 0).is_err());
        }
    }
}
