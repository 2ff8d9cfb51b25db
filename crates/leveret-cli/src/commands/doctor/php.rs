//! PHP: is the extension loaded, does a real one stand before it, does it use the same arenas as this command.
pub mod access;
mod ask;
mod pools;
mod sizes;

use super::folder::{sharing, ArenaFolder};
use super::known::KnownArena;
use super::Finding;
use crate::users::AccountFiles;
use access::Closed;
use ask::{Asked, PhpAnswer};
use leveret_place::SHARED;
use pools::FpmPool;
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

const SUBJECT: &str = "php";
/// The modules that Leveret provides, and their originals.
const MODULES: [&str; 3] = ["apcu", "memcached", "memcache"];

/// A finding, and the PHP that it is about. What holds for several of them is told once.
struct Told {
    who: String,
    finding: Finding,
    /// The unit that takes the fixed configuration when it is restarted.
    restart: Option<String>,
}

/// Asks `php` with its own configuration, or else the PHP of the command line and every server configuration of Debian.
pub fn examine(php: Option<&Path>, place: &ArenaFolder, known: &[KnownArena]) -> Vec<Finding> {
    let everyone = match php {
        Some(php) => vec![Asked::command_line(php)],
        None => std::iter::once(Asked::command_line(Path::new("php")))
            .chain(ask::debian_servers(Path::new("/etc/php")))
            .collect(),
    };
    let users = AccountFiles::read();
    let mut told = Vec::new();
    for asked in everyone {
        let tell = |finding| Told { who: asked.name.clone(), finding, restart: None };
        match ask::ask(&asked) {
            Ok(answer) => {
                let homes = homes(&asked, &answer, &users, known);
                told.extend(judge(&asked, &answer, &homes, place, known));
            }
            Err(ask::Silent::Absent) => told.push(tell(Finding::note(
                SUBJECT,
                format!("{} was not found", asked.binary.display()),
                "If PHP is elsewhere, name it: leveret doctor --php PATH.",
            ))),
            Err(ask::Silent::Failed(why)) => told.push(tell(Finding::warning(
                SUBJECT,
                why,
                "Its configuration could not be read.",
                format!("See what it says: {} -v", asked.binary.display()),
            ))),
        }
    }
    merge(told)
}

/// The same finding about several PHPs is one finding, which one command ends.
fn merge(told: Vec<Told>) -> Vec<Finding> {
    let mut merged: Vec<(Finding, Vec<String>, Vec<String>)> = Vec::new();
    for Told { who, finding, restart } in told {
        let at = merged.iter().position(|(known, ..)| *known == finding).unwrap_or(merged.len());
        if at == merged.len() {
            merged.push((finding, Vec::new(), Vec::new()));
        }
        let (_, names, units) = &mut merged[at];
        names.extend((!names.contains(&who)).then_some(who));
        units.extend(restart.filter(|unit| !units.contains(unit)));
    }
    let finish = |(finding, names, units): (Finding, Vec<String>, Vec<String>)| Finding {
        found: format!("{}: {}", names.join(", "), finding.found),
        fix: finding.fix.map(|fix| match units.is_empty() {
            true => fix,
            false => format!("{fix} && systemctl try-restart {}", units.join(" ")),
        }),
        ..finding
    };
    merged.into_iter().map(finish).collect()
}

/// Where a PHP keeps its arenas: as which user, and in which folder.
#[derive(Default)]
struct Home {
    /// "php-fpm 8.2, pool www (user www-data)".
    who: String,
    dir: PathBuf,
    pool_user: Option<String>,
    /// By `leveret.dir`.
    is_chosen: bool,
    /// Why this user cannot have arenas there, or cannot open those that are there.
    closed: Option<Closed>,
}

