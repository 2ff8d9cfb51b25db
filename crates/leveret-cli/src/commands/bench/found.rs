//! Software of this host: PHP, its extensions, servers.
use super::peer::{CachePeer, PeerServer};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Its file. PHP loads it another way, and knows it by another name.
const OPCACHE: &str = "opcache";

/// The machine and the versions, as the report tells them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Machine {
    pub cpu: String,
    pub cpus: usize,
    pub kernel: String,
    pub php: String,
    /// By name: extensions and servers.
    pub versions: BTreeMap<String, String>,
}

pub struct FoundPrograms {
    pub php: PathBuf,
    extension_dir: PathBuf,
    leveret: PathBuf,
    memcached_newer: Option<PathBuf>,
    /// OPcache is part of PHP itself, as from 8.5 on.
    opcache_within: bool,
    ruby: PathBuf,
    /// Where Ruby finds our gem, if it is not installed.
    gem: Vec<PathBuf>,
    /// What Ruby can require, with its version; none where it cannot.
    gems: BTreeMap<String, Option<String>>,
    pub machine: Machine,
}

impl FoundPrograms {
    /// An error without a PHP for the command line that can fork.
    pub fn look(
        php: &Path,
        leveret: Option<PathBuf>,
        ruby: &Path,
        gem: Vec<PathBuf>,
        memcached_newer: Option<PathBuf>,
    ) -> Result<FoundPrograms, String> {
        let php = in_path(php).ok_or_else(|| format!("no {} in PATH: install PHP's command line", php.display()))?;
        let script = "echo PHP_VERSION, \"\\n\", ini_get('extension_dir'), \"\\n\", extension_loaded('pcntl') ? 1 : 0, \"\\n\", \
                      extension_loaded('Zend OPcache') ? 1 : 0;";
        let said = said(&php, &["-n", "-r", script]).ok_or_else(|| format!("{} does not run", php.display()))?;
        let mut lines = said.lines();
        let (version, dir) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
        if lines.next() != Some("1") {
            return Err(format!("{} has no pcntl: one process must write and another read", php.display()));
        }
        let opcache_within = lines.next() == Some("1");
        let extension_dir = PathBuf::from(dir);
        let leveret = leveret.unwrap_or_else(|| extension_dir.join("leveret.so"));
        let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
        let info = read("/proc/cpuinfo");
        let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        let machine = Machine {
            cpu: model.map_or("unknown", |(_, name)| name).to_owned(),
            cpus: std::thread::available_parallelism().map_or(1, usize::from),
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
            php: version.to_owned(),
            versions: BTreeMap::new(),
        };
        let ruby = in_path(ruby).unwrap_or_else(|| ruby.to_path_buf());
        Ok(FoundPrograms {
            php,
            extension_dir,
            leveret,
            memcached_newer,
            opcache_within,
            ruby,
            gem,
            gems: BTreeMap::new(),
            machine,
        })
    }

    pub fn ruby(&self) -> &Path {
        &self.ruby
    }

    /// What Ruby is told on its command line so that it finds our gem.
    pub fn ruby_words(&self) -> Vec<String> {
        self.gem.iter().flat_map(|folder| ["-I".to_owned(), folder.display().to_string()]).collect()
    }

    /// Looks for what the peer requires of Ruby. To be asked before `missing`.
    pub fn look_for_gem(&mut self, peer: &CachePeer) {
        let Some(gem) = peer.gem.as_ref().filter(|gem| !self.gems.contains_key(*gem)) else { return };
        let mut words = self.ruby_words();
        let script = "require ARGV[0]; puts defined?(Leveret) ? Leveret::VERSION : Gem.loaded_specs[ARGV[0]].version";
        words.extend(["-e", script, gem].map(String::from));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        self.gems.insert(gem.clone(), said(&self.ruby, &words));
    }

