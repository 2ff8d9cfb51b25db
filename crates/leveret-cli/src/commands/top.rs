//! `leveret top`: activity of arenas and servers, refreshed until the user quits.
mod board;
mod hot;
mod live;
mod numbers;
mod redis;
mod report;
mod sample;
mod screen;
mod short;
mod top_peer;

use crate::commands::list;
use crate::output::{self, CommandResult, Exit, Failure};
use crate::peer::{Patience, Peer};
use crate::target::TargetArgs;
use crate::units;
use board::Board;
use clap::Args;
use sample::Prober;
use std::io::{self, IsTerminal, Write};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use top_peer::TopPeer;

/// Show the activity of arenas and servers, as top does of processes
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct TopArgs {
    /// [user@][tls://]host[:port], [user@]/path/to/socket, redis://[user@]host[:port], or arena:NAME, several of them; without any
    /// all arenas of the folder
    #[arg(value_name = "TARGET")]
    targets: Vec<String>,

    /// Refresh interval, at least 100ms
    #[arg(long, short, value_name = "DURATION", value_parser = interval, default_value = "1s")]
    interval: Duration,

    /// Sample twice, print one table, and exit
    #[arg(long)]
    once: bool,

    #[command(flatten)]
    patience: Patience,
}

const EXAMPLES: &str = "\
Examples:
  leveret top                                   all arenas of the folder
  leveret top arena:apcu localhost:11211        an arena and a server, ours or memcached
  leveret top redis://localhost                 a server for clients of Redis, ours or a Redis
  leveret top --once | mail -s cache ops        one table, without a terminal
  leveret top --json --interval 10s >> log      one object a sample, one a line

Keys: up and down select, Enter shows details, k the most frequently read keys, s sorts, / filters, ? is help, q quits.
Rates are averages between two samples. Servers are asked for statistics; arenas are read without locks.";

const INTERVAL_MIN: Duration = Duration::from_millis(100);

fn interval(text: &str) -> Result<Duration, String> {
    let interval = units::parse_duration(text)?;
    if interval < INTERVAL_MIN {
        return Err("the shortest is 100ms".to_owned());
    }
    Ok(interval)
}

impl TopArgs {
    pub fn run(self, target: &TargetArgs, json: bool) -> CommandResult {
        let is_live = !json && !self.once;
        if is_live && !(io::stdout().is_terminal() && io::stdin().is_terminal()) {
            return Err(Failure::Usage(
                "top needs a terminal; --once prints one table, --json a line for each look".to_owned(),
            ));
        }
        if is_live && std::env::var("TERM").is_ok_and(|term| term == "dumb") {
            return Err(Failure::Usage(
                "top cannot draw on this terminal (TERM=dumb); --once prints a table".to_owned(),
            ));
        }
        let peers = self.peers(target)?;
        // A folder is read again each time: arenas come and go.
        let folder = (self.targets.is_empty() && target.arena.is_none()).then_some(target);
        let (sender, samples) = mpsc::channel();
        let prober = Prober::new(sender, self.interval, self.patience.timeout);
        let mut board = Board::new(self.interval);
        for peer in peers {
            board.add(peer.shown(), prober.start(peer));
        }
        if is_live {
            return live::run(board, &prober, &samples, folder);
        }
        self.report(board, &samples, json)
    }

    fn peers(&self, target: &TargetArgs) -> Result<Vec<TopPeer>, Failure> {
        if !self.targets.is_empty() {
            return self.targets.iter().map(|text| TopPeer::of(text, target)).collect();
        }
        if target.arena.is_some() {
            return Ok(vec![TopPeer::Plain(Peer::of(None, target)?)]);
        }
        arenas(target)
    }

    /// `--once` and `--json`: each time that all targets have been looked at twice, or could not be.
    fn report(&self, mut board: Board, samples: &mpsc::Receiver<sample::Sample>, json: bool) -> CommandResult {
        let mut out = output::raw();
        let mut next = Instant::now() + self.interval;
        // A target that keeps silent is waited for no longer than its time-out.
        let latest = next + self.patience.timeout;
        loop {
            while !(Instant::now() >= next && (board.is_complete() || Instant::now() >= latest)) {
                match samples.recv_timeout(Duration::from_millis(20)) {
                    Ok(sample) => board.take(sample),
                    Err(mpsc::RecvTimeoutError::Timeout) => {}
                    Err(mpsc::RecvTimeoutError::Disconnected) => break,
                }
            }
            if json {
                output::json_line(&mut out, &report::object(&board))?;
            } else {
                out.write_all(report::table(&board).as_bytes())?;
            }
            out.flush()?;
            if self.once {
                let answers = board.rows.is_empty() || board.rows.iter().any(|row| row.error.is_none());
                return Ok(if answers { Exit::Yes } else { Exit::No });
            }
            next += self.interval;
        }
    }
}

/// All arenas of the folder.
fn arenas(target: &TargetArgs) -> Result<Vec<TopPeer>, Failure> {
    let name = |path: &std::path::Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let of = |path: std::path::PathBuf| TopPeer::Plain(Peer::Arena { name: name(&path), path });
    Ok(list::arenas(target)?.1.into_iter().map(of).collect())
}