/// The command line runs as we do; each pool of php-fpm runs as its own user, and inherits no environment. Pools of one
/// user with one folder are one home.
fn homes(asked: &Asked, answer: &PhpAnswer, users: &AccountFiles, known: &[KnownArena]) -> Vec<Home> {
    // What this command cannot open either is told once, as a finding of the arena's.
    let unusable: Vec<&Path> =
        known.iter().filter(|arena| arena.state.is_err()).map(|arena| arena.path.as_path()).collect();
    let configured = answer.setting("leveret.dir").map(PathBuf::from);
    let uid = rustix::process::geteuid().as_raw();
    if asked.pools.is_empty() {
        let dir = configured
            .or_else(|| answer.environment.clone().map(PathBuf::from))
            .unwrap_or_else(|| usual_dir(uid, &users.name(uid), users));
        // Apache and CGI: as which user they run is not written where we could read it.
        return if asked.is_server && answer.setting("leveret.dir").is_none() {
            Vec::new()
        } else {
            vec![Home { who: asked.name.clone(), dir, ..Home::default() }]
        };
    }
    let mut groups: BTreeMap<(&str, Option<PathBuf>), Vec<&str>> = BTreeMap::new();
    for FpmPool { name, user, dir } in &asked.pools {
        groups.entry((user, dir.clone().or_else(|| configured.clone()))).or_default().push(name);
    }
    let home = |((user, chosen), pools): ((&str, Option<PathBuf>), Vec<&str>)| {
        let uid = users.uid(user)?;
        let s = if pools.len() == 1 { "" } else { "s" };
        let dir = chosen.clone().unwrap_or_else(|| usual_dir(uid, user, users));
        Some(Home {
            who: format!("{}, pool{s} {} (user {user})", asked.name, pools.join(", ")),
            is_chosen: chosen.is_some(),
            closed: chosen
                .and_then(|dir| access::closed(&dir, user, users))
                .or_else(|| access::closed_files(&dir, user, users, &unusable)),
            dir,
            pool_user: Some(user.to_owned()),
        })
    };
    groups.into_iter().filter_map(home).collect()
}

/// The engine's rule, for another user.
fn usual_dir(uid: u32, user: &str, users: &AccountFiles) -> PathBuf {
    let counts =
        |stat: &std::fs::Metadata| stat.is_dir() && (stat.uid() == 0 || stat.uid() == uid) && stat.mode() & 0o002 == 0;
    let may_use = |stat: &std::fs::Metadata| {
        uid == 0 || stat.uid() == uid || stat.mode() & 0o030 == 0o030 && users.is_member(user, stat.gid())
    };
    if std::fs::symlink_metadata(SHARED).is_ok_and(|stat| counts(&stat) && may_use(&stat)) {
        PathBuf::from(SHARED)
    } else {
        PathBuf::from(format!("{SHARED}-{uid}"))
    }
}

fn judge(asked: &Asked, answer: &PhpAnswer, homes: &[Home], place: &ArenaFolder, known: &[KnownArena]) -> Vec<Told> {
    let mut told = Vec::new();
    let mut tell = |who: &str, finding: Finding| {
        // A sentence says itself what comes after it.
        let is_command = finding.fix.as_ref().is_some_and(|fix| !fix.ends_with('.') && !fix.starts_with("Install "));
        let restart = asked.service.clone().filter(|_| is_command);
        told.push(Told { who: who.to_owned(), finding, restart });
    };
    let name = &asked.name;
    let missing = unprovided(answer);
    let Some(version) = &answer.leveret else {
        let not_loaded = Finding::warning(
            SUBJECT,
            format!("PHP {} does not load leveret", answer.version),
            "PHP uses no arena.",
            enable(answer),
        );
        // One command ends both.
        tell(name, missing.unwrap_or(not_loaded));
        return told;
    };
    tell(name, Finding::ok(SUBJECT, format!("PHP {} loads leveret {version}", answer.version)));
    missing.into_iter().for_each(|finding| tell(name, finding));
    rivals(answer).into_iter().for_each(|finding| tell(name, finding));
    apcu_switches(asked, answer).into_iter().for_each(|finding| tell(name, finding));
    sizes::unreadable(answer).into_iter().for_each(|finding| tell(name, finding));
    if homes.iter().any(|home| home.dir == place.dir) {
        sizes::examine(answer, known).into_iter().for_each(|finding| tell(name, finding));
    }
    for home in homes {
        if let Some(Closed { why, fix }) = &home.closed {
            let means = "Its cache is switched off; PHP's log has a line about it.";
            tell(&home.who, Finding::problem(SUBJECT, why, means, fix.as_str()));
        } else if home.dir != place.dir && (home.is_chosen || place.fault.is_none()) {
            tell(&home.who, elsewhere(home, place));
        }
    }
    told
}

