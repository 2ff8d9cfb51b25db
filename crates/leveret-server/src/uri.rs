//! Keys as memcached writes them into dumps and watchers' lines.

/// Appends a key: letters, digits and `-._~` as they are, every other byte as `%XX`.
pub(crate) fn encode(output: &mut Vec<u8>, key: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut rest = key;
    while !rest.is_empty() {
        let plain = rest.iter().position(|byte| !IS_PLAIN[usize::from(*byte)]).unwrap_or(rest.len());
        output.extend_from_slice(&rest[..plain]);
        rest = &rest[plain..];
        if let Some((byte, after)) = rest.split_first() {
            output.extend_from_slice(&[b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
            rest = after;
        }
    }
}

static IS_PLAIN: [bool; 256] = {
    let mut is_plain = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        is_plain[byte] = (byte as u8).is_ascii_alphanumeric() || matches!(byte as u8, b'-' | b'.' | b'_' | b'~');
        byte += 1;
    }
    is_plain
};
