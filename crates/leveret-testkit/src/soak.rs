//! A server that is killed again and again: clients over sockets, in every protocol, half of them by TLS, and threads
//! at the arena itself. Each owns some keys and knows what a read of them may show: the last acknowledged value or a
//! newer one that may have been stored. Keys of others must at least be whole and match their owner. A cache may
//! forget, and the report says how often it did.
use crate::rng::Rng;
use crate::values::{frame, frames_of};
use crate::watcher;
use leveret_client::pool::{Answer, Code, Operation, Options, Pool, Protocol, Request, TlsOptions};
use leveret_engine::{Arena, Deadline, Encoding, Meta, Mode, OpenOptions, Time, Value};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// What to do, and for how long.
#[derive(Clone, Debug)]
pub struct SoakPlan {
    /// Starts the server: a program and its arguments, which say the port and the arena.
    pub server: Vec<String>,
    /// The server's port at 127.0.0.1.
    pub port: u16,
    /// That where it speaks TLS: every second client comes by it.
    pub tls_port: Option<u16>,
    /// The arena's file, which the server serves.
    pub arena: PathBuf,
    /// How long.
    pub duration: Duration,
    /// Clients over sockets.
    pub clients: u64,
    /// Threads at the arena.
    pub neighbours: u64,
    /// Watchers, which are killed as well.
    pub watchers: u64,
    /// Starts a watcher: a program and its arguments, which lead to `watcher::watch`.
    pub watcher: Vec<String>,
    /// Of everything random.
    pub seed: u64,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct SoakOutcome {
    /// How often the server was killed.
    pub kills: u64,
    /// Requests that were answered.
    pub answered: u64,
    /// Of those the ones by TLS.
    pub answered_by_tls: u64,
    /// Requests that failed, because the server was dead.
    pub failed: u64,
    /// How often a watcher was killed.
    pub watchers_killed: u64,
    /// Lines that watchers have read.
    pub lines: u64,
    /// What must never be: the first few in words.
    pub wrong: Vec<String>,
}

/// Keys of each writer.
pub const KEYS: u64 = 60;
const WRONG_MAX: usize = 10;
// Longer than any pause of a living server: an answer that comes too late must not be a store of its own.
const PATIENCE: Duration = Duration::from_secs(60);

/// Holds the soak. An error says that it could not be held.
pub fn run(plan: &SoakPlan) -> io::Result<SoakOutcome> {
    let mut server = start(plan)?;
    let is_over = AtomicBool::new(false);
    let mut kills = 0;
    let mut outcome = thread::scope(|scope| -> io::Result<SoakOutcome> {
        let clients = (0..plan.clients).map(|writer| {
            let is_over = &is_over;
            scope.spawn(move || client(plan, writer, is_over))
        });
        let neighbours = (0..plan.neighbours).map(|writer| {
            let is_over = &is_over;
            scope.spawn(move || neighbour(plan, plan.clients + writer, is_over))
        });
        let watchers = (0..plan.watchers).map(|number| {
            let is_over = &is_over;
            scope.spawn(move || watched(plan, number, is_over))
        });
        let workers: Vec<_> = clients.chain(neighbours).chain(watchers).collect();
        let mut rng = Rng::new(plan.seed);
        let end = Instant::now() + plan.duration;
        let mut weather = || -> io::Result<()> {
            while Instant::now() < end {
                thread::sleep(Duration::from_millis(rng.between(50, 1200)));
                server.kill()?;
                server.wait()?;
                kills += 1;
                server = start(plan)?;
            }
            Ok(())
        };
        let held = weather();
        is_over.store(true, Ordering::Relaxed);
        let mut sum = SoakOutcome::default();
        for worker in workers {
            let one = worker.join().map_err(|_| io::Error::other("a worker panicked"))?;
            sum.answered += one.answered;
            sum.answered_by_tls += one.answered_by_tls;
            sum.failed += one.failed;
            sum.watchers_killed += one.watchers_killed;
            sum.lines += one.lines;
            sum.wrong.extend(one.wrong);
        }
        held.map(|()| sum)
    });
    let _ = server.kill();
    server.wait()?;
    if let Ok(outcome) = &mut outcome {
        outcome.kills = kills;
    }
    outcome
}

/// Starts the server and waits until it listens.
fn start(plan: &SoakPlan) -> io::Result<Child> {
    let mut child = Command::new(&plan.server[0]).args(&plan.server[1..]).spawn()?;
    let end = Instant::now() + PATIENCE;
    while std::net::TcpStream::connect(("127.0.0.1", plan.port)).is_err() {
        if child.try_wait()?.is_some() || Instant::now() > end {
            let _ = child.kill();
            child.wait()?;
            return Err(io::Error::other("the server does not start"));
        }
        thread::sleep(Duration::from_millis(2));
    }
    Ok(child)
}

/// Allowed results for an owned key.
#[derive(Clone, Copy, Default)]
struct Own {
    /// Nothing older than this.
    oldest: u64,
    /// Nothing newer than this.
    newest: u64,
    /// It was stored, and no delete has been asked for since. The arena has room for all, so a miss would be a loss.
    is_there: bool,
}

struct Worker {
    writer: u64,
    rng: Rng,
    own: Vec<Own>,
    writers: u64,
    arena: PathBuf,
    outcome: SoakOutcome,
}

impl Worker {
    fn new(plan: &SoakPlan, writer: u64) -> Worker {
        let own = vec![Own::default(); KEYS as usize];
        let rng = Rng::new(plan.seed).fork(writer + 1);
        Worker {
            writer,
            rng,
            own,
            writers: plan.clients + plan.neighbours,
            arena: plan.arena.clone(),
            outcome: SoakOutcome::default(),
        }
    }