/// Modules that are installed here and that neither their original nor Leveret provides: `apcu_fetch()` is a fatal
/// error, and a site answers 500. So it is after an incomplete installation or removal of Leveret.
fn unprovided(answer: &PhpAnswer) -> Option<Finding> {
    let is_in = |module: &str, list: &[String]| list.iter().any(|name| name == module);
    let missing: Vec<&str> = MODULES
        .into_iter()
        .filter(|module| is_in(module, &answer.available) && !is_in(module, &answer.modules))
        .collect();
    let is_leveret_off = answer.leveret.is_none();
    if missing.is_empty() || (is_leveret_off && !answer.modules.is_empty() && !answer.is_listed) {
        return None;
    }
    let fix = if is_leveret_off && answer.is_installed {
        enable(answer)
    } else {
        let version = answer.debian_version().map_or(String::new(), |version| format!("-v {version} "));
        format!("phpenmod {version}{}", missing.join(" "))
    };
    let found = format!("PHP {}: nothing provides {}", answer.version, missing.join(", "));
    let means =
        "The original is disabled, and Leveret does not replace it. A page that uses it fails with a fatal error.";
    Some(Finding::problem(SUBJECT, found, means, fix))
}

/// How the extension is switched on.
fn enable(answer: &PhpAnswer) -> String {
    let debian = answer.debian_version();
    let on = match debian {
        Some(version) => format!("phpenmod -v {version} leveret"),
        None => {
            let ini = answer.ini_file.as_deref().unwrap_or("php.ini");
            format!("echo extension=leveret.so >> {ini}   # then restart PHP")
        }
    };
    match (debian, answer.is_installed, answer.is_listed) {
        (Some(version), false, _) => {
            format!("Install the extension (the package php{version}-leveret, or docs/how-to/install.md), then: {on}")
        }
        (None, false, _) => format!("Install the extension (docs/how-to/install.md), then: {on}"),
        (Some(version), true, false) => {
            format!("echo extension=leveret.so > /etc/php/{version}/mods-available/leveret.ini && {on}")
        }
        _ => on,
    }
}

/// Real extensions win over the modules that we provide. A site that adds leveret.so wants its apcu; a real client may be there
/// on purpose.
fn rivals(answer: &PhpAnswer) -> Vec<Finding> {
    let provided = answer.setting("leveret.provide").unwrap_or_default();
    let provided = || provided.split([',', ' ']).filter(|module| !module.is_empty());
    provided()
        .filter(|module| answer.objects.iter().any(|object| object == *module))
        .map(|module| {
            let found = format!("the real {module}.so is loaded beside leveret.so, and wins");
            let means = format!(
                "What PHP code does with {module} reaches no arena. To keep it so, take {module} out of leveret.provide."
            );
            let fix = match answer.debian_version() {
                Some(version) => format!("phpdismod -v {version} {module}"),
                None => format!("Remove the line extension={module}.so from PHP's configuration, then restart PHP."),
            };
            if module == "apcu" {
                Finding::warning(SUBJECT, found, means, fix)
            } else {
                Finding::note(SUBJECT, found, means).fixed_by(fix)
            }
        })
        .collect()
}

fn apcu_switches(asked: &Asked, answer: &PhpAnswer) -> Option<Finding> {
    let is_ours = answer.apcu.is_some() && !answer.objects.iter().any(|object| object == "apcu");
    if !is_ours {
        return None;
    }
    let is_on = |setting| {
        answer
            .setting(setting)
            .is_some_and(|value| matches!(value.to_ascii_lowercase().as_str(), "1" | "on" | "yes" | "true"))
    };
    if !is_on("apc.enabled") {
        return Some(Finding::warning(
            SUBJECT,
            "apc.enabled is off",
            "All apcu_* functions answer as a disabled cache does.",
            "Set apc.enabled=1 in php.ini.",
        ));
    }
    // PHP's own default, so nothing to fix.
    (!asked.is_server && !is_on("apc.enable_cli"))
        .then(|| Finding::ok(SUBJECT, "apcu_* is off there (apc.enable_cli=0), as with APCu; web requests have it"))
}

fn elsewhere(home: &Home, place: &ArenaFolder) -> Finding {
    let (theirs, ours) = (home.dir.display(), place.dir.display());
    // A pool has a user of its own: one folder for all users is the group's.
    let fix = match &home.pool_user {
        Some(user) if !home.is_chosen => sharing(user),
        Some(user) => {
            format!("Look at them with sudo -u {user} leveret --dir {theirs}, or set leveret.dir={ours} in PHP and restart php-fpm.")
        }
        None => format!("Look at them with leveret --dir {theirs}, or set leveret.dir={ours} in PHP."),
    };
    Finding::warning(
        SUBJECT,
        format!("its arenas are in {theirs}, this command looks in {ours}"),
        "They do not see the same items.",
        fix,
    )
}

