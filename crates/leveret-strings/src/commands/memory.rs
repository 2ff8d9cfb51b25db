//! MEMORY.
use crate::call::{Answered, Call, Impact};
use crate::problem::Problem;
use crate::words::{integer, is_word};
use leveret_protocol::resp::Arguments;

/// `MEMORY USAGE key [SAMPLES number]`.
pub fn usage(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let mut index = 3;
    while index < request.len() {
        if !is_word(request.get(index), "SAMPLES") || index + 1 >= request.len() {
            return Err(Problem::SYNTAX);
        }
        if integer(request.get(index + 1))? < 0 {
            return Err(Problem::SYNTAX);
        }
        index += 2;
    }
    let key = request.get(2);
    match call.arena.and_then(|arena| arena.peek(key, call.now)) {
        Some(found) => call.reply.integer(found.size(key.len()) as i64),
        None => call.reply.nil(),
    }
    Ok(Impact::None)
}

/// `MEMORY DOCTOR`.
pub fn doctor(call: &mut Call<'_>, _request: &Arguments<'_>) -> Answered {
    call.reply.verbatim("txt", b"`leveret doctor` examines this machine and its arenas.\n");
    Ok(Impact::None)
}

/// `MEMORY MALLOC-STATS`.
pub fn malloc_stats(call: &mut Call<'_>, _request: &Arguments<'_>) -> Answered {
    call.reply.bulk(b"Stats not supported for the current allocator");
    Ok(Impact::None)
}

/// `MEMORY PURGE`.
pub fn purge(call: &mut Call<'_>, _request: &Arguments<'_>) -> Answered {
    call.reply.ok();
    Ok(Impact::None)
}

/// `MEMORY STATS`, of the selected database.
pub fn stats(call: &mut Call<'_>, _request: &Arguments<'_>) -> Answered {
    let stats = call.arena.map(|arena| arena.stats()).unwrap_or_default();
    let facts = [
        ("total.allocated", stats.memory_allocated),
        ("keys.count", stats.items),
        ("keys.bytes-per-key", stats.item_bytes.checked_div(stats.items).unwrap_or(0)),
        ("dataset.bytes", stats.item_bytes),
    ];
    call.reply.map(facts.len());
    for (name, fact) in facts {
        call.reply.bulk(name.as_bytes());
        call.reply.integer(fact as i64);
    }
    Ok(Impact::None)
}

/// `MEMORY HELP`.
pub fn help(call: &mut Call<'_>, _request: &Arguments<'_>) -> Answered {
    call.reply.help(
        "MEMORY",
        &[
            "DOCTOR",
            "    Name the command that examines memory.",
            "MALLOC-STATS",
            "    Answer that there are none.",
            "PURGE",
            "    Answer OK.",
            "STATS",
            "    Tell what the database takes.",
            "USAGE <key> [SAMPLES <count>]",
            "    Tell the bytes that the key and its value take.",
        ],
    );
    Ok(Impact::None)
}
