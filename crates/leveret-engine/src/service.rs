//! Services: a server writes its addresses into the arena that it serves, so that a local client told to connect there
//! may read the arena instead. An announcement counts only while its process provably lives.
//!
//! A slot is claimed by its owner word. The text follows, then the same word again as a seal: a reader that finds both
//! equal, before and after its copy, has read that owner's text. An owner killed at any point leaves a slot that
//! readers ignore.
use crate::arena::Arena;
use crate::core::Core;
use crate::error::Error;
use crate::map::layout::{ServiceSlot, SERVICE_TEXT_MAX};
use crate::sync::{fence, Ordering};
use std::fmt;
use std::sync::Arc;

/// An announcement by a living process.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Service {
    /// As it was announced: `tcp 127.0.0.1:11211 net:[4026531840]`, `unix /run/leveret.sock`.
    pub text: String,
    /// The process, as it numbers itself.
    pub pid: u32,
    /// Announced by the asking process itself, over the same open arena. A pid does not tell that: containers have the
    /// same ones.
    pub is_own: bool,
}

/// A service that this process has announced. Withdrawn when it is dropped.
pub struct Announcement {
    core: Arc<Core>,
    slot: usize,
    owner: u64,
}

impl fmt::Debug for Announcement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Announcement").field("slot", &self.slot).finish_non_exhaustive()
    }
}

