//! EVAL, EVALSHA, SCRIPT.
use crate::call::{Answered, Call, Impact};
use crate::problem::Problem;
use crate::words::is_word;
use leveret_protocol::resp::Arguments;

const UNSUPPORTED: Problem =
    Problem::Text("UNSUPPORTED this script: leveret serve evaluates scripts on one string key; see docs/redis.md");

const NO_SCRIPT: Problem = Problem::Text("NOSCRIPT No matching script. Please use EVAL.");

/// `EVAL script numkeys key … argument …`.
pub fn eval(_call: &mut Call<'_>, _request: &Arguments<'_>) -> Answered {
    Err(UNSUPPORTED)
}

/// `EVAL_RO script numkeys key … argument …`.
pub fn eval_ro(_call: &mut Call<'_>, _request: &Arguments<'_>) -> Answered {
    Err(UNSUPPORTED)
}

/// `EVALSHA sha1 numkeys key … argument …`.
pub fn evalsha(_call: &mut Call<'_>, _request: &Arguments<'_>) -> Answered {
    Err(NO_SCRIPT)
}

/// `EVALSHA_RO sha1 numkeys key … argument …`.
pub fn evalsha_ro(_call: &mut Call<'_>, _request: &Arguments<'_>) -> Answered {
    Err(NO_SCRIPT)
}

/// `SCRIPT LOAD script`.
pub fn load(_call: &mut Call<'_>, _request: &Arguments<'_>) -> Answered {
    Err(UNSUPPORTED)
}

/// `SCRIPT EXISTS sha1 …`.
pub fn exists(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let count = request.len() - 2;
    call.reply.array(count);
    (0..count).for_each(|_| call.reply.integer(0));
    Ok(Impact::None)
}

/// `SCRIPT FLUSH [ASYNC|SYNC]`.
pub fn flush(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    match request.len() {
        2 => {}
        3 if is_word(request.get(2), "ASYNC") || is_word(request.get(2), "SYNC") => {}
        _ => return Err(Problem::Text("ERR SCRIPT FLUSH only support SYNC|ASYNC option")),
    }
    call.reply.ok();
    Ok(Impact::None)
}

/// `SCRIPT KILL`.
pub fn kill(_call: &mut Call<'_>, _request: &Arguments<'_>) -> Answered {
    Err(Problem::Text("NOTBUSY No scripts in execution right now."))
}

/// `SCRIPT HELP`.
pub fn help(call: &mut Call<'_>, _request: &Arguments<'_>) -> Answered {
    call.reply.help(
        "SCRIPT",
        &[
            "EXISTS <sha1> [<sha1> ...]",
            "    Tell which scripts are known.",
            "FLUSH [ASYNC|SYNC]",
            "    Forget the scripts that were loaded.",
            "KILL",
            "    Answer that no script runs.",
            "LOAD <script>",
            "    Keep a script by its SHA1.",
        ],
    );
    Ok(Impact::None)
}
