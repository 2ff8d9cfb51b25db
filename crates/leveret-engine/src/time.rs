//! The arena's clock: seconds since boot, suspend included (CLOCK_BOOTTIME), so that neither NTP nor an administrator
//! who sets the clock can expire or prolong items. It is read on each operation, so it must cost nanoseconds: the
//! coarse monotonic clock (4 ns) plus the time spent in suspend, which `refresh` measures again at each request.
//!
//! In a time namespace both clocks are ahead of the machine's, or behind. An arena's clock is the machine's, so that
//! processes of all namespaces mean the same moment: the offset is subtracted.
use crate::sync::{AtomicI64, Ordering};

const NANOS: i64 = 1_000_000_000;
const NANOS_OF_MILLI: i64 = 1_000_000;
const UNKNOWN: i64 = i64::MIN;

/// The arena's clock minus this process's monotonic clock, in nanoseconds: how long the machine has been suspended, less
/// what the monotonic clock is ahead in this time namespace.
static AHEAD: AtomicI64 = AtomicI64::new(UNKNOWN);

/// By how much the boot time clock of this process is ahead of the machine's, in nanoseconds.
static BOOTTIME_OFFSET: AtomicI64 = AtomicI64::new(UNKNOWN);
/// The same of the monotonic clock. Stored before the other.
static MONOTONIC_OFFSET: AtomicI64 = AtomicI64::new(0);
/// What the wall clock showed beyond the boot time and the monotonic clock when the offsets were measured.
static WALL: [AtomicI64; 2] = [const { AtomicI64::new(UNKNOWN) }; 2];

/// A moment on the arena's clock, in seconds since boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct Time(pub u32);

impl Time {
    /// The present moment.
    #[inline]
    pub fn now() -> Time {
        let mut ahead = AHEAD.load(Ordering::Relaxed);
        if ahead == UNKNOWN {
            ahead = refresh();
        }
        Time(((nanos(libc::CLOCK_MONOTONIC_COARSE) + ahead) / NANOS) as u32)
    }

    /// The present in milliseconds since boot. It is asked for in the last second of an item alone, so it may cost 20 ns; the
    /// coarse clock is late by a tick of 4 ms, on virtual machines by more.
    #[inline(never)]
    pub fn now_millis() -> u64 {
        let mut ahead = AHEAD.load(Ordering::Relaxed);
        if ahead == UNKNOWN {
            ahead = refresh();
        }
        ((nanos(libc::CLOCK_MONOTONIC) + ahead) / NANOS_OF_MILLI) as u64
    }

    /// The Unix second in which this moment begins, by today's setting of the wall clock: the same each time it is
    /// asked.
    pub fn to_unix(self) -> i64 {
        i64::from(self.0) + unix_time_of_boot()
    }

    /// The moment of a Unix time: never earlier, and less than a second later. A second that has begun becomes a past
    /// moment; times before boot become 0, times beyond the clock's range its last moment.
    pub fn from_unix(unix: i64) -> Time {
        let at = unix.saturating_sub(unix_time_of_boot()).clamp(0, i64::from(Deadline::LAST.second)) as u32;
        if unix <= nanos(libc::CLOCK_REALTIME) / NANOS {
            return Time(at.min(Time::now().0));
        }
        Time(at)
    }
}

/// A moment that is either known or read from the clock when it is needed: most reads meet an item without a deadline.
pub trait Moment: Copy {
    /// The moment.
    fn time(self) -> Time;

    /// The moment, unless the clock would have to be read.
    fn known(self) -> Option<Time>;

    /// The moment in milliseconds since boot: the clock's, if that shows the same second.
    #[inline]
    fn millis(self) -> u64 {
        let begin = u64::from(self.time().0) * 1000;
        Time::now_millis().clamp(begin, begin + 999)
    }
}

impl Moment for Time {
    #[inline]
    fn time(self) -> Time {
        self
    }

    #[inline]
    fn known(self) -> Option<Time> {
        Some(self)
    }
}

/// The present, read from the clock each time it is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Now;

impl Moment for Now {
    #[inline]
    fn time(self) -> Time {
        Time::now()
    }

    #[inline]
    fn known(self) -> Option<Time> {
        None
    }

    #[inline]
    fn millis(self) -> u64 {
        Time::now_millis()
    }
}

