//! Rows for the cost of a watcher of mutations: the same server with and without one, in turn.

use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;
use std::thread::{sleep, JoinHandle};
use std::time::Duration;

use serde::Serialize;
use serde_json::json;

use crate::bench::{Bench, Side, TableLine};
use crate::rows::{Row, RowTraffic};
use crate::throughput::{prepare, LoadedServer};
use leveret_load::failure::LoadFailure;
use leveret_load::load::Until;
use leveret_load::socket::Endpoint;
use leveret_load::workload::Task;
use leveret_rounds::{order, Spread};

/// After this long without a line all lines have come.
const QUIET: Duration = Duration::from_millis(30);

/// A watcher says OK in this time.
const PATIENCE: Duration = Duration::from_secs(10);

/// One server in one round.
#[derive(Clone, Copy, Serialize)]
struct Round {
    alone: Cost,
    watched: Cost,
    again: Cost,
}

/// Cost of a set in nanoseconds of CPU time.
#[derive(Clone, Copy, Serialize)]
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

impl Round {
    fn ratio(&self) -> f64 {
        self.watched.all_ns / self.alone.all_ns
    }
}

pub fn run(
    bench: &Bench,
    row: &Row,
    traffic: &RowTraffic,
    progress: &mut dyn FnMut(&str),
) -> Result<TableLine, LoadFailure> {
    let mut places = Vec::new();
    for side in [Side::Peer, Side::Ours] {
        progress("preparing");
        places.push(prepare(bench, row, traffic, side)?);
    }
    let mut rounds: Vec<[Option<Round>; 2]> = Vec::new();
    let count = bench.rounds * row.patience;
    for round in 0..count {
        progress(&format!("round {} of {count}", round + 1));
        let mut both = [None; 2];
        for number in order(places.len(), round) {
            let place = &mut places[number];
            both[number] = Some(measure(bench, place, traffic, round).map_err(|failure| place.failed(failure))?);
        }
        rounds.push(both);
    }
    for place in &mut places {
        bench.read_back(&place.server, traffic, &mut place.workload).map_err(|failure| place.failed(failure))?;
    }
    Ok(outcome(row, &rounds))
}

/// Without, with, and without a watcher, each first in turn.
fn measure(bench: &Bench, place: &mut LoadedServer, traffic: &RowTraffic, round: usize) -> Result<Round, LoadFailure> {
    let mut costs = [Cost { all_ns: 0.0, writer_ns: 0.0, told: 0.0 }; 3];
    for number in order(costs.len(), round) {
        let watcher = if number == 1 { Some(Watcher::start(&place.server.stream)?) } else { None };
        place.workload.begin((round * costs.len() + number) as u64 + 1);
        let before = (place.server.usage()?, place.server.writer_usage()?);
        let until = Until::Elapsed(bench.turn);
        let answers = place.load.closed(&mut place.workload, Task::Measure, traffic.depth, until)?.answers as f64;
        let lines = watcher.as_ref().map_or(0, Watcher::lines);
        let ns = |cpu: Duration| cpu.as_nanos() as f64 / answers;
        costs[number] = Cost {
            all_ns: ns(place.server.usage()?.since(before.0).cpu),
            writer_ns: ns(place.server.writer_usage()?.since(before.1).cpu),
            told: lines as f64 / answers,
        };
        watcher.map_or(Ok(()), Watcher::end)?;
    }
    let [alone, watched, again] = costs;
    Ok(Round { alone, watched, again })
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

fn outcome(row: &Row, rounds: &[[Option<Round>; 2]]) -> TableLine {
    let of = |side: Side, value: fn(&Round) -> f64| {
        Spread::of(rounds.iter().filter_map(|round| round[side as usize].as_ref()).map(value))
    };
    let (ratio, control) =
        (of(Side::Ours, Round::ratio), of(Side::Ours, |round| round.again.all_ns / round.alone.all_ns));
    let verdict = match (&ratio, &control) {
        (Some(ratio), Some(control)) => row.target.verdict(ratio, control, None),
        _ => "not measured",
    };
    let mut notes =
        vec!["peer, ours and ratio: CPU time of a set with a watcher to that without; control: without, twice"
            .to_owned()];
    for side in [Side::Peer, Side::Ours] {
        let median = |value: fn(&Round) -> f64| of(side, value).map_or(0.0, |spread| spread.median);
        notes.push(format!(
            "{}: a set takes {:.0} ns; with a watcher {:.0} ns of the thread that answers ({:.2} times) and {:.0} ns of the one that writes \
             lines; {:.0} % of the lines came, each for {:.0} ns",
            side.name(),
            median(|round| round.alone.all_ns),
            median(|round| round.watched.worker_ns()),
            median(|round| round.watched.worker_ns() / round.alone.worker_ns()),
            median(|round| round.watched.writer_ns),
            median(|round| round.watched.told) * 100.0,
            median(|round| (round.watched.all_ns - round.alone.all_ns) / round.watched.told.max(1e-9)),
        ));
    }
    TableLine {
        name: row.name,
        title: row.title,
        unit: "times",
        peer: of(Side::Peer, Round::ratio),
        ours: ratio,
        ratio,
        control,
        floor: None,
        target: row.target,
        verdict: verdict.to_owned(),
        failed: false,
        notes,
        rounds: json!(rounds),
    }
}