#[cfg(test)]
mod tests {
    use super::super::folder::ChosenBy;
    use super::super::Severity;
    use super::*;

    fn place() -> ArenaFolder {
        ArenaFolder { dir: PathBuf::from("/caches"), choice: ChosenBy::Option, fault: None }
    }

    fn home(dir: &str) -> Vec<Home> {
        vec![Home { who: "php".to_owned(), dir: PathBuf::from(dir), ..Home::default() }]
    }

    fn loaded(settings: &[(&str, &str)]) -> PhpAnswer {
        let mut answer = PhpAnswer {
            version: "8.2.0".to_owned(),
            leveret: Some("0.1.0".to_owned()),
            apcu: Some("5.1.24".to_owned()),
            objects: vec!["leveret".to_owned()],
            ..PhpAnswer::default()
        };
        for (name, value) in
            [("leveret.provide", "apcu,memcached,memcache"), ("apc.enabled", "1"), ("apc.enable_cli", "1")]
                .iter()
                .chain(settings)
        {
            answer.settings.insert((*name).to_owned(), Some((*value).to_owned()));
        }
        answer
    }

    fn levels(answer: &PhpAnswer, home: &[Home], known: &[KnownArena]) -> Vec<Severity> {
        judge(&Asked::command_line(Path::new("php")), answer, home, &place(), known)
            .iter()
            .map(|told| told.finding.level)
            .collect()
    }

    #[test]
    fn a_healthy_php_gives_one_ok() {
        assert_eq!(levels(&loaded(&[]), &home("/caches"), &[]), [Severity::Ok]);
    }

    #[test]
    fn each_illness_is_found() {
        let beside = |module: &str| PhpAnswer { objects: vec!["leveret".to_owned(), module.to_owned()], ..loaded(&[]) };
        for (answer, home, want) in [
            (PhpAnswer::default(), home("/caches"), Severity::Warning),
            (beside("apcu"), home("/caches"), Severity::Warning),
            (beside("memcached"), home("/caches"), Severity::Note),
            (loaded(&[("apc.enabled", "0")]), home("/caches"), Severity::Warning),
            (loaded(&[("apc.enable_cli", "0")]), home("/caches"), Severity::Ok),
            (loaded(&[]), home("/elsewhere"), Severity::Warning),
        ] {
            assert_eq!(levels(&answer, &home, &[]).last(), Some(&want));
        }
    }

    #[test]
    fn a_home_that_its_user_cannot_use_is_a_problem() {
        let closed = Some(Closed { why: "it cannot".to_owned(), fix: "true".to_owned() });
        let home = Home { who: "php-fpm 8.2, pool www (user shop)".to_owned(), closed, ..Home::default() };
        assert_eq!(levels(&loaded(&[]), &[home], &[]), [Severity::Ok, Severity::Problem]);
    }

    /// After the instructions for installing and half of those for removing: leveret is disabled, and so are the
    /// originals. The site answers 500; doctor said "0 problems".
    #[test]
    fn a_module_that_nothing_provides_is_a_problem() {
        let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let fpm =
            Asked { service: Some("php8.2-fpm".to_owned()), is_server: true, ..Asked::command_line(Path::new("php")) };
        let fix = |leveret: bool, is_installed: bool, modules: &[&str], available: &[&str]| {
            let answer = PhpAnswer {
                leveret: leveret.then(|| "0.1.0".to_owned()),
                ini_file: Some("/etc/php/8.2/fpm/php.ini".to_owned()),
                is_installed,
                is_listed: is_installed,
                modules: words(modules),
                available: words(available),
                ..loaded(&[])
            };
            let findings = merge(judge(&fpm, &answer, &[], &place(), &[]));
            findings.into_iter().find(|finding| finding.level == Severity::Problem).and_then(|finding| finding.fix)
        };
        let ours = Some("phpenmod -v 8.2 leveret && systemctl try-restart php8.2-fpm".to_owned());
        let originals = Some("phpenmod -v 8.2 apcu memcached && systemctl try-restart php8.2-fpm".to_owned());
        assert_eq!(fix(false, true, &[], &["apcu", "memcached"]), ours);
        assert_eq!(fix(false, true, &["memcached"], &["apcu", "memcached"]), ours);
        assert_eq!(fix(false, false, &[], &["apcu", "memcached"]), originals, "after a purge");
        assert_eq!(fix(true, true, &[], &["apcu", "memcached"]), originals, "leveret.provide is empty");
        assert_eq!(fix(true, true, &["apcu", "memcached", "memcache"], &["apcu", "memcached"]), None);
        assert_eq!(fix(false, true, &["apcu"], &["apcu"]), None, "the original is enabled");
        assert_eq!(fix(false, false, &["memcached"], &["apcu", "memcached"]), None, "Leveret was never here");
        assert_eq!(fix(false, true, &[], &[]), None, "nothing was ever provided");
    }

