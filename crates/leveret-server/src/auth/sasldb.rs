//! The users of /etc/sasldb2, as Debian's saslpasswd2 keeps them: a hash of Berkeley DB, whose pages are read here without
//! that library. A key is `user\0realm\0property`, and the property `userPassword` is the password itself.
//!
//! A page: 20 bytes that do not matter here, the number of items u16, u16, level u8, kind u8, then for each item where it begins u16.
//! Items lie from the page's end to its front, a key and its value in turn, each with its kind in its first byte.

/// What the first page of a hash says of itself, in the order of the machine that made it.
const MAGIC: u32 = 0x0006_1561;
const MAGIC_AT: usize = 12;
const PAGE_LEN_AT: usize = 20;

const ITEMS_AT: usize = 20;
const KIND_AT: usize = 25;
const BEGINS_AT: usize = 26;

/// Pages with items, sorted or not.
const HASH_PAGES: [u8; 2] = [2, 13];
/// An item that lies where it is. Passwords and names are too short for others.
const PLAIN_ITEM: u8 = 1;

/// A user with a password.
pub struct User<'t> {
    pub name: &'t [u8],
    pub realm: &'t [u8],
    pub password: &'t [u8],
}

/// Whether a file is such a hash.
pub fn is_one(file: &[u8]) -> bool {
    Order::of(file).is_some()
}

/// All users in it with a password.
pub fn users(file: &[u8]) -> impl Iterator<Item = User<'_>> {
    let order = Order::of(file);
    let page_len = order.and_then(|order| order.u32(file, PAGE_LEN_AT)).map_or(0, |len| len as usize);
    let pages = file.chunks_exact(if (512..=65_536).contains(&page_len) { page_len } else { usize::MAX });
    pages.skip(1).zip(std::iter::repeat(order)).flat_map(|(page, order)| users_of_page(page, order))
}

fn users_of_page(page: &[u8], order: Option<Order>) -> impl Iterator<Item = User<'_>> {
    let is_hash = HASH_PAGES.contains(&page[KIND_AT]);
    let count = order.filter(|_| is_hash).and_then(|order| order.u16(page, ITEMS_AT)).unwrap_or(0);
    let begin = move |item: usize| order?.u16(page, BEGINS_AT + 2 * item).map(usize::from);
    let item = move |item: usize| {
        let end = if item == 0 { page.len() } else { begin(item - 1)? };
        let (kind, bytes) = page.get(begin(item)?..end)?.split_first()?;
        (*kind == PLAIN_ITEM).then_some(bytes)
    };
    (0..usize::from(count) / 2).filter_map(move |pair| {
        let mut key = item(2 * pair)?.split(|byte| *byte == 0);
        let (name, realm, property) = (key.next()?, key.next()?, key.next()?);
        (property == b"userPassword").then_some(User { name, realm, password: item(2 * pair + 1)? })
    })
}

/// Of the bytes of numbers.
#[derive(Clone, Copy)]
enum Order {
    Little,
    Big,
}

impl Order {
    fn of(file: &[u8]) -> Option<Order> {
        [Order::Little, Order::Big].into_iter().find(|order| order.u32(file, MAGIC_AT) == Some(MAGIC))
    }

    fn u32(self, bytes: &[u8], at: usize) -> Option<u32> {
        let bytes = bytes.get(at..at + 4)?.try_into().ok()?;
        Some(match self {
            Order::Little => u32::from_le_bytes(bytes),
            Order::Big => u32::from_be_bytes(bytes),
        })
    }

    fn u16(self, bytes: &[u8], at: usize) -> Option<u16> {
        let bytes = bytes.get(at..at + 2)?.try_into().ok()?;
        Some(match self {
            Order::Little => u16::from_le_bytes(bytes),
            Order::Big => u16::from_be_bytes(bytes),
        })
    }
}

impl User<'_> {
    /// Whether that is how the user is named to a server on the host of this name: the realm is the host's, with its domain or
    /// without, or stands behind an `@`.
    pub fn is_named(&self, name: &[u8], host: &[u8]) -> bool {
        if let Some((name, realm)) =
            name.iter().rposition(|byte| *byte == b'@').map(|at| (&name[..at], &name[at + 1..]))
        {
            return name == self.name && realm.eq_ignore_ascii_case(self.realm);
        }
        let front = self.realm.get(..host.len()).is_some_and(|front| front.eq_ignore_ascii_case(host));
        name == self.name && front && matches!(self.realm.get(host.len()), None | Some(b'.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::process::{Command, Stdio};

    fn database(users: &[(&str, &str, &str)]) -> Option<Vec<u8>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sasldb");
        for (name, realm, password) in users {
            let words = ["-p", "-c", "-u", realm, "-f"];
            let setter =
                Command::new("/usr/sbin/saslpasswd2").args(words).arg(&path).arg(name).stdin(Stdio::piped()).spawn();
            let mut setter = setter.ok()?;
            writeln!(setter.stdin.take().unwrap(), "{password}").unwrap();
            assert!(setter.wait().unwrap().success());
        }
        std::fs::read(path).ok()
    }

    #[test]
    fn all_users_are_found_and_nonsense_is_nobody() {
        let names: Vec<(String, String)> =
            (0..200).map(|number| (format!("user{number}"), format!("pw {number}:x"))).collect();
        let mut given: Vec<(&str, &str, &str)> =
            names.iter().map(|(name, password)| (&**name, "host", &**password)).collect();
        given.push(("ann", "example.org", "secret"));
        // sasl2-bin may be missing; a test of the whole server has it installed.
        let Some(file) = database(&given) else { return };
        assert!(is_one(&file));
        let mut found: Vec<(&[u8], &[u8], &[u8])> =
            users(&file).map(|user| (user.name, user.realm, user.password)).collect();
        let mut want: Vec<(&[u8], &[u8], &[u8])> = given
            .iter()
            .map(|(name, realm, password)| (name.as_bytes(), realm.as_bytes(), password.as_bytes()))
            .collect();
        found.sort_unstable();
        want.sort_unstable();
        assert_eq!(found, want);
        // For any cut or change: no panic, and no user that was not in the file.
        let mut seed = 1u64;
        for round in 0..2000 {
            let mut damaged = file.clone();
            for _ in 0..8 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let at = (seed >> 33) as usize % damaged.len();
                damaged[at] = (seed >> 20) as u8;
            }
            damaged.truncate(file.len() - round % 512);
            let _ = users(&damaged).count();
        }
        assert!(!is_one(b"ann:secret\n") && users(b"").count() == 0);
    }

    #[test]
    fn names_with_and_without_a_realm() {
        let user = User { name: b"ann", realm: b"web1.example.org", password: b"" };
        for (name, host, want) in [
            ("ann", "web1", true),
            ("ann", "WEB1.example.org", true),
            ("ann", "web", false),
            ("ann", "web1.example", true),
            ("ann@web1.example.org", "other", true),
            ("ann@other", "web1", false),
            ("bob", "web1", false),
        ] {
            assert_eq!(user.is_named(name.as_bytes(), host.as_bytes()), want, "{name} {host}");
        }
    }
}
