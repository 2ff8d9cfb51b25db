//! The folder of the arenas: which users may use it and share it.
use super::known::KnownArena;
use super::volume::{self, mount_point, Volume};
use super::{Finding, Severity};
use crate::users::AccountFiles;
use leveret_engine::{is_trusted_owner, reason};
use leveret_place::SHARED;
use rustix::fs::{accessat, Access, AtFlags, CWD};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

const SUBJECT: &str = "folder";

/// How `user` comes to share the folder of the group.
pub fn sharing(user: &str) -> String {
    sharing_with(shared_group().as_deref(), user)
}

/// The group of a folder that a package has made.
fn shared_group() -> Option<String> {
    leveret_place::check_default(Path::new(SHARED)).ok().filter(|is_there| *is_there)?;
    let shared = fs::metadata(SHARED).ok().filter(|shared| shared.mode() & 0o2070 == 0o2070 && shared.gid() != 0)?;
    Some(AccountFiles::read().group_name(shared.gid()))
}

fn sharing_with(group: Option<&str>, user: &str) -> String {
    match group {
        Some(group) => format!("usermod -aG {group} {user}"),
        None => format!("groupadd -f leveret && usermod -aG leveret {user} && {}", making()),
    }
}

/// How the folder of the group comes to be. /dev/shm is empty after a boot: systemd-tmpfiles creates it again.
fn making() -> String {
    if Path::new("/usr/bin/systemd-tmpfiles").exists() {
        format!(
            "echo 'd {SHARED} 2770 root leveret' > /etc/tmpfiles.d/leveret.conf && systemd-tmpfiles --create /etc/tmpfiles.d/leveret.conf"
        )
    } else {
        format!("install -d -m 2770 -o root -g leveret {SHARED} (at each boot)")
    }
}

/// Who chose the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChosenBy {
    /// --dir
    Option,
    /// $LEVERET_DIR
    Environment,
    /// The default: the folder of the group.
    Shared,
    /// The default: the user's own folder.
    Private,
}

/// Where this command looks for arenas, and why there.
#[derive(Clone, Debug)]
pub struct ArenaFolder {
    pub dir: PathBuf,
    pub choice: ChosenBy,
    /// What keeps the users of this host from sharing the folder of the group, and the command that ends it.
    pub fault: Option<Finding>,
}

impl ArenaFolder {
    pub fn of(asked: Option<&Path>) -> Result<ArenaFolder, String> {
        let absolute = asked.map(std::path::absolute).transpose().map_err(|error| reason(&error))?;
        let dir = leveret_place::directory(absolute.as_deref()).map_err(|error| error.to_string())?;
        let choice = match asked {
            Some(asked) if std::env::var_os("LEVERET_DIR").is_some_and(|dir| dir == asked.as_os_str()) => {
                ChosenBy::Environment
            }
            Some(_) => ChosenBy::Option,
            None if dir == Path::new(SHARED) => ChosenBy::Shared,
            None => ChosenBy::Private,
        };
        let is_default = matches!(choice, ChosenBy::Shared | ChosenBy::Private);
        let fault = if is_default { shared_fault(&AccountFiles::read()) } else { None };
        Ok(ArenaFolder { dir, choice, fault })
    }
}

/// What is wrong with the folder of the group. One finding, though users of this host meet it in many ways: some have
/// folders of their own, some see other arenas, some see none.
fn shared_fault(users: &AccountFiles) -> Option<Finding> {
    let found = fs::symlink_metadata(SHARED).ok()?;
    let as_root = if rustix::process::geteuid().is_root() { "" } else { " Only root can change it." };
    if !found.is_dir() || !is_trusted_owner(found.uid()) {
        let why = match leveret_place::check_default(Path::new(SHARED)) {
            Err(error) if is_trusted_owner(found.uid()) => error.to_string(),
            _ => format!("{SHARED} belongs to {}, so it is not used", users.name(found.uid())),
        };
        return Some(Finding::problem(
            SUBJECT,
            why,
            format!("Its owner could read and change what all users cache. Until it is removed, each user has private arenas and shares nothing.{as_root}"),
            format!("rm -r {SHARED}; groupadd -f leveret && {}", making()),
        ));
    }
    let mode = found.mode() & 0o7777;
    let is_roots = found.gid() == 0;
    // A user's own, in a place where root makes none.
    let is_well = if found.uid() == 0 { mode & 0o2072 == 0o2070 && !is_roots } else { mode & 0o002 == 0 };
    if is_well {
        return None;
    }
    let (level, means) = if mode & 0o002 != 0 {
        (
            Severity::Problem,
            "Every user may create files there, so it is not used: each user has private arenas and shares nothing.",
        )
    } else if mode & 0o070 != 0o070 || is_roots {
        (
            Severity::Warning,
            "Its group may not use it: php-fpm, the server and other users have arenas of their own, or none.",
        )
    } else {
        (Severity::Warning, "It is not setgid: arenas made there are private to the user who makes them.")
    };
    let regroup = if is_roots { format!("groupadd -f leveret && chgrp leveret {SHARED} && ") } else { String::new() };
    Some(Finding {
        level,
        subject: SUBJECT,
        found: format!(
            "{SHARED} is {}:{} with mode {mode:04o}",
            users.name(found.uid()),
            users.group_name(found.gid())
        ),
        means: format!("{means}{as_root}"),
        fix: Some(format!("{regroup}chmod 2770 {SHARED}")),
    })
}

