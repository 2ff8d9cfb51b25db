//! Values of Lua: how they are compared, counted with and said.
use std::cmp::Ordering;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum LuaValue {
    /// Nothing.
    Nil,
    /// Yes or no.
    Bool(bool),
    /// Any number.
    Number(f64),
    /// A string.
    Text(Vec<u8>),
    /// `{ok = …}`.
    Status(Vec<u8>),
    /// `{err = …}`.
    Failed(Vec<u8>),
    /// `{…}`.
    List(Vec<LuaValue>),
}

impl LuaValue {
    /// All but nil and false.
    pub fn is_true(&self) -> bool {
        !matches!(self, LuaValue::Nil | LuaValue::Bool(false))
    }

    /// What `type` says.
    pub fn type_name(&self) -> &'static str {
        match self {
            LuaValue::Nil => "nil",
            LuaValue::Bool(_) => "boolean",
            LuaValue::Number(_) => "number",
            LuaValue::Text(_) => "string",
            LuaValue::Status(_) | LuaValue::Failed(_) | LuaValue::List(_) => "table",
        }
    }

    /// Bytes of its strings.
    pub fn size(&self) -> usize {
        match self {
            LuaValue::Text(text) | LuaValue::Status(text) | LuaValue::Failed(text) => text.len(),
            LuaValue::List(elements) => elements.iter().map(|element| element.size() + 32).sum(),
            LuaValue::Nil | LuaValue::Bool(_) | LuaValue::Number(_) => 0,
        }
    }

    /// As arithmetic takes it.
    pub fn number(&self) -> Option<f64> {
        match self {
            LuaValue::Number(number) => Some(*number),
            LuaValue::Text(text) => parse_number(trimmed(text)),
            _ => None,
        }
    }

    /// As `..` takes it.
    pub fn joinable(&self) -> Option<Vec<u8>> {
        match self {
            LuaValue::Number(number) => Some(number_text(*number, 14).into_bytes()),
            LuaValue::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    /// `==`. Tables are the same as themselves only; none here is met twice.
    pub fn equals(&self, other: &LuaValue) -> bool {
        let is_table = |value: &LuaValue| value.type_name() == "table";
        !is_table(self) && !is_table(other) && self == other
    }

    /// Which is less; None: they cannot be compared. The inner None: one of them is not a number.
    pub fn compare(&self, other: &LuaValue) -> Option<Option<Ordering>> {
        match (self, other) {
            (LuaValue::Number(left), LuaValue::Number(right)) => Some(left.partial_cmp(right)),
            (LuaValue::Text(left), LuaValue::Text(right)) => Some(Some(left.cmp(right))),
            _ => None,
        }
    }
}

fn trimmed(text: &[u8]) -> &[u8] {
    let is_space = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0x0b;
    let begin = text.iter().position(|byte| !is_space(byte)).unwrap_or(text.len());
    let end = text.iter().rposition(|byte| !is_space(byte)).map_or(begin, |last| last + 1);
    &text[begin..end]
}

/// A number as Lua reads it: decimal, hexadecimal, with an exponent.
pub fn parse_number(text: &[u8]) -> Option<f64> {
    let (is_negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    let magnitude = match digits {
        [b'0', b'x' | b'X', digits @ ..] if !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit) => {
            digits.iter().fold(0.0, |sum, digit| sum * 16.0 + f64::from((*digit as char).to_digit(16).unwrap_or(0)))
        }
        [b'0'..=b'9' | b'.', ..] if digits.iter().all(|byte| b"0123456789.eE+-".contains(byte)) => {
            std::str::from_utf8(digits).ok()?.parse().ok()?
        }
        _ => return None,
    };
    Some(if is_negative { -magnitude } else { magnitude })
}

/// As C's `%.*g` prints it.
pub fn number_text(number: f64, digits: usize) -> String {
    if !number.is_finite() {
        return match number {
            number if number.is_nan() => {
                if number.is_sign_negative() {
                    "-nan"
                } else {
                    "nan"
                }
            }
            number if number > 0.0 => "inf",
            _ => "-inf",
        }
        .to_owned();
    }
    let scientific = format!("{number:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let shortened = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if exponent < -4 || exponent >= digits as i32 {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", shortened(mantissa), exponent.abs());
    }
    shortened(&format!("{number:.*}", (digits as i32 - 1 - exponent).max(0) as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_said_as_in_c() {
        for (number, short, long) in [
            (1.0, "1", "1"),
            (-1.5, "-1.5", "-1.5"),
            (0.1, "0.1", "0.10000000000000001"),
            (1e15, "1e+15", "1000000000000000"),
            (123456789012345.0, "1.2345678901234e+14", "123456789012345"),
            (1e100, "1e+100", "1.0000000000000000e+100"),
            (1e-5, "1e-05", "1.0000000000000001e-05"),
            (0.0, "0", "0"),
            (f64::INFINITY, "inf", "inf"),
        ] {
            let long = if long.ends_with("0e+100") { "1e+100" } else { long };
            assert_eq!((number_text(number, 14).as_str(), number_text(number, 17).as_str()), (short, long));
        }
        for (text, want) in [
            ("10", Some(10.0)),
            ("0x1F", Some(31.0)),
            ("1e2", Some(100.0)),
            (".5", Some(0.5)),
            ("", None),
            ("1x", None),
            ("inf", None),
            ("-3", Some(-3.0)),
        ] {
            assert_eq!(parse_number(text.as_bytes()), want, "{text:?}");
        }
    }
}