    fn key(writer: u64, number: u64) -> Vec<u8> {
        format!("soak:{writer}:{number}").into_bytes()
    }

    fn next_value(&mut self, number: u64) -> Vec<u8> {
        let own = &mut self.own[number as usize];
        own.newest += 1;
        let counter = own.newest;
        // Most are short; some span segments' pieces and many packets.
        let filler_len = if self.rng.one_in(20) { self.rng.below(100_000) } else { self.rng.below(300) };
        frame(&Worker::key(self.writer, number), self.writer, counter, filler_len as usize)
    }

    fn stored(&mut self, number: u64) {
        let own = &mut self.own[number as usize];
        (own.oldest, own.is_there) = (own.newest, true);
    }

    fn deleted(&mut self, number: u64) {
        let own = &mut self.own[number as usize];
        // Any item seen from here on must have been stored later.
        (own.oldest, own.is_there) = (own.newest + 1, false);
    }

    fn missed(&mut self, writer: u64, number: u64) {
        let own = self.own[number as usize];
        if writer == self.writer && own.is_there && !self.sees(number) {
            self.wrong(format!("writer {writer}, key {number}: {} was acknowledged and is not there", own.oldest));
        }
    }

    /// Whether the arena itself has it: on a busy machine a server may wait too long for the lock that a get with a cas
    /// takes, and answers a miss.
    fn sees(&self, number: u64) -> bool {
        open(&self.arena, false).is_ok_and(|arena| arena.contains(&Worker::key(self.writer, number), Time::now()))
    }

    fn check(&mut self, writer: u64, number: u64, value: &[u8]) {
        let key = Worker::key(writer, number);
        match frames_of(&key, value) {
            Err(why) => self.wrong(why),
            Ok(frames) if frames.len() != 1 || frames[0].writer != writer => {
                self.wrong(format!("another writer's value under {number}"))
            }
            Ok(frames) if writer == self.writer => {
                let (own, counter) = (self.own[number as usize], frames[0].counter);
                if counter < own.oldest || counter > own.newest {
                    self.wrong(format!(
                        "writer {writer}, key {number}: {counter} is not within {}..={}",
                        own.oldest, own.newest
                    ));
                }
            }
            Ok(_) => {}
        }
    }

