//! Scripts on one string key: Lua's text becomes a tree, the tree runs on a copy of the item, and one conditional store makes
//! the copy the item. Where another writer was quicker, it runs again. So a script is one step for everybody.
mod interpret;
mod item;
mod parse;
mod template;
mod token;
mod tree;
mod value;

pub use interpret::FindRow;
pub use parse::ScriptTree;
pub use template::PatternFlush;
pub use value::LuaValue;

use crate::call::{Answered, Call, Impact};
use crate::clock;
use crate::engine_calls::{edited_meta, read_version, TRIES};
use crate::problem::Problem;
use interpret::{Interpreter, ScriptStop};
use item::{ItemCopy, ScriptMoment};
use leveret_engine::{Amendment, Arena, Error, Found, Meta, Mode, NewCas, Stored, Value};
use leveret_protocol::resp::ReplyWriter;

/// A script that is not evaluated here.
pub const UNSUPPORTED: Problem =
    Problem::Text("UNSUPPORTED this script: leveret serve evaluates scripts on one string key; see docs/redis.md");

/// Behind the largest integer.
const TWO_63: f64 = (1_u64 << 63) as f64;

/// Bytes of strings that any script may make.
const BUDGET_MIN: usize = 1 << 20;

/// Kind of a text.
pub enum Understood {
    /// A script on one string key.
    Tree(ScriptTree),
    /// A flush by pattern.
    Flush(PatternFlush),
}

/// Input of a script.
pub struct ScriptInput<'s> {
    /// Its text's digest, for errors.
    pub digest: &'s [u8],
    /// Its keys.
    pub keys: &'s [&'s [u8]],
    /// Its other arguments.
    pub arguments: &'s [&'s [u8]],
    /// `EVAL_RO`.
    pub is_read_only: bool,
    /// The command table.
    pub find_row: FindRow,
}

/// Understands a text. None: it is not evaluated here.
pub fn understand(text: &[u8]) -> Option<Understood> {
    // What clients write in front of scripts that touch keys which they do not declare: here it means nothing.
    let text = match text.strip_prefix(b"#!lua") {
        Some(rest) => &rest[rest.iter().position(|byte| *byte == b'\n')?..],
        None => text,
    };
    parse::parse(text).map(Understood::Tree).or_else(|| template::pattern_flush(text).map(Understood::Flush))
}

/// Runs a script, and answers with its result.
pub fn evaluate(call: &mut Call<'_>, tree: &ScriptTree, input: &ScriptInput<'_>) -> Answered {
    let at = ScriptMoment { unix_ms: clock::unix_ms(), value_max: call.host.value_max() };
    // The first command tells: most scripts say KEYS[1].
    let mut key: Option<Vec<u8>> = None;
    for _ in 0..TRIES {
        let (found, item) = match &key {
            Some(key) => copy_of(call, key)?,
            None => (None, ItemCopy::default()),
        };
        let mut run = Interpreter {
            keys: input.keys,
            arguments: input.arguments,
            key: key.as_deref(),
            item: item.clone(),
            at,
            find_row: input.find_row,
            is_read_only: input.is_read_only,
            places: Vec::new(),
            budget: BUDGET_MIN + at.value_max.saturating_mul(4),
        };
        let ended = run.run(tree);
        let after = run.item;
        let ended = match ended {
            Err(ScriptStop::Key(found)) => {
                key = Some(found);
                continue;
            }
            Err(ScriptStop::Unsupported) => return Err(UNSUPPORTED),
            Err(ScriptStop::Failed(text, line)) => Err((text, line)),
            Ok(value) => Ok(value),
        };
        let impact = match &key {
            Some(key) => commit(call, key, found.as_ref(), &item, &after)?,
            None => Some(Impact::None),
        };
        let Some(impact) = impact else { continue };
        match ended {
            Ok(value) => say(&mut call.reply, &value),
            Err((text, line)) => {
                let place = format!(", on @user_script:{line}.");
                call.reply.error_of(&[&text, b" script: ", input.digest, place.as_bytes()]);
            }
        }
        return Ok(impact);
    }
    Err(Error::Busy.into())
}

