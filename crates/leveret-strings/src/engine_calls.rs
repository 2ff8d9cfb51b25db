//! What the commands ask the engine for that is more than one of its calls: loops that read a version and store over that
//! version only. They end where another writer was quicker for `TRIES` times.
use crate::call::Call;
use crate::guarded;
use crate::problem::Problem;
use leveret_compact::served;
use leveret_engine::{Arena, Deadline, Encoding, Error, Found, Marks, Meta, Mode, Origin, Stored, Value};

/// How often another writer may come in between.
pub const TRIES: usize = 1024;

/// The bytes of a value as clients get them. None: there is none.
pub fn read_value(call: &Call<'_>, key: &[u8]) -> Result<Option<Vec<u8>>, Problem> {
    let Some(arena) = call.arena else { return Ok(None) };
    let mut value = Vec::new();
    let found = arena.read_into(key, call.read_options(), call.now, &mut value)?;
    Ok(found.and_then(|found| served(&found.meta, value)))
}

/// The same for a change: leaves no trace, and tells the version. Bytes that are damaged are none.
pub fn read_version(call: &Call<'_>, arena: &Arena, key: &[u8]) -> Result<Option<(Found, Vec<u8>)>, Problem> {
    let mut value = Vec::new();
    let found = guarded::read(call, arena, key, &mut value)?;
    Ok(found.map(|found| (found, served(&found.meta, value).unwrap_or_default())))
}

/// What `edit` did to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edited {
    /// It is to be stored.
    Changed,
    /// It stays.
    Same,
}

/// Changes bytes, and is told whether there is an item.
pub type Edit<'e> = &'e mut dyn FnMut(&mut Vec<u8>, bool) -> Result<Edited, Problem>;

/// Changes the bytes of a value, which are none where there is no item. The deadline stays.
pub fn edit(call: &mut Call<'_>, key: &[u8], change: Edit<'_>) -> Result<(), Problem> {
    let (arena, now) = (call.writable()?, call.now);
    for _ in 0..TRIES {
        let (found, mut value) = read_version(call, arena, key)?.unzip();
        let value = value.get_or_insert_default();
        if change(value, found.is_some())? == Edited::Same {
            return Ok(());
        }
        let (mode, meta, deadline) = match &found {
            Some(found) => (Mode::Cas(found.cas), edited_meta(Some(found)), found.deadline),
            None => (Mode::Add, EDITED, Deadline::NEVER),
        };
        if let Stored::Stored { .. } = arena.store(key, Value::Bytes(value), meta, deadline, mode, now)? {
            return Ok(());
        }
    }
    Err(Error::Busy.into())
}

/// Bytes that a command has put together: every entrance reads them as a string, and OBJECT ENCODING tells them from bytes
/// that came whole.
const EDITED: Meta = Meta::native(Encoding::RAW);

/// Attributes of an item after a change of its bytes. Items of other clients keep theirs.
pub fn edited_meta(found: Option<&Found>) -> Meta {
    match found {
        Some(found) if found.meta.origin != Origin::WIRE || found.meta.flags != 0 => {
            let meta = found.meta.with_marks(Marks::NONE);
            if found.number().is_some() {
                meta.with_encoding(Encoding::RAW)
            } else {
                meta
            }
        }
        _ => EDITED,
    }
}

/// Whether a value was put together by a command.
pub fn is_edited(meta: Meta) -> bool {
    meta == EDITED
}
