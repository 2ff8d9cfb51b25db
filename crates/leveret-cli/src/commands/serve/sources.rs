//! Where options come from: the command line before the environment before a file. Each source is brought into the
//! words of the command line and read by the same parser, so that a value means the same wherever it stands.
use super::options::ServeOptions;
use super::{debian, values};
use crate::output::Failure;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use leveret_engine::reason;
use leveret_server::redis::settings::PORT;
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Options that make sense on the command line only.
const COMMAND_LINE_ONLY: [&str; 5] = ["config", "memcached_conf", "version", "license", "further"];
/// Options of which two servers cannot have the same value.
const ONE_SERVERS: [&str; 8] =
    ["metrics", "unix_socket", "arena", "pidfile", "redis", "redis_databases", "redis_database", "requirepass"];

/// Where a file does not say it.
const USUAL_PORT: &str = "11211";

/// Where a server's options are read: at its start, and again on SIGHUP.
pub struct Sources {
    command_line: ArgMatches,
    /// As root, a file that does not say otherwise means root.
    is_root: bool,
    toml: Option<PathBuf>,
    conf: Option<PathBuf>,
}

/// Their contents.
pub struct Gathered {
    pub options: ServeOptions,
    /// Of a memcached.conf.
    pub logfile: Option<PathBuf>,
    /// What of a file for several servers is another server's.
    pub left_out: Vec<String>,
    words: Vec<OsString>,
}

impl Sources {
    pub fn of(command_line: ArgMatches) -> Result<Sources, Failure> {
        let (toml, conf) = files(&command_line, |name| env::var_os(name));
        // In the background the current folder is another.
        let absolute = |path: Option<PathBuf>| path.as_deref().map(super::absolute).transpose();
        let is_root = rustix::process::geteuid().is_root();
        Ok(Sources { command_line, is_root, toml: absolute(toml)?, conf: absolute(conf)? })
    }

    pub fn gather(&self) -> Result<Gathered, Failure> {
        let mut logfile = None;
        let environment = read("the environment", environment(|name| env::var_os(name))?)?;
        let mut layers = vec![self.command_line.clone(), environment];
        let mut left_out = Vec::new();
        if let Some(path) = &self.toml {
            let is_given = |layer: &&ArgMatches| layer.value_source("port") == Some(ValueSource::CommandLine);
            let port = layers.iter().find(is_given).and_then(|layer| layer.get_raw("port")?.next_back());
            let port = port.map(|port| port.to_string_lossy().into_owned());
            let config = config(path, port.as_deref())?;
            left_out = config.left_out;
            layers.push(read(&path.display().to_string(), config.words)?);
        }
        if let Some(path) = &self.conf {
            let conf =
                debian::read(&text(path)?).map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?;
            logfile = conf.logfile;
            layers.push(read(&path.display().to_string(), conf.words.into_iter().map(OsString::from).collect())?);
            // The file's own words: without -u the daemon runs as root.
            if self.is_root {
                layers.push(read("the default", vec!["--user=root".into()])?);
            }
        }
        let words = merge(&layers);
        let matches = read("the command line", words.clone())?;
        let mut options =
            ServeOptions::from_arg_matches(&matches).map_err(|error| Failure::Usage(first_line(&error)))?;
        if options.enable_sasl && options.sasl_pwdb.is_none() {
            let named = env::var_os("MEMCACHED_SASL_PWDB").filter(|path| !path.is_empty()).map(PathBuf::from);
            options.sasl_pwdb = named.or_else(sasldb);
        }
        Ok(Gathered { options, logfile, left_out, words })
    }
}