/// The folder as the kernel shows it.
pub struct FolderFacts {
    pub dir: PathBuf,
    pub choice: ChosenBy,
    pub user: String,
    pub uid: u32,
    pub owner: String,
    pub group: String,
    /// Why no arena of this folder is used.
    pub distrust: Option<String>,
    pub is_dir: bool,
    pub mode: u32,
    pub may_write: bool,
    pub volume: Volume,
    /// Whether /dev/shm/leveret is as it should be but this user may not use it.
    pub shared_is_closed: bool,
    /// Although the user is in its group: since a time after this session began.
    pub is_member: bool,
    pub fault: Option<Finding>,
    pub others: Vec<Other>,
    pub squatters: Vec<Squatter>,
    /// logind removes what a user leaves in /dev/shm when he logs out.
    pub logind_cleans: bool,
}

/// What another user has put in the place of a user's own folder.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub struct Squatter {
    pub folder: PathBuf,
    pub owner: String,
    /// Whose folder it should be.
    pub user: String,
}

/// A single user's folder with arenas, beside the one of this command.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub struct Other {
    pub folder: PathBuf,
    pub user: String,
    /// Whether what this user starts from now on uses the folder of the group.
    pub may_share: bool,
}

pub fn examine(place: &ArenaFolder, known: &[KnownArena]) -> Vec<Finding> {
    match gather(place) {
        Ok(facts) => judge(&facts, known),
        Err(error) if error.kind() == io::ErrorKind::NotFound => vec![Finding::problem(
            SUBJECT,
            format!("{} does not exist", place.dir.display()),
            "No arena can be made there.",
            format!("install -d -m 700 {}", place.dir.display()),
        )],
        Err(error) => vec![Finding::problem(
            SUBJECT,
            format!("cannot look at {}: {}", place.dir.display(), reason(&error)),
            "No arena can be made or found there.",
            "Choose a folder of this user: LEVERET_DIR (PHP: leveret.dir).",
        )],
    }
}

fn gather(place: &ArenaFolder) -> io::Result<FolderFacts> {
    let users = AccountFiles::read();
    let uid = rustix::process::geteuid().as_raw();
    let stat = fs::metadata(&place.dir)?;
    Ok(FolderFacts {
        dir: place.dir.clone(),
        choice: place.choice,
        is_member: fs::metadata(SHARED).is_ok_and(|shared| users.is_member(&users.name(uid), shared.gid())),
        fault: place.fault.clone(),
        user: users.name(uid),
        uid,
        owner: users.name(stat.uid()),
        group: users.group_name(stat.gid()),
        distrust: leveret_place::check(&place.dir).err().map(|error| error.to_string()),
        is_dir: stat.is_dir(),
        mode: stat.mode() & 0o7777,
        may_write: accessat(CWD, &place.dir, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS)
            .is_ok(),
        volume: Volume::of(&place.dir)?,
        shared_is_closed: place.choice == ChosenBy::Private
            && place.fault.is_none()
            && leveret_place::check_default(Path::new(SHARED)).is_ok_and(|is_there| is_there),
        others: if place.fault.is_none() { other_folders(&place.dir, &users) } else { Vec::new() },
        squatters: squatters(&users),
        logind_cleans: logind_cleans() && !Path::new("/var/lib/systemd/linger").join(users.name(uid)).exists(),
    })
}

/// Whose own folder has this name: `leveret-33`, or, if another user had taken that, `leveret-33.` and more.
fn user_of(folder: &Path) -> Option<u32> {
    folder.to_str()?.strip_prefix(SHARED)?.strip_prefix('-')?.split('.').next()?.parse().ok()
}

