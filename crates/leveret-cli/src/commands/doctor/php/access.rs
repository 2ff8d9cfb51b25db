//! Whether another user can use a folder and the arenas in it, by the engine's rules (`map/folder.rs`).
use crate::output::shell_word;
use crate::users::AccountFiles;
use std::fs::{metadata, symlink_metadata, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Why a user cannot use a folder's files, and the command that permits it.
#[derive(Debug, PartialEq, Eq)]
pub struct Closed {
    pub why: String,
    pub fix: String,
}

/// A folder that leveret.dir names.
pub fn closed(dir: &Path, user: &str, users: &AccountFiles) -> Option<Closed> {
    let name = dir.display();
    // It may be there already: owner and mode are set all the same.
    let made = match users.gid("leveret").filter(|group| users.is_member(user, *group)) {
        Some(_) => format!("install -d -m 2770 -o root -g leveret {}", shell_word(dir)),
        None => format!("install -d -m 700 -o {user} {}", shell_word(dir)),
    };
    let closed =
        |why: String, fix: String| Some(Closed { why: format!("it cannot use {name} (leveret.dir): {why}"), fix });
    let Ok(stat) = metadata(dir) else { return closed("there is no such folder".to_owned(), made) };
    if !stat.is_dir() {
        return closed("that is not a folder".to_owned(), format!("rm {name} && {made}"));
    }
    let uid = users.uid(user)?;
    if stat.uid() != 0 && stat.uid() != uid {
        return closed(format!("it belongs to {}", users.name(stat.uid())), made);
    }
    if stat.mode() & 0o1002 == 0o002 {
        return closed("every user may write to it".to_owned(), format!("chmod o-w {}", shell_word(dir)));
    }
    if !may(&stat, user, uid, users, 0o7) {
        return closed(format!("it is {}", rights(&stat, users)), made);
    }
    None
}

/// Arenas that are there, except these, and that this user cannot open: a file keeps the owner and the mode with which it
/// was made.
pub fn closed_files(dir: &Path, user: &str, users: &AccountFiles, except: &[&Path]) -> Option<Closed> {
    let uid = users.uid(user)?;
    let folder = metadata(dir).ok()?;
    if !may(&folder, user, uid, users, 0o7) {
        return None;
    }
    let is_closed = |path: &PathBuf| {
        let is_told = except.contains(&path.as_path());
        symlink_metadata(path).is_ok_and(|stat| {
            !is_told && stat.is_file() && !(may(&stat, user, uid, users, 0o6) && is_trusted(&stat, &folder, uid))
        })
    };
    let files: Vec<PathBuf> = leveret_place::list(Some(dir)).ok()?.into_iter().filter(is_closed).collect();
    let first = symlink_metadata(files.first()?).ok()?;
    let names: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
    Some(Closed {
        why: format!("it cannot open {} ({})", names.join(", "), rights(&first, users)),
        fix: opening(&files, &folder, user, users),
    })
}

/// The command that gives files to the group of their folder, or else to the user.
pub fn opening(files: &[PathBuf], folder: &Metadata, user: &str, users: &AccountFiles) -> String {
    let words: Vec<String> = files.iter().map(|path| shell_word(path).to_string()).collect();
    let files = words.join(" ");
    if is_groups(folder) {
        format!("chgrp {} {files} && chmod 660 {files}", users.group_name(folder.gid()))
    } else {
        format!("chown {user} {files} && chmod 600 {files}")
    }
}

/// Its members share files made in the folder.
fn is_groups(folder: &Metadata) -> bool {
    folder.mode() & 0o2072 == 0o2070
}

fn is_trusted(file: &Metadata, folder: &Metadata, uid: u32) -> bool {
    let is_of_group = is_groups(folder) && file.gid() == folder.gid() && file.mode() & 0o060 == 0o060;
    file.mode() & 0o002 == 0 && (file.uid() == 0 || file.uid() == uid || is_of_group)
}

/// Whether the mode lets the user do all of `wanted`, one digit of a mode.
fn may(stat: &Metadata, user: &str, uid: u32, users: &AccountFiles, wanted: u32) -> bool {
    let shift = match (stat.uid() == uid, users.is_member(user, stat.gid())) {
        (true, _) => 6,
        (false, true) => 3,
        (false, false) => 0,
    };
    uid == 0 || stat.mode() >> shift & wanted == wanted
}

fn rights(stat: &Metadata, users: &AccountFiles) -> String {
    format!("{}:{} with mode {:04o}", users.name(stat.uid()), users.group_name(stat.gid()), stat.mode() & 0o7777)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{set_permissions, write, Permissions};
    use std::os::unix::fs::PermissionsExt;

    /// This user is "me"; "shop" has no right of its own to what "me" makes.
    fn users(members: &str) -> AccountFiles {
        let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        let passwd = format!("me:x:{uid}:{gid}::/:/bin/sh\nshop:x:4242:4242::/:/bin/false\n");
        AccountFiles::of(&passwd, &format!("ours:x:{gid}:{members}\nleveret:x:4243:{members}\n"))
    }

    fn set(path: &Path, mode: u32) {
        set_permissions(path, Permissions::from_mode(mode)).expect("ours");
    }

    #[test]
    fn a_folder_that_a_pools_user_cannot_use_is_told_with_the_command_that_opens_it() {
        let dir = tempfile::tempdir().expect("a folder");
        let name = dir.path().display().to_string();
        set(dir.path(), 0o700);
        assert_eq!(closed(dir.path(), "me", &users("")), None);
        let fix = |user: &str, members: &str| closed(dir.path(), user, &users(members)).map(|closed| closed.fix);
        assert_eq!(fix("shop", ""), Some(format!("install -d -m 700 -o shop {name}")));
        assert_eq!(fix("shop", "anna,shop"), Some(format!("install -d -m 2770 -o root -g leveret {name}")));
        set(dir.path(), 0o777);
        assert_eq!(fix("me", ""), Some(format!("chmod o-w {name}")));
        drop(std::fs::remove_dir(dir.path()));
        assert!(closed(dir.path(), "me", &users("")).is_some_and(|closed| closed.why.ends_with("no such folder")));
    }

    #[test]
    fn files_that_a_pools_user_cannot_open_are_told_in_one() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = |name: &str| dir.path().join(name);
        let found = |user: &str, members: &str| closed_files(dir.path(), user, &users(members), &[]);
        for name in ["a.arena", "b.arena", "notes"] {
            write(file(name), "").expect("a file");
            set(&file(name), 0o600);
        }
        set(dir.path(), 0o2770);
        assert_eq!(found("me", ""), None);
        assert_eq!(found("shop", ""), None, "the folder itself is closed to it");
        let (a, b) = (file("a.arena").display().to_string(), file("b.arena").display().to_string());
        let closed = found("shop", "shop").expect("both are closed");
        assert!(closed.why.contains(&a) && closed.why.contains(&b) && closed.why.contains("mode 0600"), "{closed:?}");
        assert_eq!(closed.fix, format!("chgrp ours {a} {b} && chmod 660 {a} {b}"));
        set(&file("a.arena"), 0o660);
        assert!(found("shop", "shop").is_some_and(|closed| !closed.why.contains(&a) && closed.why.contains(&b)));
        set(&file("b.arena"), 0o662);
        assert!(found("shop", "shop").is_some(), "every user may write to it");
        set(&file("b.arena"), 0o660);
        assert_eq!(found("shop", "shop"), None);
    }
}
