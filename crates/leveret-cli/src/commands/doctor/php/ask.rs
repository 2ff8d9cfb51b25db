//! Runs a PHP and asks for its modules and settings.
use super::pools::{self, FpmPool};
use leveret_engine::reason;
use rustix::process::{kill_process, Pid, Signal};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// One PHP with one configuration.
pub struct Asked {
    /// As people call it.
    pub name: String,
    pub binary: PathBuf,
    /// The folder with a server's php.ini and conf.d; none: the binary's own configuration.
    pub config: Option<PathBuf>,
    pub is_server: bool,
    /// The unit that runs it.
    pub service: Option<String>,
    /// Of php-fpm.
    pub pools: Vec<FpmPool>,
}

impl Asked {
    pub fn command_line(binary: &Path) -> Asked {
        Asked {
            name: "command line".to_owned(),
            binary: binary.to_owned(),
            config: None,
            is_server: false,
            service: None,
            pools: Vec::new(),
        }
    }
}

/// Its answer.
#[derive(Debug, Default, Deserialize)]
pub struct PhpAnswer {
    pub version: String,
    pub ini_file: Option<String>,
    /// Version of our module.
    pub leveret: Option<String>,
    /// Version of a module "apcu" of any provider.
    pub apcu: Option<String>,
    /// Of the extensions that we know, those that are mapped as a file of their own.
    pub objects: Vec<String>,
    /// LEVERET_DIR in its environment.
    pub environment: Option<String>,
    pub settings: BTreeMap<String, Option<String>>,
    /// The same, as PHP's files have them.
    #[serde(default)]
    pub configured: BTreeMap<String, Option<String>>,
    /// Those of our modules that are loaded, from any provider.
    #[serde(default)]
    pub modules: Vec<String>,
    /// Of the originals, those that are installed, enabled or not.
    #[serde(default)]
    pub available: Vec<String>,
    /// leveret.so lies where this PHP looks for extensions.
    #[serde(default)]
    pub is_installed: bool,
    /// Debian's folder of modules has a file of settings for it.
    #[serde(default)]
    pub is_listed: bool,
}

impl PhpAnswer {
    /// A setting that exists and is not empty.
    pub fn setting(&self, name: &str) -> Option<&str> {
        self.settings.get(name)?.as_deref().filter(|value| !value.is_empty())
    }

    /// "8.2" of a PHP whose configuration is /etc/php/8.2/fpm/php.ini.
    pub fn debian_version(&self) -> Option<&str> {
        Some(self.ini_file.as_deref()?.strip_prefix("/etc/php/")?.split_once('/')?.0)
    }
}

/// Why there is no answer.
#[derive(Debug)]
pub enum Silent {
    Absent,
    Failed(String),
}

/// Debian keeps each server's configuration in a folder of its own; the command line's binary can read it in its place.
pub fn debian_servers(root: &Path) -> Vec<Asked> {
    let folders =
        |path: &Path| std::fs::read_dir(path).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let mut servers = Vec::new();
    for version in folders(root) {
        let number = version.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let binary = PathBuf::from(format!("/usr/bin/php{number}"));
        let services = [
            ("fpm", "php-fpm", Some(format!("php{number}-fpm"))),
            ("apache2", "Apache", Some("apache2".to_owned())),
            ("cgi", "CGI", None),
        ];
        for (folder, name, unit) in services {
            let config = version.join(folder);
            if config.join("php.ini").is_file() && binary.is_file() {
                let pools = if folder == "fpm" { pools::read(&config.join("pool.d")) } else { Vec::new() };
                servers.push(Asked {
                    name: format!("{name} {number}"),
                    binary: binary.clone(),
                    config: Some(config),
                    is_server: true,
                    service: unit.filter(|unit| is_unit(unit)),
                    pools,
                });
            }
        }
    }
    servers.sort_by(|a, b| a.name.cmp(&b.name));
    servers
}

/// Whether systemd knows it: Debian's folder of Apache's PHP is there without an Apache, too.
fn is_unit(name: &str) -> bool {
    ["/etc", "/usr/lib", "/lib"]
        .into_iter()
        .any(|root| Path::new(root).join("systemd/system").join(format!("{name}.service")).exists())
}

/// In front of the answer: warnings of a broken configuration may come before it.
const MARK: &str = "leveret-doctor:";

