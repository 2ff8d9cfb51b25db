//! Options after a command's keys, and the rules that follow from them.
use crate::expiry::{Expiry, ExpiryWords};
use crate::problem::Problem;
use crate::words::{c_text, is_word};
use leveret_engine::Mode;
use leveret_protocol::resp::Arguments;

/// Options after the value of a SET.
pub struct SetOptions<'r> {
    /// Set, Add (NX) or Replace (XX).
    pub mode: Mode,
    /// GET.
    pub tells_old: bool,
    /// KEEPTTL.
    pub keeps_deadline: bool,
    /// EX and others.
    pub expiry: Option<Expiry<'r>>,
}

impl<'r> SetOptions<'r> {
    /// Reads them.
    pub fn read(request: &Arguments<'r>) -> Result<SetOptions<'r>, Problem> {
        let (mut mode, mut tells_old, mut keeps_deadline) = (Mode::Set, false, false);
        let mut expiry = ExpiryWords::default();
        let mut index = 3;
        while index < request.len() {
            let word = request.get(index);
            if is_word(word, "NX") && mode != Mode::Replace {
                mode = Mode::Add;
            } else if is_word(word, "XX") && mode != Mode::Add {
                mode = Mode::Replace;
            } else if is_word(word, "GET") {
                tells_old = true;
            } else if is_word(word, "KEEPTTL") && expiry.is_empty() {
                keeps_deadline = true;
            } else if !keeps_deadline && expiry.take(request, index) {
                index += 1;
            } else {
                return Err(Problem::SYNTAX);
            }
            index += 1;
        }
        Ok(SetOptions { mode, tells_old, keeps_deadline, expiry: expiry.end() })
    }
}

/// Options after the key of a GETEX.
pub enum GetexOptions<'r> {
    /// Nothing.
    Plain,
    /// PERSIST.
    Persist,
    /// EX and others.
    Expiry(Expiry<'r>),
}

impl<'r> GetexOptions<'r> {
    /// Reads them.
    pub fn read(request: &Arguments<'r>) -> Result<GetexOptions<'r>, Problem> {
        let (mut expiry, mut persist) = (ExpiryWords::default(), false);
        let mut index = 2;
        while index < request.len() {
            let word = request.get(index);
            if is_word(word, "PERSIST") && expiry.is_empty() {
                persist = true;
            } else if !persist && expiry.take(request, index) {
                index += 1;
            } else {
                return Err(Problem::SYNTAX);
            }
            index += 1;
        }
        Ok(match expiry.end() {
            Some(expiry) => GetexOptions::Expiry(expiry),
            None if persist => GetexOptions::Persist,
            None => GetexOptions::Plain,
        })
    }
}

/// NX, XX, GT, LT of the EXPIRE family.
#[derive(Clone, Copy, Default)]
pub struct Conditions {
    nx: bool,
    xx: bool,
    gt: bool,
    lt: bool,
}

impl Conditions {
    /// Reads them.
    pub fn read(request: &Arguments<'_>) -> Result<Conditions, Problem> {
        let mut conditions = Conditions::default();
        for word in request.iter().skip(3) {
            let condition = match word {
                word if is_word(word, "NX") => &mut conditions.nx,
                word if is_word(word, "XX") => &mut conditions.xx,
                word if is_word(word, "GT") => &mut conditions.gt,
                word if is_word(word, "LT") => &mut conditions.lt,
                word => {
                    // Without line ends behind it.
                    let shown = c_text(word);
                    let len = shown.iter().rposition(|byte| !b"\r\n".contains(byte)).map_or(0, |last| last + 1);
                    return Err(Problem::Told([b"ERR Unsupported option ", &shown[..len]].concat()));
                }
            };
            *condition = true;
        }
        let Conditions { nx, xx, gt, lt } = conditions;
        if nx && (xx || gt || lt) {
            return Err(Problem::Text("ERR NX and XX, GT or LT options at the same time are not compatible"));
        }
        if gt && lt {
            return Err(Problem::Text("ERR GT and LT options at the same time are not compatible"));
        }
        Ok(conditions)
    }

    /// Whether `new` may follow `old`. A key without a deadline never expires.
    pub fn allow(self, old: Option<i64>, new: i64) -> bool {
        match old {
            Some(old) => !self.nx && (!self.gt || new > old) && (!self.lt || new < old),
            None => !self.xx && !self.gt,
        }
    }
}

/// The bytes between two positions, which count from the end if they are negative.
pub fn part(value: &[u8], start: i64, end: i64) -> &[u8] {
    if start < 0 && end < 0 && start > end {
        return &[];
    }
    let len = value.len() as i64;
    let from_front = |at: i64| if at < 0 { (len + at.max(-len)).max(0) } else { at };
    let (start, end) = (from_front(start), from_front(end).min(len - 1));
    if start > end || len == 0 {
        return &[];
    }
    &value[start as usize..=end as usize]
}

#[cfg(test)]
mod tests {
    use super::part;

    #[test]
    fn parts_of_a_value() {
        for (start, end, want) in [
            (0, -1, "hello"),
            (1, 3, "ell"),
            (-3, -1, "llo"),
            (-100, 0, "h"),
            (-100, -100, "h"),
            (3, 100, "lo"),
            (5, 6, ""),
            (3, 2, ""),
            (-1, -3, ""),
            (i64::MIN, i64::MAX, "hello"),
            (i64::MIN, i64::MIN, "h"),
        ] {
            assert_eq!(part(b"hello", start, end), want.as_bytes(), "{start} {end}");
            assert_eq!(part(b"", start, end), b"");
        }
    }
}
