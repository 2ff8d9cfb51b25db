//! LCS: the longest common subsequence, by the table of all prefixes.
use crate::call::{Answered, Call, Impact};
use crate::problem::Problem;
use crate::words::{integer, is_word};
use leveret_engine::ReadOptions;
use leveret_protocol::resp::Arguments;
use std::ops::Range;

/// `LCS key key [LEN] [IDX] [MINMATCHLEN number] [WITHMATCHLEN]`.
pub fn lcs(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let (left, right) = (read(call, request.get(1))?, read(call, request.get(2))?);
    let options = Options::read(request)?;
    if options.len && options.idx {
        return Err(Problem::Text("ERR If you want both the length and indexes, please just use IDX."));
    }
    let cells = (left.len() + 1).checked_mul(right.len() + 1);
    if cells.and_then(|cells| cells.checked_mul(size_of::<u32>())).is_none_or(|bytes| bytes > call.host.value_max()) {
        return Err(Problem::Text("ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len"));
    }
    let table = Lengths::new(&left, &right);
    let total = table.of(left.len(), right.len());
    if options.len {
        call.reply.count(total);
        return Ok(Impact::None);
    }
    let (common, runs) = table.common(&left, &right);
    if !options.idx {
        call.reply.bulk(&common);
        return Ok(Impact::None);
    }
    let told: Vec<&Run> = runs.iter().filter(|run| run.left.len() as i64 >= options.min_len).collect();
    let reply = &mut call.reply;
    reply.map(2);
    reply.bulk(b"matches");
    reply.array(told.len());
    for run in told {
        reply.array(2 + usize::from(options.with_len));
        for range in [&run.left, &run.right] {
            reply.array(2);
            reply.count(range.start);
            reply.count(range.end - 1);
        }
        if options.with_len {
            reply.count(run.left.len());
        }
    }
    reply.bulk(b"len");
    reply.count(total);
    Ok(Impact::None)
}

#[derive(Default)]
struct Options {
    len: bool,
    idx: bool,
    with_len: bool,
    min_len: i64,
}

impl Options {
    fn read(request: &Arguments<'_>) -> Result<Options, Problem> {
        let mut options = Options::default();
        let mut index = 3;
        while index < request.len() {
            match request.get(index) {
                word if is_word(word, "IDX") => options.idx = true,
                word if is_word(word, "LEN") => options.len = true,
                word if is_word(word, "WITHMATCHLEN") => options.with_len = true,
                word if is_word(word, "MINMATCHLEN") && index + 1 < request.len() => {
                    index += 1;
                    options.min_len = integer(request.get(index))?;
                }
                _ => return Err(Problem::SYNTAX),
            }
            index += 1;
        }
        Ok(options)
    }
}

fn read(call: &mut Call<'_>, key: &[u8]) -> Result<Vec<u8>, Problem> {
    let mut value = Vec::new();
    if let Some(arena) = call.arena {
        arena.read_into(key, ReadOptions::new(), call.now, &mut value)?;
    }
    Ok(value)
}

/// Bytes that follow each other in both values.
struct Run {
    left: Range<usize>,
    right: Range<usize>,
}

/// Of each two prefixes how long their longest common subsequence is.
struct Lengths {
    cells: Vec<u32>,
    width: usize,
}

impl Lengths {
    fn new(left: &[u8], right: &[u8]) -> Lengths {
        let width = right.len() + 1;
        let mut table = Lengths { cells: vec![0; (left.len() + 1) * width], width };
        for (row, byte) in left.iter().enumerate() {
            for (column, other) in right.iter().enumerate() {
                table.cells[(row + 1) * width + column + 1] = if byte == other {
                    table.cells[row * width + column] + 1
                } else {
                    table.cells[row * width + column + 1].max(table.cells[(row + 1) * width + column])
                };
            }
        }
        table
    }

    fn of(&self, left: usize, right: usize) -> usize {
        self.cells[left * self.width + right] as usize
    }

    /// The subsequence, and its runs from the last one on, which is how Redis finds them.
    fn common(&self, left: &[u8], right: &[u8]) -> (Vec<u8>, Vec<Run>) {
        let (mut common, mut runs) = (Vec::new(), Vec::new());
        let mut run: Option<Run> = None;
        let (mut row, mut column) = (left.len(), right.len());
        while row > 0 && column > 0 {
            if left[row - 1] == right[column - 1] {
                common.push(left[row - 1]);
                row -= 1;
                column -= 1;
                match &mut run {
                    Some(run) if run.left.start == row + 1 && run.right.start == column + 1 => {
                        run.left.start = row;
                        run.right.start = column;
                    }
                    run => runs.extend(run.replace(Run { left: row..row + 1, right: column..column + 1 })),
                }
            } else {
                runs.extend(run.take());
                if self.of(row - 1, column) > self.of(row, column - 1) {
                    row -= 1;
                } else {
                    column -= 1;
                }
            }
        }
        runs.extend(run);
        common.reverse();
        (common, runs)
    }
}