/// Measures the time in suspend again. Once a request is often enough: it changes only when the machine sleeps.
pub(crate) fn refresh() -> i64 {
    let boottime = boottime();
    let monotonic_offset = MONOTONIC_OFFSET.load(Ordering::Relaxed);
    let suspended = boottime - (nanos(libc::CLOCK_MONOTONIC) - monotonic_offset);
    // Two clocks are read one after the other; without a suspend the difference is their reading time, which must not
    // count.
    let suspended = if suspended < NANOS / 1000 { 0 } else { suspended };
    let ahead = suspended - monotonic_offset;
    AHEAD.store(ahead, Ordering::Relaxed);
    ahead
}

/// Nanoseconds since the machine's boot, in any time namespace.
pub(crate) fn boottime() -> i64 {
    let offset = boottime_offset();
    nanos(libc::CLOCK_BOOTTIME) - offset
}

fn boottime_offset() -> i64 {
    match BOOTTIME_OFFSET.load(Ordering::Acquire) {
        UNKNOWN => measure().unwrap_or_default(),
        offset => offset,
    }
}

/// Finds out how far the clocks are ahead in this time namespace, and keeps it. None: nothing says so.
fn measure() -> Option<i64> {
    let known = namespace::offsets();
    let (monotonic, boottime) = known.unwrap_or_default();
    MONOTONIC_OFFSET.store(monotonic, Ordering::Relaxed);
    for (kept, wall) in WALL.iter().zip(wall()) {
        kept.store(if known.is_some() { wall } else { UNKNOWN }, Ordering::Relaxed);
    }
    // Release: a thread that sees this offset sees the other one.
    BOOTTIME_OFFSET.store(boottime, Ordering::Release);
    AHEAD.store(UNKNOWN, Ordering::Relaxed);
    known.map(|_| boottime)
}

fn wall() -> [i64; 2] {
    [libc::CLOCK_BOOTTIME, libc::CLOCK_MONOTONIC].map(|clock| nanos(libc::CLOCK_REALTIME) - nanos(clock))
}

/// Whether the offsets are those that were measured. Time namespaces have no wall clock of their own, so all three clocks
/// have gone on alike. They do not after a suspend and after somebody has set the clock: then it is measured again, too.
fn are_unchanged() -> bool {
    const READING: u64 = NANOS_OF_MILLI as u64;
    let is_kept = |(kept, wall): (&AtomicI64, i64)| kept.load(Ordering::Relaxed).abs_diff(wall) < READING;
    WALL.iter().zip(wall()).all(is_kept)
}

/// Whether the machine's time can be told: asked anew whenever an arena is opened. What /proc says takes 20 to 30
/// microseconds in a new process.
pub(crate) fn is_known() -> bool {
    are_unchanged() || measure().is_some()
}

/// A child of fork may be in another time namespace than its parent (unshare(2)).
pub(crate) fn check_after_fork() {
    if !are_unchanged() {
        BOOTTIME_OFFSET.store(UNKNOWN, Ordering::Relaxed);
        AHEAD.store(UNKNOWN, Ordering::Relaxed);
    }
}

/// Whether the clocks of this process are the machine's.
#[cfg_attr(model, allow(dead_code))]
pub(crate) fn is_of_the_machine() -> bool {
    BOOTTIME_OFFSET.load(Ordering::Acquire) == 0
}

/// Ticks by which the start times that /proc shows are ahead of the machine's.
#[cfg_attr(model, allow(dead_code))]
pub(crate) fn ticks_ahead() -> i64 {
    boottime_offset() / TICK
}

/// The unit of /proc's start times, of which every Linux that we support has a hundred in a second.
const TICK: i64 = NANOS / 100;

pub(crate) fn ticks_since_boot() -> u64 {
    (boottime() / TICK) as u64
}

/// The wall clock, in microseconds.
pub(crate) fn unix_micros() -> u64 {
    (nanos(libc::CLOCK_REALTIME) / 1000).max(0) as u64
}

/// The wall clock's whole seconds at boot. It comes from the clocks' difference, not from their seconds, which do not
/// change together.
fn unix_time_of_boot() -> i64 {
    (nanos(libc::CLOCK_REALTIME) - boottime()).div_euclid(NANOS)
}

/// The wall clock at boot in milliseconds, as this process has measured it last.
static UNIX_MILLIS_OF_BOOT: AtomicI64 = AtomicI64::new(UNKNOWN);
/// Two measurements differ by the time that it takes to read two clocks, and by more only after the clock was set.
const CLOCK_WAS_SET: i64 = 10;