/// What lies in /dev/shm, each with its owner.
fn in_shared_memory() -> impl Iterator<Item = (PathBuf, fs::Metadata)> {
    let entries = fs::read_dir("/dev/shm").into_iter().flatten();
    entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter_map(|path| Some((fs::symlink_metadata(&path).ok()?, path)))
        .map(|(found, path)| (path, found))
}

/// Every user's folder in /dev/shm, by our naming rule, that holds arenas or does not let us look.
fn other_folders(ours: &Path, users: &AccountFiles) -> Vec<Other> {
    let group = fs::metadata(SHARED).ok().map(|shared| shared.gid());
    let mut others: Vec<Other> = in_shared_memory()
        .filter(|(path, found)| path != ours && found.is_dir() && user_of(path) == Some(found.uid()))
        .filter(|(path, _)| leveret_place::list(Some(path)).map_or(true, |arenas| !arenas.is_empty()))
        .map(|(folder, found)| {
            let user = users.name(found.uid());
            let may_share = group.is_some_and(|group| found.uid() == 0 || users.is_member(&user, group));
            Other { folder, user, may_share }
        })
        .collect();
    others.sort();
    others
}

fn squatters(users: &AccountFiles) -> Vec<Squatter> {
    let mut squatters: Vec<Squatter> = in_shared_memory()
        .filter_map(|(folder, found)| {
            let uid = user_of(&folder).filter(|uid| *uid != found.uid() || !found.is_dir())?;
            Some(Squatter { folder, owner: users.name(found.uid()), user: users.name(uid) })
        })
        .collect();
    squatters.sort();
    squatters
}

/// systemd-logind's RemoveIPC is on unless its configuration says no.
fn logind_cleans() -> bool {
    let said_no =
        |text: &str| text.lines().any(|line| line.trim().replace(' ', "").eq_ignore_ascii_case("RemoveIPC=no"));
    let read = |path: &Path| fs::read_to_string(path).unwrap_or_default();
    let pieces = ["/etc/systemd/logind.conf.d", "/usr/lib/systemd/logind.conf.d", "/run/systemd/logind.conf.d"];
    let files =
        pieces.iter().filter_map(|dir| fs::read_dir(dir).ok()).flatten().filter_map(|entry| Some(entry.ok()?.path()));
    Path::new("/run/systemd/system").is_dir()
        && !files.chain([PathBuf::from("/etc/systemd/logind.conf")]).any(|path| said_no(&read(&path)))
}

fn judge(facts: &FolderFacts, known: &[KnownArena]) -> Vec<Finding> {
    let dir = facts.dir.display();
    if !facts.is_dir {
        return vec![Finding::problem(
            SUBJECT,
            format!("{dir} is not a folder"),
            "No arena can be made or found there.",
            "Name a folder: LEVERET_DIR (PHP: leveret.dir).",
        )];
    }
    let mut findings = vec![access_finding(facts)];
    findings.extend(facts.fault.clone());
    findings.extend(facts.squatters.iter().map(squatter_finding));
    findings.extend(sharing_findings(facts));
    findings.extend(volume::judge(&facts.volume, &facts.dir, known));
    if facts.logind_cleans && facts.dir.starts_with("/dev/shm") && facts.uid >= 1000 {
        findings.push(
            Finding::note(
                SUBJECT,
                "systemd-logind removes files of ordinary users from /dev/shm (RemoveIPC)",
                format!("When {} logs out for the last time, the arenas that this user has made go, also in a shared folder.", facts.user),
            )
            .fixed_by(format!("loginctl enable-linger {}", facts.user)),
        );
    }
    findings
}

