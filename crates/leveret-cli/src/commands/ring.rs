//! `leveret ring explain`: which server of a cluster a key lives on, and why.
use crate::json;
use crate::output::{self, CommandResult, Exit, Failure, STRONG};
use clap::{Args, Subcommand};
use leveret_client::ring::{Explanation, Preset, Ring as Servers, RingServer, Rule, PRESETS};
use serde::Serialize;
use std::io::Write;

/// Show which server of a memcached cluster holds a key
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct RingArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    Explain(Explain),
}

/// Show the server of each key, and why
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
struct Explain {
    /// The keys, as they are sent: with their prefix, if the client hashes it
    #[arg(required = true, value_name = "KEY")]
    keys: Vec<String>,

    /// The servers in the order in which the client is given them: host:port, host:port:weight or /path/of/socket
    /// (unix:///path where addServers or a session's save path names it to php-memcached)
    #[arg(long, required = true, value_delimiter = ',', value_name = "SERVER", value_parser = RingServer::from_words)]
    servers: Vec<RingServer>,

    /// Whose rule
    #[arg(long, value_name = "PRESET", default_value = "php-memcached", value_parser = PRESETS.map(|(name, _, _)| name))]
    preset: String,

    /// What hashes the keys, where the preset leaves a choice (default, md5, crc, fnv1_64, …; crc32 or fnv for
    /// php-memcache)
    #[arg(long, value_name = "HASH")]
    hash: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  leveret ring explain user:42 --servers 10.0.0.1,10.0.0.2,10.0.0.3
  leveret ring explain user:42 --servers a:11211:2,b:11211 --preset php-memcached-compatible
  leveret ring explain user:42 --servers a,b,c --preset php-memcache --hash fnv

The text of host and port is hashed: 'localhost' and '127.0.0.1' are different servers.";

#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    key: json::Bytes<'a>,
    server: String,
    index: usize,
    hash: Option<u32>,
    entry: Option<u32>,
    point: Option<u32>,
    then: Vec<String>,
}

impl RingArgs {
    pub fn run(self, json: bool) -> CommandResult {
        let Action::Explain(explain) = self.action;
        explain.run(json)
    }
}

impl Explain {
    fn run(self, json: bool) -> CommandResult {
        let preset = Preset::from_name(&self.preset, self.hash.as_deref()).map_err(Failure::Usage)?;
        let hash_name = preset.hash_name();
        let ring = Servers::new(preset.with(&self.servers), self.servers);
        for key in &self.keys {
            // There is at least one server: clap has seen to it.
            let Some(why) = ring.explain(key.as_bytes()) else { return Ok(Exit::No) };
            if json {
                report_json(&ring, key, &why)?;
            } else {
                report(&ring, key, &why, hash_name)?;
            }
        }
        Ok(Exit::Yes)
    }
}

fn report(ring: &Servers, key: &str, why: &Explanation, hash_name: &str) -> Result<(), Failure> {
    let mut out = output::text();
    writeln!(out, "{STRONG}{key}{STRONG:#} lives on {STRONG}{}{STRONG:#}", ring.servers()[why.server])?;
    if let Some(hash) = why.hash {
        writeln!(out, "  hash    {hash:#010x}  {hash_name} of the key")?;
    }
    match why.rule {
        Rule::OnlyServer => writeln!(out, "  it is the only server")?,
        Rule::Remainder { of, entry } => writeln!(out, "  entry   {entry:<10}  the hash's remainder by {of}")?,
        Rule::Mask { of, entry } => writeln!(out, "  entry   {entry:<10}  the lower bits of the hash, of {of}")?,
        Rule::Point { point, of } => {
            writeln!(out, "  point   {point:#010x}  the one next to the hash, of {of} on the ring")?
        }
        Rule::Bucket { bucket, of, point } => {
            writeln!(out, "  bucket  {bucket:<10}  the hash's remainder by {of}")?;
            writeln!(out, "  point   {point:#010x}  where the bucket leads")?;
        }
    }
    if !why.others.is_empty() {
        let others: Vec<String> = why.others.iter().map(|server| ring.servers()[*server].to_string()).collect();
        writeln!(out, "  then    {}  while it is dead, if the client fails over", others.join(", "))?;
    }
    Ok(())
}

fn report_json(ring: &Servers, key: &str, why: &Explanation) -> Result<(), Failure> {
    let (entry, point) = match why.rule {
        Rule::OnlyServer => (None, None),
        Rule::Remainder { entry, .. } | Rule::Mask { entry, .. } => (Some(entry), None),
        Rule::Point { point, .. } => (None, Some(point)),
        Rule::Bucket { bucket, point, .. } => (Some(bucket), Some(point)),
    };
    let mut out = output::raw();
    let line = Line {
        key: json::key(key.as_bytes()),
        server: ring.servers()[why.server].to_string(),
        index: why.server,
        hash: why.hash,
        entry,
        point,
        then: why.others.iter().map(|server| ring.servers()[*server].to_string()).collect(),
    };
    output::json_line(&mut out, &line)?;
    Ok(out.flush()?)
}
