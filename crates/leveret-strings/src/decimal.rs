//! Decimal fractions for INCRBYFLOAT: sums are exact, and said with 17 digits behind the point. Redis adds C's long
//! doubles and says the same digits, which show noise where these cannot hold the sum.

/// Digits behind the point that are told.
const TOLD: usize = 17;

/// What C's long double can have: above, a number is none; below, it is 0 to all digits that are told.
const EXPONENT_MAX: i64 = 4932;
const EXPONENT_MIN: i64 = -4951;

/// Longer texts are no numbers to Redis.
const TEXT_MAX: usize = 5 * 1024;

/// A number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decimal {
    is_negative: bool,
    /// From the most significant digit on, each 0 to 9. None: infinity.
    digits: Option<Vec<u8>>,
    /// How many of them lie behind the point.
    scale: usize,
}

impl Decimal {
    /// Nothing.
    pub const ZERO: Decimal = Decimal { is_negative: false, digits: Some(Vec::new()), scale: 0 };

    /// Reads what C's `strtold` reads, hexadecimal numbers left out.
    pub fn parse(text: &[u8]) -> Option<Decimal> {
        let (is_negative, rest) = match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] | rest => (false, rest),
        };
        if text.len() >= TEXT_MAX {
            return None;
        }
        if rest.eq_ignore_ascii_case(b"inf") || rest.eq_ignore_ascii_case(b"infinity") {
            return Some(Decimal { is_negative, digits: None, scale: 0 });
        }
        let end = rest.iter().position(|byte| matches!(byte, b'e' | b'E')).unwrap_or(rest.len());
        let exponent = if end < rest.len() { exponent(&rest[end + 1..])? } else { 0 };
        let mantissa = &rest[..end];
        let point = mantissa.iter().position(|byte| *byte == b'.');
        let digits: Vec<u8> = mantissa
            .iter()
            .enumerate()
            .filter(|(index, _)| Some(*index) != point)
            .map(|(_, byte)| byte.wrapping_sub(b'0'))
            .collect();
        if digits.is_empty() || digits.iter().any(|digit| *digit > 9) {
            return None;
        }
        let behind = point.map_or(0, |point| mantissa.len() - point - 1);
        Decimal { is_negative, digits: Some(digits), scale: behind }.shifted(exponent)
    }

    /// Times ten to this power.
    fn shifted(mut self, exponent: i64) -> Option<Decimal> {
        let Some(digits) = &mut self.digits else { return Some(self) };
        let zeros = digits.iter().take_while(|digit| **digit == 0).count();
        digits.drain(..zeros);
        if digits.is_empty() {
            return Some(Decimal { scale: 0, ..self });
        }
        let magnitude = (digits.len() as i64 - self.scale as i64).saturating_add(exponent);
        if !(EXPONENT_MIN..=EXPONENT_MAX + 1).contains(&magnitude) {
            return None;
        }
        // Within these bounds, both sums are small.
        let scale = self.scale as i64 - exponent;
        if scale < 0 {
            digits.resize(digits.len() + scale.unsigned_abs() as usize, 0);
        }
        self.scale = scale.max(0) as usize;
        Some(self)
    }

    /// The sum; None: it is none.
    pub fn plus(&self, other: &Decimal) -> Option<Decimal> {
        let (left, right) = (self.digits.as_ref()?, other.digits.as_ref()?);
        let scale = self.scale.max(other.scale);
        // Digits of the longer one, and one for the carry.
        let len = (left.len() + scale - self.scale).max(right.len() + scale - other.scale) + 1;
        let left = aligned(left, scale - self.scale, len);
        let right = aligned(right, scale - other.scale, len);
        let (is_negative, digits) = match (self.is_negative == other.is_negative, left >= right) {
            (true, _) => (self.is_negative, added(&left, &right)),
            (false, true) => (self.is_negative, subtracted(&left, &right)),
            (false, false) => (other.is_negative, subtracted(&right, &left)),
        };
        Some(Decimal { is_negative, digits: Some(digits), scale })
    }

    /// Its text: 17 digits behind the point, without the zeros at their end.
    pub fn to_text(&self) -> Vec<u8> {
        let mut digits = self.digits.clone().unwrap_or_default();
        let mut scale = self.scale;
        if scale > TOLD {
            let kept = (digits.len() + TOLD).saturating_sub(scale);
            let dropped = if digits.len() < scale - TOLD { Vec::new() } else { digits.split_off(kept) };
            if digits.len() > kept {
                digits.clear();
            }
            if rounds_up(&dropped, digits.last().copied().unwrap_or(0)) {
                let mut one = vec![0; digits.len() + 1];
                one[digits.len()] = 1;
                digits.insert(0, 0);
                digits = added(&digits, &one);
            }
            scale = TOLD;
        }
        if digits.len() <= scale {
            digits.splice(0..0, vec![0; scale + 1 - digits.len()]);
        }
        let behind = digits.split_off(digits.len() - scale);
        let zeros = digits.iter().take_while(|digit| **digit == 0).count().min(digits.len() - 1);
        let len = behind.iter().rposition(|digit| *digit != 0).map_or(0, |last| last + 1);
        let is_zero = len == 0 && digits[zeros..] == [0];
        let mut text = Vec::new();
        if self.is_negative && !is_zero {
            text.push(b'-');
        }
        text.extend(digits[zeros..].iter().map(|digit| digit + b'0'));
        if len > 0 {
            text.push(b'.');
            text.extend(behind[..len].iter().map(|digit| digit + b'0'));
        }
        text
    }
}