fn copy_of(call: &Call<'_>, key: &[u8]) -> Result<(Option<Found>, ItemCopy), Problem> {
    let Some(arena) = call.arena else { return Ok((None, ItemCopy::default())) };
    let (found, value) = read_version(call, arena, key)?.unzip();
    let item = found.as_ref().map(|found| ItemCopy {
        value,
        is_number: found.number().is_some(),
        is_edited: false,
        deadline: clock::unix_ms_of(found.deadline),
    });
    Ok((found, item.unwrap_or_default()))
}

/// Makes the copy the item, if it is still the one that was copied. None: it is not.
fn commit(
    call: &mut Call<'_>,
    key: &[u8],
    found: Option<&Found>,
    before: &ItemCopy,
    after: &ItemCopy,
) -> Result<Option<Impact>, Problem> {
    if before == after {
        return Ok(Some(Impact::None));
    }
    let arena = call.writable()?;
    let is_done = match (found, &after.value) {
        (Some(found), None) => {
            matches!(arena.delete_version(key, found.cas, call.now)?, Stored::Stored { .. })
        }
        (Some(found), Some(value)) if before.value.as_ref() == Some(value) && before.is_number == after.is_number => {
            retime(call, arena, key, found, after)?
        }
        (found, Some(value)) => store(call, arena, key, found, before, after, value)?,
        (None, None) => true,
    };
    let impact = if after.value.is_some() { Impact::Changed } else { Impact::Removed };
    Ok(is_done.then_some(impact))
}

fn retime(call: &Call<'_>, arena: &Arena, key: &[u8], found: &Found, after: &ItemCopy) -> Result<bool, Problem> {
    let mut is_same = false;
    arena.amend(key, call.now, &mut |present| {
        is_same = present.cas == found.cas;
        is_same.then(|| Amendment::new(after.engine_deadline(), present.meta.marks, NewCas::Keep))
    })?;
    Ok(is_same)
}

fn store(
    call: &Call<'_>,
    arena: &Arena,
    key: &[u8],
    found: Option<&Found>,
    before: &ItemCopy,
    after: &ItemCopy,
    bytes: &[u8],
) -> Result<bool, Problem> {
    let number = std::str::from_utf8(bytes).ok().and_then(|text| text.parse().ok()).filter(|_| after.is_number);
    let value = number.map_or(Value::Bytes(bytes), Value::Integer);
    let meta = match found {
        _ if after.is_edited => edited_meta(found),
        // A count leaves what the item says of itself.
        Some(found) if after.is_number => found.meta,
        _ => Meta::default(),
    };
    let deadline = match found {
        Some(found) if before.deadline == after.deadline => found.deadline,
        _ => after.engine_deadline(),
    };
    let mode = found.map_or(Mode::Add, |found| Mode::Cas(found.cas));
    Ok(matches!(arena.store(key, value, meta, deadline, mode, call.now)?, Stored::Stored { .. }))
}

fn say(reply: &mut ReplyWriter<'_>, value: &LuaValue) {
    match value {
        LuaValue::Nil | LuaValue::Bool(false) => reply.nil(),
        LuaValue::Bool(true) => reply.integer(1),
        // As C casts it: towards 0; what does not fit is the least number.
        LuaValue::Number(number) if (-TWO_63..TWO_63).contains(number) => {
            reply.integer(*number as i64);
        }
        LuaValue::Number(_) => reply.integer(i64::MIN),
        LuaValue::Text(text) => reply.bulk(text),
        LuaValue::Status(text) => reply.status_of(text),
        LuaValue::Failed(text) => reply.error_of(&[text]),
        LuaValue::List(elements) => {
            let len = elements.iter().position(|element| *element == LuaValue::Nil).unwrap_or(elements.len());
            reply.array(len);
            elements[..len].iter().for_each(|element| say(reply, element));
        }
    }
}
