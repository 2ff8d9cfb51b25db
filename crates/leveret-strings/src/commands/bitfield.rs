//! BITFIELD: numbers of 1 to 64 bits, anywhere in a value.
use crate::call::{Answered, Call, Impact};
use crate::engine_calls::{edit, read_value, Edited};
use crate::problem::Problem;
use crate::words::{bit_offset, integer, is_word};
use leveret_protocol::resp::{parse_integer, Arguments, ReplyWriter};

/// `BITFIELD key [GET type offset | [OVERFLOW WRAP|SAT|FAIL] SET type offset value | INCRBY type offset number] …`.
pub fn bitfield(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let steps = steps(request, call.host.value_max())?;
    match steps.iter().map(|step| step.end_if_written()).max().unwrap_or(0) {
        0 => read_only(call, request.get(1), &steps),
        bits => write(call, request.get(1), &steps, bits.div_ceil(8) as usize),
    }
}

/// `BITFIELD_RO key [GET type offset] …`.
pub fn bitfield_ro(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let steps = steps(request, call.host.value_max())?;
    if steps.iter().any(|step| step.action != Action::Get) {
        return Err(Problem::Text("ERR BITFIELD_RO only supports the GET subcommand"));
    }
    read_only(call, request.get(1), &steps)
}

fn read_only(call: &mut Call<'_>, key: &[u8], steps: &[Step]) -> Answered {
    let value = read_value(call, key)?.unwrap_or_default();
    call.reply.array(steps.len());
    steps.iter().for_each(|step| call.reply.integer(step.field.get(&value, step.offset)));
    Ok(Impact::None)
}

fn write(call: &mut Call<'_>, key: &[u8], steps: &[Step], len: usize) -> Answered {
    let mut answers = Vec::new();
    let mut impact = Impact::None;
    edit(call, key, &mut |value, _| {
        answers.clear();
        let is_longer = value.len() < len;
        if is_longer {
            value.resize(len, 0);
        }
        let mut is_changed = is_longer;
        for step in steps {
            let (answer, changed) = step.run(value);
            answers.push(answer);
            is_changed |= changed;
        }
        impact = if is_changed { Impact::Changed } else { Impact::None };
        Ok(if is_changed { Edited::Changed } else { Edited::Same })
    })?;
    say(&mut call.reply, &answers);
    Ok(impact)
}

