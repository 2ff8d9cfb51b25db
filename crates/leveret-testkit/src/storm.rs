//! The torture: many processes at one arena, Rust, PHP and Ruby, and a killer among them. Killed workers are replaced
//! at once. In calm moments every living process must make progress; at the end everything must be consistent.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use leveret_engine::{Arena, OpenOptions};
use nix::sys::signal::{kill, Signal};
use nix::unistd::Pid;

use crate::oracle::{Counts, Ledger, BUCKETS};
use crate::process::{self, Child, ChildEnd};
use crate::rng::Rng;
use crate::scratch;
use crate::worker::{self, ledger_path, Post, PATIENCE};

/// Composition of a storm.
#[derive(Clone, Debug)]
pub struct Weather {
    /// Workers on the arena.
    pub processes: u64,
    /// The PHP extension, if PHP takes part. Each language gets every second or third worker.
    pub extension: Option<PathBuf>,
    /// The folders where Ruby finds the gem, if Ruby takes part.
    pub ruby: Vec<PathBuf>,
    /// Whether clients of Redis take part, and their server.
    pub redis: bool,
    /// How long each arena is tortured.
    pub duration: Duration,
    /// Size of the arena, bytes.
    pub memory: u64,
    /// Processors that it is shaped for.
    pub cores: u32,
    /// Seed of everything random.
    pub seed: u64,
}

/// The kinds of worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Rust, on the arena.
    Rust,
    /// PHP, on the arena.
    Php,
    /// Ruby, on the arena.
    Ruby,
    /// Rust, as clients of Redis at a server of the arena.
    Redis,
    /// Rust, in private memory.
    Control,
}

/// Counts of a storm.
#[derive(Clone, Debug, Default)]
pub struct StormOutcome {
    /// Per group: processes, counts, latencies.
    pub groups: Vec<(Group, u64, Counts, [u64; BUCKETS])>,
    /// SIGKILLs.
    pub kills: u64,
    /// Those of the server of clients of Redis among them.
    pub server_kills: u64,
    /// SIGSTOPs.
    pub stops: u64,
    /// Calm moments in which everybody got something done.
    pub calms: u64,
    /// What the inspection at the end saw.
    pub inspection: String,
    /// The failures. Empty: none.
    pub failures: Vec<String>,
}

enum Process {
    Rust(Child),
    Other(std::process::Child),
}

struct Worker {
    slot: u64,
    group: Group,
    process: Process,
    /// Operations of its slot as it was started.
    before: u64,
    /// Stopped until then.
    stopped: Option<Instant>,
}

struct Storm<'a> {
    weather: &'a Weather,
    folder: &'a Path,
    ledger: Ledger,
    rng: Rng,
    workers: Vec<Worker>,
    /// The server of clients of Redis.
    server: Option<Child>,
    outcome: StormOutcome,
}

/// Interval at which the killer rests until every worker has made progress.
const CALM_EVERY: Duration = Duration::from_secs(4);
/// Operations that each process must do in a calm moment.
const CALM_OPERATIONS: u64 = 64;

/// Runs one storm.
pub fn rage(weather: &Weather) -> io::Result<StormOutcome> {
    let folder = scratch::folder()?;
    std::fs::write(folder.path().join("torture_worker.php"), include_str!("../php/torture_worker.php"))?;
    std::fs::write(folder.path().join("torture_worker.rb"), include_str!("../ruby/torture_worker.rb"))?;
    let controls = (weather.processes / 4).max(2);
    let slots = weather.processes + controls;
    let ledger = Ledger::create(&ledger_path(folder.path()), slots)?;
    let arena = worker::arena_path(folder.path());
    let options = OpenOptions::new().memory(weather.memory).cores(weather.cores);
    // In a child: a process that has an arena open counts among its processes.
    let made = process::run(|| match Arena::open(&arena, &options) {
        Ok(_) => Ok(String::new()),
        Err(error) => Err(error.to_string()),
    });
    made.into_result().map_err(io::Error::other)?;
    let mut storm = Storm {
        weather,
        folder: folder.path(),
        ledger,
        rng: Rng::new(weather.seed),
        workers: Vec::new(),
        server: None,
        outcome: StormOutcome::default(),
    };
    storm.keep_serving();
    for slot in 0..slots {
        let worker = storm.start(slot, weather.group_of(slot))?;
        storm.workers.push(worker);
    }
    storm.blow()?;
    storm.end();
    storm.inspect(slots);
    storm.report(slots);
    Ok(storm.outcome)
}