/// Half is rounded to the even digit.
fn rounds_up(dropped: &[u8], last: u8) -> bool {
    match dropped {
        [] => false,
        [5, rest @ ..] => rest.iter().any(|digit| *digit != 0) || last % 2 == 1,
        [first, ..] => *first > 5,
    }
}

fn exponent(text: &[u8]) -> Option<i64> {
    let (is_negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    // More than any that is allowed is as good as any such.
    let magnitude = digits.iter().fold(0_i64, |sum, digit| (sum * 10 + i64::from(digit - b'0')).min(1 << 20));
    Some(if is_negative { -magnitude } else { magnitude })
}

/// With `behind` zeros behind, and as many in front as `len` takes.
fn aligned(digits: &[u8], behind: usize, len: usize) -> Vec<u8> {
    let mut all = vec![0; len - digits.len() - behind];
    all.extend_from_slice(digits);
    all.resize(len, 0);
    all
}

fn added(left: &[u8], right: &[u8]) -> Vec<u8> {
    let mut sum = left.to_vec();
    let mut carry = 0;
    for (digit, other) in sum.iter_mut().zip(right).rev() {
        let both = *digit + other + carry;
        *digit = both % 10;
        carry = both / 10;
    }
    sum
}

/// `left` is not the smaller one.
fn subtracted(left: &[u8], right: &[u8]) -> Vec<u8> {
    let mut difference = left.to_vec();
    let mut borrow = 0;
    for (digit, other) in difference.iter_mut().zip(right).rev() {
        let less = other + borrow;
        borrow = u8::from(*digit < less);
        *digit = *digit + 10 * borrow - less;
    }
    difference
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact() {
        for (left, right, want) in [
            ("0", "3200.1", Some("3200.1")),
            ("10.5", "0.1", Some("10.6")),
            ("5.0e3", "2.0e2", Some("5200")),
            ("1", "-1", Some("0")),
            ("-1.5", "0.25", Some("-1.25")),
            ("0.1", "0.2", Some("0.3")),
            ("-0.0", "0", Some("0")),
            ("1e-17", "0", Some("0.00000000000000001")),
            ("1e-18", "0", Some("0")),
            ("-1e-18", "0", Some("0")),
            ("6e-18", "0", Some("0.00000000000000001")),
            ("15e-18", "0", Some("0.00000000000000002")),
            ("25e-18", "0", Some("0.00000000000000002")),
            ("0.999999999999999999", "0", Some("1")),
            ("9", "1", Some("10")),
            (".5", "5.", Some("5.5")),
            ("+1", "+1", Some("2")),
            ("1e20", "1", Some("100000000000000000001")),
            ("inf", "1", None),
            ("1", "-Infinity", None),
        ] {
            let sum = |left: &str, right: &str| {
                let of = |text: &str| Decimal::parse(text.as_bytes()).expect("a number");
                of(left).plus(&of(right)).map(|sum| String::from_utf8(sum.to_text()).expect("digits"))
            };
            assert_eq!(sum(left, right).as_deref(), want, "{left} + {right}");
            assert_eq!(sum(right, left).as_deref(), want, "{right} + {left}");
        }
        for text in
            ["", "-", "+", ".", "e5", "1e", "1e+", " 1", "1 ", "1.2.3", "nan", "abc", "1e4933", "0x10", "1e-99999"]
        {
            assert_eq!(Decimal::parse(text.as_bytes()), None, "{text:?}");
        }
        assert!(Decimal::parse(&[b'1'; TEXT_MAX]).is_none());
        assert_eq!(Decimal::parse(b"0e99999").expect("nothing, whatever its power").to_text(), b"0");
    }
}
