//! EVAL, EVALSHA, SCRIPT.
use crate::call::{Answered, Call, Impact};
use crate::command::ScriptCommand;
use crate::glob;
use crate::library::{known, sha1};
use crate::problem::Problem;
use crate::script::{evaluate, understand, FindRow, PatternFlush, ScriptInput, Understood, UNSUPPORTED};
use crate::walk::walk;
use crate::words::{integer, is_word};
use leveret_protocol::resp::Arguments;

const NO_SCRIPT: Problem = Problem::Text("NOSCRIPT No matching script. Please use EVAL.");

/// Executes a command on scripts.
pub fn answer(call: &mut Call<'_>, request: &Arguments<'_>, command: ScriptCommand, find_row: FindRow) -> Answered {
    match command {
        ScriptCommand::Eval => eval(call, request, find_row, false),
        ScriptCommand::EvalReadOnly => eval(call, request, find_row, true),
        ScriptCommand::EvalSha => eval_sha(call, request, find_row, false),
        ScriptCommand::EvalShaReadOnly => eval_sha(call, request, find_row, true),
        ScriptCommand::Exists => exists(call, request),
        ScriptCommand::Flush => flush(call, request),
        ScriptCommand::Kill => Err(Problem::Text("NOTBUSY No scripts in execution right now.")),
        ScriptCommand::Load => load(call, request),
        ScriptCommand::Help => help(call),
    }
}

/// `EVAL script numkeys key … argument …`.
fn eval(call: &mut Call<'_>, request: &Arguments<'_>, find_row: FindRow, is_read_only: bool) -> Answered {
    let text = request.get(1);
    let words = words(request)?;
    let program = understand(text).ok_or(UNSUPPORTED)?;
    let digest = match call.host.scripts() {
        Some(scripts) => scripts.keep(text),
        None => sha1(text),
    };
    run(call, &program, &digest, &words, find_row, is_read_only)
}

/// `EVALSHA sha1 numkeys key … argument …`.
fn eval_sha(call: &mut Call<'_>, request: &Arguments<'_>, find_row: FindRow, is_read_only: bool) -> Answered {
    let digest = request.get(1);
    if digest.len() != 40 {
        return Err(NO_SCRIPT);
    }
    let words = words(request)?;
    let kept = call.host.scripts().and_then(|scripts| scripts.find(digest));
    let text = kept.as_deref().or_else(|| known(digest)).ok_or(NO_SCRIPT)?;
    let program = understand(text).ok_or(UNSUPPORTED)?;
    run(call, &program, &digest.to_ascii_lowercase(), &words, find_row, is_read_only)
}

/// The keys of a script, and its other arguments.
struct Words<'r> {
    all: Vec<&'r [u8]>,
    keys: usize,
}

fn words<'r>(request: &Arguments<'r>) -> Result<Words<'r>, Problem> {
    let all: Vec<_> = request.iter().skip(3).collect();
    match usize::try_from(integer(request.get(2))?) {
        Ok(keys) if keys <= all.len() => Ok(Words { all, keys }),
        Ok(_) => Err(Problem::Text("ERR Number of keys can't be greater than number of args")),
        Err(_) => Err(Problem::Text("ERR Number of keys can't be negative")),
    }
}

fn run(
    call: &mut Call<'_>,
    program: &Understood,
    digest: &[u8],
    words: &Words<'_>,
    find_row: FindRow,
    is_read_only: bool,
) -> Answered {
    let (keys, arguments) = words.all.split_at(words.keys);
    match program {
        Understood::Tree(tree) => {
            evaluate(call, tree, &ScriptInput { digest, keys, arguments, is_read_only, find_row })
        }
        Understood::Flush(_) if is_read_only => Err(UNSUPPORTED),
        Understood::Flush(flush) => delete_matching(call, flush, keys),
    }
}

/// Deletes the keys that match a pattern, step by step.
fn delete_matching(call: &mut Call<'_>, flush: &PatternFlush, kept_groups: &[&[u8]]) -> Answered {
    let now = call.now;
    let walk = walk(call, &mut |walk, arena, keys| {
        for key in keys {
            let is_found = flush.pattern == b"*" || glob::matches(&flush.pattern, key);
            if is_found && flush.deletes(key, kept_groups) && arena.delete(key, now)? {
                walk.count(1);
            }
        }
        Ok(())
    })?;
    call.reply.integer(walk.counted());
    Ok(if walk.counted() > 0 { Impact::Removed } else { Impact::None })
}

/// `SCRIPT LOAD script`.
fn load(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let text = request.get(2);
    understand(text).ok_or(UNSUPPORTED)?;
    let digest = match call.host.scripts() {
        Some(scripts) => scripts.keep(text),
        None => sha1(text),
    };
    call.reply.bulk(&digest);
    Ok(Impact::None)
}

/// `SCRIPT EXISTS sha1 …`.
fn exists(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    call.reply.array(request.len() - 2);
    for digest in request.iter().skip(2) {
        let is_kept = call.host.scripts().is_some_and(|scripts| scripts.find(digest).is_some());
        call.reply.integer(i64::from(is_kept || known(digest).is_some()));
    }
    Ok(Impact::None)
}

/// `SCRIPT FLUSH [ASYNC|SYNC]`.
fn flush(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    match request.len() {
        2 => {}
        3 if is_word(request.get(2), "ASYNC") || is_word(request.get(2), "SYNC") => {}
        _ => return Err(Problem::Text("ERR SCRIPT FLUSH only support SYNC|ASYNC option")),
    }
    if let Some(scripts) = call.host.scripts() {
        scripts.flush();
    }
    call.reply.ok();
    Ok(Impact::None)
}

fn help(call: &mut Call<'_>) -> Answered {
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