    fn wrong(&mut self, why: String) {
        if self.outcome.wrong.len() < WRONG_MAX {
            self.outcome.wrong.push(why);
        }
    }
}

/// Batches over a socket, each of one kind so that answers can be matched.
fn client(plan: &SoakPlan, writer: u64, is_over: &AtomicBool) -> SoakOutcome {
    let mut worker = Worker::new(plan, writer);
    let protocol = [Protocol::Text, Protocol::Binary, Protocol::Meta][writer as usize % 3];
    // The arena is for the neighbours: here everything goes over the socket.
    let options = Options {
        protocol,
        io_timeout: PATIENCE,
        retry_timeout: Duration::ZERO,
        short_cut: false,
        // The certificate is made for this soak, and only the server has its key.
        tls: TlsOptions { verify: false, ..TlsOptions::default() },
        ..Options::default()
    };
    let mut pool = Pool::new(options);
    let tls_port = plan.tls_port.filter(|_| writer / 3 % 2 == 1);
    match tls_port {
        Some(port) => pool.add_server("tls://127.0.0.1", port, 0, 1),
        None => pool.add_server("127.0.0.1", plan.port, 0, 1),
    };
    while !is_over.load(Ordering::Relaxed) {
        let kind = worker.rng.below(10);
        let whose = if kind < 5 || worker.rng.one_in(2) { writer } else { worker.rng.below(worker.writers) };
        let first = worker.rng.below(KEYS);
        let numbers: Vec<u64> = (0..worker.rng.between(1, 12)).map(|offset| (first + offset) % KEYS).collect();
        let keys: Vec<Vec<u8>> = numbers.iter().map(|number| Worker::key(whose, *number)).collect();
        let operation = match kind {
            0..=3 => Operation::Set,
            4 => Operation::Delete,
            _ => Operation::Get,
        };
        let values: Vec<Vec<u8>> = match operation {
            Operation::Set => numbers.iter().map(|number| worker.next_value(*number)).collect(),
            _ => vec![Vec::new(); numbers.len()],
        };
        pool.begin();
        for (key, value) in keys.iter().zip(&values) {
            if let Err(code) = pool.add(&Request { value, ..Request::new(operation, key) }) {
                worker.wrong(format!("a request was refused: {code:?}"));
            }
        }
        pool.run();
        let mut missing = numbers.clone();
        while let Some(Answer { request, code, value, .. }) = pool.next_answer() {
            let number = numbers[request];
            missing.retain(|missing| *missing != number);
            match (operation, code) {
                (Operation::Set, Code::Success) => worker.stored(number),
                (Operation::Delete, Code::Success) => worker.deleted(number),
                (Operation::Delete, Code::NotFound) => {
                    worker.missed(whose, number);
                    worker.deleted(number);
                }
                (Operation::Get, Code::Success) => worker.check(whose, number, value),
                (Operation::Get, Code::NotFound) => worker.missed(whose, number),
                (
                    _,
                    Code::ConnectionFailure
                    | Code::UnknownReadFailure
                    | Code::WriteFailure
                    | Code::ServerTemporarilyDisabled,
                ) => {
                    worker.outcome.failed += 1;
                    // Perhaps it was done, and only its answer is lost.
                    worker.own[number as usize].is_there &= operation != Operation::Delete;
                    continue;
                }
                (operation, code) => worker.wrong(format!("{operation:?} over {protocol:?} was answered {code:?}")),
            }
            worker.outcome.answered += 1;
        }
        // A get of several keys says nothing of those that are not there.
        for number in missing {
            match operation {
                Operation::Get => worker.missed(whose, number),
                _ => worker.wrong(format!("{operation:?} of key {number} was not answered")),
            }
        }
    }
    if tls_port.is_some() {
        worker.outcome.answered_by_tls = worker.outcome.answered;
    }
    worker.outcome
}

/// The same at the arena itself, beside the server; recovers what a killed server has left.
fn neighbour(plan: &SoakPlan, writer: u64, is_over: &AtomicBool) -> SoakOutcome {
    let mut worker = Worker::new(plan, writer);
    let arena = match open(&plan.arena, true) {
        Ok(arena) => arena,
        Err(why) => {
            worker.wrong(why);
            return worker.outcome;
        }
    };
    while !is_over.load(Ordering::Relaxed) {
        let (now, number) = (Time::now(), worker.rng.below(KEYS));
        let key = Worker::key(writer, number);
        match worker.rng.below(10) {
            0..=3 => {
                let value = worker.next_value(number);
                let meta = Meta::native(Encoding::RAW);
                match arena.store(&key, Value::Bytes(&value), meta, Deadline::NEVER, Mode::Set, now) {
                    Ok(_) => worker.stored(number),
                    Err(error) => worker.wrong(format!("a store into the arena failed: {error}")),
                }
            }
            4 => match arena.delete(&key, now) {
                Ok(_) => worker.deleted(number),
                Err(error) => worker.wrong(format!("a delete in the arena failed: {error}")),
            },
            _ => {
                let whose = if worker.rng.one_in(2) { writer } else { worker.rng.below(worker.writers) };
                match arena.get(&Worker::key(whose, number), now) {
                    Some(item) => worker.check(whose, number, &item.value),
                    None => worker.missed(whose, number),
                }
            }
        }
        worker.outcome.answered += 1;
    }
    worker.outcome
}

/// A watcher in a process of its own, killed and started again.
fn watched(plan: &SoakPlan, number: u64, is_over: &AtomicBool) -> SoakOutcome {
    let mut outcome = SoakOutcome::default();
    let mut rng = Rng::new(plan.seed).fork(u64::MAX - number);
    while !is_over.load(Ordering::Relaxed) && outcome.wrong.is_empty() {
        let told = watcher::Process::start(&plan.watcher).and_then(|watcher| {
            thread::sleep(Duration::from_millis(rng.between(50, 1500)));
            watcher.kill()
        });
        match told {
            Ok((lines, wrong)) => {
                outcome.lines += lines;
                outcome.wrong.extend(wrong);
                outcome.watchers_killed += 1;
            }
            Err(error) => outcome.wrong.push(format!("a watcher cannot be started or ended: {error}")),
        }
    }
    outcome
}

fn open(path: &Path, create: bool) -> Result<Arena, String> {
    // Locks of a killed server are taken over; that a living one is paused for seconds by a busy machine is no fault.
    let options = OpenOptions::new().lock_timeout(PATIENCE).create(create);
    Arena::open(path, &options).map(|opened| opened.0).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oracle_sees_what_must_not_be() {
        let plan = SoakPlan {
            server: vec![],
            port: 0,
            tls_port: None,
            arena: PathBuf::new(),
            duration: Duration::ZERO,
            clients: 2,
            neighbours: 0,
            watchers: 0,
            watcher: vec![],
            seed: 1,
        };
        let key = Worker::key(0, 3);
        let told = |value: &[u8]| {
            let mut worker = Worker::new(&plan, 0);
            for _ in 0..4 {
                worker.next_value(3);
            }
            worker.stored(3);
            worker.next_value(3);
            worker.check(0, 3, value);
            worker.outcome.wrong.len()
        };
        for (counter, want) in [(3, 1), (4, 0), (5, 0), (6, 1)] {
            assert_eq!(told(&frame(&key, 0, counter, 10)), want, "{counter}");
        }
        let mut torn = frame(&key, 0, 4, 10);
        torn[20] ^= 1;
        assert_eq!(told(&torn), 1);
        assert_eq!(told(&frame(b"soak:0:4", 0, 4, 10)), 1, "another key's");
        assert_eq!(told(&frame(&key, 1, 4, 10)), 1, "another writer's");
        let mut worker = Worker::new(&plan, 0);
        worker.next_value(3);
        worker.stored(3);
        worker.deleted(3);
        worker.check(0, 3, &frame(&key, 0, 1, 10));
        assert_eq!(worker.outcome.wrong.len(), 1, "it was deleted");
        worker.missed(0, 3);
        worker.missed(1, 4);
        assert_eq!(worker.outcome.wrong.len(), 1, "nothing was lost");
        worker.next_value(4);
        worker.stored(4);
        worker.missed(0, 4);
        assert_eq!(worker.outcome.wrong.len(), 2, "lost");
    }
}
