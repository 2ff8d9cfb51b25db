//! PHP: is the extension loaded, does a real one stand before it, does it use the same arenas as this command.
mod ask;
mod pools;

use super::arenas::Known;
use super::folder::{sharing, Place};
use super::Finding;
use crate::output::shell_word;
use crate::units::{bytes, parse_size};
use crate::users::Users;
use ask::{Answer, Asked};
use leveret_engine::MEMORY_MIN;
use leveret_place::SHARED;
use pools::Pool;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

const SUBJECT: &str = "php";

/// Asks `php` with its own configuration, or else the PHP of the command line and every server configuration of Debian.
pub fn examine(php: Option<&Path>, place: &Place, known: &[Known]) -> Vec<Finding> {
    let everyone = match php {
        Some(php) => vec![Asked::command_line(php)],
        None => std::iter::once(Asked::command_line(Path::new("php")))
            .chain(ask::debian_servers(Path::new("/etc/php")))
            .collect(),
    };
    let users = Users::read();
    let mut findings = Vec::new();
    for asked in everyone {
        match ask::ask(&asked) {
            Ok(answer) => {
                let homes = homes(&asked, &answer, &users);
                findings.extend(judge(&asked, &answer, &homes, place, known));
            }
            Err(ask::Silent::Absent) => findings.push(Finding::note(
                SUBJECT,
                format!("{} was not found", asked.binary.display()),
                "If PHP lies elsewhere, name it: leveret doctor --php PATH.",
            )),
            Err(ask::Silent::Failed(why)) => {
                let means = "Its configuration could not be read, so nothing can be said of it.";
                findings.push(Finding::warning(
                    SUBJECT,
                    format!("{}: {why}", asked.name),
                    means,
                    format!("{} -v", asked.binary.display()),
                ));
            }
        }
    }
    findings
}

/// Where a PHP keeps its arenas: as which user, and in which folder.
#[derive(Default)]
struct Home {
    /// "php-fpm's pool www (user www-data)", or nothing where that goes without saying.
    who: String,
    dir: PathBuf,
    pool_user: Option<String>,
    /// By `leveret.dir`.
    is_chosen: bool,
    /// Why this user can have no arena there.
    closed: Option<Closed>,
}

/// Why a user can have no arena in a folder, and how he can.
#[derive(Debug, PartialEq, Eq)]
struct Closed {
    why: String,
    mend: String,
}

/// The engine's rules for a folder that is named, for another user.
fn closed(dir: &Path, user: &str, users: &Users) -> Option<Closed> {
    let name = dir.display();
    // It may be there already: owner and mode are set all the same.
    let made = match users.gid("leveret").filter(|group| users.is_member(user, *group)) {
        Some(_) => format!("install -d -m 2770 -o root -g leveret {}", shell_word(dir)),
        None => format!("install -d -m 700 -o {user} {}", shell_word(dir)),
    };
    let closed = |why: String, mend: String| Some(Closed { why, mend });
    let Ok(stat) = std::fs::metadata(dir) else { return closed(format!("there is no folder {name}"), made) };
    if !stat.is_dir() {
        return closed(format!("{name} is not a folder"), "Name a folder in leveret.dir.".to_owned());
    }
    let uid = users.uid(user)?;
    if stat.uid() != 0 && stat.uid() != uid {
        return closed(format!("{name} belongs to {}", users.name(stat.uid())), made);
    }
    if stat.mode() & 0o1002 == 0o002 {
        return closed(format!("everybody may write to {name}"), format!("chmod o-w {}", shell_word(dir)));
    }
    let needed = match (stat.uid() == uid, users.is_member(user, stat.gid())) {
        (true, _) => 0o700,
        (false, true) => 0o070,
        (false, false) => 0o007,
    };
    if uid != 0 && stat.mode() & needed != needed {
        let owners = format!("{}:{}", users.name(stat.uid()), users.group_name(stat.gid()));
        return closed(format!("{name} is {owners}'s with mode {:04o}", stat.mode() & 0o7777), made);
    }
    None
}

/// The command line runs as we do; each pool of php-fpm runs as its own user, and inherits no environment.
fn homes(asked: &Asked, answer: &Answer, users: &Users) -> Vec<Home> {
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
    let home = |pool: &Pool| {
        let uid = users.uid(&pool.user)?;
        let chosen = pool.dir.clone().or_else(|| configured.clone());
        Some(Home {
            who: format!("{}, pool {} (user {})", asked.name, pool.name, pool.user),
            is_chosen: chosen.is_some(),
            closed: chosen.as_deref().and_then(|dir| closed(dir, &pool.user, users)),
            dir: chosen.unwrap_or_else(|| usual_dir(uid, &pool.user, users)),
            pool_user: Some(pool.user.clone()),
        })
    };
    asked.pools.iter().filter_map(home).collect()
}

