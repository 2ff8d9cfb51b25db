//! The compared caches: those of a chart, and those that the user adds.
use crate::output::Failure;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use std::path::Path;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Peers {
    peer: Vec<CachePeer>,
}

/// A cache, and how PHP reaches it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CachePeer {
    pub name: String,
    pub title: String,
    #[serde(default)]
    pub extensions: Vec<String>,
    /// What Ruby requires.
    #[serde(default)]
    pub gem: Option<String>,
    /// Only in charts with these names; in all, if there are none.
    #[serde(default)]
    pub charts: Vec<String>,
    /// It is no cache: see `Row`.
    #[serde(default)]
    pub baseline: bool,
    /// Its requirements.
    #[serde(default)]
    pub ini: Vec<String>,
    /// Settings with which it is fastest.
    #[serde(default)]
    pub tuned: Vec<String>,
    #[serde(default)]
    pub server: Option<PeerServer>,
    #[serde(default)]
    pub by: Option<By>,
    /// The client looks for arenas where the server has its own.
    #[serde(default)]
    pub short_cut: bool,
    #[serde(default)]
    open: String,
    /// None where a server is asked by this program.
    #[serde(default)]
    set: String,
    #[serde(default)]
    get: String,
    /// What makes an end of writing, before the clock stops.
    #[serde(default)]
    end: String,
    /// What closes a connection.
    #[serde(default)]
    close: String,
    /// Of many keys at once, and of a block around writes: for Ruby.
    #[serde(default)]
    many: String,
    #[serde(default)]
    around: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum PeerServer {
    Memcached,
    /// Of another version than the one in PATH.
    MemcachedNewer,
    Redis,
    Leveret,
    /// At the entrance for Redis clients.
    LeveretRedis,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    Tcp,
    Unix,
}

impl PeerServer {
    /// As charts and command lines name it.
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

impl CachePeer {
    /// A chart's program with its own words in the holes.
    pub fn fill(&self, program: &str) -> String {
        let around = self.around.as_deref().unwrap_or("work.call");
        program
            .replace("/*GEM*/", self.gem.as_deref().unwrap_or_default())
            .replace("/*MANY*/", &self.many)
            .replace("/*AROUND*/", around)
            .replace("/*SET*/", &self.set)
            .replace("/*GET*/", &self.get)
            .replace("/*OPEN*/", &self.open)
            .replace("/*END*/", &self.end)
            .replace("/*CLOSE*/", &self.close)
    }

    pub fn is_ours(&self) -> bool {
        let is_named = |name: &String| name == "leveret" || name.starts_with("leveret/");
        matches!(self.server, Some(PeerServer::Leveret | PeerServer::LeveretRedis))
            || self.extensions.iter().chain(&self.gem).any(is_named)
    }
}

/// Those of a chart.
pub fn own(text: &str) -> Vec<CachePeer> {
    parse(text).expect("tests read it")
}

/// Those of a file of the same form.
pub fn added(path: &Path) -> Result<Vec<CachePeer>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        Failure::Unreachable(format!("cannot read {}: {}", path.display(), leveret_engine::reason(&error)))
    })?;
    let peers = parse(&text).map_err(|what| Failure::Usage(format!("{}: {what}", path.display())))?;
    match peers.iter().find(|peer| peer.set.is_empty() || peer.get.is_empty()) {
        Some(peer) => Err(Failure::Usage(format!("{}: '{}' needs both of 'set' and 'get'", path.display(), peer.name))),
        None => Ok(peers),
    }
}

pub fn check_names(peers: &[CachePeer]) -> Result<(), Failure> {
    for (place, peer) in peers.iter().enumerate() {
        if peers[..place].iter().any(|other| other.name == peer.name) {
            return Err(Failure::Usage(format!("--peers: there is a cache named '{}' already", peer.name)));
        }
    }
    Ok(())
}

fn parse(text: &str) -> Result<Vec<CachePeer>, String> {
    let Peers { peer: peers } = toml::from_str(text).map_err(|error| error.to_string())?;
    peers.iter().try_for_each(check)?;
    Ok(peers)
}

pub fn check(peer: &CachePeer) -> Result<(), String> {
    // Its name becomes a file.
    if peer.name.is_empty() || !peer.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)) {
        return Err(format!("the name '{}' may have letters, digits, '-' and '_' only", peer.name));
    }
    if peer.server.is_some() != peer.by.is_some() {
        return Err(format!("'{}' needs both of 'server' and 'by', or neither", peer.name));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_leaves_the_folder_is_refused() {
        for name in ["../x", "", "a b"] {
            let text = format!("[[peer]]\nname = \"{name}\"\ntitle = \"t\"\nset = \"1\"\nget = \"1\"\n");
            assert!(parse(&text).is_err(), "{name}");
        }
    }
}
