//! Rows for the cost of a watcher of mutations: the same server with and without one, in turn.

use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;
use std::thread::{sleep, JoinHandle};
use std::time::Duration;

use crate::answer::{LoadAnswer, Repeated};
use crate::throughput::LoadedServer;
use leveret_load::failure::LoadFailure;
use leveret_load::load::Until;
use leveret_load::socket::Endpoint;
use leveret_load::workload::Task;
use leveret_rounds::order;

/// After this long without a line all lines have come.
const QUIET: Duration = Duration::from_millis(30);

/// A watcher says OK in this time.
const PATIENCE: Duration = Duration::from_secs(10);

pub struct WatchedServer {
    loaded: LoadedServer,
    round: usize,
}

/// Cost of a set in nanoseconds of CPU time.
#[derive(Clone, Copy)]
struct Cost {
    all_ns: f64,
    /// Of that the thread that writes the lines.
    writer_ns: f64,
    /// Of all sets those whose line came.
    told: f64,
}

impl Cost {
    /// What the threads had of it that answer.
    fn worker_ns(&self) -> f64 {
        self.all_ns - self.writer_ns
    }
}

impl WatchedServer {
    pub fn new(loaded: LoadedServer) -> WatchedServer {
        WatchedServer { loaded, round: 0 }
    }

    /// Without, with, and without a watcher, each first in turn.
    fn costs(&mut self) -> Result<[Cost; 3], LoadFailure> {
        let (loaded, round) = (&mut self.loaded, self.round);
        self.round += 1;
        let mut costs = [Cost { all_ns: 0.0, writer_ns: 0.0, told: 0.0 }; 3];
        for number in order(costs.len(), round) {
            let watcher = if number == 1 { Some(Watcher::start(&loaded.server.stream)?) } else { None };
            loaded.workload.begin((round * costs.len() + number) as u64 + 1);
            let before = (loaded.server.usage()?, loaded.server.writer_usage()?);
            let until = Until::Elapsed(loaded.traffic.turn());
            let measured = loaded.load.closed(&mut loaded.workload, Task::Measure, loaded.traffic.depth, until)?;
            let answers = measured.answers as f64;
            let lines = watcher.as_ref().map_or(0, Watcher::lines);
            let ns = |cpu: Duration| cpu.as_nanos() as f64 / answers;
            costs[number] = Cost {
                all_ns: ns(loaded.server.usage()?.since(before.0).cpu),
                writer_ns: ns(loaded.server.writer_usage()?.since(before.1).cpu),
                told: lines as f64 / answers,
            };
            watcher.map_or(Ok(()), Watcher::end)?;
        }
        Ok(costs)
    }
}

impl Repeated for WatchedServer {
    /// CPU time of a set with a watcher to that without; the control is that without, twice.
    fn measure(&mut self) -> Result<LoadAnswer, LoadFailure> {
        let costs = self.costs();
        let [alone, watched, again] = self.loaded.explained(costs)?;
        self.loaded.read_back()?;
        Ok(LoadAnswer {
            figure: watched.all_ns / alone.all_ns,
            control: Some(again.all_ns / alone.all_ns),
            beside: vec![
                ("of the thread that answers alone", watched.worker_ns() / alone.worker_ns()),
                ("of the lines there came", watched.told),
            ],
            asked: 1,
            right: 1,
            said: Some(format!(
                "a set takes {:.0} ns; with a watcher {:.0} ns of the thread that answers and {:.0} ns of the one that writes lines, each line {:.0} ns",
                alone.all_ns,
                watched.worker_ns(),
                watched.writer_ns,
                (watched.all_ns - alone.all_ns) / watched.told.max(1e-9),
            )),
        })
    }
}

/// A client that reads all events.
struct Watcher {
    stream: TcpStream,
    lines: Arc<AtomicU64>,
    reader: JoinHandle<std::io::Result<()>>,
}

impl Watcher {
    fn start(endpoint: &Endpoint) -> Result<Watcher, LoadFailure> {
        let Endpoint::Tcp(address) = endpoint else {
            return Err(LoadFailure::Trouble(format!("a watcher needs TCP, and {endpoint} is not")));
        };
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.write_all(b"watch mutations\r\n")?;
        let mut reader = BufReader::with_capacity(1 << 20, stream.try_clone()?);
        let mut answer = String::new();
        reader.read_line(&mut answer)?;
        if answer != "OK\r\n" {
            return Err(LoadFailure::Wrong(format!("watch mutations was answered {answer:?}")));
        }
        stream.set_read_timeout(None)?;
        let lines = Arc::new(AtomicU64::new(0));
        let reader = std::thread::spawn({
            let lines = Arc::clone(&lines);
            move || count(reader, &lines)
        });
        Ok(Watcher { stream, lines, reader })
    }

    /// Waits until nothing more comes.
    fn lines(&self) -> u64 {
        let mut before = u64::MAX;
        while before != self.lines.load(Relaxed) {
            before = self.lines.load(Relaxed);
            sleep(QUIET);
        }
        before
    }

    fn end(self) -> Result<(), LoadFailure> {
        self.stream.shutdown(Shutdown::Both)?;
        // Until the server has noticed: a thread that ends takes its CPU time away from the sum.
        sleep(QUIET);
        match self.reader.join() {
            Ok(Err(error)) if error.kind() == ErrorKind::InvalidData => Err(LoadFailure::Wrong(error.to_string())),
            Ok(_) => Ok(()),
            Err(_) => Err(LoadFailure::Trouble("the watcher's thread has died".into())),
        }
    }
}

/// Counts lines of stores, and looks closely at the first of each read.
fn count(mut reader: BufReader<TcpStream>, lines: &AtomicU64) -> std::io::Result<()> {
    let mut is_at_start = true;
    loop {
        let came = reader.fill_buf()?;
        if came.is_empty() {
            return Ok(());
        }
        let first = came.split(|byte| *byte == b'\n').nth(usize::from(!is_at_start)).unwrap_or_default();
        if first.len() > 60 && !is_line(first) {
            let text = format!("a watcher was told {:?}", first.escape_ascii().to_string());
            return Err(std::io::Error::new(ErrorKind::InvalidData, text));
        }
        lines.fetch_add(memchr::memchr_iter(b'\n', came).count() as u64, Relaxed);
        is_at_start = came.ends_with(b"\n");
        let len = came.len();
        reader.consume(len);
    }
}

fn is_line(line: &[u8]) -> bool {
    line.starts_with(b"ts=") && line.windows(32).any(|part| part == b" type=item_store key=bench%3A000")
}
