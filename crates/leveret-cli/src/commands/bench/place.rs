//! Where it happens: a folder, and processes, none of which outlives the command.
use super::peer::{By, PeerServer};
use crate::output::Failure;
use leveret_engine::reason;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

const LOOK_EVERY: Duration = Duration::from_millis(5);
const START_PATIENCE: Duration = Duration::from_secs(20);
/// Limit of a program's output: an error, or one line of figures.
const SAID_MAX: u64 = 64 << 10;

/// Why a turn has no figures.
pub enum TurnTrouble {
    /// A signal: the whole run is over.
    Stopped,
    /// This cache's own.
    Failed(String),
}

impl From<io::Error> for TurnTrouble {
    fn from(error: io::Error) -> TurnTrouble {
        TurnTrouble::Failed(reason(&error))
    }
}

/// A folder in shared memory that is removed at the end, also by a panic.
pub struct BenchFolder {
    folder: PathBuf,
    stop: Arc<AtomicBool>,
}

impl BenchFolder {
    pub fn new() -> Result<BenchFolder, Failure> {
        let failed = |error: io::Error| {
            Failure::Unreachable(format!("cannot make a folder for the measurement: {}", reason(&error)))
        };
        let shared = Path::new("/dev/shm");
        let parent = if shared.is_dir() { shared.to_path_buf() } else { std::env::temp_dir() };
        sweep(&parent);
        let folder = parent.join(format!("leveret-bench-{}", std::process::id()));
        DirBuilder::new().mode(0o700).create(&folder).map_err(failed)?;
        let stop = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&stop)).map_err(failed)?;
        }
        // A panic aborts and drops nothing.
        let (hook, doomed) = (std::panic::take_hook(), folder.clone());
        std::panic::set_hook(Box::new(move |panic| {
            let _ = fs::remove_dir_all(&doomed);
            hook(panic);
        }));
        Ok(BenchFolder { folder, stop })
    }

    /// An empty folder for one turn, removed with the returned value.
    pub fn turn(&self) -> Result<Turn<'_>, TurnTrouble> {
        let folder = self.folder.join("turn");
        for folder in [&folder, &folder.join("client"), &folder.join("server")] {
            DirBuilder::new().mode(0o700).create(folder)?;
        }
        Ok(Turn { place: self, folder })
    }

    /// Fails once a signal has come.
    pub fn check(&self) -> Result<(), TurnTrouble> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(TurnTrouble::Stopped);
        }
        Ok(())
    }
}

impl Drop for BenchFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Removes the files of a killed run.
fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.strip_prefix("leveret-bench-")?.parse::<u32>().ok());
        if pid.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