/// The sasldb of memcached where the system's SASL library is set up for it: memcached.conf in SASL_CONF_PATH or /etc/sasl2.
fn sasldb() -> Option<PathBuf> {
    let folder = env::var_os("SASL_CONF_PATH").filter(|path| !path.is_empty()).unwrap_or_else(|| "/etc/sasl2".into());
    let conf = std::fs::read_to_string(PathBuf::from(folder).join("memcached.conf")).ok()?;
    let named = conf.lines().filter_map(|line| line.trim().split_once(':')).find(|(name, _)| *name == "sasldb_path");
    Some(named.map_or("/etc/sasldb2", |(_, path)| path.trim()).into())
}

impl Gathered {
    /// The options that say something else than they did `before`: `--conn-limit`.
    pub fn changed_since(&self, before: &Gathered) -> BTreeSet<String> {
        let (now, then) = (by_option(&self.words), by_option(&before.words));
        now.keys().chain(then.keys()).filter(|name| now.get(*name) != then.get(*name)).cloned().collect()
    }
}

/// `--listen`, and with it all words that say it.
fn by_option(words: &[OsString]) -> BTreeMap<String, Vec<&OsString>> {
    let mut options = BTreeMap::<String, Vec<&OsString>>::new();
    for word in words {
        let text = word.to_string_lossy();
        options.entry(text.split('=').next().unwrap_or_default().to_owned()).or_default().push(word);
    }
    options
}

/// A parser of nothing but these options.
fn parser() -> Command {
    ServeOptions::augment_args(Command::new("serve").no_binary_name(true).disable_help_flag(true))
}

fn read(source: &str, words: Vec<OsString>) -> Result<ArgMatches, Failure> {
    parser().try_get_matches_from(words).map_err(|error| Failure::Usage(format!("{source}: {}", first_line(&error))))
}

fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

/// The two kinds of files, of which one may be given: on the command line, else in the environment.
fn files(command_line: &ArgMatches, variable: impl Fn(&str) -> Option<OsString>) -> (Option<PathBuf>, Option<PathBuf>) {
    let given = |id| command_line.get_one::<PathBuf>(id).cloned();
    let named = |name| variable(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    match (given("config"), given("memcached_conf")) {
        (None, None) => match named("LEVERET_CONFIG") {
            Some(config) => (Some(config), None),
            None => (None, named("LEVERET_MEMCACHED_CONF")),
        },
        given => given,
    }
}

/// One command line of several: the first layer that has an option decides about it.
fn merge(layers: &[ArgMatches]) -> Vec<OsString> {
    let parser = parser();
    let mut words = Vec::new();
    for option in parser.get_opts() {
        let id = option.get_id().as_str();
        let layer = layers.iter().find(|layer| layer.value_source(id) == Some(ValueSource::CommandLine));
        words.extend(layer.into_iter().flat_map(|layer| spell(option, layer)));
    }
    let further = layers[0].get_raw("further").into_iter().flatten().map(OsString::from);
    words.push("--".into());
    words.extend(further);
    words
}

fn spell(option: &Arg, layer: &ArgMatches) -> Vec<OsString> {
    let id = option.get_id().as_str();
    match option.get_action() {
        ArgAction::SetTrue => vec![name(option)],
        ArgAction::Count => vec![name(option); layer.get_count(id).into()],
        _ => layer.get_raw(id).into_iter().flatten().map(|value| assigned(option, value)).collect(),
    }
}

/// `--port`; only `-D` has no long name.
fn name(option: &Arg) -> OsString {
    match (option.get_long(), option.get_short()) {
        (Some(long), _) => format!("--{long}").into(),
        (None, short) => format!("-{}", short.unwrap_or_default()).into(),
    }
}

/// `--port=11211`
fn assigned(option: &Arg, value: impl Into<OsString>) -> OsString {
    let mut word = name(option);
    word.push("=");
    word.push(value.into());
    word
}

/// LEVERET_PORT=11211 is --port=11211; a flag takes yes or no, and -v a number.
fn environment(variable: impl Fn(&str) -> Option<OsString>) -> Result<Vec<OsString>, Failure> {
    let mut words = Vec::new();
    for option in parser().get_opts().filter(|option| !COMMAND_LINE_ONLY.contains(&option.get_id().as_str())) {
        let variable_name = format!("LEVERET_{}", option.get_id().as_str().to_uppercase());
        let Some(value) = variable(&variable_name).filter(|value| !value.is_empty()) else { continue };
        if option.get_action().takes_values() {
            words.push(assigned(option, value));
            continue;
        }
        let times = match value.to_str() {
            Some("no" | "off" | "false") => 0,
            Some("yes" | "on" | "true") => 1,
            Some(number) if number.parse::<u8>().is_ok_and(|times| times < 4) => number.parse().unwrap_or(0),
            _ => {
                return Err(Failure::Usage(format!(
                    "{variable_name} must be yes or no, not '{}'",
                    value.to_string_lossy()
                )))
            }
        };
        words.extend(vec![name(option); times]);
    }
    Ok(words)
}

fn text(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path)
        .map_err(|error| Failure::Unreachable(format!("cannot read {}: {}", path.display(), reason(&error))))
}