fn say(reply: &mut ReplyWriter<'_>, answers: &[Option<i64>]) {
    reply.array(answers.len());
    for answer in answers {
        match answer {
            Some(number) => reply.integer(*number),
            None => reply.nil(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    Get,
    Set(i64),
    Add(i64),
}

/// What becomes of a number that does not fit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Overflow {
    Wrap,
    Saturate,
    Fail,
}

#[derive(Clone, Copy)]
struct Step {
    action: Action,
    overflow: Overflow,
    field: Field,
    offset: u64,
}

fn steps(request: &Arguments<'_>, value_max: usize) -> Result<Vec<Step>, Problem> {
    let (mut steps, mut overflow) = (Vec::new(), Overflow::Wrap);
    let mut index = 2;
    while index < request.len() {
        let (word, behind) = (request.get(index), request.len() - index - 1);
        if is_word(word, "OVERFLOW") && behind >= 1 {
            overflow = match request.get(index + 1) {
                word if is_word(word, "WRAP") => Overflow::Wrap,
                word if is_word(word, "SAT") => Overflow::Saturate,
                word if is_word(word, "FAIL") => Overflow::Fail,
                _ => return Err(Problem::Text("ERR Invalid OVERFLOW type specified")),
            };
            index += 2;
            continue;
        }
        let arguments = match word {
            word if is_word(word, "GET") => 2,
            word if is_word(word, "SET") || is_word(word, "INCRBY") => 3,
            _ => return Err(Problem::SYNTAX),
        };
        if behind < arguments {
            return Err(Problem::SYNTAX);
        }
        let field = Field::parse(request.get(index + 1))?;
        let offset = bit_offset(request.get(index + 2), Some(field.width), value_max)?;
        let action = match arguments {
            2 => Action::Get,
            _ if is_word(word, "SET") => Action::Set(integer(request.get(index + 3))?),
            _ => Action::Add(integer(request.get(index + 3))?),
        };
        steps.push(Step { action, overflow, field, offset });
        index += 1 + arguments;
    }
    Ok(steps)
}

impl Step {
    /// How many bits the value must have.
    fn end_if_written(&self) -> u64 {
        match self.action {
            Action::Get => 0,
            _ => self.offset + u64::from(self.field.width),
        }
    }

    /// The answer, and whether the value has changed.
    fn run(&self, value: &mut [u8]) -> (Option<i64>, bool) {
        let old = self.field.get(value, self.offset);
        let wide = match self.action {
            Action::Get => return (Some(old), false),
            Action::Set(new) => self.field.as_given(new),
            Action::Add(by) => i128::from(old) + i128::from(by),
        };
        let Some(new) = self.field.fit(wide, self.overflow) else { return (None, false) };
        self.field.set(value, self.offset, new);
        (Some(if matches!(self.action, Action::Set(_)) { old } else { new }), new != old)
    }
}

/// `i8`, `u63`.
#[derive(Clone, Copy)]
struct Field {
    is_signed: bool,
    width: u8,
}

impl Field {
    fn parse(text: &[u8]) -> Result<Field, Problem> {
        let (is_signed, width) = match text {
            [b'i', width @ ..] => (true, width),
            [b'u', width @ ..] => (false, width),
            _ => (false, &b""[..]),
        };
        let max = if is_signed { 64 } else { 63 };
        match parse_integer(width) {
            Some(width) if (1..=max).contains(&width) => Ok(Field { is_signed, width: width as u8 }),
            _ => Err(Problem::Text(
                "ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.",
            )),
        }
    }

    fn get(self, value: &[u8], offset: u64) -> i64 {
        let mut bits = 0_u64;
        for at in offset..offset + u64::from(self.width) {
            let byte = value.get((at >> 3) as usize).copied().unwrap_or(0);
            bits = bits << 1 | u64::from(byte >> (7 - (at & 7)) & 1);
        }
        self.number(bits)
    }

    fn set(self, value: &mut [u8], offset: u64, number: i64) {
        for (index, at) in (offset..offset + u64::from(self.width)).rev().enumerate() {
            let Some(byte) = value.get_mut((at >> 3) as usize) else { continue };
            let mask = 0x80 >> (at & 7);
            *byte = if number >> index & 1 != 0 { *byte | mask } else { *byte & !mask };
        }
    }

    /// The number whose lowest bits these are.
    fn number(self, bits: u64) -> i64 {
        let unused = 64 - u32::from(self.width);
        match self.is_signed {
            true => (bits << unused) as i64 >> unused,
            false => (bits << unused >> unused) as i64,
        }
    }

    /// An unsigned field takes a negative number as the bits that it has.
    fn as_given(self, number: i64) -> i128 {
        match self.is_signed {
            true => i128::from(number),
            false => i128::from(number as u64),
        }
    }

    /// The number as it is kept. None: it does not fit, and shall not.
    fn fit(self, number: i128, overflow: Overflow) -> Option<i64> {
        let width = u32::from(self.width);
        let (min, max) = match self.is_signed {
            true => (-(1_i128 << (width - 1)), (1 << (width - 1)) - 1),
            false => (0, (1 << width) - 1),
        };
        match overflow {
            _ if (min..=max).contains(&number) => Some(number as i64),
            Overflow::Wrap => Some(self.number(number as u64)),
            Overflow::Saturate => Some(number.clamp(min, max) as i64),
            Overflow::Fail => None,
        }
    }
}
