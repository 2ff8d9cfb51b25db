//! Large values coming out of a socket: the kernel writes them into the segments of a fill, so they are copied once.
//!
//! No other process reads those segments before the commit or writes to them while this process lives. A kill in the
//! middle leaves pieces that name a dead filler, as any fill does. A client that announces a value and does not send it
//! keeps its segments until the connection ends, so all such values together get a share of the arena, and further ones
//! are collected privately.
use crate::arena::Arena;
use crate::error::Error;
use crate::found::Item;
use crate::hand_out::HandOut;
use crate::item::{Body, NewItem};
use crate::large::Fill;
use crate::limits;
use crate::meta::{Marks, Meta};
use crate::terms::{Stored, Terms};
use crate::time::{Deadline, Time};
use std::fmt;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

/// Segments that a process may receive into at once, as a share of all: a sixteenth. Fills in one go have their own.
const RECEIVE_SHARE: usize = 16;

/// Buffers of one system call, besides the tail and the bytes behind the value.
const PLACES_MAX: usize = 62;

/// A large value that is being received.
pub struct Incoming {
    arena: Arena,
    fill: Fill,
    /// The bytes behind the whole segments; they go into the item.
    tail: Vec<u8>,
    got: usize,
}

impl Arena {
    /// Prepares to receive a value of `len` bytes for `key`. None: collect it and store it as any other. It lies in one
    /// segment, there is no room now, or too much is being received.
    pub fn incoming(&self, key: &[u8], len: usize, now: Time) -> Option<Incoming> {
        let core = &*self.core;
        // Placeholder for its flags and marks.
        let meta = Meta::default().with_flags(1).with_marks(Marks::STALE);
        if limits::check_key(core, key).is_err()
            || len > self.value_max()
            || limits::fits_segment(core, key, len, Meta::default())
        {
            return None;
        }
        let whole = limits::in_segments(core, key, len, meta);
        let pieces = whole.div_ceil(core.segments.size() as usize);
        if !core.receiving.take(pieces, core.segments.within_limit() / RECEIVE_SHARE) {
            return None;
        }
        let Ok(fill) = self.begin_fill(core.hasher.hash(key), whole, now) else {
            core.receiving.give_back(pieces);
            return None;
        };
        Some(Incoming { arena: self.clone(), fill, tail: vec![0; len - whole], got: 0 })
    }
}

impl Incoming {
    fn whole(&self) -> usize {
        self.fill.len()
    }

    /// Bytes of the whole value.
    pub fn value_len(&self) -> usize {
        self.whole() + self.tail.len()
    }

    /// Bytes of the value that have not come yet.
    pub fn missing(&self) -> usize {
        self.value_len() - self.got
    }

    /// Takes bytes of the value that came some other way; says how many of `bytes` were missing.
    pub fn append(&mut self, bytes: &[u8]) -> usize {
        let here = &bytes[..bytes.len().min(self.missing())];
        let filled = if self.got < self.whole() { self.fill.write(self.got, here) } else { 0 };
        let behind = (self.got + filled).saturating_sub(self.whole());
        self.tail[behind..behind + here.len() - filled].copy_from_slice(&here[filled..]);
        self.got += here.len();
        here.len()
    }