impl Weather {
    /// Language of a slot's worker; the first is always Rust, which flushes.
    fn group_of(&self, slot: u64) -> Group {
        let all = [
            (true, Group::Rust),
            (self.extension.is_some(), Group::Php),
            (!self.ruby.is_empty(), Group::Ruby),
            (self.redis, Group::Redis),
        ];
        let here: Vec<Group> = all.iter().filter(|(is_here, _)| *is_here).map(|(_, group)| *group).collect();
        if slot < self.processes {
            here[slot as usize % here.len()]
        } else {
            Group::Control
        }
    }
}

impl Storm<'_> {
    fn post(&mut self, slot: u64) -> Post {
        Post { folder: self.folder.to_owned(), memory: self.weather.memory, slot, seed: self.rng.bits() }
    }

    fn start(&mut self, slot: u64, group: Group) -> io::Result<Worker> {
        let post = self.post(slot);
        let process = match group {
            Group::Rust => Process::Rust(process::spawn(move || worker::run(&post))),
            Group::Control => Process::Rust(process::spawn(move || worker::run_control(&post))),
            Group::Redis => Process::Rust(process::spawn(move || worker::run_redis(&post))),
            Group::Php => Process::Other(self.start_php(&post)?),
            Group::Ruby => Process::Other(self.start_ruby(&post)?),
        };
        Ok(Worker { slot, group, process, before: self.ledger.counts(slot).operations, stopped: None })
    }

    fn start_php(&self, post: &Post) -> io::Result<std::process::Child> {
        let extension = self.weather.extension.as_deref().unwrap_or(Path::new("leveret.so"));
        let set = |name: &str, value: &str| format!("{name}={value}");
        let settings = [
            set("extension", &extension.to_string_lossy()),
            set("leveret.dir", &self.folder.to_string_lossy()),
            set("apc.enable_cli", "1"),
            set("leveret.apcu_cli", "shared"),
            set("leveret.apcu_arena", "apcu"),
            set("apc.shm_size", &format!("{}M", post.memory >> 20)),
            set("memory_limit", "512M"),
        ];
        // Which one that is, ./x says.
        Command::new(format!("php{}", std::env::var("LEVERET_PHP").as_deref().unwrap_or("8.2")))
            .arg("-n")
            .args(settings.iter().flat_map(|setting| ["-d", setting.as_str()]))
            .arg(self.folder.join("torture_worker.php"))
            .arg(self.folder)
            .args([post.slot.to_string(), (post.seed >> 34).to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(self.complaints(post.slot))?)
            .spawn()
    }

    /// Without gems and other comforts, whose loading takes longer than most workers live.
    fn start_ruby(&self, post: &Post) -> io::Result<std::process::Child> {
        Command::new("ruby")
            .args(["-W", "--disable=gems,did_you_mean,error_highlight,rubyopt"])
            .args(self.weather.ruby.iter().flat_map(|folder| [OsStr::new("-I"), folder.as_os_str()]))
            .arg(self.folder.join("torture_worker.rb"))
            .arg(self.folder)
            .args([post.slot.to_string(), (post.seed >> 34).to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(self.complaints(post.slot))?)
            .spawn()
    }

    /// File with the failures found by a worker of PHP or Ruby.
    fn complaints(&self, slot: u64) -> PathBuf {
        self.folder.join(format!("worker-{slot}.stderr"))
    }

    /// Starts the server of clients of Redis, at first and after each kill.
    fn keep_serving(&mut self) {
        match self.server.as_mut().map(Child::try_wait) {
            None | Some(Some(ChildEnd::Signal(Signal::SIGKILL))) if self.weather.redis => {
                let post = self.post(0);
                self.server = Some(process::spawn(move || worker::serve_redis(&post)));
            }
            Some(Some(ending)) => {
                let failure = format!("the server of clients of Redis: {ending}");
                self.outcome.failures.push(failure);
            }
            _ => {}
        }
    }

    fn kill_server(&mut self) {
        if let Some(server) = &self.server {
            server.kill();
            self.outcome.kills += 1;
            self.outcome.server_kills += 1;
        }
    }

    /// Kills, stops, goes on; now and then rests.
    fn blow(&mut self) -> io::Result<()> {
        let end = Instant::now() + self.weather.duration;
        let mut calm_at = Instant::now() + CALM_EVERY.min(self.weather.duration / 2);
        while Instant::now() < end && self.outcome.failures.is_empty() {
            std::thread::sleep(Duration::from_micros(self.rng.between(500, 8000)));
            self.wake(false);
            self.replace_the_dead()?;
            let victim = self.rng.below(self.workers.len() as u64) as usize;
            // A starting worker is mostly spared: an interpreter takes longer to start than most workers live.
            let worker = &self.workers[victim];
            if self.ledger.counts(worker.slot).operations == worker.before && !self.rng.one_in(8) {
                continue;
            }
            if self.rng.one_in(40) {
                self.kill_server();
            } else if self.rng.one_in(8) {
                let nap = Duration::from_millis(self.rng.between(2, 60));
                if self.signal(victim, Signal::SIGSTOP) {
                    self.workers[victim].stopped = Some(Instant::now() + nap);
                    self.outcome.stops += 1;
                }
            } else if self.signal(victim, Signal::SIGKILL) {
                self.outcome.kills += 1;
            }
            if Instant::now() > calm_at {
                self.calm()?;
                calm_at = Instant::now() + CALM_EVERY;
            }
        }
        Ok(())
    }

    fn signal(&self, worker: usize, signal: Signal) -> bool {
        // A dead worker that is not reaped yet keeps its pid: the signal reaches no other process.
        kill(self.workers[worker].pid(), signal).is_ok()
    }

    fn wake(&mut self, all: bool) {
        for index in 0..self.workers.len() {
            if self.workers[index].stopped.is_some_and(|until| all || until <= Instant::now()) {
                self.signal(index, Signal::SIGCONT);
                self.workers[index].stopped = None;
            }
        }
    }

    fn replace_the_dead(&mut self) -> io::Result<()> {
        self.keep_serving();
        for index in 0..self.workers.len() {
            let Some(ending) = self.workers[index].try_wait()? else { continue };
            let (slot, group) = (self.workers[index].slot, self.workers[index].group);
            if ending != ChildEnd::Signal(Signal::SIGKILL) {
                self.note(slot, group, &ending);
            }
            self.workers[index] = self.start(slot, group)?;
        }
        Ok(())
    }

    fn note(&mut self, slot: u64, group: Group, ending: &ChildEnd) {
        let words = std::fs::read_to_string(self.complaints(slot)).unwrap_or_default();
        self.outcome.failures.push(format!("{group:?} worker of slot {slot}: {ending} {}", words.trim_end()));
    }

    /// No kill or stop until each worker has completed some operations. A worker that completes none within the
    /// time-out hangs.
    fn calm(&mut self) -> io::Result<()> {
        self.wake(true);
        self.replace_the_dead()?;
        let before: Vec<u64> = self.workers.iter().map(|worker| self.ledger.counts(worker.slot).operations).collect();
        let begun = Instant::now();
        loop {
            let lazy: Vec<u64> = self
                .workers
                .iter()
                .zip(&before)
                .filter(|(worker, before)| self.ledger.counts(worker.slot).operations < **before + CALM_OPERATIONS)
                .map(|(worker, _)| worker.slot)
                .collect();
            if lazy.is_empty() {
                self.outcome.calms += 1;
                return Ok(());
            }
            self.replace_the_dead()?;
            if !self.outcome.failures.is_empty() {
                return Ok(());
            }
            if begun.elapsed() > PATIENCE {
                self.outcome.failures.push(format!(
                    "slots {lazy:?} got nothing done in {} s, and nobody was killed meanwhile{}",
                    PATIENCE.as_secs(),
                    self.where_they_are()
                ));
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// What the kernel says about where each worker waits.
    fn where_they_are(&self) -> String {
        let wchan =
            |worker: &Worker| std::fs::read_to_string(format!("/proc/{}/wchan", worker.pid())).unwrap_or_default();
        self.workers.iter().map(|worker| format!("; slot {} in {}", worker.slot, wchan(worker))).collect()
    }

    /// Tells everybody to end, and waits for it.
    fn end(&mut self) {
        self.wake(true);
        self.keep_serving();
        self.ledger.stop();
        let begun = Instant::now();
        while let Some(mut worker) = self.workers.pop() {
            let ending = loop {
                match worker.try_wait() {
                    Ok(Some(ending)) => break ending,
                    Ok(None) if begun.elapsed() > PATIENCE => {
                        break ChildEnd::Wrong(format!("did not end within {} s", PATIENCE.as_secs()))
                    }
                    Ok(None) => std::thread::sleep(Duration::from_millis(2)),
                    Err(error) => break ChildEnd::Wrong(error.to_string()),
                }
            };
            if !matches!(ending, ChildEnd::Done(_) | ChildEnd::Signal(Signal::SIGKILL)) {
                self.note(worker.slot, worker.group, &ending);
            }
            if let Process::Other(child) = &mut worker.process {
                // Killing a dead process returns an error without meaning.
                let _ = child.kill();
                let _ = child.wait();
            }
        }
        self.server = None;
    }

    fn inspect(&mut self, slots: u64) {
        let post = self.post(0);
        match process::run(move || worker::inspect(&post, slots)) {
            ChildEnd::Done(inspection) => self.outcome.inspection = inspection,
            ending => self.outcome.failures.push(format!("at the end: {ending}")),
        }
    }

    fn report(&mut self, slots: u64) {
        for group in [Group::Rust, Group::Php, Group::Ruby, Group::Redis, Group::Control] {
            let mut sum = (group, 0, Counts::default(), [0; BUCKETS]);
            for slot in 0..slots {
                if self.weather.group_of(slot) != group {
                    continue;
                }
                let counts = self.ledger.counts(slot);
                sum.1 += 1;
                sum.2.operations += counts.operations;
                sum.2.busy += counts.busy;
                sum.2.no_memory += counts.no_memory;
                for (all, one) in sum.3.iter_mut().zip(self.ledger.latencies(slot)) {
                    *all += one;
                }
            }
            if sum.2.no_memory > 0 {
                let refused = format!("{group:?} workers: {} values found no room in a full arena", sum.2.no_memory);
                self.outcome.failures.push(refused);
            }
            if sum.1 > 0 {
                self.outcome.groups.push(sum);
            }
        }
    }
}

impl Worker {
    fn pid(&self) -> Pid {
        match &self.process {
            Process::Rust(child) => child.pid(),
            Process::Other(child) => Pid::from_raw(child.id() as i32),
        }
    }

    fn try_wait(&mut self) -> io::Result<Option<ChildEnd>> {
        match &mut self.process {
            Process::Rust(child) => Ok(child.try_wait()),
            Process::Other(child) => Ok(child.try_wait()?.map(|status| match (status.code(), status.signal()) {
                (Some(0), _) => ChildEnd::Done(String::new()),
                (Some(code), _) => ChildEnd::Exit(code),
                (None, signal) => {
                    ChildEnd::Signal(signal.and_then(|signal| Signal::try_from(signal).ok()).unwrap_or(Signal::SIGKILL))
                }
            })),
        }
    }
}

/// The time below which this share of the operations stayed, as an upper bound: the histogram knows powers of two.
pub fn quantile(latencies: &[u64; BUCKETS], share: f64) -> Duration {
    let all: u64 = latencies.iter().sum();
    let mut below = 0;
    for (index, count) in latencies.iter().enumerate() {
        below += count;
        if below as f64 >= all as f64 * share {
            return Duration::from_nanos(1u64 << index.min(62));
        }
    }
    Duration::ZERO
}