/// A file, as words of the command line.
#[derive(Debug, Default)]
struct Config {
    words: Vec<OsString>,
    left_out: Vec<String>,
}

/// `port` is the one that the command line or the environment names.
fn config(path: &Path, port: Option<&str>) -> Result<Config, Failure> {
    let wrong = |error: String| Failure::Usage(format!("{}: {error}", path.display()));
    let text = text(path)?;
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        wrong(format!(
            "line {}: {} (texts stand in quotes, lists in brackets: listen = [\"127.0.0.1\"])",
            line_of(&text, &error),
            error.message()
        ))
    })?;
    let mut config = config_of(table, port).map_err(wrong)?;
    for key in &mut config.left_out {
        key.push_str(&format!(" of {}", path.display()));
    }
    Ok(config)
}

/// The file's own server is the one on its `port`. Another one, on a port that was named elsewhere, has its own keys in
/// a table of that name, `[11212]`, and all others in common, except those that two servers cannot share.
fn config_of(mut table: toml::Table, port: Option<&str>) -> Result<Config, String> {
    let is_port = |key: &str| key.parse::<u16>().is_ok();
    let servers: Vec<String> = table.keys().filter(|key| is_port(key)).cloned().collect();
    let mut own = toml::Table::new();
    let its_port = table.get("port").and_then(scalar).unwrap_or_else(|| USUAL_PORT.to_owned());
    let port = port.unwrap_or(&its_port);
    for server in servers {
        match table.remove(&server) {
            Some(toml::Value::Table(keys)) if server == port => own = keys,
            // Wrong words in it are told now, not when that server starts.
            Some(toml::Value::Table(keys)) => drop(words_of(&keys).map_err(|error| format!("[{server}]: {error}"))?),
            _ => return Err(format!("there is no option '{server}'")),
        }
    }
    let mut left_out = Vec::new();
    if port != its_port {
        let is_others = |key: &str| ONE_SERVERS.contains(&&*key.replace('-', "_"));
        left_out = table.keys().filter(|key| is_others(key) && !own.contains_key(*key)).cloned().collect();
        table.retain(|key, _| !is_others(key));
    }
    table.extend(own);
    Ok(Config { words: words_of(&table)?, left_out })
}

fn line_of(text: &str, error: &toml::de::Error) -> usize {
    let before = text.get(..error.span().map_or(0, |span| span.start)).unwrap_or(text);
    before.bytes().filter(|byte| *byte == b'\n').count() + 1
}

