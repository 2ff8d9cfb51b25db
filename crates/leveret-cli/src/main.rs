//! The command `leveret`: read, write, list and check the caches that live in this host's shared memory.
#![forbid(unsafe_code)]

mod commands;
mod conversation;
mod json;
mod output;
mod peer;
mod redis;
mod sign_in;
mod tables;
mod target;
mod units;
mod users;
mod walk;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use commands::{
    bench, delete, display, doctor, dump, flush, generate, get, keys, list, metrics, ping, record, renew, restore,
    ring, rm, serve, set, settings, simulate, sizes, stats, top, tune, uninstall, verify, watch,
};
use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

/// Read, write, list and check the caches that live in this host's shared memory.
#[derive(Parser, Debug)]
#[command(name = "leveret", version = leveret_server::RELEASE, after_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true, disable_help_subcommand = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,

    #[command(flatten)]
    target: target::TargetArgs,

    /// Answer in JSON: one object, or one object a line for lists
    #[arg(long, global = true, help_heading = "Output")]
    json: bool,

    /// Colours; auto also respects NO_COLOR and CLICOLOR_FORCE
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN", help_heading = "Output")]
    color: Color,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

const EXAMPLES: &str = "\
Examples:
  leveret list                              the arenas of this host
  leveret set greeting hello --ttl 5m       store a value for five minutes
  leveret get greeting                      write it to standard output
  leveret stats --arena apcu                hits, memory and evictions of the cache behind apcu_*
  leveret doctor                            find out why it does not work
  leveret help restore                      the options of a command, with examples

Exit codes: 0 yes; 1 a negative answer (a miss, not stored, unhealthy); 2 wrong usage; 3 cannot reach the arena.";

#[derive(Subcommand, Debug)]
enum Command {
    Serve(Box<serve::ServeArgs>),
    Get(get::GetArgs),
    Set(set::SetArgs),
    Delete(delete::DeleteArgs),
    Display(display::DisplayArgs),
    Stats(stats::StatsArgs),
    Settings(settings::SettingsArgs),
    Metrics(metrics::MetricsArgs),
    Sizes(sizes::SizesArgs),
    Record(record::RecordArgs),
    Simulate(simulate::SimulateArgs),
    Watch(watch::WatchArgs),
    Top(top::TopArgs),
    Keys(keys::KeysArgs),
    Dump(dump::DumpArgs),
    Renew(renew::RenewArgs),
    Restore(restore::RestoreArgs),
    Flush(flush::FlushArgs),
    List(list::ListArgs),
    Rm(rm::RmArgs),
    Verify(verify::VerifyArgs),
    Tune(tune::TuneArgs),
    Ping(ping::PingArgs),
    Doctor(doctor::DoctorArgs),
    Uninstall(uninstall::UninstallArgs),
    Ring(ring::RingArgs),
    Bench(Box<bench::BenchArgs>),
    #[command(hide = true, name = "bench-turn")]
    BenchTurn(bench::load::TurnArgs),
    #[command(hide = true)]
    Completions(generate::CompletionsArgs),
    #[command(hide = true)]
    Man(generate::ManArgs),
}

/// The command line. Under the name `memcached` (a link in its place) the program is `leveret serve`; `leveret help VERB`
/// is `leveret VERB --help`, as people try both.
fn words() -> Vec<OsString> {
    let mut words: Vec<OsString> = env::args_os().collect();
    match words.get(1).and_then(|word| word.to_str()) {
        Some("help") => {
            words.remove(1);
            words.push("--help".into());
        }
        Some("version") => words[1] = "--version".into(),
        _ => {}
    }
    if words.first().is_some_and(serve::is_memcached) {
        // So that the usage shows a command that there is.
        words.splice(..1, ["leveret".into(), "serve".into()]);
    }
    words
}

fn main() -> ExitCode {
    let matches = Cli::command().try_get_matches_from(words()).unwrap_or_else(|answer| {
        if answer.kind() == ErrorKind::DisplayHelp {
            print!("{}", serve::memcached_line().unwrap_or_default());
        }
        answer.exit()
    });
    let Cli { command, target, json, color } = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    // A server says later that it is one.
    leveret_engine::Program::Tool.declare();
    match color {
        Color::Auto => anstream::ColorChoice::Auto,
        Color::Always => anstream::ColorChoice::Always,
        Color::Never => anstream::ColorChoice::Never,
    }
    .write_global();
    let outcome = match command {
        Command::Serve(serve) => serve.run(matches.subcommand().map(|(_, given)| given.clone()).unwrap_or_default()),
        Command::Get(get) => get.run(&target, json),
        Command::Set(set) => set.run(&target, json),
        Command::Delete(delete) => delete.run(&target, json),
        Command::Display(display) => display.run(&target, json),
        Command::BenchTurn(turn) => turn.run(),
        Command::Settings(settings) => settings.run(&target, json),
        Command::Metrics(metrics) => metrics.run(&target, json),
        Command::Sizes(sizes) => sizes.run(&target, json),
        Command::Record(record) => record.run(&target, json),
        Command::Simulate(simulate) => simulate.run(json),
        Command::Renew(renew) => renew.run(&target, json),
        Command::Restore(restore) => restore.run(&target, json),
        Command::Watch(watch) => watch.run(&target, json),
        Command::Top(top) => top.run(&target, json),
        Command::Keys(keys) => keys.run(&target, json),
        Command::Dump(dump) => dump.run(&target, json),
        Command::Stats(stats) => stats.run(&target, json),
        Command::Flush(flush) => flush.run(&target, json),
        Command::List(list) => list.run(&target, json),
        Command::Rm(rm) => rm.run(&target, json),
        Command::Verify(verify) => verify.run(&target, json),
        Command::Tune(tune) => tune.run(&target, json),
        Command::Ping(ping) => ping.run(&target, json),
        Command::Doctor(doctor) => doctor.run(&target, json),
        Command::Uninstall(uninstall) => uninstall.run(json),
        Command::Ring(ring) => ring.run(json),
        Command::Bench(bench) => bench.run(json),
        Command::Completions(completions) => completions.run(),
        Command::Man(man) => man.run(),
    };
    output::conclude(outcome, json)
}
