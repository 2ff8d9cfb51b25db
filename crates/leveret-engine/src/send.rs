//! Large values going into a socket: the kernel reads shared memory itself, so they are copied once instead of twice.
//!
//! Bytes that a socket has accepted cannot be taken back. So the sender checks afterwards whether the segments are
//! still the same. If not, bytes of two values may be out, and the connection must end before the client can take them
//! for one value. To make that rare, a sender puts its name on the segments until it is done, and searches for a free
//! segment skip them. The name is an advisory mark: no process waits for it, allocators ignore owners that have exited,
//! and only a share of all segments is ever skipped, however long a sender is stopped.
use crate::arena::Arena;
use crate::core::Core;
use crate::found::Found;
use crate::index::SlotWord;
use crate::item::Kind;
use crate::lookup;
use crate::segment::{SegmentId, StateWord};
use crate::sync::{fence, Ordering};
use std::fmt;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

/// Parts that one system call is given, the head among them: more than values of usual arenas have.
const PARTS_MAX: usize = 64;

/// Segments that a process may send from at once, as a share of all: an eighth. Writers find room in the rest.
const SEND_SHARE: usize = 8;

/// A value that is about to be sent.
pub struct Outgoing {
    arena: Arena,
    parts: Vec<Part>,
    len: usize,
}

/// A run of a value's bytes, and the use of the segment that they belong to.
#[derive(Clone, Copy, Debug)]
struct Part {
    at: u64,
    len: usize,
    segment: SegmentId,
    word: StateWord,
}

/// Why a value was not sent whole.
#[derive(Debug)]
#[non_exhaustive]
pub enum SendError {
    /// Bytes of another value may have been sent in its place: the connection must end.
    Torn,
    /// What the socket says.
    Socket(io::Error),
}

#[cfg(feature = "sockets")]
impl Arena {
    /// Makes the value of an item that was found ready to be sent. None: copy it. It was recycled meanwhile, has no
    /// bytes of its own, or too much is being sent.
    pub fn outgoing(&self, found: &Found) -> Option<Outgoing> {
        let mut outgoing = Outgoing { arena: self.clone(), parts: Vec::new(), len: found.value_len as usize };
        for part in parts(&self.core, found)? {
            // `drop` releases the segments that are held already.
            if !begin_sending(&self.core, part.segment) {
                return None;
            }
            outgoing.parts.push(part);
        }
        outgoing.is_whole().then_some(outgoing)
    }
}

impl Outgoing {
    /// Moves the last byte of the value, if it has one, to the end of `into`. `send` says whether that one is right, as
    /// well.
    pub fn split_last(&mut self, into: &mut Vec<u8>) {
        // A value of whole segments has an empty tail.
        if let Some(last) = self.parts.iter_mut().rfind(|part| part.len > 0) {
            last.len -= 1;
            self.len -= 1;
            self.arena.core.items.data.append_to(last.at + last.len as u64, 1, into);
        }
    }

    /// Sends `head` and up to `most` bytes of the value to a non-blocking socket, and returns the number of bytes sent.
    /// Bytes that the socket does not accept are appended to `unsent`, so that a slow client does not hold a value.
    /// Returns the rest of the value: for the next call, or for `append_to` if `unsent` is not empty. More bytes follow
    /// immediately.
    pub fn send(
        self,
        head: &[u8],
        socket: BorrowedFd<'_>,
        unsent: &mut Vec<u8>,
        most: usize,
    ) -> Result<(usize, Option<Outgoing>), SendError> {
        let most = most.min(self.len);
        let total = head.len() + most;
        let mut sent = 0;
        while sent < total {
            match self.send_from(sent, head, socket, most) {
                Ok(count) => sent += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(SendError::Socket(error)),
            }
        }
        if sent < total {
            unsent.reserve_exact(head.len() + self.len - sent);
            unsent.extend_from_slice(&head[sent.min(head.len())..]);
            for (at, len) in self.places(sent.saturating_sub(head.len()), most) {
                self.arena.core.items.data.append_to(at, len, unsent);
            }
        }
        Ok((sent, self.behind(most)?))
    }

    /// Appends up to `most` bytes of the value, and returns the rest: for callers that cannot send it directly. `Torn`:
    /// it was recycled meanwhile, and the appended bytes are invalid.
    pub fn append_to(self, into: &mut Vec<u8>, most: usize) -> Result<Option<Outgoing>, SendError> {
        let most = most.min(self.len);
        into.reserve_exact(self.len);
        for (at, len) in self.places(0, most) {
            self.arena.core.items.data.append_to(at, len, into);
        }
        self.behind(most)
    }