/// The engine's rule, for another user.
fn usual_dir(uid: u32, user: &str, users: &Users) -> PathBuf {
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

fn judge(asked: &Asked, answer: &Answer, homes: &[Home], place: &Place, known: &[Known]) -> Vec<Finding> {
    let name = &asked.name;
    let Some(version) = &answer.leveret else {
        let mend = enable(answer);
        return vec![Finding::warning(
            SUBJECT,
            format!("{name}: PHP {} does not load leveret", answer.version),
            "PHP uses no arena.",
            mend,
        )];
    };
    let mut findings = vec![Finding::ok(SUBJECT, format!("{name}: PHP {} loads leveret {version}", answer.version))];
    findings.extend(rivals(name, answer));
    findings.extend(apcu_switches(asked, answer));
    for home in homes {
        if let Some(Closed { why, mend }) = &home.closed {
            findings.push(Finding::problem(
                SUBJECT,
                format!("{} can have no arena in {}, where leveret.dir points: {why}", home.who, home.dir.display()),
                "Its cache is switched off; PHP's log has a line about it.",
                format!("{mend}, then restart php-fpm"),
            ));
        } else if home.dir == place.dir {
            findings.extend(sizes(name, answer, known));
        } else {
            findings.push(elsewhere(home, place));
        }
    }
    findings
}

/// How the extension is switched on.
fn enable(answer: &Answer) -> String {
    let ini = answer.ini_file.as_deref().unwrap_or("php.ini");
    // Debian: /etc/php/8.2/fpm/php.ini
    let debian = ini.strip_prefix("/etc/php/").and_then(|rest| rest.split_once('/'));
    let on = match debian {
        Some((version, server)) => {
            let restart = match server.split('/').next() {
                Some("fpm") => format!(" && systemctl restart php{version}-fpm"),
                Some("apache2") => " && systemctl restart apache2".to_owned(),
                _ => String::new(),
            };
            format!("phpenmod -v {version} leveret{restart}")
        }
        None => format!("echo extension=leveret.so >> {ini}, then restart PHP"),
    };
    match (debian, answer.is_installed, answer.is_listed) {
        (Some((version, _)), false, _) => {
            format!("Install the extension (the package php{version}-leveret, or docs/install.md), then: {on}")
        }
        (None, false, _) => format!("Install the extension (docs/install.md), then: {on}"),
        (Some((version, _)), true, false) => {
            format!("echo extension=leveret.so > /etc/php/{version}/mods-available/leveret.ini && {on}")
        }
        _ => on,
    }
}

/// Real extensions win over the modules that we provide. Who adds leveret.so wants its apcu; a real client may be there
/// on purpose.
fn rivals(name: &str, answer: &Answer) -> Vec<Finding> {
    let provided = answer.setting("leveret.provide").unwrap_or_default();
    let provided = || provided.split([',', ' ']).filter(|module| !module.is_empty());
    provided()
        .filter(|module| answer.objects.iter().any(|object| object == *module))
        .map(|module| {
            let found = format!("{name}: the real {module}.so is loaded beside leveret.so, and wins");
            let means = format!("What PHP code does with {module} reaches no arena.");
            let mend = format!(
                "phpdismod {module} (or remove the line extension={module}.so), then restart PHP; or take {module} out of leveret.provide"
            );
            if module == "apcu" {
                Finding::warning(SUBJECT, found, means, mend)
            } else {
                Finding::note(SUBJECT, found, means).mended_by(mend)
            }
        })
        .collect()
}

fn apcu_switches(asked: &Asked, answer: &Answer) -> Option<Finding> {
    let is_ours = answer.apcu.is_some() && !answer.objects.iter().any(|object| object == "apcu");
    if !is_ours {
        return None;
    }
    let is_on = |setting| {
        answer
            .setting(setting)
            .is_some_and(|value| matches!(value.to_ascii_lowercase().as_str(), "1" | "on" | "yes" | "true"))
    };
    let name = &asked.name;
    if !is_on("apc.enabled") {
        return Some(Finding::warning(
            SUBJECT,
            format!("{name}: apc.enabled is off"),
            "All apcu_* functions answer as a disabled cache does.",
            "Set apc.enabled=1 in php.ini.",
        ));
    }
    if !asked.is_server && !is_on("apc.enable_cli") {
        let means = "On the command line apcu_* is off, which is PHP's habit. Web requests are not concerned.";
        return Some(
            Finding::note(SUBJECT, format!("{name}: apc.enable_cli is off"), means)
                .mended_by("php -d apc.enable_cli=1 ..., or set it in php.ini"),
        );
    }
    None
}

fn elsewhere(home: &Home, place: &Place) -> Finding {
    let (theirs, ours) = (home.dir.display(), place.dir.display());
    // A pool has a user of its own: one folder for all users is the group's.
    let mend = match &home.pool_user {
        Some(user) if !home.is_chosen => {
            format!("{}, then restart php-fpm; or sudo -u {user} leveret --dir {theirs} ...", sharing(user))
        }
        Some(user) => {
            format!("sudo -u {user} leveret --dir {theirs} ..., or set leveret.dir={ours} in PHP and restart php-fpm")
        }
        None => format!("leveret --dir {theirs} ..., or set leveret.dir={ours} in PHP"),
    };
    Finding::warning(
        SUBJECT,
        format!("{} keeps its arenas in {theirs}, this command looks in {ours}", home.who),
        "They do not see the same items.",
        mend,
    )
}

/// The size of an existing arena wins over what PHP asks for.
fn sizes(name: &str, answer: &Answer, known: &[Known]) -> Vec<Finding> {
    let bare =
        |setting, default| answer.setting(setting).map_or(default, |name| name.strip_prefix("arena:").unwrap_or(name));
    [("leveret.memory", bare("leveret.arena", "default")), ("apc.shm_size", bare("leveret.apcu_arena", "apcu"))]
        .into_iter()
        .filter_map(|(setting, arena)| {
            let text = answer.setting(setting)?;
            let asked = parse_size(text).ok()?.max(MEMORY_MIN);
            let memory = known.iter().find(|known| known.name == arena)?.summary()?.memory;
            (asked != memory).then(|| {
                Finding::note(
                    SUBJECT,
                    format!("{name}: {setting}={text}, but the arena '{arena}' has {}", bytes(memory)),
                    "The size of an existing arena wins.",
                )
                .mended_by(format!(
                    "leveret rm --force {arena}, then restart PHP (the next process makes it anew, empty)"
                ))
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::folder::Choice;
    use super::super::Level;
    use super::*;
    use crate::commands::stats::Summary;

    fn place() -> Place {
        Place { dir: PathBuf::from("/caches"), choice: Choice::Option }
    }

    fn home(dir: &str) -> Vec<Home> {
        vec![Home { who: "php".to_owned(), dir: PathBuf::from(dir), ..Home::default() }]
    }

    fn loaded(settings: &[(&str, &str)]) -> Answer {
        let mut answer = Answer {
            version: "8.2.0".to_owned(),
            leveret: Some("0.1.0".to_owned()),
            apcu: Some("5.1.24".to_owned()),
            objects: vec!["leveret".to_owned()],
            ..Answer::default()
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

    fn levels(answer: &Answer, home: &[Home], known: &[Known]) -> Vec<Level> {
        judge(&Asked::command_line(Path::new("php")), answer, home, &place(), known)
            .iter()
            .map(|finding| finding.level)
            .collect()
    }

    #[test]
    fn a_healthy_php_gives_one_ok() {
        assert_eq!(levels(&loaded(&[]), &home("/caches"), &[]), [Level::Ok]);
    }

    #[test]
    fn each_illness_is_found() {
        let beside = |module: &str| Answer { objects: vec!["leveret".to_owned(), module.to_owned()], ..loaded(&[]) };
        for (answer, home, want) in [
            (Answer::default(), home("/caches"), Level::Warning),
            (beside("apcu"), home("/caches"), Level::Warning),
            (beside("memcached"), home("/caches"), Level::Note),
            (loaded(&[("apc.enabled", "0")]), home("/caches"), Level::Warning),
            (loaded(&[("apc.enable_cli", "0")]), home("/caches"), Level::Note),
            (loaded(&[]), home("/elsewhere"), Level::Warning),
        ] {
            assert_eq!(levels(&answer, &home, &[]).last(), Some(&want));
        }
    }

    #[test]
    fn a_folder_that_a_pools_user_cannot_use_is_a_problem() {
        let uid = rustix::process::geteuid().as_raw();
        let passwd = format!("me:x:{uid}:1::/:/bin/sh\nshop:x:4242:4242::/:/bin/false\n");
        let users = |members: &str| Users::of(&passwd, &format!("leveret:x:4243:{members}\n"));
        let dir = tempfile::tempdir().expect("a folder");
        let closed = |user: &str, users: &Users| closed(dir.path(), user, users);
        let set = |mode| {
            std::fs::set_permissions(dir.path(), std::os::unix::fs::PermissionsExt::from_mode(mode)).expect("ours");
        };
        set(0o700);
        assert_eq!(closed("me", &users("")), None);
        let name = dir.path().display().to_string();
        let mend = |members: &str| closed("shop", &users(members)).map(|closed| closed.mend);
        assert_eq!(mend(""), Some(format!("install -d -m 700 -o shop {name}")));
        assert_eq!(mend("anna,shop"), Some(format!("install -d -m 2770 -o root -g leveret {name}")));
        set(0o777);
        assert_eq!(closed("me", &users("")).map(|closed| closed.mend), Some(format!("chmod o-w {name}")));
        drop(std::fs::remove_dir(dir.path()));
        assert_eq!(closed("me", &users("")).map(|closed| closed.why), Some(format!("there is no folder {name}")));
        let home = Home {
            who: "php-fpm 8.2, pool www (user shop)".to_owned(),
            closed: closed("shop", &users("")),
            ..Home::default()
        };
        assert_eq!(levels(&loaded(&[]), &[home], &[]), [Level::Ok, Level::Problem]);
    }

    #[test]
    fn what_switches_the_extension_on_keeps_its_settings() {
        let php = |ini: &str, is_installed, is_listed| {
            enable(&Answer { ini_file: Some(ini.to_owned()), is_installed, is_listed, ..Answer::default() })
        };
        let fpm = "/etc/php/8.2/fpm/php.ini";
        assert_eq!(php(fpm, true, true), "phpenmod -v 8.2 leveret && systemctl restart php8.2-fpm");
        assert_eq!(
            php(fpm, true, false),
            "echo extension=leveret.so > /etc/php/8.2/mods-available/leveret.ini && phpenmod -v 8.2 leveret && systemctl restart php8.2-fpm"
        );
        assert!(php(fpm, false, false).starts_with("Install the extension (the package php8.2-leveret"));
        assert_eq!(php("/etc/php/8.2/cli/php.ini", true, true), "phpenmod -v 8.2 leveret");
        assert_eq!(php("/opt/php.ini", true, false), "echo extension=leveret.so >> /opt/php.ini, then restart PHP");
    }

    #[test]
    fn each_pool_of_fpm_has_its_users_folder_unless_told_otherwise() {
        let users = Users::of("www-data:x:33:33::/:/bin/false\nshop:x:4242:4242::/:/bin/false\n", "");
        let pool = |name: &str, user: &str, dir: Option<&str>| Pool {
            name: name.to_owned(),
            user: user.to_owned(),
            dir: dir.map(PathBuf::from),
        };
        let pools = vec![
            pool("www", "www-data", Some("/run/www")),
            pool("shop", "shop", None),
            pool("lost", "nobody-here", None),
        ];
        let fpm =
            Asked { name: "php-fpm 8.2".to_owned(), is_server: true, pools, ..Asked::command_line(Path::new("php")) };
        // The environment of whoever runs doctor does not reach a pool.
        let mut answer = Answer { environment: Some("/caches".to_owned()), ..loaded(&[]) };
        let dirs = |answer: &Answer| homes(&fpm, answer, &users).into_iter().map(|home| home.dir).collect::<Vec<_>>();
        assert_eq!(dirs(&answer), [PathBuf::from("/run/www"), usual_dir(4242, "shop", &users)]);
        let findings = judge(&fpm, &answer, &homes(&fpm, &answer, &users), &place(), &[]);
        assert_eq!((findings[1].level, findings[2].level), (Level::Problem, Level::Warning), "{findings:?}");
        assert!(findings[1].found.starts_with("php-fpm 8.2, pool www (user www-data) can have no arena in /run/www"));
        assert!(findings[2].found.starts_with("php-fpm 8.2, pool shop (user shop) keeps its arenas in "));
        assert!(
            findings[2].mend.as_ref().is_some_and(|mend| mend.contains("usermod -aG leveret shop")),
            "{findings:?}"
        );
        answer.settings.insert("leveret.dir".to_owned(), Some("/srv/caches".to_owned()));
        assert_eq!(dirs(&answer), [PathBuf::from("/run/www"), PathBuf::from("/srv/caches")]);
    }

    #[test]
    fn the_size_of_an_existing_arena_wins_and_is_told() {
        let known = |name: &str, memory| Known {
            name: name.to_owned(),
            path: PathBuf::new(),
            servers: Vec::new(),
            file_len: 0,
            state: Ok(Summary { memory, ..Summary::default() }),
        };
        let answer = loaded(&[
            ("leveret.memory", "64M"),
            ("apc.shm_size", "32M"),
            ("leveret.arena", "arena:shop"),
            ("leveret.apcu_arena", "apcu-8.2"),
        ]);
        assert_eq!(
            levels(&answer, &home("/caches"), &[known("shop", 64 << 20), known("apcu-8.2", 32 << 20)]),
            [Level::Ok]
        );
        assert_eq!(
            levels(&answer, &home("/caches"), &[known("shop", 8 << 20), known("apcu-8.2", 8 << 20)]),
            [Level::Ok, Level::Note, Level::Note]
        );
        assert_eq!(levels(&answer, &home("/caches"), &[known("default", 8 << 20)]), [Level::Ok]);
    }
}
