//! Servers as child processes: started on free loopback ports, pinned, measured, and always ended.

use std::fs::{self, File};
use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::thread::{sched_setaffinity, CpuSet};
use serde::Deserialize;

use leveret_load::failure::{check_stop, LoadFailure};
use leveret_load::socket::Endpoint;
use leveret_load::usage::Usage;
use leveret_load::workload::LoadDialect;

const START_PATIENCE: Duration = Duration::from_secs(20);

/// How clients reach the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BenchTransport {
    #[default]
    Tcp,
    Unix,
    Udp,
    Tls,
}

/// The CPUs of the two sides: the same on a machine with one.
#[derive(Clone, Copy, Debug)]
pub struct Cpus {
    pub server: usize,
    pub load: usize,
}

pub enum ServerProgram<'a> {
    Memcached(&'a Path),
    Redis(&'a Path),
    Leveret(&'a Path, LoadDialect),
    Floor { request_len: usize, answer: Vec<u8> },
}

pub struct ServerProcess {
    child: Child,
    /// Where requests are measured.
    pub endpoint: Endpoint,
    /// Where the cache is filled: a stream.
    pub stream: Endpoint,
    log: PathBuf,
}

impl ServerProcess {
    /// `folder` must be new: the Unix socket, the arena and the log are made there.
    pub fn start(
        program: &ServerProgram,
        transport: BenchTransport,
        options: &[String],
        cpus: Cpus,
        folder: &Path,
    ) -> Result<ServerProcess, LoadFailure> {
        fs::create_dir(folder)?;
        let log = folder.join("log");
        let (stream, endpoint) = endpoints(transport, folder)?;
        let mut command = command(program, &endpoint, &stream, options, folder)?;
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&log)?);
        // A child inherits the CPU of the thread that starts it.
        pin(cpus.server)?;
        let child = command.spawn();
        pin(cpus.load)?;
        let child = child
            .map_err(|error| LoadFailure::Trouble(format!("{:?} does not start: {error}", command.get_program())))?;
        let mut server = ServerProcess { child, endpoint, stream, log };
        server.wait_until_ready(matches!(program, ServerProgram::Floor { .. }))?;
        Ok(server)
    }

    fn wait_until_ready(&mut self, is_floor: bool) -> Result<(), LoadFailure> {
        // The floor listens at one place only, and to datagrams nothing can be said before they are read.
        let place = if is_floor { &self.endpoint } else { &self.stream };
        let deadline = Instant::now() + START_PATIENCE;
        let mut error = io::Error::from(io::ErrorKind::TimedOut);
        while Instant::now() < deadline {
            check_stop()?;
            if let Some(status) = self.child.try_wait()? {
                return Err(LoadFailure::Trouble(format!("the server has ended at once, {status}: {}", self.said())));
            }
            match place.connect() {
                Ok(socket) if socket.is_datagram() => {
                    // An ICMP "port unreachable" shows itself at the second send.
                    let _ = socket.send(&[0]);
                    std::thread::sleep(Duration::from_millis(5));
                    if socket.send(&[0]).is_ok() {
                        return Ok(());
                    }
                }
                Ok(_) => return Ok(()),
                Err(refused) => error = refused,
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Err(LoadFailure::Trouble(format!(
            "no server at {place} after {} seconds: {error}; {}",
            START_PATIENCE.as_secs(),
            self.said()
        )))
    }

    /// Of all its threads. The kernel books it when a thread sleeps, so ask while the server waits for requests.
    pub fn usage(&self) -> Result<Usage, LoadFailure> {
        Usage::of(&format!("/proc/{}/task", self.child.id()))
    }

    /// The same of the thread that writes lines for watchers: ours, and memcached's.
    pub fn writer_usage(&self) -> Result<Usage, LoadFailure> {
        Usage::of_named(&format!("/proc/{}/task", self.child.id()), |name| matches!(name, "leveret-watch" | "mc-log"))
    }

    /// Proportional set size in bytes: shared memory counts divided by the number of its processes.
    pub fn memory(&self) -> Result<u64, LoadFailure> {
        let rollup = fs::read_to_string(format!("/proc/{}/smaps_rollup", self.child.id()))?;
        let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        kib.map(|kib| kib * 1024).ok_or_else(|| LoadFailure::Trouble("smaps_rollup has no Pss".into()))
    }

    /// Its standard error.
    pub fn said(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default().trim().to_owned()
    }

    /// For an error that its end explains.
    pub fn explain(&mut self, failure: LoadFailure) -> LoadFailure {
        match (failure, self.child.try_wait()) {
            (LoadFailure::Trouble(what), Ok(Some(status))) => {
                LoadFailure::Trouble(format!("{what}; the server has ended, {status}: {}", self.said()))
            }
            (failure, _) => failure,
        }
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn pin(cpu: usize) -> Result<(), LoadFailure> {
    let mut set = CpuSet::new();
    set.set(cpu);
    sched_setaffinity(None, &set).map_err(|error| LoadFailure::Trouble(format!("cannot use CPU {cpu}: {error}")))
}

fn endpoints(transport: BenchTransport, folder: &Path) -> io::Result<(Endpoint, Endpoint)> {
    Ok(match transport {
        BenchTransport::Unix => {
            let endpoint = Endpoint::Unix(folder.join("socket"));
            (endpoint.clone(), endpoint)
        }
        BenchTransport::Tcp => {
            let endpoint = Endpoint::Tcp(free_port()?);
            (endpoint.clone(), endpoint)
        }
        BenchTransport::Tls => {
            let endpoint = Endpoint::Tls(free_port()?);
            (endpoint.clone(), endpoint)
        }
        BenchTransport::Udp => {
            let address = free_port()?;
            (Endpoint::Tcp(address), Endpoint::Udp(address))
        }
    })
}

/// A certificate for localhost and its key, in one file; its path.
fn certificate(folder: &Path) -> io::Result<String> {
    let path = folder.join("tls.pem").display().to_string();
    let mut openssl = Command::new("openssl");
    openssl.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]);
    openssl.args(["-subj", "/CN=localhost", "-addext", "basicConstraints=critical,CA:FALSE"]);
    let made = openssl.args(["-keyout", &path, "-out", "-"]).stdin(Stdio::null()).output();
    let made = made.map_err(|error| io::Error::other(format!("openssl, which makes certificates: {error}")))?;
    if !made.status.success() {
        return Err(io::Error::other(format!("openssl: {}", String::from_utf8_lossy(&made.stderr).trim())));
    }
    File::options().append(true).open(&path)?.write_all(&made.stdout)?;
    Ok(path)
}

/// A port that was free a moment ago, for TCP; the same number is taken for UDP.
pub fn free_port() -> io::Result<SocketAddr> {
    TcpListener::bind("127.0.0.1:0")?.local_addr()
}

fn command(
    program: &ServerProgram,
    endpoint: &Endpoint,
    stream: &Endpoint,
    options: &[String],
    folder: &Path,
) -> io::Result<Command> {
    // setpriv has the kernel end the server should this process be killed; it becomes the server, so the pid is the
    // server's.
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--"]);
    match program {
        ServerProgram::Floor { request_len, answer } => {
            let file = folder.join("answer");
            fs::write(&file, answer)?;
            command.arg(std::env::current_exe()?);
            command.args(["floor", &endpoint.to_string(), &request_len.to_string()]).arg(file);
            return Ok(command);
        }
        ServerProgram::Memcached(path) => {
            command.arg(path);
        }
        ServerProgram::Redis(path) => {
            command.arg(path).args(redis_options(options));
            match stream {
                Endpoint::Unix(path) => command.args(["--port", "0", "--unixsocket"]).arg(path),
                Endpoint::Tcp(address) | Endpoint::Udp(address) | Endpoint::Tls(address) => {
                    command.args(["--bind", "127.0.0.1", "--port", &address.port().to_string()])
                }
            };
            return Ok(command);
        }
        ServerProgram::Leveret(path, _) => {
            command.arg(path).arg("serve").arg("--arena").arg(folder.join("bench.arena"));
        }
    }
    command.args(["-t", "1"]).args(options);
    if rustix::process::geteuid().is_root() {
        command.args(["-u", "root"]);
    }
    if let ServerProgram::Leveret(_, LoadDialect::Redis) = program {
        match stream {
            Endpoint::Unix(path) => command.arg("--redis").arg(path),
            Endpoint::Tcp(address) | Endpoint::Udp(address) | Endpoint::Tls(address) => {
                command.args(["--redis", &address.port().to_string()])
            }
        };
        return Ok(command);
    }
    match stream {
        Endpoint::Unix(path) => command.arg("-s").arg(path),
        Endpoint::Tls(address) => {
            let pem = certificate(folder)?;
            let files = format!("ssl_chain_cert={pem},ssl_key={pem}");
            command.args(["-l", "127.0.0.1", "-p", &address.port().to_string(), "-U", "0", "-Z", "-o", &files])
        }
        Endpoint::Tcp(address) | Endpoint::Udp(address) => {
            let udp_port = if matches!(endpoint, Endpoint::Udp(_)) { address.port() } else { 0 };
            command.args(["-l", "127.0.0.1", "-p", &address.port().to_string(), "-U", &udp_port.to_string()])
        }
    };
    Ok(command)
}

/// A Redis that writes nothing to disks, has one thread, and evicts as well as it can.
fn redis_options(options: &[String]) -> Vec<String> {
    let mebibytes = options.windows(2).find(|pair| pair[0] == "-m").map_or("64", |pair| pair[1].as_str());
    let memory = format!("{mebibytes}mb");
    [
        "--save",
        "",
        "--appendonly",
        "no",
        "--io-threads",
        "1",
        "--maxmemory-policy",
        "allkeys-lfu",
        "--maxmemory",
        &memory,
    ]
    .map(str::to_owned)
    .into()
}