    /// The value without its first `len` bytes, if these were read consistently. Releases segments before it.
    fn behind(mut self, len: usize) -> Result<Option<Outgoing>, SendError> {
        if !self.is_whole() {
            return Err(SendError::Torn);
        }
        self.len -= len;
        if self.len == 0 {
            return Ok(None);
        }
        let mut skip = len;
        let done = self
            .parts
            .iter()
            .take_while(|part| {
                part.len <= skip && {
                    skip -= part.len;
                    true
                }
            })
            .count();
        self.parts.drain(..done).for_each(|part| end_sending(&self.arena.core, part.segment));
        if let Some(part) = self.parts.first_mut() {
            part.at += skip as u64;
            part.len -= skip;
        }
        Ok(Some(self))
    }

    /// One system call: what follows the first `sent` bytes of head and value, of which `most` are to be sent.
    fn send_from(&self, sent: usize, head: &[u8], socket: BorrowedFd<'_>, most: usize) -> io::Result<usize> {
        let mut parts = [libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 0 }; PARTS_MAX];
        let rest = &head[sent.min(head.len())..];
        parts[0] = libc::iovec { iov_base: rest.as_ptr().cast_mut().cast(), iov_len: rest.len() };
        let mut count = 1;
        for (part, (at, len)) in parts[1..].iter_mut().zip(self.places(sent.saturating_sub(head.len()), most)) {
            *part =
                libc::iovec { iov_base: self.arena.core.items.data.address(at, len).cast_mut().cast(), iov_len: len };
            count += 1;
        }
        // SAFETY: zero is a valid msghdr. The kernel only reads the parts: a private slice, and ranges of the mapping,
        // which lives as long as `self.arena`. That others write there meanwhile is between them and the kernel's copy;
        // should the file be truncated, the call fails.
        let result = unsafe {
            let mut message: libc::msghdr = std::mem::zeroed();
            message.msg_iov = parts.as_mut_ptr();
            message.msg_iovlen = count;
            libc::sendmsg(socket.as_raw_fd(), &message, libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT | libc::MSG_MORE)
        };
        usize::try_from(result).map_err(|_| io::Error::last_os_error())
    }

    /// Where the value's bytes from `begin` to `end` lie.
    fn places(&self, begin: usize, end: usize) -> impl Iterator<Item = (u64, usize)> + '_ {
        let (mut skip, mut left) = (begin, end);
        self.parts.iter().filter_map(move |part| {
            let len = part.len.min(left);
            left -= len;
            let here = skip.min(len);
            skip -= here;
            (here < len).then(|| (part.at + here as u64, len - here))
        })
    }

    /// Whether every byte that was read until now belongs to this value.
    fn is_whole(&self) -> bool {
        fence(Ordering::Acquire);
        self.parts.iter().all(|part| part.word.is_same_use(self.arena.core.segments.state(part.segment)))
    }
}

impl fmt::Debug for Outgoing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Outgoing").field("parts", &self.parts).finish_non_exhaustive()
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        self.parts.iter().for_each(|part| end_sending(&self.arena.core, part.segment));
    }
}

/// Writes our name on a segment. False: another process sends from it, or we do from too many.
fn begin_sending(core: &Core, segment: SegmentId) -> bool {
    let Ok(owner) = core.presence.owner() else { return false };
    let mut counts = core.sending.counts();
    if let Some(count) = counts.get_mut(&segment.0) {
        *count += 1;
        return true;
    }
    let header = core.segments.header(segment);
    let free = Some(header.sender()).filter(|name| *name == 0 || core.presence.is_dead(*name));
    let is_ours = counts.len() < core.segments.within_limit() / SEND_SHARE
        && free.is_some_and(|free| header.change_sender(free, owner));
    if is_ours {
        counts.insert(segment.0, 1);
    }
    is_ours
}

fn end_sending(core: &Core, segment: SegmentId) {
    let mut counts = core.sending.counts();
    let Some(count) = counts.get_mut(&segment.0) else { return };
    *count -= 1;
    if *count == 0 {
        counts.remove(&segment.0);
        core.segments.header(segment).clear_sender();
    }
}

