//! The arenas of the folder: whether they can be opened and are large enough, and leftover files.
use super::folder::ArenaFolder;
use super::known::KnownArena;
use super::php::access;
use super::volume::Volume;
use super::Finding;
use crate::commands::stats::Summary;
use crate::output::shell_word;
use crate::units::{bytes, counted, percent, span, thousands};
use crate::users::AccountFiles;
use leveret_engine::{OpenError, LAYOUT_VERSION};
use std::fs;
use std::path::{Path, PathBuf};

const SUBJECT: &str = "arenas";
/// Evictions in a full cache are normal; from one per hundred stores on, a larger arena would visibly help.
const EVICTED_PER_SET: f64 = 0.01;

pub fn examine(place: &ArenaFolder, known: &[KnownArena]) -> Vec<Finding> {
    let dir = place.dir.as_path();
    let mut findings = Vec::new();
    let volume = Volume::of(dir).ok();
    // A folder that cannot be read is the folder's own finding.
    if known.is_empty() && fs::read_dir(dir).is_ok() {
        findings.push(Finding::ok(SUBJECT, "none yet: the first 'leveret set' or PHP script makes one"));
    }
    for arena in known {
        match &arena.state {
            Ok(stats) => {
                let can_grow = volume.as_ref().is_none_or(|volume| volume.has_room_for(stats));
                findings.extend(judge(&arena.name, stats, !arena.servers.is_empty(), can_grow));
                findings.extend(
                    arena
                        .servers
                        .iter()
                        .map(|server| Finding::ok(SUBJECT, format!("{}: served at {server}", arena.name))),
                );
            }
            // In a folder without a group, files of its members are not trusted: reported as the folder's finding.
            Err(leveret_place::PlaceError::Open(OpenError::Untrusted { .. })) if place.fault.is_some() => {}
            Err(error) => findings.extend(unusable(arena, error)),
        }
    }
    findings.extend(leftovers(dir).into_iter().map(|path| {
        let means = "A process was killed while it made an arena. Nobody uses the file, but it takes memory.";
        Finding::note(SUBJECT, format!("{} was left behind", path.display()), means)
            .fixed_by(format!("rm {}", shell_word(&path)))
    }));
    findings
}

/// `None` if the folder is wrong: reported as the folder's finding.
fn unusable(arena: &KnownArena, error: &leveret_place::PlaceError) -> Option<Finding> {
    use leveret_place::PlaceError::Open;
    let remove = || format!("leveret rm --force {}", shell_word(&arena.path));
    let (means, fix) = match error {
        Open(OpenError::UntrustedFolder { .. }) => return None,
        Open(OpenError::LayoutMismatch { .. } | OpenError::UnknownFeatures { .. }) => {
            ("Another version of Leveret made it. Stop what uses it before you remove it.", remove())
        }
        Open(OpenError::Foreign { .. }) => {
            ("It is damaged, or is not an arena. Processes that need an arena of this name fail.", remove())
        }
        Open(OpenError::Untrusted { .. }) => (
            "Another user could put wrong values into it, so it is not used. The command keeps what is in it.",
            open(arena).unwrap_or_else(remove),
        ),
        _ => (
            "This user cannot open it.",
            open(arena).unwrap_or_else(|| format!("See whose it is: ls -l {}", shell_word(&arena.path))),
        ),
    };
    Some(Finding::problem(SUBJECT, format!("{}: {error}", arena.name), means, fix))
}

/// The command that gives an arena to the group of its folder, or to this user. None where it is a link or the like.
fn open(arena: &KnownArena) -> Option<String> {
    let users = AccountFiles::read();
    let folder = fs::metadata(arena.path.parent()?).ok()?;
    let is_file = fs::symlink_metadata(&arena.path).is_ok_and(|stat| stat.is_file());
    let user = users.name(rustix::process::geteuid().as_raw());
    is_file.then(|| access::opening(std::slice::from_ref(&arena.path), &folder, &user, &users))
}

fn judge(name: &str, stats: &Summary, is_served: bool, can_grow: bool) -> Vec<Finding> {
    let mut findings = vec![Finding::ok(
        SUBJECT,
        format!(
            "{name}: {}, {} of {} free, {}",
            counted(stats.items, "item"),
            bytes(stats.free),
            bytes(stats.memory),
            counted(u64::from(stats.attached), "attached writer")
        ) + &taken_over(stats.recoveries),
    )];
    // On a file system that is too small, a larger arena does not help: reported as the folder's finding.
    if can_grow && stats.evicted as f64 > stats.sets as f64 * EVICTED_PER_SET {
        let larger = (stats.memory * 2) >> 20;
        let (setting, whose) = match (is_served, name.starts_with("apcu")) {
            (true, _) => (format!("memory-limit = \"{larger}\""), "/etc/leveret.toml (or -m)"),
            (false, true) => (format!("apc.shm_size={larger}M"), "PHP"),
            (false, false) => (format!("leveret.memory={larger}M"), "PHP"),
        };
        findings.push(Finding::warning(
            SUBJECT,
            format!(
                "{name}: {} living items were evicted ({} of the stores)",
                thousands(stats.evicted),
                percent(stats.evicted, stats.sets)
            ),
            format!("{} is too small for what is kept there: items go before their time.", bytes(stats.memory)),
            format!("Set {setting} in {whose}, then: leveret rm --force {name}, and restart what uses it (the next process creates it again, empty)"),
        ));
    }
    findings.extend(refused(name, stats, can_grow));
    findings.extend(older(name, stats.layout));
    findings
}

