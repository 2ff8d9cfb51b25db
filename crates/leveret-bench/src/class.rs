//! The rows of the class `Redis` of PHP: php-redis on Redis, and ours.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::json;

use crate::bench::{Bench, Side, TableLine};
use crate::rows::Row;
use crate::server::{BenchTransport, ServerProcess};
use crate::throughput::tell_side;
use leveret_load::failure::{check_stop, LoadFailure};
use leveret_load::socket::Endpoint;
use leveret_rounds::{order, Spread};

/// What a client does, and what of it is measured.
#[derive(Clone, Copy, Debug)]
pub struct ClassWork {
    /// A key of class.php's table.
    pub name: &'static str,
    /// Calls of a turn.
    pub calls: u32,
    /// CPU time of the client, where it is not the time that passes. Both classes ask Redis then.
    pub cpu_of_client: bool,
}

const SCRIPT: &str = include_str!("class.php");

pub fn run(
    bench: &Bench,
    row: &Row,
    work: ClassWork,
    progress: &mut dyn FnMut(&str),
) -> Result<TableLine, LoadFailure> {
    let sides = [Side::Peer, Side::Ours, Side::Control];
    let mut clients = Vec::new();
    for side in sides {
        let server_side = if work.cpu_of_client { Side::Peer } else { side };
        let server = bench.start(server_side, BenchTransport::Unix, row.options)?;
        clients.push(ClassClient::start(bench, side, work, server).map_err(|failure| tell_side(side, failure))?);
    }
    let mut rounds: Vec<[f64; 3]> = Vec::new();
    let count = bench.rounds * row.patience;
    for round in 0..count {
        progress(&format!("round {} of {count}", round + 1));
        let mut nanos = [0.0; 3];
        for number in order(3, round) {
            nanos[number] = clients[number].turn(work).map_err(|failure| tell_side(sides[number], failure))?;
        }
        rounds.push(nanos);
    }
    let of = |side: Side| Spread::of(rounds.iter().map(|round| round[side as usize]));
    let ratios = |side: Side| Spread::of(rounds.iter().map(|round| round[side as usize] / round[0]));
    let (ratio, control) = (ratios(Side::Ours), ratios(Side::Control));
    let verdict = match (&ratio, &control) {
        (Some(ratio), Some(control)) => row.target.verdict(ratio, control, None),
        _ => "not measured",
    };
    Ok(TableLine {
        name: row.name,
        title: row.title,
        unit: if work.cpu_of_client { "CPU ns each" } else { "ns each" },
        peer: of(Side::Peer),
        ours: of(Side::Ours),
        ratio,
        control,
        floor: None,
        target: row.target,
        verdict: verdict.to_owned(),
        failed: false,
        notes: Vec::new(),
        rounds: json!(rounds),
    })
}

/// A PHP process, and the server that it alone asks.
struct ClassClient {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    calls: u32,
    _server: ServerProcess,
}

impl ClassClient {
    fn start(bench: &Bench, side: Side, work: ClassWork, server: ServerProcess) -> Result<ClassClient, LoadFailure> {
        let Endpoint::Unix(place) = &server.endpoint else {
            return Err(LoadFailure::Trouble("the class is measured at a Unix socket".into()));
        };
        let php = std::env::var("LEVERET_PHP").map_or_else(|_| "php".to_owned(), |version| format!("php{version}"));
        let folder = place.parent().map(PathBuf::from).unwrap_or_default();
        let mut command = Command::new(php);
        command.args(["-n", "-d", "memory_limit=512M"]);
        match &bench.ours {
            Some(ours) if side == Side::Ours => {
                let extension = ours.with_file_name("leveret.so").canonicalize()?;
                let settings = [
                    format!("extension={}", extension.display()),
                    "leveret.provide=redis".to_owned(),
                    format!("leveret.dir={}", folder.display()),
                ];
                command.args(settings.iter().flat_map(|setting| ["-d", setting]));
            }
            _ => {
                command.args(["-d", "extension=igbinary.so", "-d", "extension=redis.so"]);
            }
        }
        let script = SCRIPT.strip_prefix("<?php").unwrap_or(SCRIPT);
        let calls = if bench.quick { work.calls / 50 } else { work.calls }.max(1);
        command.args(["-r", script, "--", work.name]).arg(place).arg(calls.to_string());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(LoadFailure::Trouble("PHP has no pipes".into()));
        };
        let mut client = ClassClient { child, to, from: BufReader::new(from), calls, _server: server };
        match client.line()?.as_str() {
            "ready" => Ok(client),
            said => Err(LoadFailure::Trouble(format!("PHP says {said:?}"))),
        }
    }

    /// Nanoseconds of one call.
    fn turn(&mut self, work: ClassWork) -> Result<f64, LoadFailure> {
        check_stop()?;
        self.to.write_all(b"\n")?;
        let line = self.line()?;
        let numbers: Vec<f64> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
        match numbers[..] {
            [nanos, cpu_us, 0.0] => {
                let calls = f64::from(self.calls);
                Ok(if work.cpu_of_client { cpu_us * 1000.0 / calls } else { nanos / calls })
            }
            [_, _, wrong] => Err(LoadFailure::Wrong(format!("{wrong} wrong answers"))),
            _ => Err(LoadFailure::Trouble(format!("PHP says {line:?}"))),
        }
    }

    fn line(&mut self) -> Result<String, LoadFailure> {
        let mut line = String::new();
        self.from.read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    }
}

impl Drop for ClassClient {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
