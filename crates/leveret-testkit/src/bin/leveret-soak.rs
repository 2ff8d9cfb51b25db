//! A server under load that is killed about every half second. See docs/testing.md.
use clap::Parser;
use leveret_engine::{Arena, OpenOptions};
use leveret_server::settings::Listen;
use leveret_server::{Settings, Shared};
use leveret_testkit::soak::{self, Plan};
use leveret_testkit::watcher::{self, Known};
use leveret_testkit::{rng, scratch};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples
  leveret-soak 600
  leveret-soak 60 --command build/leveret      kills the real command
  leveret-soak 60 --clients 12 --seed 7

Exit codes: 0 nothing was lost and nothing older was read; 1 something was; 2 it could not be tried.";

#[derive(Parser)]
#[command(about = "Clients and neighbours of a server that is killed all the time", after_help = EXAMPLES)]
struct Args {
    /// How long, in seconds
    #[arg(default_value_t = 60)]
    seconds: u64,
    /// Clients over sockets, a third for each protocol
    #[arg(long, default_value_t = 6)]
    clients: u64,
    /// Threads at the arena itself
    #[arg(long, default_value_t = 2)]
    neighbours: u64,
    /// Watchers, which are killed as well
    #[arg(long, default_value_t = 2)]
    watchers: u64,
    /// Seed of everything random
    #[arg(long)]
    seed: Option<u64>,
    /// The command `leveret`, whose `serve` is killed; without it this program serves
    #[arg(long, value_name = "PATH")]
    command: Option<PathBuf>,
    /// Serve this arena at --port, until killed
    #[arg(long, hide = true)]
    serve: Option<PathBuf>,
    /// Watch at --port what so many writers do, until killed
    #[arg(long, hide = true, value_name = "WRITERS")]
    watch: Option<u64>,
    #[arg(long, hide = true)]
    port: Option<u16>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    if let (Some(arena), Some(port)) = (&args.serve, args.port) {
        return match serve(arena, port) {
            Ok(()) => ExitCode::SUCCESS,
            Err(why) => {
                eprintln!("leveret-soak: {why}");
                ExitCode::from(3)
            }
        };
    }
    if let (Some(writers), Some(port)) = (args.watch, args.port) {
        return match watcher::watch(port, Known { writers, keys: soak::KEYS }) {
            Ok(wrong) => {
                println!("{wrong}");
                ExitCode::FAILURE
            }
            Err(why) => {
                eprintln!("leveret-soak: {why}");
                ExitCode::from(3)
            }
        };
    }
    let seed = args.seed.unwrap_or_else(rng::fresh_seed);
    match hold(&args, seed) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            println!(
                "FAILED; again: leveret-soak {} --clients {} --neighbours {} --watchers {} --seed {seed}",
                args.seconds, args.clients, args.neighbours, args.watchers
            );
            ExitCode::FAILURE
        }
        Err(why) => {
            println!("the soak could not be held: {why}");
            ExitCode::from(2)
        }
    }
}

fn serve(arena: &std::path::Path, port: u16) -> Result<(), Box<dyn std::error::Error>> {
    let listen = vec![Listen { host: "127.0.0.1".to_owned(), port: None, is_plain: false }];
    let settings = Settings { tcp_port: Some(port), listen, threads: 2, ..Settings::default() };
    let bound = leveret_server::bind(&settings)?;
    let arena = Arena::open(arena, &OpenOptions::new())?.0;
    Ok(bound.run(Arc::new(Shared::new(arena, settings)?))?)
}

/// Below the ports that the kernel gives to clients: one of them could take it, or meet itself there, while the server
/// is dead.
fn free_port() -> std::io::Result<u16> {
    let first = 20_000 + (std::process::id() % 10_000) as u16;
    let is_free = |port: &u16| std::net::TcpListener::bind(("127.0.0.1", *port)).is_ok();
    (first..first + 100).find(is_free).ok_or_else(|| std::io::Error::other("no port is free"))
}

fn hold(args: &Args, seed: u64) -> std::io::Result<bool> {
    println!("soak: {} clients, {} neighbours, {} watchers, seed {seed}", args.clients, args.neighbours, args.watchers);
    let folder = scratch::folder()?;
    let arena = folder.path().join("soak.arena");
    let port = free_port()?;
    let words = match &args.command {
        Some(command) => vec![
            command.display().to_string(),
            "serve".to_owned(),
            "-u".to_owned(),
            "root".to_owned(),
            "-l".to_owned(),
            "127.0.0.1".to_owned(),
            "-p".to_owned(),
            port.to_string(),
            "--arena".to_owned(),
            arena.display().to_string(),
        ],
        None => vec![
            std::env::current_exe()?.display().to_string(),
            "--serve".to_owned(),
            arena.display().to_string(),
            "--port".to_owned(),
            port.to_string(),
        ],
    };
    let duration = Duration::from_secs(args.seconds);
    let watcher = vec![
        std::env::current_exe()?.display().to_string(),
        "--watch".to_owned(),
        (args.clients + args.neighbours).to_string(),
        "--port".to_owned(),
        port.to_string(),
    ];
    let plan = Plan {
        server: words,
        port,
        arena,
        duration,
        clients: args.clients,
        neighbours: args.neighbours,
        watchers: args.watchers,
        watcher,
        seed,
    };
    let outcome = soak::run(&plan)?;
    println!(
        "{} kills of the server, {} requests answered, {} failed with it",
        outcome.kills, outcome.answered, outcome.failed
    );
    println!("{} kills of watchers, which have read {} lines", outcome.watchers_killed, outcome.lines);
    for why in &outcome.wrong {
        println!("WRONG: {why}");
    }
    Ok(outcome.wrong.is_empty()
        && outcome.kills > 0
        && outcome.answered > 0
        && (args.watchers == 0 || outcome.lines > 0))
}