impl Arena {
    /// Announces a service of this process: at most 232 bytes of text, 64 at a time in an arena.
    pub fn announce(&self, text: &str) -> Result<Announcement, Error> {
        let core = &self.core;
        if text.len() > SERVICE_TEXT_MAX {
            return Err(Error::ValueTooLarge { len: text.len(), max: SERVICE_TEXT_MAX });
        }
        let owner = core.presence.owner()?;
        let claimed = (0..core.services.len()).find(|slot| {
            let cell = &core.services.at(*slot).owner;
            let held = cell.load(Ordering::Acquire);
            let is_free = held == 0 || core.presence.is_dead(held);
            is_free && cell.compare_exchange(held, owner, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        });
        let slot = claimed.ok_or(Error::NoMemory)?;
        let entry = core.services.at(slot);
        // A dead owner's seal differs from the new owner word, and this process leaves none behind: readers ignore the
        // slot until it is sealed.
        // Release: a process that sees this number sees that the previous seal is gone.
        entry.uses.fetch_add(1, Ordering::Release);
        // A process that sees a word of the new text also sees that number.
        fence(Ordering::Release);
        for (word, bytes) in entry.text.iter().zip(text.as_bytes().chunks(8)) {
            let mut padded = [0; 8];
            padded[..bytes.len()].copy_from_slice(bytes);
            word.store(u64::from_ne_bytes(padded), Ordering::Relaxed);
        }
        entry.len.store(text.len() as u32, Ordering::Relaxed);
        entry.sealed.store(owner, Ordering::Release);
        Ok(Announcement { core: Arc::clone(core), slot, owner })
    }

    /// What living processes have announced. Asks the kernel about each of them: for the start of a connection, not for
    /// each request.
    pub fn services(&self) -> Vec<Service> {
        let core = &*self.core;
        (0..core.services.len()).filter_map(|slot| service_of(core, core.services.at(slot))).collect()
    }
}

fn service_of(core: &Core, entry: &ServiceSlot) -> Option<Service> {
    let owner = entry.owner.load(Ordering::Relaxed);
    let uses = entry.uses.load(Ordering::Acquire);
    if owner == 0 || entry.sealed.load(Ordering::Acquire) != owner || core.presence.is_dead(owner) {
        return None;
    }
    let mut bytes: Vec<u8> = entry.text.iter().flat_map(|word| word.load(Ordering::Relaxed).to_ne_bytes()).collect();
    bytes.truncate(entry.len.load(Ordering::Relaxed) as usize);
    fence(Ordering::Acquire);
    let is_same = entry.owner.load(Ordering::Relaxed) == owner
        && entry.uses.load(Ordering::Relaxed) == uses
        && entry.sealed.load(Ordering::Relaxed) == owner;
    let pid = core.presence.pid_of(owner).filter(|_| is_same)?;
    String::from_utf8(bytes).ok().map(|text| Service { text, pid, is_own: owner == core.presence.current() })
}

impl Drop for Announcement {
    fn drop(&mut self) {
        // A forked child has a copy of this, and no part in it.
        if self.core.presence.current() != self.owner {
            return;
        }
        let entry = self.core.services.at(self.slot);
        entry.sealed.store(0, Ordering::Relaxed);
        entry.owner.store(0, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OpenOptions;
    use std::io::{BufRead, BufReader};
    use std::path::Path;
    use std::process::{Command, Stdio};

    const PATH: &str = "LEVERET_TEST_ANNOUNCES_IN";

    fn open(path: &Path) -> Arena {
        Arena::open(path, &OpenOptions::new().memory(8 << 20)).expect("an arena").0
    }

    /// Not a test of its own: run as another process, it announces and waits to be killed.
    #[test]
    fn announcer() {
        let Some(path) = std::env::var_os(PATH) else { return };
        let arena = open(Path::new(&path));
        let _announced = arena.announce("tcp 127.0.0.1:11211 net:[1]").expect("a free slot");
        println!("announced");
        std::thread::sleep(std::time::Duration::from_secs(3600));
    }

    #[test]
    fn a_service_is_believed_while_its_process_lives() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let arena = open(&dir.path().join("services.arena"));
        assert_eq!(arena.services(), []);
        let program = std::env::current_exe().expect("this program");
        let mut command = Command::new(program);
        command
            .args(["--exact", "service::tests::announcer", "--nocapture"])
            .env(PATH, arena.path())
            .stdout(Stdio::piped());
        let mut child = command.spawn().expect("started");
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        assert!(lines.map_while(Result::ok).any(|line| line.ends_with("announced")));
        assert_eq!(
            arena.services(),
            [Service { text: "tcp 127.0.0.1:11211 net:[1]".to_owned(), pid: child.id(), is_own: false }]
        );
        child.kill().expect("killed");
        child.wait().expect("reaped");
        assert_eq!(arena.services(), []);
        // Its slot is taken over.
        let ours = arena.announce("unix /run/leveret.sock").expect("a free slot");
        assert_eq!(
            arena.services(),
            [Service { text: "unix /run/leveret.sock".to_owned(), pid: std::process::id(), is_own: true }]
        );
        assert_eq!(ours.slot, 0);
        drop(ours);
        assert_eq!(arena.services(), []);
    }

    /// Owner and seal are the same each time that one process announces in one slot: it is the number of uses that
    /// tells a reader that another text came while it read.
    #[test]
    fn a_text_is_never_read_half() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let arena = open(&dir.path().join("services.arena"));
        let texts = ["x".repeat(232), "y".repeat(200)];
        let is_over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for round in 0..1_000_000 {
                    drop(arena.announce(&texts[round % 2]).expect("a free slot"));
                }
                is_over.store(true, Ordering::Release);
            });
            // More than there are processors, as a rule: a reader must be interrupted in the middle to see two texts.
            for _ in 0..4 {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Acquire) {
                        for service in arena.services() {
                            assert!(texts.contains(&service.text), "{}", service.text);
                        }
                    }
                });
            }
        });
    }

    #[test]
    fn there_is_an_end_to_slots_and_texts() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let arena = open(&dir.path().join("services.arena"));
        assert!(matches!(arena.announce(&"x".repeat(233)), Err(Error::ValueTooLarge { len: 233, max: 232 })));
        let all: Vec<_> = (0..64).map(|number| arena.announce(&"y".repeat(number)).expect("a free slot")).collect();
        assert!(matches!(arena.announce("one more"), Err(Error::NoMemory)));
        assert_eq!(arena.services().len(), 64);
        drop(all);
        assert_eq!(arena.announce(&"x".repeat(232)).map(|_| ()), Ok(()));
    }
}
