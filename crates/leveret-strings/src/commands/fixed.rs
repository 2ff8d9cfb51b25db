//! Constant answers: about features that record, load or keep nothing here.
use crate::call::{Answered, Call, Impact};
use crate::problem::Problem;
use crate::words::{integer, is_word};
use leveret_protocol::resp::Arguments;

/// `OK`.
pub fn ok(call: &mut Call<'_>, _request: &Arguments<'_>) -> Answered {
    call.reply.ok();
    Ok(Impact::None)
}

/// 0.
pub fn zero(call: &mut Call<'_>, _request: &Arguments<'_>) -> Answered {
    call.reply.integer(0);
    Ok(Impact::None)
}

/// No elements.
pub fn empty(call: &mut Call<'_>, _request: &Arguments<'_>) -> Answered {
    call.reply.array(0);
    Ok(Impact::None)
}

/// No pairs.
pub fn empty_map(call: &mut Call<'_>, _request: &Arguments<'_>) -> Answered {
    call.reply.map(0);
    Ok(Impact::None)
}

/// `SLOWLOG GET [count]`.
pub fn slowlog_get(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    const BAD_COUNT: Problem = Problem::Text("ERR count should be greater than or equal to -1");
    match request.len() {
        2 => {}
        3 if integer(request.get(2)).is_ok_and(|count| count >= -1) => {}
        3 => return Err(BAD_COUNT),
        _ => return Err(Problem::Arity(call.name)),
    }
    empty(call, request)
}

/// `FUNCTION FLUSH [ASYNC|SYNC]`.
pub fn function_flush(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let is_known = |word| is_word(word, "ASYNC") || is_word(word, "SYNC");
    match request.len() {
        2 => ok(call, request),
        3 if is_known(request.get(2)) => ok(call, request),
        _ => Err(Problem::Text("ERR FUNCTION FLUSH only supports SYNC|ASYNC option")),
    }
}

/// `LATENCY DOCTOR`.
pub fn latency_doctor(call: &mut Call<'_>, _request: &Arguments<'_>) -> Answered {
    call.reply.verbatim("txt", b"Latency is not recorded here; `leveret stats` shows how long requests take.\n");
    Ok(Impact::None)
}

/// `LATENCY GRAPH event`.
pub fn latency_graph(_call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    Err(Problem::Told([b"ERR No samples available for event '", request.get(2), b"'"].concat()))
}

/// `LATENCY HELP`.
pub fn latency_help(call: &mut Call<'_>, _request: &Arguments<'_>) -> Answered {
    call.reply
        .help("LATENCY", &["DOCTOR, GRAPH, HISTOGRAM, HISTORY, LATEST, RESET", "    Latency is not recorded here."]);
    Ok(Impact::None)
}

/// `SLOWLOG HELP`.
pub fn slowlog_help(call: &mut Call<'_>, _request: &Arguments<'_>) -> Answered {
    call.reply.help("SLOWLOG", &["GET, LEN, RESET", "    Slow commands are not recorded here."]);
    Ok(Impact::None)
}

/// `MODULE HELP`.
pub fn module_help(call: &mut Call<'_>, _request: &Arguments<'_>) -> Answered {
    call.reply.help("MODULE", &["LIST", "    Modules are not loaded here."]);
    Ok(Impact::None)
}

/// `FUNCTION HELP`.
pub fn function_help(call: &mut Call<'_>, _request: &Arguments<'_>) -> Answered {
    call.reply.help("FUNCTION", &["FLUSH, LIST", "    Functions are not kept here."]);
    Ok(Impact::None)
}
