//! The command table: commands implemented here, commands of the server, and commands refused by name.
mod bits;
mod by_key;
mod keyspace;
mod refused;
mod row;
mod scripting;
mod server;
mod strings;

pub use by_key::{key_command, KeyCommand};

use crate::command::CommandRow;

static FAMILIES: [&[CommandRow]; 6] =
    [strings::ROWS, bits::ROWS, keyspace::ROWS, server::ROWS, scripting::ROWS, refused::ROWS];

/// Four times as many as there are names, so that most are found at once.
const PLACES: usize = 1024;

/// Bits of a place that tell the row; those above tell the family.
const ROW_BITS: u32 = 12;

/// By the hash of its name: the family and the row of a command, counted from 1; 0: nothing is here.
static BY_NAME: [u16; PLACES] = hashed();

const COUNT: usize = strings::ROWS.len()
    + bits::ROWS.len()
    + keyspace::ROWS.len()
    + server::ROWS.len()
    + scripting::ROWS.len()
    + refused::ROWS.len();

static NAMES: [&str; COUNT] = names();

/// All rows, family by family.
pub fn rows() -> impl Iterator<Item = &'static CommandRow> {
    FAMILIES.iter().flat_map(|rows| rows.iter())
}

/// The row of a command, whose name may be in upper case or lower.
#[inline]
pub fn lookup(name: &[u8]) -> Option<&'static CommandRow> {
    let mut place = place_of(name);
    loop {
        let found = BY_NAME[place].checked_sub(1)?;
        let row = &FAMILIES[usize::from(found >> ROW_BITS)][usize::from(found) & ((1 << ROW_BITS) - 1)];
        if row.name.as_bytes().eq_ignore_ascii_case(name) {
            return Some(row);
        }
        place = (place + 1) % PLACES;
    }
}

/// Whether the table has a command of that name. A program that asks no more than this is linked without the commands.
pub fn is_known(name: &[u8]) -> bool {
    NAMES.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(name))
}

const fn names() -> [&'static str; COUNT] {
    let mut names = [""; COUNT];
    let mut family = 0;
    let mut count = 0;
    while family < FAMILIES.len() {
        let mut row = 0;
        while row < FAMILIES[family].len() {
            names[count] = FAMILIES[family][row].name;
            count += 1;
            row += 1;
        }
        family += 1;
    }
    names
}

/// FNV-1a of the name in lower case.
#[inline]
const fn place_of(name: &[u8]) -> usize {
    let mut hash = 0x811c_9dc5_u32;
    let mut index = 0;
    while index < name.len() {
        hash = (hash ^ name[index].to_ascii_lowercase() as u32).wrapping_mul(0x0100_0193);
        index += 1;
    }
    (hash ^ hash >> 16) as usize % PLACES
}

const fn hashed() -> [u16; PLACES] {
    let mut places = [0; PLACES];
    let mut family = 0;
    while family < FAMILIES.len() {
        let mut row = 0;
        while row < FAMILIES[family].len() {
            let mut place = place_of(FAMILIES[family][row].name.as_bytes());
            while places[place] != 0 {
                place = (place + 1) % PLACES;
            }
            places[place] = ((family << ROW_BITS) + row + 1) as u16;
            row += 1;
        }
        family += 1;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_found_in_any_case_and_stands_once() {
        for row in rows() {
            let found = |name: &str| lookup(name.as_bytes()).map(|found| found.name);
            assert_eq!(found(row.name), Some(row.name));
            assert!(is_known(row.name.as_bytes()) && is_known(row.name.to_uppercase().as_bytes()));
            assert_eq!(found(&row.name.to_uppercase()), Some(row.name));
            assert_eq!(found(&format!("{}+", row.name)), None);
            for subcommand in row.subcommands() {
                assert!(subcommand.name.starts_with(&format!("{}|", row.name)), "{}", subcommand.name);
            }
        }
        assert_eq!(rows().filter(|row| row.name == "get").count(), 1);
        assert_eq!(rows().count(), NAMES.len());
        assert!(!is_known(b"") && !is_known(b"get+"));
        assert!(lookup(b"").is_none() && lookup(&[b'x'; 10_000]).is_none());
    }
}