    /// Receives from a socket without blocking: first the missing bytes, then bytes behind the value, into `beyond`.
    /// Returns the bytes of both together, and whether they were fewer than there was room for; 0 bytes: end of the
    /// stream. One call may have less room than the missing bytes.
    pub fn receive(&mut self, socket: BorrowedFd<'_>, beyond: &mut [u8]) -> io::Result<(usize, bool)> {
        let mut places = [libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 0 }; PLACES_MAX + 2];
        let mut count = 0;
        let mut room = 0;
        let filled = self.got.min(self.whole());
        if filled < self.whole() {
            for (place, (at, len)) in places[..PLACES_MAX].iter_mut().zip(self.fill.places_from(filled)) {
                *place = libc::iovec {
                    iov_base: self.arena.core.items.data.address(at, len).cast_mut().cast(),
                    iov_len: len,
                };
                count += 1;
                room += len;
            }
        }
        // Unless there are more places than one call takes: then the rest comes with the next.
        if filled + room == self.whole() {
            let tail = &mut self.tail[self.got - filled..];
            places[count] = libc::iovec { iov_base: tail.as_mut_ptr().cast(), iov_len: tail.len() };
            places[count + 1] = libc::iovec { iov_base: beyond.as_mut_ptr().cast(), iov_len: beyond.len() };
            count += 2;
            room += tail.len() + beyond.len();
        }
        // SAFETY: zero is a valid msghdr. The buffers are private memory that is borrowed mutably, and ranges of the
        // mapping, which lives as long as `self.arena`, inside segments that no other process reads or writes until the
        // commit; if the file is truncated, the call fails.
        let result = unsafe {
            let mut message: libc::msghdr = std::mem::zeroed();
            message.msg_iov = places.as_mut_ptr();
            // musl counts with 32 bits.
            message.msg_iovlen = count as _;
            libc::recvmsg(socket.as_raw_fd(), &mut message, libc::MSG_DONTWAIT)
        };
        let received = usize::try_from(result).map_err(|_| io::Error::last_os_error())?;
        self.got += received.min(self.missing());
        Ok((received, received < room))
    }

    /// Stores the value, of which nothing may be missing. After an error the value is still here, and may be tried again;
    /// stored, it is the arena's.
    pub fn store(
        &mut self,
        key: &[u8],
        meta: Meta,
        deadline: Deadline,
        terms: &Terms,
        now: Time,
    ) -> Result<Stored, Error> {
        self.store_handing(key, meta, deadline, terms, now, &mut ())
    }

    /// As `store`, and hands out the live item that the store met, as `Arena::swap` does.
    pub fn swap(
        &mut self,
        key: &[u8],
        meta: Meta,
        deadline: Deadline,
        terms: &Terms,
        now: Time,
    ) -> Result<(Stored, Option<Item>), Error> {
        let arena = self.arena.clone();
        arena.handing_out(key, |handed| self.store_handing(key, meta, deadline, terms, now, handed))
    }

    fn store_handing(
        &mut self,
        key: &[u8],
        meta: Meta,
        deadline: Deadline,
        terms: &Terms,
        now: Time,
        handed: &mut impl HandOut,
    ) -> Result<Stored, Error> {
        assert_eq!(self.missing(), 0, "a value that is not whole");
        assert!(!self.fill.pieces().are_handed_over(), "a value that was stored");
        let total = self.got as u64;
        let body = Body::Large { total, extents: self.fill.extents(), tail: &self.tail };
        let item = NewItem { key, meta, mtime: now.0, deadline, cas: terms.cas, body };
        let stored = self.arena.store_item(&item, terms, now, Some(self.fill.pieces()), handed);
        self.arena.end_store(key, || self.got, deadline, terms, now, stored)
    }
}