/// A module that is compiled in has no file of its own, but then PHP's maps do not name it either: that is a rare PHP,
/// and its real APCu would hide ours. For all others the file names tell whose module it is.
const QUESTION: &str = r#"
preg_match_all('~/(leveret|apcu|memcached|memcache)\.so~', (string) @file_get_contents('/proc/self/maps'), $found);
$settings = $configured = [];
foreach (['leveret.dir', 'leveret.arena', 'leveret.memory', 'leveret.provide', 'leveret.apcu_arena', 'apc.enabled', 'apc.enable_cli', 'apc.shm_size'] as $name) {
    $value = ini_get($name);
    $settings[$name] = $value === false ? null : $value;
    $value = get_cfg_var($name);
    $configured[$name] = is_string($value) ? $value : null;
}
$ini = php_ini_loaded_file() ?: null;
$has = fn ($name) => $ini !== null && file_exists(dirname($ini, 2) . "/mods-available/$name.ini");
$modules = ['apcu', 'memcached', 'memcache'];
$lies = fn ($name) => file_exists(ini_get('extension_dir') . "/$name.so");
echo "\nleveret-doctor:", json_encode([
    'version' => PHP_VERSION,
    'ini_file' => $ini,
    'leveret' => phpversion('leveret') ?: null,
    'apcu' => phpversion('apcu') ?: null,
    'objects' => array_values(array_unique($found[1])),
    'environment' => getenv('LEVERET_DIR') ?: null,
    'settings' => $settings,
    'configured' => $configured,
    'modules' => array_values(array_filter($modules, 'extension_loaded')),
    'available' => array_values(array_filter($modules, fn ($name) => $has($name) && $lies($name))),
    'is_installed' => $lies('leveret'),
    'is_listed' => $has('leveret'),
]), "\n";
"#;

/// A PHP that does not start in this time has worse troubles than ours.
const PATIENCE: Duration = Duration::from_secs(10);

pub fn ask(asked: &Asked) -> Result<PhpAnswer, Silent> {
    let mut command = Command::new(&asked.binary);
    if let Some(config) = &asked.config {
        command.arg("-c").arg(config.join("php.ini")).env("PHP_INI_SCAN_DIR", config.join("conf.d"));
    }
    command.args(["-d", "auto_prepend_file=", "-d", "auto_append_file=", "-r", QUESTION]);
    let output = run(command)?;
    parse(&output).map_err(Silent::Failed)
}

fn run(mut command: Command) -> Result<String, Silent> {
    let failed = |error: io::Error| {
        if error.kind() == io::ErrorKind::NotFound {
            Silent::Absent
        } else {
            Silent::Failed(format!("it cannot be run: {}", reason(&error)))
        }
    };
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(failed)?;
    let pid = Pid::from_child(&child);
    let (sender, receiver) = mpsc::channel();
    let waiter = thread::spawn(move || sender.send(child.wait_with_output()));
    match receiver.recv_timeout(PATIENCE) {
        Ok(Ok(output)) => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        Ok(Err(error)) => Err(failed(error)),
        Err(_) => {
            // The waiter has not reaped it, so the pid is still its own.
            let _ = kill_process(pid, Signal::KILL);
            let _ = waiter.join();
            Err(Silent::Failed(format!("it gave no answer within {} s", PATIENCE.as_secs())))
        }
    }
}

fn parse(output: &str) -> Result<PhpAnswer, String> {
    let answer = output.lines().rev().find_map(|line| line.strip_prefix(MARK)).ok_or("it ran, but did not answer")?;
    serde_json::from_str(answer).map_err(|error| format!("its answer cannot be read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_found_behind_warnings() {
        let output = "PHP Warning: something\n\nleveret-doctor:{\"version\":\"8.2.1\",\"ini_file\":null,\"leveret\":\"0.1.0\",\"apcu\":null,\"objects\":[\"leveret\"],\"environment\":null,\"settings\":{\"leveret.dir\":\"\",\"apc.enabled\":\"1\",\"apc.shm_size\":null}}\n";
        let answer = parse(output).expect("an answer");
        assert_eq!(
            (
                answer.setting("leveret.dir"),
                answer.setting("apc.enabled"),
                answer.setting("apc.shm_size"),
                answer.setting("x")
            ),
            (None, Some("1"), None, None)
        );
        assert_eq!(answer.leveret.as_deref(), Some("0.1.0"));
        assert!(parse("").is_err() && parse("leveret-doctor:{").is_err());
    }

    #[test]
    fn a_program_that_is_no_php_is_told_apart_from_none() {
        assert!(matches!(ask(&Asked::command_line(Path::new("/nowhere/php"))), Err(Silent::Absent)));
        assert!(matches!(ask(&Asked::command_line(Path::new("/bin/true"))), Err(Silent::Failed(_))));
    }
}