fn access_finding(facts: &FolderFacts) -> Finding {
    let dir = facts.dir.display();
    if facts.volume.read_only {
        return Finding::problem(
            SUBJECT,
            format!("{dir} is mounted read-only"),
            "Even reading an arena maps its file for writing.",
            format!("mount -o remount,rw {}", mount_point(&facts.dir).display()),
        );
    }
    if let Some(why) = &facts.distrust {
        let means =
            "The folder's owner, and users who may replace files in it, decide what is read there: no arena in it is used.";
        return Finding::problem(SUBJECT, why.clone(), means, trusting(facts));
    }
    if !facts.may_write {
        let means = format!(
            "It belongs to {}:{} with mode {:04o}; {} needs to read, write and enter it.",
            facts.owner, facts.group, facts.mode, facts.user
        );
        return Finding::problem(SUBJECT, format!("{} may not use {dir}", facts.user), means, opening(facts));
    }
    if facts.mode & 0o002 != 0 {
        let means =
            "Another user may create an arena's file first; it is then refused, and there is no arena of that name.";
        return Finding::warning(
            SUBJECT,
            format!("every user may create files in {dir}"),
            means,
            format!("Make a folder in it and name that one: mkdir -m 700 {dir}/arenas"),
        );
    }
    let why = match facts.choice {
        ChosenBy::Option => "by --dir",
        ChosenBy::Environment => "by LEVERET_DIR",
        ChosenBy::Shared => "the folder of the group",
        ChosenBy::Private => "this user's own",
    };
    Finding::ok(SUBJECT, format!("{dir} ({why}), usable by {}", facts.user))
}

/// How a folder that was named comes to be trusted.
fn trusting(FolderFacts { dir, owner, user, mode, .. }: &FolderFacts) -> String {
    let dir = dir.display();
    if mode & 0o1002 == 0o002 {
        format!("chmod o-w {dir}")
    } else if owner != user && owner != "root" {
        format!("Run this as {owner}: sudo -u {owner} leveret. To share the folder with its group: chown root {dir}")
    } else {
        "Name the folder without a symbolic link of another user on the way to it.".to_owned()
    }
}

fn squatter_finding(Squatter { folder, owner, user }: &Squatter) -> Finding {
    let folder = folder.display();
    Finding::warning(
        SUBJECT,
        format!("{folder} belongs to {owner}, who has taken the name of {user}'s own folder"),
        format!("What runs as {user} uses a folder of a longer name instead. Only root can remove it."),
        format!("rm -r {folder}"),
    )
}

/// How the user comes to read, write and enter the folder.
fn opening(FolderFacts { dir, user, owner, group, mode, .. }: &FolderFacts) -> String {
    let dir = dir.display();
    // A member of root's group could write to far more than this folder.
    let serves_its_group = mode & 0o070 == 0o070 && group != "root";
    if owner == user {
        format!("chmod u+rwx {dir}")
    } else if serves_its_group {
        format!("usermod -aG {group} {user}   # then log in again")
    } else {
        format!("chown {user} {dir} && chmod u+rwx {dir}")
    }
}