    /// The setting by which PHP loads the extension.
    pub fn extension(&self, name: &str) -> String {
        match name {
            "leveret" => format!("extension={}", self.leveret.display()),
            OPCACHE if self.opcache_within => "opcache.enable=1".to_owned(),
            OPCACHE => format!("zend_extension={name}"),
            name => format!("extension={name}"),
        }
    }

    fn extension_file(&self, name: &str) -> PathBuf {
        match name {
            "leveret" => self.leveret.clone(),
            name => self.extension_dir.join(format!("{name}.so")),
        }
    }

    pub fn server(&self, server: PeerServer) -> Option<PathBuf> {
        match server {
            PeerServer::Leveret | PeerServer::LeveretRedis => env::current_exe().ok(),
            PeerServer::Memcached => in_path(Path::new("memcached")),
            PeerServer::MemcachedNewer => self.memcached_newer.as_deref().and_then(in_path),
            PeerServer::Redis => in_path(Path::new("valkey-server")).or_else(|| in_path(Path::new("redis-server"))),
        }
    }

    /// Why the peer cannot be measured here.
    pub fn missing(&self, peer: &CachePeer) -> Option<String> {
        for name in &peer.extensions {
            let within = name == OPCACHE && self.opcache_within;
            if !within && !self.extension_file(name).exists() {
                return Some(format!("PHP {} has no extension {name}", self.machine.php));
            }
        }
        if let Some(gem) = peer.gem.as_ref().filter(|gem| !matches!(self.gems.get(*gem), Some(Some(_)))) {
            return Some(format!("{} cannot require {gem}", self.ruby.display()));
        }
        let server = peer.server.filter(|server| self.server(*server).is_none())?;
        Some(match server {
            PeerServer::MemcachedNewer => "--memcached-newer names no program".to_owned(),
            server => format!("no {} in PATH", server.name()),
        })
    }

    /// Asks for the versions of what the peer uses.
    pub fn learn_versions(&mut self, peer: &CachePeer) {
        for name in &peer.extensions {
            let shown = format!("php-{name}");
            if self.machine.versions.contains_key(&shown) {
                continue;
            }
            let mut words = vec!["-n".to_owned()];
            for name in &peer.extensions {
                words.extend(["-d".to_owned(), self.extension(name)]);
            }
            let name = if name == OPCACHE { "Zend OPcache" } else { name };
            words.extend(["-r".to_owned(), format!("echo phpversion('{name}');")]);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            self.machine.versions.insert(shown, said(&self.php, &words).unwrap_or_else(|| "?".to_owned()));
        }
        if let Some((gem, Some(version))) = peer.gem.as_ref().and_then(|gem| self.gems.get_key_value(gem)) {
            let gem = gem.split('/').next().unwrap_or(gem);
            self.machine.versions.insert(format!("ruby-{gem}"), version.clone());
        }
        peer.server.into_iter().for_each(|server| self.learn_server(server));
    }

    /// Asks a server for its version.
    pub fn learn_server(&mut self, server: PeerServer) {
        if let Some(path) = self.server(server) {
            let is_memcached = matches!(server, PeerServer::Memcached | PeerServer::MemcachedNewer);
            let option = if is_memcached { "-V" } else { "--version" };
            let words = said(&path, &[option]).unwrap_or_default();
            let number = |word: &&str| word.trim_start_matches("v=").starts_with(|first: char| first.is_ascii_digit());
            let version = words.split_whitespace().find(number).map_or("?", |word| word.trim_start_matches("v="));
            let name = match server {
                PeerServer::MemcachedNewer => server.name(),
                _ => path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into()),
            };
            self.machine.versions.insert(name, version.to_owned());
        }
    }
}

fn in_path(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return program.exists().then(|| program.to_path_buf());
    }
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// Standard output of a program that succeeds.
fn said(program: &Path, words: &[&str]) -> Option<String> {
    let done = Command::new(program).args(words).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    done.status.success().then(|| String::from_utf8_lossy(&done.stdout).trim().to_owned())
}
