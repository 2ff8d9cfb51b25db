//! A server under load that is killed about every half second. See docs/testing.md.
use clap::Parser;
use leveret_engine::{Arena, OpenOptions};
use leveret_server::settings::{Listen, Security, TlsSettings};
use leveret_server::{Settings, Shared};
use leveret_testkit::soak::{self, SoakPlan};
use leveret_testkit::watcher::{self, KnownKeys};
use leveret_testkit::{rng, scratch};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
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
    /// Clients over sockets, a third for each protocol; of six three come by TLS
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
    /// Speak TLS there, with --pem
    #[arg(long, hide = true)]
    tls_port: Option<u16>,
    #[arg(long, hide = true)]
    pem: Option<PathBuf>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    if let (Some(arena), Some(port), Some(tls_port), Some(pem)) = (&args.serve, args.port, args.tls_port, &args.pem) {
        return match serve(arena, port, tls_port, pem) {
            Ok(()) => ExitCode::SUCCESS,
            Err(why) => {
                eprintln!("leveret-soak: {why}");
                ExitCode::from(3)
            }
        };
    }
    if let (Some(writers), Some(port)) = (args.watch, args.port) {
        return match watcher::watch(port, KnownKeys { writers, keys: soak::KEYS }) {
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

fn serve(arena: &Path, port: u16, tls_port: u16, pem: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let at = |port, security| Listen { host: "127.0.0.1".to_owned(), port: Some(port), security };
    let listen = vec![at(port, Security::Plain), at(tls_port, Security::Standard)];
    let tls = Some(TlsSettings { chain_cert: pem.to_owned(), ..TlsSettings::default() });
    let settings = Settings { udp_port: Some(0), listen, tls, threads: 2, ..Settings::default() };
    let bound = leveret_server::bind(&settings)?;
    let arena = Arena::open(arena, &OpenOptions::new())?.0;
    Ok(bound.run(Arc::new(Shared::new(arena, settings)?))?)
}

/// A certificate for localhost and its key, in one file.
fn certificate(path: &Path) -> io::Result<()> {
    let words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost";
    let made = Command::new("openssl").args(words.split(' ')).arg("-keyout").arg(path).args(["-out", "-"]).output()?;
    if !made.status.success() {
        return Err(io::Error::other(format!("openssl: {}", String::from_utf8_lossy(&made.stderr).trim())));
    }
    std::fs::File::options().append(true).open(path)?.write_all(&made.stdout)
}

/// Below the ports that the kernel gives to clients: one of them could take it, or meet itself there, while the server
/// is dead.
fn free_ports() -> io::Result<[u16; 2]> {
    let first = 20_000 + (std::process::id() % 10_000) as u16;
    let is_free = |port: &u16| std::net::TcpListener::bind(("127.0.0.1", *port)).is_ok();
    let mut free = (first..first + 100).filter(is_free);
    match (free.next(), free.next()) {
        (Some(one), Some(other)) => Ok([one, other]),
        _ => Err(io::Error::other("no two ports are free")),
    }
}

fn hold(args: &Args, seed: u64) -> io::Result<bool> {
    println!("soak: {} clients, {} neighbours, {} watchers, seed {seed}", args.clients, args.neighbours, args.watchers);
    let folder = scratch::folder()?;
    let arena = folder.path().join("soak.arena");
    let [port, tls_port] = free_ports()?;
    let pem = folder.path().join("soak.pem");
    certificate(&pem)?;
    let shown = pem.display();
    let words = match &args.command {
        Some(command) => vec![
            command.display().to_string(),
            "serve".to_owned(),
            "-u".to_owned(),
            "root".to_owned(),
            "-l".to_owned(),
            format!("notls:127.0.0.1:{port}"),
            "-l".to_owned(),
            format!("127.0.0.1:{tls_port}"),
            "-Z".to_owned(),
            "-o".to_owned(),
            format!("ssl_chain_cert={shown},ssl_key={shown}"),
            "--arena".to_owned(),
            arena.display().to_string(),
        ],
        None => vec![
            std::env::current_exe()?.display().to_string(),
            "--serve".to_owned(),
            arena.display().to_string(),
            "--port".to_owned(),
            port.to_string(),
            "--tls-port".to_owned(),
            tls_port.to_string(),
            "--pem".to_owned(),
            shown.to_string(),
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
    let plan = SoakPlan {
        server: words,
        port,
        tls_port: Some(tls_port),
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
        "{} kills of the server, {} requests answered, {} of them by TLS, {} failed with it",
        outcome.kills, outcome.answered, outcome.answered_by_tls, outcome.failed
    );
    println!("{} kills of watchers, which have read {} lines", outcome.watchers_killed, outcome.lines);
    for why in &outcome.wrong {
        println!("WRONG: {why}");
    }
    Ok(outcome.wrong.is_empty()
        && outcome.kills > 0
        && outcome.answered > 0
        && (args.clients < 4 || outcome.answered_by_tls > 0)
        && (args.watchers == 0 || outcome.lines > 0))
}
