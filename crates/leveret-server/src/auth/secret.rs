//! Passwords: compared without telling by the time it takes how much of one was right.

/// Whether these are the same bytes. Takes as long as `given` is, wherever the first difference is.
pub fn is_equal(wanted: &[u8], given: &[u8]) -> bool {
    let lengths_differ = u8::from(wanted.len() != given.len());
    let byte_at = |at: usize| wanted.get(at).copied().unwrap_or_default();
    let differences = given.iter().enumerate().fold(lengths_differ, |sum, (at, byte)| sum | (byte ^ byte_at(at)));
    std::hint::black_box(differences) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_bytes_are_equal() {
        for (wanted, given, want) in [
            ("", "", true),
            ("secret", "secret", true),
            ("secret", "secreT", false),
            ("secret", "Secret", false),
            ("secret", "secret\0", false),
            ("secret\0", "secret", false),
            ("secret", "", false),
            ("", "secret", false),
        ] {
            assert_eq!(is_equal(wanted.as_bytes(), given.as_bytes()), want, "{wanted:?} {given:?}");
        }
    }
}