/// Constant until the clock is set, so that a wall time comes back as it was given.
fn unix_millis_of_boot() -> i64 {
    let measured = (nanos(libc::CLOCK_REALTIME) - boottime()).div_euclid(NANOS_OF_MILLI);
    let known = UNIX_MILLIS_OF_BOOT.load(Ordering::Relaxed);
    if known != UNKNOWN && known.abs_diff(measured) <= CLOCK_WAS_SET.unsigned_abs() {
        return known;
    }
    UNIX_MILLIS_OF_BOOT.store(measured, Ordering::Relaxed);
    measured
}

/// What /proc says of this process's time namespace.
mod namespace {
    use super::NANOS;

    /// The machine's own namespace has this number on every kernel.
    #[cfg_attr(model, allow(dead_code))]
    const INITIAL: u64 = 0xefff_fffa;

    /// How far the monotonic and the boot time clock are ahead. None: this process has made a namespace for its children
    /// (unshare(2)) in which it is not itself, and /proc shows the offsets of that one only.
    #[cfg(not(model))]
    pub fn offsets() -> Option<(i64, i64)> {
        let number_of = |name| rustix::fs::stat(name).map(|stat| stat.st_ino);
        // Without it the kernel has no time namespaces (before 5.6), or there is no /proc.
        let Ok(own) = number_of("/proc/self/ns/time") else { return Some((0, 0)) };
        if own == INITIAL {
            return Some((0, 0));
        }
        if number_of("/proc/self/ns/time_for_children") != Ok(own) {
            return None;
        }
        parse(&std::fs::read_to_string("/proc/self/timens_offsets").ok()?)
    }

    #[cfg(model)]
    pub fn offsets() -> Option<(i64, i64)> {
        Some((0, 0))
    }

    /// Lines of a clock's name or number, seconds and nanoseconds.
    #[cfg_attr(model, allow(dead_code))]
    pub fn parse(text: &str) -> Option<(i64, i64)> {
        let of = |names: [&str; 2]| {
            text.lines().find_map(|line| {
                let mut words = line.split_ascii_whitespace();
                names.contains(&words.next()?).then_some(())?;
                let (secs, nanos): (i64, i64) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
                secs.checked_mul(NANOS)?.checked_add(nanos)
            })
        };
        Some((of(["monotonic", "1"])?, of(["boottime", "7"])?))
    }
}

#[cfg(model)]
fn nanos(_clock: libc::clockid_t) -> i64 {
    1000 * NANOS
}

#[cfg(not(model))]
#[inline]
fn nanos(clock: libc::clockid_t) -> i64 {
    let mut at = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `at` is a live timespec; the clocks named in this file exist on every kernel that we support.
    unsafe { libc::clock_gettime(clock, &mut at) };
    at.tv_sec * NANOS + at.tv_nsec
}

/// Thirty days: memcached's border between an exptime that is a number of seconds and one that is a Unix time.
pub const EXPTIME_RELATIVE_MAX: i64 = 30 * 24 * 60 * 60;

/// The moment from which an item is dead. An arena of layout 1 rounds it up to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Deadline {
    /// In seconds since boot, rounded up; `u32::MAX` = never.
    pub(crate) second: u32,
    /// How many milliseconds it comes before that, below 1,000.
    pub(crate) fraction: u32,
}

impl PartialOrd for Deadline {
    fn partial_cmp(&self, other: &Deadline) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Deadline {
    fn cmp(&self, other: &Deadline) -> std::cmp::Ordering {
        self.second.cmp(&other.second).then(other.fraction.cmp(&self.fraction))
    }
}

impl Default for Deadline {
    fn default() -> Deadline {
        Deadline::NEVER
    }
}

impl Deadline {
    /// The item lives until it is evicted.
    pub const NEVER: Deadline = Deadline::of_second(u32::MAX);
    /// Later deadlines end here.
    const LAST: Deadline = Deadline::of_second(u32::MAX - 1);

    /// Dead from this second since boot on; `u32::MAX` = never.
    #[inline]
    pub const fn of_second(second: u32) -> Deadline {
        Deadline { second, fraction: 0 }
    }

    /// Dead from this moment on.
    pub fn at(time: Time) -> Deadline {
        Deadline::of_second(time.0).min(Deadline::LAST)
    }

    /// Dead from this moment on, in milliseconds since boot (`Time::now_millis`).
    pub fn at_millis(millis: u64) -> Deadline {
        match u32::try_from(millis.div_ceil(1000)) {
            Ok(second) if second <= Deadline::LAST.second => {
                Deadline { second, fraction: (u64::from(second) * 1000 - millis) as u32 }
            }
            _ => Deadline::LAST,
        }
    }