/// The parts of the value of an item that was found, in their order. All of them lie inside the data region.
fn parts(core: &Core, found: &Found) -> Option<Vec<Part>> {
    let slot_at = SlotWord(found.version.slot).at();
    let segment = core.segments.containing(slot_at)?;
    let word = StateWord(found.version.segment);
    // Before a byte is touched, as in `copy`.
    if !lookup::is_same_use(core, &found.version) {
        return None;
    }
    let view = core.items.view(&core.segments, segment, slot_at)?;
    let mut parts = Vec::new();
    let tail = match view.kind {
        Kind::Bytes if view.header.value_len() == found.value_len => found.value_len,
        Kind::Large => {
            let division = core.items.division_of(&view).filter(|division| division.total() == found.value_len)?;
            for index in 0..division.pieces {
                let extent = core.items.extent_of(&view, index);
                let word = core.segments.piece(extent, word.shard(), found.version.hash)?;
                let segment = SegmentId(extent.segment);
                parts.push(Part {
                    at: core.segments.start(segment),
                    len: division.piece(index).1 as usize,
                    segment,
                    word,
                });
            }
            division.tail
        }
        _ => return None,
    };
    parts.push(Part { at: view.value(), len: tail as usize, segment, word });
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Deadline, OpenOptions, Time};
    use std::io::Read;
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;

    const KEY: &[u8] = b"key";

    fn scratch() -> (Arena, tempfile::TempDir) {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions::new().memory(8 << 20).cores(2);
        (Arena::open(&dir.path().join("send.arena"), &options).expect("an arena").0, dir)
    }

    fn outgoing(arena: &Arena) -> Option<Outgoing> {
        arena.outgoing(&arena.find(KEY, Time::now())?)
    }

    fn holds_nothing(arena: &Arena) -> bool {
        let named = (0..arena.core.segments.len())
            .any(|segment| arena.core.segments.header(SegmentId(segment as u32)).sender() != 0);
        arena.core.sending.counts().is_empty() && !named
    }

    /// Reuses every segment, some more than once.
    fn storm(arena: &Arena) {
        for round in 0..64u8 {
            arena.set(&[round], &vec![round; 500_000], Deadline::NEVER, Time::now()).expect("room");
        }
    }

    #[test]
    fn a_value_goes_out_as_it_is_whatever_the_socket_takes_at_once() {
        let (arena, _dir) = scratch();
        let segment = arena.core.segments.size() as usize;
        let borders = [1, 2, 5].into_iter().flat_map(|whole| (whole * segment - 150..whole * segment + 50).step_by(7));
        // The longest has a segment more than one process may send from, and is copied.
        let lens = [0usize, 1, 20_000, 65_536, 300_001, arena.value_max() - segment];
        for len in lens.into_iter().chain(borders) {
            let value: Vec<u8> = (0..len).map(|at| (at * 7 % 251) as u8).collect();
            arena.set(KEY, &value, Deadline::NEVER, Time::now()).expect("room");
            let (ours, mut theirs) = UnixStream::pair().expect("sockets");
            let mut unsent = b"before ".to_vec();
            let sent = outgoing(&arena).expect("a value").send(b"head ", ours.as_fd(), &mut unsent, len);
            let (sent, rest) = sent.expect("whole");
            assert!(rest.is_none());
            let mut got = vec![0; sent];
            theirs.read_exact(&mut got).expect("what was sent");
            assert_eq!(&unsent[..7], b"before ");
            got.extend_from_slice(&unsent[7..]);
            assert_eq!(&got[..5], b"head ");
            assert!(got[5..] == value, "{len} bytes");
        }
    }

    /// A value of a gigabyte was sent in one go, and its sender did nothing else.
    #[test]
    fn a_value_goes_out_in_pieces_and_gives_up_what_it_has_sent() {
        const MOST: usize = 70_000;
        let (arena, _dir) = scratch();
        let segment = arena.core.segments.size() as usize;
        for len in [1, MOST, MOST + 1, segment, 300_001, arena.value_max() - segment] {
            let value: Vec<u8> = (0..len).map(|at| (at * 7 % 251) as u8).collect();
            arena.set(KEY, &value, Deadline::NEVER, Time::now()).expect("room");
            let (ours, mut theirs) = UnixStream::pair().expect("sockets");
            for is_read in [true, false] {
                let (mut got, mut unsent) = (Vec::new(), Vec::new());
                let (mut left, mut pieces, mut head) = (outgoing(&arena), 0, &b"head "[..]);
                while let Some(value) = left {
                    let held = arena.core.sending.counts().len();
                    assert!(held <= (len - pieces * MOST) / segment + 3, "{held} segments");
                    pieces += 1;
                    if unsent.is_empty() {
                        let sent;
                        (sent, left) = value.send(head, ours.as_fd(), &mut unsent, MOST).expect("whole");
                        assert!(sent <= MOST + head.len());
                        head = b"";
                        let begin = got.len();
                        if is_read {
                            got.resize(begin + sent, 0);
                            theirs.read_exact(&mut got[begin..]).expect("what was sent");
                        }
                    } else {
                        left = value.append_to(&mut unsent, MOST).expect("whole");
                    }
                }
                assert_eq!(pieces, len.div_ceil(MOST), "{len} bytes");
                assert!(holds_nothing(&arena));
                if !is_read {
                    got.resize(5 + len - unsent.len(), 0);
                    theirs.read_exact(&mut got).expect("what was sent");
                }
                got.append(&mut unsent);
                assert!(got.starts_with(b"head ") && got[5..] == value, "{len} bytes");
            }
        }
    }

    /// In a protocol without a line end, the last byte is held back until the rest is verified. A value that fills its
    /// segments went out whole: its last part is an empty tail.
    #[test]
    fn the_last_byte_can_be_kept_back_from_every_value() {
        let (arena, _dir) = scratch();
        let segment = arena.core.segments.size() as usize;
        for len in [1, 20_000, segment - 1, segment, segment + 1, 2 * segment, 300_001] {
            let value: Vec<u8> = (1..=len).map(|at| (at * 7 % 251) as u8).collect();
            arena.set(KEY, &value, Deadline::NEVER, Time::now()).expect("room");
            let (ours, mut theirs) = UnixStream::pair().expect("sockets");
            let (mut last, mut unsent) = (Vec::new(), Vec::new());
            let mut sending = outgoing(&arena).expect("a value");
            sending.split_last(&mut last);
            assert_eq!(last, value[len - 1..], "{len} bytes");
            let (sent, _) = sending.send(b"", ours.as_fd(), &mut unsent, usize::MAX).expect("whole");
            let mut got = vec![0; sent];
            theirs.read_exact(&mut got).expect("what was sent");
            assert!([got, unsent].concat() == value[..len - 1], "{len} bytes");
        }
    }

    #[test]
    fn what_this_process_sends_it_does_not_overwrite() {
        let (arena, _dir) = scratch();
        let value = vec![200; 300_000];
        arena.set(KEY, &value, Deadline::NEVER, Time::now()).expect("room");
        let sending = outgoing(&arena).expect("a value");
        arena.delete(KEY, Time::now()).expect("free");
        storm(&arena);
        let (ours, mut theirs) = UnixStream::pair().expect("sockets");
        let mut unsent = Vec::new();
        let (sent, _) = sending.send(b"", ours.as_fd(), &mut unsent, usize::MAX).expect("whole");
        let mut got = vec![0; sent];
        theirs.read_exact(&mut got).expect("what was sent");
        assert!([got, unsent].concat() == value);
        assert!(holds_nothing(&arena));
    }

    #[test]
    fn what_another_process_overwrites_is_not_taken_for_whole() {
        let (arena, _dir) = scratch();
        arena.set(KEY, &vec![200; 300_000], Deadline::NEVER, Time::now()).expect("room");
        let sending = outgoing(&arena).expect("a value");
        // It was about to take the segments when the names came onto them.
        sending.parts.iter().for_each(|part| arena.core.segments.header(part.segment).set_sender(0));
        arena.delete(KEY, Time::now()).expect("free");
        storm(&arena);
        let (ours, _theirs) = UnixStream::pair().expect("sockets");
        assert!(matches!(sending.send(b"", ours.as_fd(), &mut Vec::new(), usize::MAX), Err(SendError::Torn)));
    }

    #[test]
    fn the_names_of_the_dead_hold_nothing() {
        let (arena, _dir) = scratch();
        arena.set(KEY, &vec![200; 300_000], Deadline::NEVER, Time::now()).expect("room");
        let parts = outgoing(&arena).expect("a value").parts.clone();
        // No process has this incarnation.
        let dead = arena.core.presence.owner().expect("registered") ^ 1 << 40;
        parts.iter().for_each(|part| arena.core.segments.header(part.segment).set_sender(dead));
        drop(outgoing(&arena).expect("still to be sent"));
        assert!(holds_nothing(&arena));
        parts.iter().for_each(|part| arena.core.segments.header(part.segment).set_sender(dead));
        arena.delete(KEY, Time::now()).expect("free");
        storm(&arena);
        assert!(parts.iter().any(|part| !part.word.is_same_use(arena.core.segments.state(part.segment))), "used anew");
    }

    #[test]
    fn many_that_send_leave_room_for_those_who_write() {
        let (arena, _dir) = scratch();
        let set = |key: &[u8]| arena.set(key, &vec![200; 300_000], Deadline::NEVER, Time::now()).expect("room");
        let keys: Vec<[u8; 1]> = (100..110).map(|key| [key]).collect();
        keys.iter().for_each(|key| set(key));
        let found = |key: &[u8; 1]| arena.find(key, Time::now()).expect("an item");
        let sending: Vec<Outgoing> = keys.iter().map_while(|key| arena.outgoing(&found(key))).collect();
        assert!((1..10).contains(&sending.len()), "{} at once", sending.len());
        storm(&arena);
        drop(sending);
        assert!(holds_nothing(&arena));
    }
}