impl fmt::Debug for Incoming {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Incoming")
            .field("got", &self.got)
            .field("missing", &self.missing())
            .finish_non_exhaustive()
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        self.arena.core.receiving.give_back(self.fill.extents().len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::State;
    use crate::{Mode, OpenOptions};
    use std::io::Write;
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;

    const KEY: &[u8] = b"key";

    fn scratch() -> (Arena, tempfile::TempDir) {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions::new().memory(16 << 20).cores(2);
        (Arena::open(&dir.path().join("receive.arena"), &options).expect("an arena").0, dir)
    }

    fn fills(arena: &Arena) -> usize {
        arena.core.segments.count_state(State::LargeFill)
    }

    fn value(len: usize) -> Vec<u8> {
        (0..len).map(|at| (at * 7 % 251) as u8).collect()
    }

    fn store(mut incoming: Incoming) -> Stored {
        incoming.store(KEY, Meta::default(), Deadline::NEVER, &Mode::Set.into(), Time::now()).expect("room")
    }

    #[test]
    fn a_value_is_stored_as_it_came_however_it_came() {
        let (arena, _dir) = scratch();
        let segment = arena.core.segments.size() as usize;
        // Behind whole segments: nothing, one byte, and what may lie with their list or needs another segment.
        let borders = (2 * segment - 120..2 * segment).step_by(11);
        for len in [segment, segment + 1, 2 * segment, 2 * segment + 1, 300_001, 900_000].into_iter().chain(borders) {
            let value = value(len);
            for step in [1000, 65_536, 100_001, len] {
                let mut incoming = arena.incoming(KEY, len, Time::now()).expect("room");
                let (ours, mut theirs) = UnixStream::pair().expect("sockets");
                let mut beyond = [0; 100];
                for (index, piece) in value.chunks(step).enumerate() {
                    if index % 2 == 0 {
                        assert_eq!(incoming.append(piece), piece.len());
                        continue;
                    }
                    for part in piece.chunks(50_000) {
                        theirs.write_all(part).expect("room in the socket");
                        assert_eq!(
                            incoming.receive(ours.as_fd(), &mut beyond).expect("it is there"),
                            (part.len(), true)
                        );
                    }
                }
                assert_eq!((incoming.missing(), incoming.append(b"more")), (0, 0));
                theirs.write_all(b"beyond").expect("room in the socket");
                assert_eq!(incoming.receive(ours.as_fd(), &mut beyond).expect("it is there"), (6, true));
                assert_eq!(&beyond[..6], b"beyond");
                assert_eq!(store(incoming), Stored::Stored { cas: 0 });
                assert!(arena.get(KEY, Time::now()).expect("stored").value == value, "{len} bytes in steps of {step}");
            }
        }
        assert_eq!((fills(&arena), arena.core.receiving.segments()), (0, 0));
        assert!(arena.verify().is_clean());
    }

    #[test]
    fn a_value_that_takes_the_place_of_another_hands_that_out() {
        let (arena, _dir) = scratch();
        let now = Time::now();
        for old in [&b"short"[..], &value(500_000)] {
            arena.set(KEY, old, Deadline::NEVER, now).expect("room");
            let mut incoming = arena.incoming(KEY, 300_000, now).expect("room");
            incoming.append(&value(300_000));
            let swapped = incoming.swap(KEY, Meta::default(), Deadline::NEVER, &Mode::Set.into(), now).expect("room");
            assert_eq!(swapped.0, Stored::Stored { cas: 0 });
            assert!(swapped.1.expect("there").value == old);
            assert!(arena.get(KEY, now).expect("stored").value == value(300_000));
        }
        assert!(arena.verify().is_clean());
    }

    #[test]
    fn what_is_broken_off_leaves_the_old_value_and_no_segment_behind() {
        let (arena, _dir) = scratch();
        let old = value(400_000);
        arena.set(KEY, &old, Deadline::NEVER, Time::now()).expect("room");
        for got in [0, 1, 100_000, 500_000] {
            let mut incoming = arena.incoming(KEY, 500_000, Time::now()).expect("room");
            incoming.append(&vec![1; got]);
            assert!(fills(&arena) > 0);
            drop(incoming);
            assert_eq!((fills(&arena), arena.core.receiving.segments()), (0, 0));
        }
        assert!(arena.get(KEY, Time::now()).expect("stored").value == old);
    }

    #[test]
    fn promises_take_a_share_of_the_arena_and_no_more() {
        let (arena, _dir) = scratch();
        let promised: Vec<Incoming> = (0..50).map_while(|_| arena.incoming(KEY, 500_000, Time::now())).collect();
        assert!((1..20).contains(&promised.len()), "{} at once", promised.len());
        for key in 0..100u8 {
            arena.set(&[key], &value(500_000), Deadline::NEVER, Time::now()).expect("room beside them");
        }
        drop(promised);
        assert!(arena.incoming(KEY, 500_000, Time::now()).is_some());
    }

    #[test]
    fn of_two_that_come_at_once_the_last_one_to_be_whole_stays() {
        let (arena, _dir) = scratch();
        let mut incoming = [1u8, 2].map(|byte| (byte, arena.incoming(KEY, 300_000, Time::now()).expect("room")));
        for (byte, incoming) in &mut incoming {
            incoming.append(&vec![*byte; 300_000]);
        }
        for (_, incoming) in incoming.into_iter().rev() {
            assert_eq!(store(incoming), Stored::Stored { cas: 0 });
        }
        assert!(arena.get(KEY, Time::now()).expect("stored").value == vec![1; 300_000]);
        assert!(arena.verify().is_clean());
    }

    /// Nothing was evicted there to begin with: what lay in another shard's only segment was kept, time and again.
    #[test]
    fn where_only_open_segments_are_left_one_is_given_up() {
        for _ in 0..20 {
            let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
            let options = OpenOptions::new().memory(64 << 20).cores(2);
            let (arena, _) = Arena::open(&dir.path().join("receive.arena"), &options).expect("an arena");
            arena.set(b"small", b"x", Deadline::NEVER, Time::now()).expect("room");
            let mut incoming = arena.incoming(KEY, 900_000, Time::now()).expect("room");
            incoming.append(&vec![1; 900_000]);
            // Without its file it can no longer grow.
            std::fs::remove_file(arena.path()).expect("removed");
            assert_eq!(store(incoming), Stored::Stored { cas: 0 });
        }
    }
}