pub struct Turn<'a> {
    place: &'a BenchFolder,
    pub folder: PathBuf,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Turn<'_> {
    /// Starts a server and waits until it answers. Returns where, too.
    pub fn serve(
        &self,
        program: &Path,
        server: PeerServer,
        by: By,
        number: usize,
        memory_mib: u32,
    ) -> Result<(Running, String, String), TurnTrouble> {
        let socket = self.folder.join(format!("server/socket{number}"));
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port().to_string();
        let address = match by {
            By::Tcp => format!("127.0.0.1:{port}"),
            By::Unix => socket.display().to_string(),
        };
        let mut words: Vec<String> = Vec::new();
        if server == PeerServer::Redis {
            words.extend(["--save", "", "--appendonly", "no", "--dir"].map(String::from));
            words.push(self.folder.join("server").display().to_string());
            words.extend(
                ["--maxmemory", &format!("{memory_mib}mb"), "--maxmemory-policy", "allkeys-lru"].map(String::from),
            );
            match by {
                By::Tcp => words.extend(["--bind", "127.0.0.1", "--port", &port].map(String::from)),
                By::Unix => words.extend(["--port", "0", "--unixsocket", &address].map(String::from)),
            }
        } else if server == PeerServer::LeveretRedis {
            words.extend(["serve", "--arena"].map(String::from));
            words.push(self.folder.join(format!("server/bench{number}.arena")).display().to_string());
            words.extend(["-m", &memory_mib.to_string(), "-t", "2", "-l", "127.0.0.1", "--redis"].map(String::from));
            words.push(if by == By::Tcp { port.clone() } else { address.clone() });
            if rustix::process::geteuid().is_root() {
                words.extend(["-u", "root"].map(String::from));
            }
        } else {
            if server == PeerServer::Leveret {
                words.extend(["serve", "--arena"].map(String::from));
                words.push(self.folder.join(format!("server/bench{number}.arena")).display().to_string());
            }
            words.extend(["-m", &memory_mib.to_string(), "-t", "2"].map(String::from));
            if rustix::process::geteuid().is_root() {
                words.extend(["-u", "root"].map(String::from));
            }
            match by {
                By::Tcp => words.extend(["-l", "127.0.0.1", "-p", &port, "-U", &port].map(String::from)),
                By::Unix => words.extend(["-s", &address].map(String::from)),
            }
        }
        let line = format!("{} {}", program.display(), words.join(" "));
        let mut running = self.start(program, &words, &format!("server{number}.log"))?;
        let deadline = Instant::now() + START_PATIENCE;
        loop {
            self.place.check()?;
            if let Some(status) = running.child.try_wait()? {
                return Err(TurnTrouble::Failed(format!("its server has ended, {status}: {}", running.said())));
            }
            let answers = match by {
                By::Tcp => TcpStream::connect(&address).is_ok(),
                By::Unix => UnixStream::connect(&address).is_ok(),
            };
            if answers {
                return Ok((running, address, line));
            }
            if Instant::now() > deadline {
                return Err(TurnTrouble::Failed(format!("its server does not answer: {}", running.said())));
            }
            thread::sleep(LOOK_EVERY);
        }
    }

    /// Runs to the end or to the time-out; returns both outputs.
    pub fn run(
        &self,
        program: &Path,
        words: &[String],
        patience: Duration,
    ) -> Result<(ExitStatus, String), TurnTrouble> {
        let mut running = self.start(program, words, "output.log")?;
        let deadline = Instant::now() + patience;
        loop {
            self.place.check()?;
            if let Some(status) = running.child.try_wait()? {
                return Ok((status, running.said()));
            }
            if Instant::now() > deadline {
                return Err(TurnTrouble::Failed(format!("hung: no end after {} s", patience.as_secs())));
            }
            thread::sleep(LOOK_EVERY);
        }
    }

    fn start(&self, program: &Path, words: &[String], log: &str) -> Result<Running, TurnTrouble> {
        let mut command = self.command(program, words);
        let log = self.folder.join(log);
        let file = File::create(&log)?;
        command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
        spawn(command, log)
    }

    /// Starts a program that is asked over pipes, in a folder of the turn that must be there.
    pub fn converse(&self, words: &[String], folder: &Path) -> Result<Running, TurnTrouble> {
        let (program, words) =
            words.split_first().ok_or_else(|| TurnTrouble::Failed("there is no program".to_owned()))?;
        let mut command = self.command(Path::new(program), words);
        let log = folder.join("output.log");
        command.current_dir(folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(File::create(&log)?);
        spawn(command, log)
    }

    fn command(&self, program: &Path, words: &[String]) -> Command {
        // setpriv has the kernel end the program should this process be killed; it becomes the program.
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "--"]).arg(program).args(words).current_dir(&self.folder);
        // A group of its own, so that its children can be ended with it.
        command.process_group(0);
        command
    }
}

/// A process and those that it forked, ended with this.
pub struct Running {
    child: Child,
    log: PathBuf,
}

fn spawn(mut command: Command, log: PathBuf) -> Result<Running, TurnTrouble> {
    let child =
        command.spawn().map_err(|error| TurnTrouble::Failed(format!("setpriv does not start: {}", reason(&error))))?;
    Ok(Running { child, log })
}

impl Running {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// To ask it and to hear its answers; once.
    pub fn pipes(&mut self) -> Option<(ChildStdin, ChildStdout)> {
        Some((self.child.stdin.take()?, self.child.stdout.take()?))
    }

    /// Until it has ended, or for so long.
    pub fn wait(&mut self, patience: Duration) {
        let deadline = Instant::now() + patience;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < deadline {
            thread::sleep(LOOK_EVERY);
        }
    }

    /// How it ended, if it did.
    pub fn ended(&mut self) -> Option<String> {
        let status = self.child.try_wait().ok()??;
        Some(format!("{status}: {}", self.said()))
    }

    fn said(&self) -> String {
        let mut said = Vec::new();
        if let Ok(file) = File::open(&self.log) {
            let _ = file.take(SAID_MAX).read_to_end(&mut said);
        }
        String::from_utf8_lossy(&said).trim().to_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Ok(pid) = i32::try_from(self.child.id()) {
            if let Some(group) = rustix::process::Pid::from_raw(pid) {
                let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            }
        }
        let _ = self.child.wait();
    }
}
