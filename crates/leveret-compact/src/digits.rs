//! Floats as PHP writes them.
use std::fmt::{Display, Formatter, Result};

/// More digits before the point than this, or more zeros behind it than three, and an exponent is written.
const DIGITS_MAX: i32 = 17;

/// The shortest digits that are read back as the same float, in the form of PHP's `serialize_precision=-1`.
pub struct Digits(pub f64);

impl Display for Digits {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        let Digits(float) = *self;
        if float.is_nan() {
            return out.write_str("NAN");
        }
        if float.is_infinite() {
            return out.write_str(if float > 0.0 { "INF" } else { "-INF" });
        }
        if float.is_sign_negative() {
            out.write_str("-")?;
        }
        // `1.25e-7`: digits and where the point stands.
        let text = format!("{:e}", float.abs());
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let digits = mantissa.replace('.', "");
        let point = exponent.parse::<i32>().unwrap_or(0) + 1;
        if !(-3..=DIGITS_MAX).contains(&point) {
            let (first, rest) = digits.split_at(1);
            let (rest, sign) = (if rest.is_empty() { "0" } else { rest }, if point < 1 { '-' } else { '+' });
            return write!(out, "{first}.{rest}E{sign}{}", (point - 1).abs());
        }
        if point <= 0 {
            return write!(out, "0.{:0<1$}{digits}", "", point.unsigned_abs() as usize);
        }
        let point = point as usize;
        if digits.len() <= point {
            return write!(out, "{digits:0<point$}");
        }
        let (whole, part) = digits.split_at(point);
        write!(out, "{whole}.{part}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_written_as_php_writes_them() {
        // What PHP 8.2 says to serialize().
        for (float, want) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (-1.5, "-1.5"),
            (0.1, "0.1"),
            (0.0001, "0.0001"),
            (0.00012345, "0.00012345"),
            (0.00001, "1.0E-5"),
            (0.0000125, "1.25E-5"),
            (123456.789, "123456.789"),
            (1e15, "1000000000000000"),
            (1e17, "1.0E+17"),
            (12345678901234567.0, "12345678901234568"),
            (1e25, "1.0E+25"),
            (-1.2345678901234567e-308, "-1.2345678901234567E-308"),
            (5e-324, "5.0E-324"),
            (99_999_999_999_999_980.0, "99999999999999980"),
            (f64::MAX, "1.7976931348623157E+308"),
            (f64::INFINITY, "INF"),
            (f64::NEG_INFINITY, "-INF"),
            (f64::NAN, "NAN"),
        ] {
            assert_eq!(want, Digits(float).to_string());
        }
    }
}