    /// Dead from this moment of the wall clock on, by its setting of today.
    pub fn at_unix_millis(unix_millis: i64) -> Deadline {
        Deadline::at_millis(unix_millis.saturating_sub(unix_millis_of_boot()).max(0) as u64)
    }

    /// Dead `ttl_secs` seconds after `now`.
    pub fn after(now: Time, ttl_secs: u32) -> Deadline {
        Deadline::at(Time(now.0.saturating_add(ttl_secs)))
    }

    /// Of a ttl as the native entrances know it: none is without an end, and 0 or less is over at once.
    pub fn of_ttl(ttl_secs: i64, now: Time) -> Deadline {
        Deadline::after(now, u32::try_from(ttl_secs.max(0)).unwrap_or(u32::MAX))
    }

    /// From an exptime of memcached's text protocol: 0 = never; negative = at once; up to `EXPTIME_RELATIVE_MAX` =
    /// seconds from now; above = a Unix time.
    pub fn of_exptime(exptime: i64, now: Time) -> Deadline {
        match exptime {
            0 => Deadline::NEVER,
            ..0 => Deadline::at(now),
            1..=EXPTIME_RELATIVE_MAX => Deadline::after(now, exptime as u32),
            _ => Deadline::at(Time::from_unix(exptime)),
        }
    }

    /// Whether an item with this deadline is dead.
    #[inline]
    pub fn is_past(self, now: impl Moment) -> bool {
        if self.second == Self::NEVER.second {
            return false;
        }
        match self.second.saturating_sub(now.time().0) {
            0 => true,
            // Only in the last second does the rest count.
            1 if self.fraction != 0 => self.is_over(now.millis()),
            _ => false,
        }
    }

    #[cold]
    fn is_over(self, millis: u64) -> bool {
        self.millis().is_some_and(|end| end <= millis)
    }

    /// The second since boot, rounded up; `u32::MAX` = never.
    #[inline]
    pub const fn second(self) -> u32 {
        self.second
    }

    /// The moment, rounded up to the second, unless it is `NEVER`.
    pub fn time(self) -> Option<Time> {
        (self != Self::NEVER).then_some(Time(self.second))
    }

    /// The moment in milliseconds since boot, unless it is `NEVER`.
    pub fn millis(self) -> Option<u64> {
        self.time().map(|time| (u64::from(time.0) * 1000).saturating_sub(u64::from(self.fraction)))
    }