fn words_of(table: &toml::Table) -> Result<Vec<OsString>, String> {
    let parser = parser();
    let mut words = Vec::new();
    for (key, value) in table {
        if let ("redis", toml::Value::Table(redis)) = (key.as_str(), value) {
            words.extend(words_of_redis(redis)?);
            continue;
        }
        let id = key.replace('-', "_");
        let option = parser
            .get_opts()
            .find(|option| {
                let is_other_name = option.get_all_aliases().is_some_and(|others| others.contains(&key.as_str()));
                (option.get_id().as_str() == id || is_other_name) && !COMMAND_LINE_ONLY.contains(&id.as_str())
            })
            .ok_or_else(|| format!("there is no option '{key}'"))?;
        words.extend(
            words_of_key(option, value).ok_or_else(|| format!("'{key}' cannot be of type {}", value.type_str()))?,
        );
    }
    Ok(words)
}

/// `[redis] port = 6379`, `requirepass = "…"`, and a table for each database that has something of its own:
/// `[redis.databases.2] memory = "256", policy = "noeviction", arena = "sessions"`.
fn words_of_redis(table: &toml::Table) -> Result<Vec<OsString>, String> {
    let text = |key: &str, value: &toml::Value| {
        scalar(value).ok_or_else(|| format!("'{key}' cannot be of type {}", value.type_str()))
    };
    let port = table.get("port").map_or_else(|| Ok(PORT.to_string()), |value| text("redis.port", value))?;
    let mut words = vec![format!("--redis={port}").into()];
    for (key, value) in table {
        match (key.as_str(), value) {
            ("port", _) => {}
            ("requirepass", value) => words.push(format!("--requirepass={}", text("redis.requirepass", value)?).into()),
            ("databases", toml::Value::Table(databases)) => {
                for (number, own) in databases {
                    let name = format!("redis.databases.{number}");
                    let toml::Value::Table(own) = own else {
                        return Err(format!("'{name}' cannot be of type {}", own.type_str()));
                    };
                    let mut word = number.clone();
                    for (key, value) in own {
                        let value = text(&format!("{name}.{key}"), value)?;
                        if value.contains(',') {
                            return Err(format!("'{name}.{key}' has a comma in it"));
                        }
                        word.push_str(&format!(",{key}={value}"));
                    }
                    values::database(&word).map_err(|error| format!("[{name}]: {error}"))?;
                    words.push(format!("--redis-database={word}").into());
                }
            }
            ("databases", value) if value.is_integer() => {
                words.push(format!("--redis-databases={}", text("redis.databases", value)?).into());
            }
            _ => return Err(format!("there is no option 'redis.{key}' (port, requirepass, databases)")),
        }
    }
    Ok(words)
}

fn words_of_key(option: &Arg, value: &toml::Value) -> Option<Vec<OsString>> {
    use toml::Value::{Array, Boolean, Integer, Table};
    let takes_values = option.get_action().takes_values();
    Some(match value {
        Boolean(yes) if !takes_values => vec![name(option); usize::from(*yes)],
        Integer(times @ 0..=3) if matches!(option.get_action(), ArgAction::Count) => {
            vec![name(option); *times as usize]
        }
        Array(values) if takes_values => {
            values.iter().map(|value| Some(assigned(option, scalar(value)?))).collect::<Option<_>>()?
        }
        // [extended] idle_timeout = 60, track_sizes = true
        Table(table) if option.get_id() == "extended" => table
            .iter()
            .filter(|(_, value)| value.as_bool() != Some(false))
            .map(|(key, value)| match value.as_bool() {
                Some(_) => Some(assigned(option, key)),
                None => Some(assigned(option, format!("{key}={}", scalar(value)?))),
            })
            .collect::<Option<_>>()?,
        value if takes_values => vec![assigned(option, scalar(value)?)],
        _ => return None,
    })
}

