//! Users and groups of this machine, from /etc/passwd and /etc/group: enough to find who shares an arena, and to switch
//! to a user.
use crate::output::shown;
use rustix::process::{Gid, Uid};
use std::fs;
use std::process::Command;

/// Facts needed to switch to a user.
#[derive(Debug, PartialEq, Eq)]
pub struct Account {
    pub name: String,
    pub uid: Uid,
    pub gid: Gid,
    pub groups: Vec<Gid>,
}

/// The accounts that the two files list.
#[derive(Default)]
pub struct AccountFiles {
    passwd: String,
    group: String,
}

impl AccountFiles {
    pub fn read() -> AccountFiles {
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        AccountFiles { passwd: read("/etc/passwd"), group: read("/etc/group") }
    }

    #[cfg(test)]
    pub fn of(passwd: &str, group: &str) -> AccountFiles {
        AccountFiles { passwd: passwd.to_owned(), group: group.to_owned() }
    }

    /// The uid behind a name, or behind a number written out.
    pub fn uid(&self, name: &str) -> Option<u32> {
        field(&self.passwd, 0, name, 2).and_then(|uid| uid.parse().ok()).or_else(|| name.parse().ok())
    }

    /// The gid behind a group's name.
    pub fn gid(&self, name: &str) -> Option<u32> {
        field(&self.group, 0, name, 2).and_then(|gid| gid.parse().ok())
    }

    /// A user's name; a uid without one stays a number.
    pub fn name(&self, uid: u32) -> String {
        field(&self.passwd, 2, &uid.to_string(), 0).map_or_else(|| format!("uid {uid}"), str::to_owned)
    }

    /// A group's name; a gid without one stays a number.
    pub fn group_name(&self, gid: u32) -> String {
        field(&self.group, 2, &gid.to_string(), 0).map_or_else(|| format!("gid {gid}"), str::to_owned)
    }

    /// All of a user, by name or number. Users that only a directory service knows are asked of getent.
    pub fn account(&self, user: &str) -> Option<Account> {
        let line = field_line(&self.passwd, 0, user).or_else(|| field_line(&self.passwd, 2, user)).map(str::to_owned);
        let line = line.or_else(|| getent(user))?;
        let fields: Vec<&str> = line.split(':').collect();
        let (name, uid, gid) = (fields.first()?, fields.get(2)?.parse().ok()?, fields.get(3)?.parse().ok()?);
        let listed = self.group.lines().map(|line| line.split(':').collect::<Vec<_>>());
        let listed = listed
            .filter(|fields| fields.get(3).is_some_and(|members| members.split(',').any(|member| member == *name)));
        let mut groups: Vec<u32> = listed.filter_map(|fields| fields.get(2)?.parse().ok()).collect();
        groups.push(gid);
        groups.sort_unstable();
        groups.dedup();
        let groups = groups.into_iter().map(Gid::from_raw).collect();
        Some(Account { name: (*name).to_owned(), uid: Uid::from_raw(uid), gid: Gid::from_raw(gid), groups })
    }

    /// Whether the user is in the group, as primary group or as a listed member.
    pub fn is_member(&self, name: &str, gid: u32) -> bool {
        let gid = gid.to_string();
        field(&self.passwd, 0, name, 3) == Some(&gid)
            || field(&self.group, 2, &gid, 3).is_some_and(|members| members.split(',').any(|member| member == name))
    }
}

/// Programs by their names and pids, `php-fpm8.2 (pid 253)`: the first few of them. None: no name is to be had.
pub fn programs(pids: &[u32]) -> Option<String> {
    const SHOWN: usize = 5;
    let named = |pid: &u32| {
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
        Some(format!("{} (pid {pid})", shown(name.trim_end().as_bytes())))
    };
    let mut named: Vec<String> = pids.iter().take(SHOWN).filter_map(named).collect();
    if pids.len() > SHOWN {
        named.push("...".to_owned());
    }
    (!named.is_empty()).then(|| named.join(", "))
}

/// The line of passwd(5) that the name service has.
fn getent(user: &str) -> Option<String> {
    let output = Command::new("getent").args(["passwd", "--", user]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().next().map(str::to_owned)
}

/// The first line whose field `by` is `value`.
fn field_line<'t>(table: &'t str, by: usize, value: &str) -> Option<&'t str> {
    table.lines().find(|line| line.split(':').nth(by) == Some(value))
}

/// Of the first line whose field `by` is `value`, the field `wanted`.
fn field<'t>(table: &'t str, by: usize, value: &str, wanted: usize) -> Option<&'t str> {
    field_line(table, by, value).and_then(|line| line.split(':').nth(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_two_files() {
        let users = AccountFiles::of(
            "root:x:0:0::/root:/bin/sh\nwww-data:x:33:33::/var/www:/bin/false\nbroken\n",
            "leveret:x:500:anna,www-data\nwww-data:x:33:\n",
        );
        assert_eq!((users.uid("www-data"), users.uid("1000"), users.uid("nobody")), (Some(33), Some(1000), None));
        assert_eq!(
            (users.name(33), users.name(7), users.group_name(500)),
            ("www-data".to_owned(), "uid 7".to_owned(), "leveret".to_owned())
        );
        assert!(users.is_member("www-data", 500) && users.is_member("www-data", 33));
        assert!(!users.is_member("root", 500) && !users.is_member("data", 500));
    }

    #[test]
    fn an_account_has_all_groups_that_list_it() {
        let users = AccountFiles::of(
            "root:x:0:0::/root:/bin/sh\nmemcache:x:102:105:Memcached,,,:/nonexistent:/bin/false\n",
            "leveret:x:500:anna,memcache\nother:x:501:memcached\nmemcache:x:105:\n",
        );
        let gids = |numbers: &[u32]| numbers.iter().map(|gid| Gid::from_raw(*gid)).collect::<Vec<_>>();
        let want = Account {
            name: "memcache".to_owned(),
            uid: Uid::from_raw(102),
            gid: Gid::from_raw(105),
            groups: gids(&[105, 500]),
        };
        assert_eq!(users.account("memcache"), Some(want));
        assert_eq!(users.account("0").map(|account| account.name), Some("root".to_owned()));
        assert_eq!(users.account("no such user"), None);
    }
}