    /// The deadline on the wall clock in milliseconds, by its present setting, unless it is `NEVER`. A value given to
    /// `at_unix_millis` comes back, until the clock is set.
    pub fn unix_millis(self) -> Option<i64> {
        self.millis().map(|millis| millis as i64 + unix_millis_of_boot())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unix_time_there_and_back() {
        let soon = Time(Time::now().0 + 100);
        assert_eq!(Time::from_unix(soon.to_unix()), soon);
        assert_eq!(Time::from_unix(0), Time(0));
        assert_eq!(Time::from_unix(i64::MAX).0, u32::MAX - 1);
    }

    #[test]
    fn unix_seconds_that_have_begun_are_past() {
        let second = nanos(libc::CLOCK_REALTIME) / NANOS;
        for begun in [second, second - 1, second - 60] {
            assert!(Deadline::at(Time::from_unix(begun)).is_past(Time::now()), "{begun}");
        }
        assert!(!Deadline::at(Time::from_unix(second + 60)).is_past(Time::now()));
    }

    #[test]
    fn a_deadline_is_past_from_its_own_second_on() {
        let deadline = Deadline::after(Time(100), 10);
        assert!(!deadline.is_past(Time(109)));
        assert!(deadline.is_past(Time(110)));
        assert!(!Deadline::NEVER.is_past(Time(u32::MAX - 1)));
        assert_ne!(Deadline::after(Time(100), u32::MAX), Deadline::NEVER);
    }

    /// A moment that says its milliseconds.
    #[derive(Clone, Copy)]
    struct At(u64);

    impl Moment for At {
        fn time(self) -> Time {
            Time((self.0 / 1000) as u32)
        }

        fn known(self) -> Option<Time> {
            None
        }

        fn millis(self) -> u64 {
            self.0
        }
    }

    #[test]
    fn a_deadline_in_milliseconds_is_past_from_its_own_on() {
        for end in [1, 999, 1000, 1001, 1500, 1999, 2000, 4_294_967_293_999] {
            let deadline = Deadline::at_millis(end);
            assert_eq!(deadline.millis(), Some(end));
            assert_eq!(deadline.second(), end.div_ceil(1000) as u32);
            for (now, is_past) in [(end - 1, false), (end, true), (end + 1, true), (end.saturating_sub(1000), false)] {
                assert_eq!(deadline.is_past(At(now)), is_past, "{end} at {now}");
            }
        }
        assert!(Deadline::at_millis(0).is_past(At(0)));
        for beyond in [4_294_967_293_001 + 1000, 4_294_967_295_000, u64::MAX] {
            assert_eq!(Deadline::at_millis(beyond), Deadline::LAST);
        }
        assert!(!Deadline::NEVER.is_past(At(u64::MAX)));
        assert_eq!((Deadline::NEVER.millis(), Deadline::NEVER.unix_millis()), (None, None));
    }

    #[test]
    fn deadlines_follow_each_other_as_their_moments_do() {
        let ends = [0, 1, 999, 1000, 1001, 1999, 2000, 2001, 10_000];
        for one in ends {
            for other in ends {
                assert_eq!(Deadline::at_millis(one).cmp(&Deadline::at_millis(other)), one.cmp(&other));
            }
            assert!(Deadline::at_millis(one) < Deadline::NEVER);
        }
    }

    #[test]
    fn wall_times_in_milliseconds_come_back() {
        let now = unix_micros() as i64 / 1000;
        for unix in [now, now + 1, now + 999, now + 1_000_000_007] {
            assert_eq!(Deadline::at_unix_millis(unix).unix_millis(), Some(unix));
        }
        assert!(Deadline::at_unix_millis(now - 60_000).is_past(Now));
        assert!(!Deadline::at_unix_millis(now + 60_000).is_past(Now));
        assert_eq!(Deadline::at_unix_millis(i64::MIN), Deadline::of_second(0));
        assert_eq!(Deadline::at_unix_millis(i64::MAX), Deadline::LAST);
    }

    /// What knows the second alone takes the clock's milliseconds if they are of that second.
    #[test]
    fn a_second_that_is_given_stays_that_second() {
        for given in [Time(0), Time(5), Time(u32::MAX - 1)] {
            assert_eq!(given.millis() / 1000, u64::from(given.0));
        }
        let clock = Time::now_millis();
        let seen = Now.time().millis();
        assert!((clock / 1000 * 1000..clock + 1000).contains(&seen), "{clock} {seen}");
    }

    #[test]
    fn ttls_at_their_ends_are_deadlines() {
        let now = Time(100);
        let longest = i64::from(u32::MAX) - 100;
        for (ttl, want) in [
            (i64::MIN, 100),
            (-1, 100),
            (0, 100),
            (1, 101),
            (longest - 1, u32::MAX - 1),
            (longest, u32::MAX - 1),
            (i64::from(u32::MAX) + 1, u32::MAX - 1),
            (i64::MAX, u32::MAX - 1),
        ] {
            assert_eq!(Deadline::of_ttl(ttl, now), Deadline::of_second(want), "{ttl}");
        }
        assert_eq!(Deadline::of_ttl(5, Time(u32::MAX)), Deadline::of_second(u32::MAX - 1));
    }

    #[test]
    fn exptimes_at_their_ends_are_deadlines() {
        let now = Time(100);
        let boot = Time(0).to_unix();
        for (exptime, want) in [
            (i64::MIN, 100),
            (-1, 100),
            (0, u32::MAX),
            (1, 101),
            (EXPTIME_RELATIVE_MAX, 100 + EXPTIME_RELATIVE_MAX as u32),
            (EXPTIME_RELATIVE_MAX + 1, 0),
            (boot + 1_000_000_000, 1_000_000_000),
            (i64::from(u32::MAX) + boot, u32::MAX - 1),
            (i64::MAX, u32::MAX - 1),
        ] {
            assert_eq!(Deadline::of_exptime(exptime, now), Deadline::of_second(want), "{exptime}");
        }
    }

    #[test]
    fn offsets_are_read_by_name_and_by_number() {
        let parse = namespace::parse;
        assert_eq!(
            parse("monotonic           0         0\nboottime         1000         5\n"),
            Some((0, 1000 * NANOS + 5))
        );
        assert_eq!(parse("1 -1 999999999\n7 -100 0\n"), Some((-1, -100 * NANOS)));
        for bad in [
            "",
            "monotonic 0 0\n",
            "monotonic 0\nboottime 0 0",
            "monotonic x 0\nboottime 0 0",
            "boottime 9223372036854775807 0\nmonotonic 0 0",
        ] {
            assert_eq!(parse(bad), None, "{bad:?}");
        }
    }
}
