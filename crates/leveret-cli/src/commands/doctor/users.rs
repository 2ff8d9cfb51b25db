//! Users and groups of this machine, from /etc/passwd and /etc/group: enough to say who shares an arena with whom.
use std::fs;

/// The accounts that the two files list.
#[derive(Default)]
pub struct Users {
    passwd: String,
    group: String,
}

impl Users {
    pub fn read() -> Users {
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        Users { passwd: read("/etc/passwd"), group: read("/etc/group") }
    }

    #[cfg(test)]
    pub fn of(passwd: &str, group: &str) -> Users {
        Users { passwd: passwd.to_owned(), group: group.to_owned() }
    }

    /// The uid behind a name, or behind a number written out.
    pub fn uid(&self, name: &str) -> Option<u32> {
        field(&self.passwd, 0, name, 2).and_then(|uid| uid.parse().ok()).or_else(|| name.parse().ok())
    }

    /// A user's name; a uid without one stays a number.
    pub fn name(&self, uid: u32) -> String {
        field(&self.passwd, 2, &uid.to_string(), 0).map_or_else(|| format!("uid {uid}"), str::to_owned)
    }

    /// A group's name; a gid without one stays a number.
    pub fn group_name(&self, gid: u32) -> String {
        field(&self.group, 2, &gid.to_string(), 0).map_or_else(|| format!("gid {gid}"), str::to_owned)
    }

    /// Whether the user is in the group, by his own or as a listed member.
    pub fn is_member(&self, name: &str, gid: u32) -> bool {
        let gid = gid.to_string();
        field(&self.passwd, 0, name, 3) == Some(&gid)
            || field(&self.group, 2, &gid, 3).is_some_and(|members| members.split(',').any(|member| member == name))
    }
}

/// Of the first line whose field `by` is `value`, the field `wanted`.
fn field<'t>(table: &'t str, by: usize, value: &str, wanted: usize) -> Option<&'t str> {
    table
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>())
        .find(|fields| fields.get(by) == Some(&value))
        .and_then(|fields| fields.get(wanted).copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_two_files() {
        let users = Users::of(
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
}
