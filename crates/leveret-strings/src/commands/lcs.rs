//! LCS: the longest common subsequence, by the table of all prefixes.
use crate::call::{Answered, Call, Impact};
use crate::engine_calls::read_value;
use crate::problem::Problem;
use crate::words::{integer, is_word};
use leveret_protocol::resp::Arguments;
use std::ops::Range;

/// Where Redis ends: a table of 512 MB, with four bytes a cell. Here a cell is a bit.
const CELLS_MAX: usize = (512 << 20) / 4;

/// `LCS key key [LEN] [IDX] [MINMATCHLEN number] [WITHMATCHLEN]`.
pub fn lcs(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let read = |index| Ok::<_, Problem>(read_value(call, request.get(index))?.unwrap_or_default());
    let (left, right) = (read(1)?, read(2)?);
    let options = Options::read(request)?;
    if options.len && options.idx {
        return Err(Problem::Text("ERR If you want both the length and indexes, please just use IDX."));
    }
    if (left.len() + 1).checked_mul(right.len() + 1).is_none_or(|cells| cells > CELLS_MAX) {
        return Err(Problem::Text("ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len"));
    }
    let ways = Ways::new(&left, &right);
    let total = ways.len;
    if options.len {
        call.reply.count(total);
        return Ok(Impact::None);
    }
    let (common, runs) = ways.common(&left, &right);
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

/// Bytes that follow each other in both values.
struct Run {
    left: Range<usize>,
    right: Range<usize>,
}

/// Of each two prefixes which of both, one byte shorter, has the longer common subsequence.
struct Ways {
    /// A bit each: the left one.
    is_left: Vec<u64>,
    width: usize,
    /// Length of the longest common subsequence of the whole values.
    len: usize,
}

impl Ways {
    fn new(left: &[u8], right: &[u8]) -> Ways {
        let width = right.len() + 1;
        let mut ways = Ways { is_left: vec![0; ((left.len() + 1) * width).div_ceil(64)], width, len: 0 };
        // Lengths of two rows at a time.
        let (mut above, mut row) = (vec![0_u32; width], vec![0_u32; width]);
        for (index, byte) in left.iter().enumerate() {
            for (column, other) in right.iter().enumerate() {
                let (shorter_left, shorter_right) = (above[column + 1], row[column]);
                row[column + 1] = if byte == other { above[column] + 1 } else { shorter_left.max(shorter_right) };
                if shorter_left > shorter_right {
                    let cell = (index + 1) * width + column + 1;
                    ways.is_left[cell / 64] |= 1 << (cell % 64);
                }
            }
            std::mem::swap(&mut above, &mut row);
        }
        ways.len = above[right.len()] as usize;
        ways
    }

    fn is_left(&self, left: usize, right: usize) -> bool {
        let cell = left * self.width + right;
        self.is_left[cell / 64] >> (cell % 64) & 1 != 0
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
                if self.is_left(row, column) {
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
