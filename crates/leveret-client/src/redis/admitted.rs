//! Credentials that servers of this host have accepted from this process. A server draws a new nonce at each start and at
//! each change of a password, so a nonce names one server and its passwords at one time.
use super::target::RedisCredentials;
use crate::try_lock::unless_held;
use std::sync::Mutex;

/// For all sites of one process. Beyond it the oldest entry is dropped, and its server is asked again.
const ADMITTED_MAX: usize = 64;

static ADMITTED: Mutex<Vec<(u128, RedisCredentials)>> = Mutex::new(Vec::new());

/// Whether the server with this nonce has accepted these credentials.
pub(super) fn is_known(nonce: u128, credentials: &RedisCredentials) -> bool {
    unless_held(&ADMITTED)
        .is_some_and(|admitted| admitted.iter().any(|(of, known)| *of == nonce && known == credentials))
}

/// Remembers it.
pub(super) fn add(nonce: u128, credentials: RedisCredentials) {
    let Some(mut admitted) = unless_held(&ADMITTED) else { return };
    if admitted.len() == ADMITTED_MAX {
        admitted.remove(0);
    }
    admitted.push((nonce, credentials));
}

/// The nonce in the answer to `INFO leveret`.
pub(super) fn nonce_in(info: &[u8]) -> Option<u128> {
    let mut lines = info.split(|byte| matches!(byte, b'\r' | b'\n'));
    let digits = lines.find_map(|line| line.strip_prefix(b"leveret_nonce:"))?;
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let text = std::str::from_utf8(digits).ok().filter(|text| text.len() == 32 && digits.iter().all(is_digit))?;
    u128::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nonce_is_read_whole_or_not_at_all() {
        let digits = "0123456789abcdef0123456789abcdef";
        let told = |line: &str| nonce_in(format!("# Leveret\r\nleveret_layout:2\r\n{line}\r\nother:1\r\n").as_bytes());
        assert_eq!(told(&format!("leveret_nonce:{digits}")), Some(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef));
        for line in [
            "leveret_nonce:".to_owned(),
            format!("leveret_nonce:{}", &digits[1..]),
            format!("leveret_nonce:{digits}0"),
            format!("leveret_nonce:+{}", &digits[1..]),
            format!("leveret_nonce:{}", digits.to_uppercase()),
            format!("xleveret_nonce:{digits}"),
        ] {
            assert_eq!(told(&line), None, "{line}");
        }
        assert_eq!(nonce_in(b""), None);
    }

    #[test]
    fn other_credentials_and_other_nonces_are_not_known() {
        let with = |user: Option<&str>, password: &str| RedisCredentials {
            user: user.map(|user| user.as_bytes().to_vec()),
            password: password.as_bytes().to_vec(),
        };
        add(7, with(None, "right"));
        assert!(is_known(7, &with(None, "right")));
        for (nonce, credentials) in [
            (8, with(None, "right")),
            (7, with(None, "wrong")),
            (7, with(Some("default"), "right")),
            (7, with(None, "")),
        ] {
            assert!(!is_known(nonce, &credentials), "{nonce} {credentials:?}");
        }
    }
}