fn sharing_findings(facts: &FolderFacts) -> Vec<Finding> {
    let mut findings = Vec::new();
    if facts.shared_is_closed {
        let fix = match facts.is_member {
            true => format!("Log in again: this session began before {} was in the group.", facts.user),
            false => format!("usermod -aG leveret {}   # then log in again", facts.user),
        };
        findings.push(Finding::warning(
            SUBJECT,
            format!("{SHARED} exists, but {} may not write there", facts.user),
            format!(
                "Processes of the group's members share arenas there; {} has arenas of its own in {}.",
                facts.user,
                facts.dir.display()
            ),
            fix,
        ));
    }
    for Other { folder, user, may_share } in &facts.others {
        let folder = folder.display();
        let fix = match may_share {
            true => format!("Restart what runs as {user}, then: rm -r {folder}"),
            // Root may write to any folder: these are of a time when there was none, or LEVERET_DIR hides it.
            false if user == "root" => format!("When nothing of root's uses it: rm -r {folder}"),
            false => format!("{}   # then restart what runs as {user}, and rm -r {folder}", sharing(user)),
        };
        let means = format!(
            "What runs as {user} and uses them shares nothing with {}; 'sudo -u {user} leveret list' shows them.",
            facts.dir.display()
        );
        findings.push(Finding::note(SUBJECT, format!("{folder} holds arenas of {user}"), means).fixed_by(fix));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::Severity;
    use super::*;

    fn healthy() -> FolderFacts {
        FolderFacts {
            dir: PathBuf::from(SHARED),
            choice: ChosenBy::Shared,
            user: "anna".to_owned(),
            uid: 1000,
            owner: "root".to_owned(),
            group: "leveret".to_owned(),
            distrust: None,
            is_dir: true,
            mode: 0o2770,
            may_write: true,
            volume: Volume::healthy(),
            shared_is_closed: false,
            is_member: false,
            fault: None,
            others: Vec::new(),
            squatters: Vec::new(),
            logind_cleans: false,
        }
    }

    fn levels(facts: &FolderFacts) -> Vec<Severity> {
        judge(facts, &[]).iter().map(|finding| finding.level).collect()
    }

    #[test]
    fn a_healthy_folder_gives_one_ok() {
        assert_eq!(levels(&healthy()), [Severity::Ok]);
    }

    #[test]
    fn each_problem_is_found_and_has_a_fix() {
        let squatter = Squatter {
            folder: PathBuf::from("/dev/shm/leveret-1000"),
            owner: "games".to_owned(),
            user: "anna".to_owned(),
        };
        let ill: [(&str, FolderFacts, Severity); 7] = [
            (
                "somebody else's",
                FolderFacts { distrust: Some("it is his".to_owned()), owner: "games".to_owned(), ..healthy() },
                Severity::Problem,
            ),
            ("a squatter of a user", FolderFacts { squatters: vec![squatter], ..healthy() }, Severity::Warning),
            ("no folder", FolderFacts { is_dir: false, ..healthy() }, Severity::Problem),
            (
                "read-only",
                FolderFacts { volume: Volume { read_only: true, ..Volume::healthy() }, ..healthy() },
                Severity::Problem,
            ),
            ("no right", FolderFacts { may_write: false, ..healthy() }, Severity::Problem),
            ("open to all", FolderFacts { mode: 0o1777, choice: ChosenBy::Option, ..healthy() }, Severity::Warning),
            (
                "shared is closed",
                FolderFacts { shared_is_closed: true, choice: ChosenBy::Private, ..healthy() },
                Severity::Warning,
            ),
        ];
        for (name, facts, want) in ill {
            let findings = judge(&facts, &[]);
            let worst = findings
                .iter()
                .find(|finding| finding.level != Severity::Ok)
                .unwrap_or_else(|| panic!("{name}: nothing found"));
            assert_eq!(worst.level, want, "{name}: {worst:?}");
            assert!(
                worst.fix.as_ref().is_some_and(|fix| !fix.is_empty()) && !worst.means.is_empty(),
                "{name}: {worst:?}"
            );
        }
    }

    /// Joining a group was the advice wherever its members may write: also where they may not read, and where the group
    /// is root's. An owner without rights was told to become the owner.
    #[test]
    fn what_mends_a_closed_folder_opens_it() {
        let fix = |owner: &str, group: &str, mode| {
            let facts =
                FolderFacts { owner: owner.to_owned(), group: group.to_owned(), mode, may_write: false, ..healthy() };
            judge(&facts, &[]).swap_remove(0).fix.unwrap_or_default()
        };
        assert_eq!(fix("root", "leveret", 0o2770), "usermod -aG leveret anna   # then log in again");
        for (group, mode) in [("root", 0o770), ("leveret", 0o730), ("leveret", 0o760), ("leveret", 0o700)] {
            assert_eq!(
                fix("root", group, mode),
                "chown anna /dev/shm/leveret && chmod u+rwx /dev/shm/leveret",
                "{group} {mode:o}"
            );
        }
        assert_eq!(fix("anna", "leveret", 0o370), "chmod u+rwx /dev/shm/leveret");
    }

    #[test]
    fn who_keeps_arenas_elsewhere_is_named_and_told_how_to_share() {
        let fix = |may_share| {
            let other = Other { folder: PathBuf::from("/dev/shm/leveret-102"), user: "memcache".to_owned(), may_share };
            let finding = judge(&FolderFacts { others: vec![other], ..healthy() }, &[]).swap_remove(1);
            assert_eq!(
                (finding.level, finding.found.as_str()),
                (Severity::Note, "/dev/shm/leveret-102 holds arenas of memcache")
            );
            finding.fix.unwrap_or_default()
        };
        // This host may have a folder of the group.
        assert!(fix(false).starts_with(&format!("{}   # then restart ", sharing("memcache"))), "{}", fix(false));
        assert_eq!(fix(true), "Restart what runs as memcache, then: rm -r /dev/shm/leveret-102");
    }

    #[test]
    fn a_folder_that_is_there_is_joined_and_another_one_made() {
        assert_eq!(sharing_with(Some("web"), "anna"), "usermod -aG web anna");
        let made = sharing_with(None, "anna");
        assert!(made.contains("usermod -aG leveret anna && ") && made.contains(SHARED), "{made}");
    }

    #[test]
    fn logind_matters_to_ordinary_users_with_a_folder_of_their_own() {
        let facts = FolderFacts { choice: ChosenBy::Private, logind_cleans: true, ..healthy() };
        assert_eq!(levels(&facts), [Severity::Ok, Severity::Note]);
        assert_eq!(levels(&FolderFacts { uid: 33, ..facts }), [Severity::Ok]);
    }
}