    #[test]
    fn several_that_are_the_same_are_one_finding() {
        let told = |who: &str, found: &str, unit: Option<&str>| Told {
            who: who.to_owned(),
            finding: Finding::warning(SUBJECT, found, "", "true"),
            restart: unit.map(str::to_owned),
        };
        let merged = merge(vec![
            told("a", "x", None),
            told("b", "x", Some("fpm")),
            told("a", "y", None),
            told("c", "x", Some("apache2")),
            told("b", "x", Some("fpm")),
        ]);
        let found: Vec<(&str, Option<&str>)> =
            merged.iter().map(|finding| (finding.found.as_str(), finding.fix.as_deref())).collect();
        let all = Some("true && systemctl try-restart fpm apache2");
        assert_eq!(found, [("a, b, c: x", all), ("a: y", Some("true"))]);
    }

    #[test]
    fn what_switches_the_extension_on_keeps_its_settings() {
        let php = |ini: &str, is_installed, is_listed| {
            enable(&PhpAnswer { ini_file: Some(ini.to_owned()), is_installed, is_listed, ..PhpAnswer::default() })
        };
        let fpm = "/etc/php/8.2/fpm/php.ini";
        assert_eq!(php(fpm, true, true), "phpenmod -v 8.2 leveret");
        assert_eq!(
            php(fpm, true, false),
            "echo extension=leveret.so > /etc/php/8.2/mods-available/leveret.ini && phpenmod -v 8.2 leveret"
        );
        assert!(php(fpm, false, false).starts_with("Install the extension (the package php8.2-leveret"));
        assert_eq!(php("/etc/php/8.2/cli/php.ini", true, true), "phpenmod -v 8.2 leveret");
        assert_eq!(php("/opt/php.ini", true, false), "echo extension=leveret.so >> /opt/php.ini   # then restart PHP");
    }

    #[test]
    fn each_pool_of_fpm_has_its_users_folder_unless_told_otherwise() {
        let users = AccountFiles::of("www-data:x:33:33::/:/bin/false\nshop:x:4242:4242::/:/bin/false\n", "");
        let pool = |name: &str, user: &str, dir: Option<&str>| FpmPool {
            name: name.to_owned(),
            user: user.to_owned(),
            dir: dir.map(PathBuf::from),
        };
        let pools = vec![
            pool("www", "www-data", Some("/run/www")),
            pool("shop", "shop", None),
            pool("mail", "shop", None),
            pool("lost", "nobody-here", None),
        ];
        let fpm =
            Asked { name: "php-fpm 8.2".to_owned(), is_server: true, pools, ..Asked::command_line(Path::new("php")) };
        // The environment of doctor's user does not reach a pool.
        let mut answer = PhpAnswer { environment: Some("/caches".to_owned()), ..loaded(&[]) };
        let dirs = |answer: &PhpAnswer| {
            let mut dirs: Vec<PathBuf> = homes(&fpm, answer, &users, &[]).into_iter().map(|home| home.dir).collect();
            dirs.sort();
            dirs
        };
        assert_eq!(dirs(&answer), [usual_dir(4242, "shop", &users), PathBuf::from("/run/www")]);
        let findings = merge(judge(&fpm, &answer, &homes(&fpm, &answer, &users, &[]), &place(), &[]));
        let find = |part: &str| findings.iter().find(|finding| finding.found.starts_with(part)).expect(part);
        let closed = find("php-fpm 8.2, pool www (user www-data): it cannot use /run/www (leveret.dir)");
        assert_eq!(closed.level, Severity::Problem);
        let elsewhere = find("php-fpm 8.2, pools shop, mail (user shop): its arenas are in ");
        assert_eq!(elsewhere.level, Severity::Warning);
        assert_eq!(elsewhere.fix.as_deref(), Some(sharing("shop").as_str()), "{findings:?}");
        answer.settings.insert("leveret.dir".to_owned(), Some("/srv/caches".to_owned()));
        assert_eq!(dirs(&answer), [PathBuf::from("/run/www"), PathBuf::from("/srv/caches")]);
    }
}