/// An arena that a program made which knew no later layout.
fn older(name: &str, layout: u32) -> Option<Finding> {
    let is_older = (1..LAYOUT_VERSION).contains(&layout);
    is_older.then(|| {
        let means = "Programs use it as before. It keeps deadlines to the second and has no eviction policy.";
        Finding::note(SUBJECT, format!("{name}: has layout {layout}; new arenas have {LAYOUT_VERSION}"), means)
            .fixed_by(format!("leveret renew {name} (drops all items; processes of an older version go on without it)"))
    })
}

/// Of the last hour only, so that the finding ends.
fn refused(name: &str, stats: &Summary, can_grow: bool) -> Option<Finding> {
    let ago = stats.refused_secs_ago.filter(|secs| *secs < 3600)?;
    let fix = match (stats.refused_busy == stats.refused, can_grow) {
        (true, _) => "See which processes are stopped (state T): ps -eo pid,stat,args".to_owned(),
        (false, false) => "Free space on the arena's file system, so that the arena can grow".to_owned(),
        (false, true) => format!("See how much the arena may grow: leveret stats {name}"),
    };
    Some(Finding::warning(
        SUBJECT,
        format!("{name}: {} refused, the last one {} ago", counted(stats.refused, "write"), span(ago.unsigned_abs())),
        "Their values are not in the cache.".to_owned(),
        fix,
    ))
}

/// Nothing is lost by it, and it stays for as long as the arena does: a finding could never be ended.
fn taken_over(recoveries: u64) -> String {
    match recoveries {
        0 => String::new(),
        _ => format!("; {} taken over from killed processes", counted(recoveries, "lock")),
    }
}

/// Half-made arenas (`NAME.arena.PID.tmp`) whose maker is dead.
fn leftovers(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let is_left = |path: &PathBuf| {
        let pid =
            path.to_str().and_then(|path| path.strip_suffix(".tmp")?.rsplit_once(".arena.")?.1.parse::<u32>().ok());
        pid.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists())
    };
    let mut left: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_left).collect();
    left.sort();
    left
}

#[cfg(test)]
mod tests {
    use super::super::Severity;
    use super::*;

    #[test]
    fn evictions_beside_many_stores_mean_too_small_an_arena() {
        let levels =
            |stats: Summary| judge("apcu", &stats, false, true).iter().map(|finding| finding.level).collect::<Vec<_>>();
        let stats =
            |sets, evicted, recoveries| Summary { sets, evicted, recoveries, memory: 64 << 20, ..Summary::default() };
        assert_eq!(levels(stats(0, 0, 0)), [Severity::Ok]);
        assert_eq!(levels(stats(1000, 10, 0)), [Severity::Ok]);
        assert_eq!(levels(stats(1000, 11, 1)), [Severity::Ok, Severity::Warning]);
        let fix = |is_served, can_grow| {
            judge("apcu", &stats(1000, 500, 0), is_served, can_grow).get(1).and_then(|finding| finding.fix.clone())
        };
        let anew = "then: leveret rm --force apcu, and restart what uses it (the next process creates it again, empty)";
        assert_eq!(fix(false, true), Some(format!("Set apc.shm_size=128M in PHP, {anew}")));
        assert_eq!(fix(true, true), Some(format!("Set memory-limit = \"128\" in /etc/leveret.toml (or -m), {anew}")));
        assert_eq!(fix(false, false), None, "its file system is full");
    }

    #[test]
    fn refused_writes_are_found_for_an_hour() {
        let found = |refused, refused_busy, refused_secs_ago| {
            let stats = Summary { refused, refused_busy, refused_secs_ago, ..Summary::default() };
            judge("shop", &stats, false, false).get(1).and_then(|finding| finding.fix.clone())
        };
        assert_eq!(found(0, 0, None), None);
        assert_eq!(found(7, 0, Some(3600)), None);
        assert!(found(7, 7, Some(3599)).is_some_and(|fix| fix.contains("ps -eo")));
        assert!(found(7, 6, Some(0)).is_some_and(|fix| fix.contains("file system")));
    }

    #[test]
    fn an_arena_of_an_older_layout_is_a_note_that_names_the_command() {
        for (layout, want) in [(0, None), (1, Some("leveret renew shop")), (LAYOUT_VERSION, None)] {
            let stats = Summary { layout, ..Summary::default() };
            let found = judge("shop", &stats, false, true).into_iter().nth(1);
            let fix = found.as_ref().and_then(|finding| finding.fix.as_deref());
            assert_eq!(fix.and_then(|fix| fix.get(..want.map_or(0, str::len))), want, "{layout}");
            assert!(found.is_none_or(|finding| finding.level == Severity::Note));
        }
    }

    #[test]
    fn only_dead_makers_leave_something_behind() {
        let dir = tempfile::tempdir().expect("a folder");
        let alive = std::process::id();
        // Linux gives no pid above 4194304.
        for name in ["a.arena", "a.arena.lock", "a.arena.4194305.tmp", &format!("b.arena.{alive}.tmp"), "c.tmp"] {
            fs::write(dir.path().join(name), "").expect("a file");
        }
        assert_eq!(leftovers(dir.path()), [dir.path().join("a.arena.4194305.tmp")]);
    }
}