fn scalar(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Float(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(layers: &[&[&str]]) -> ServeOptions {
        let layers: Vec<ArgMatches> = layers
            .iter()
            .map(|words| {
                read("a test", words.iter().map(OsString::from).collect()).unwrap_or_else(|error| panic!("{error:?}"))
            })
            .collect();
        let matches = read("a test", merge(&layers)).unwrap_or_else(|error| panic!("{error:?}"));
        ServeOptions::from_arg_matches(&matches).expect("options")
    }

    #[test]
    fn the_first_layer_that_says_something_decides() {
        let options = merged(&[
            &["-p", "1", "-l", "127.0.0.1", "-l", "::1", "-vv", "-p", "2", "word"],
            &["-p", "3", "-m", "4", "-l", "10.0.0.1", "-v", "-M"],
            &["-m", "5", "-t", "6", "-D", "-", "-U", "-1", "-o", "modern", "-o", "idle_timeout=1"],
        ]);
        assert_eq!(options.port.and_then(|port| port.0), Some(2));
        assert_eq!(options.memory_limit, Some(4 << 20));
        assert_eq!(options.threads, Some(6));
        assert_eq!((options.verbose, options.disable_evictions, options.delimiter), (2, true, Some(b'-')));
        assert_eq!(options.udp_port.map(|port| port.0), Some(None));
        let hosts: Vec<String> = options.listen.into_iter().flatten().map(|listen| listen.host).collect();
        assert_eq!(hosts, ["127.0.0.1", "::1"]);
        assert_eq!(options.extended, ["modern", "idle_timeout=1"]);
        assert_eq!(options.further, ["word"]);
    }

    #[test]
    fn long_names_may_be_cut_short_as_with_getopt() {
        let options = merged(&[&["--thr=2", "--memory-l", "8", "--disable-e", "--verb"]]);
        assert_eq!(
            (options.threads, options.memory_limit, options.disable_evictions, options.verbose),
            (Some(2), Some(8 << 20), true, 1)
        );
        assert!(read("a test", vec!["--mem=64".into()]).is_err(), "ambiguous, as in memcached");
    }

    #[test]
    fn every_option_has_a_variable() {
        let variables = |name: &str| match name {
            "LEVERET_PORT" => Some("11300".into()),
            "LEVERET_ENABLE_SHUTDOWN" => Some("yes".into()),
            "LEVERET_DISABLE_FLUSH_ALL" => Some("0".into()),
            "LEVERET_VERBOSE" => Some("2".into()),
            "LEVERET_DELIMITER" => Some(".".into()),
            "LEVERET_USER" => Some("".into()),
            _ => None,
        };
        let words = environment(variables).unwrap_or_else(|error| panic!("{error:?}"));
        assert_eq!(words, ["--port=11300", "--enable-shutdown", "-D=.", "--verbose", "--verbose"]);
        assert!(environment(|name| (name == "LEVERET_DAEMON").then(|| "maybe".into())).is_err());
    }

    #[test]
    fn one_file_serves_several_servers() {
        let text = "port = 11300\nmetrics = 9150\narena = 'shop'\nmemory-limit = '64'\n\
            [11301]\nmetrics = 9151\nmemory-limit = '128'\n[11302]\nconn-limit = 5\n";
        let said = |port: Option<&str>| {
            let config = config_of(text.parse().expect("TOML"), port).expect("options");
            let mut words: Vec<String> = config.words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
            words.sort_unstable();
            (words.join(" "), config.left_out.join(" "))
        };
        let own = "--arena=shop --memory-limit=64 --metrics=9150 --port=11300";
        assert_eq!(said(None), (own.to_owned(), String::new()));
        assert_eq!(said(Some("11300")), (own.to_owned(), String::new()));
        let second = "--memory-limit=128 --metrics=9151 --port=11300";
        assert_eq!(said(Some("11301")), (second.to_owned(), "arena".to_owned()));
        assert_eq!(
            said(Some("11302")),
            ("--conn-limit=5 --memory-limit=64 --port=11300".to_owned(), "arena metrics".to_owned())
        );
        assert_eq!(said(Some("1")), ("--memory-limit=64 --port=11300".to_owned(), "arena metrics".to_owned()));
        for text in ["[11301]\nprot = 1\n", "11301 = 5\n", "[70000]\nmetrics = 1\n"] {
            assert!(config_of(text.parse().expect("TOML"), None).is_err(), "{text}");
        }
    }

    #[test]
    fn a_table_of_redis_says_what_its_options_say() {
        for (text, want) in [
            ("[redis]", "--redis=6379"),
            ("redis = 7000", "--redis=7000"),
            ("[redis]\nport = '/run/r.sock'\nrequirepass = 'a,b c'", "--redis=/run/r.sock --requirepass=a,b c"),
            ("[redis]\nport = -1\ndatabases = 4", "--redis=-1 --redis-databases=4"),
            (
                "redis-databases = 4\n[redis.databases.2]\nmemory = 256\npolicy = 'noeviction'\narena = 'shop'\n[redis.databases.3]\n",
                "--redis-databases=4 --redis=6379 --redis-database=2,arena=shop,memory=256,policy=noeviction --redis-database=3",
            ),
        ] {
            let mut words = words_of(&text.parse().expect("TOML")).expect(text);
            let mut wanted: Vec<OsString> = want.split(" --").map(|word| word.trim_start_matches("--").into()).collect();
            words.iter_mut().for_each(|word| *word = word.to_string_lossy().trim_start_matches("--").into());
            words.sort();
            wanted.sort();
            assert_eq!(words, wanted, "{text}");
        }
    }

    #[test]
    fn toml_says_the_same() {
        let text = "port = 11300\nlisten = ['127.0.0.1', '[::1]:1']\ndisable-cas = true\nlock_memory = false\nmemory_limit = '1g'\nverbose = 2\n[extended]\nidle_timeout = 60\ntrack_sizes = true\nmodern = false";
        let words = words_of(&text.parse().expect("TOML")).expect("options");
        let said: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
        let mut sorted = said.clone();
        sorted.sort_unstable();
        assert_eq!(
            sorted,
            [
                "--disable-cas",
                "--extended=idle_timeout=60",
                "--extended=track_sizes",
                "--listen=127.0.0.1",
                "--listen=[::1]:1",
                "--memory-limit=1g",
                "--port=11300",
                "--verbose",
                "--verbose"
            ]
        );
        for (text, part) in [
            ("prot = 1", "there is no option 'prot'"),
            ("config = 'x'", "there is no option 'config'"),
            ("port = true", "'port' cannot be of type boolean"),
            ("daemon = 1", "'daemon' cannot be of type integer"),
            ("port = [[1]]", "'port' cannot be of type array"),
            ("[redis]\nprot = 1", "there is no option 'redis.prot'"),
            ("[redis]\nport = true", "'redis.port' cannot be of type boolean"),
            ("[redis]\ndatabases = '3'", "there is no option 'redis.databases'"),
            ("[redis.databases]\n2 = 5", "'redis.databases.2' cannot be of type integer"),
            ("[redis.databases.x]\nmemory = 5", "[redis.databases.x]: 'x' is no database"),
            ("[redis.databases.32]", "[redis.databases.32]: '32' is no database"),
            ("[redis.databases.2]\nsize = 5", "[redis.databases.2]: database 2 has no 'size'"),
            ("[redis.databases.2]\nmemory = 'x'", "[redis.databases.2]: memory of database 2: write megabytes"),
            ("[redis.databases.2]\nmemory = true", "'redis.databases.2.memory' cannot be of type boolean"),
            ("[redis.databases.2]\npolicy = 'lru'", "[redis.databases.2]: policy of database 2: 'lru' is none of"),
            ("[redis.databases.2]\narena = ''", "[redis.databases.2]: arena of database 2: write a name"),
            ("[redis.databases.2]\narena = 'a,b'", "'redis.databases.2.arena' has a comma in it"),
        ] {
            let error = words_of(&text.parse().expect("TOML")).expect_err(text);
            assert!(error.starts_with(part), "{error}");
        }
    }
}
