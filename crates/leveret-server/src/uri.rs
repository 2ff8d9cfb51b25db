//! Keys as memcached writes them into dumps and watchers' lines.

/// Appends a key: letters, digits and `-._~` as they are, every other byte as `%XX`.
pub(crate) fn encode(output: &mut Vec<u8>, key: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for &byte in key {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            output.push(byte);
        } else {
            output.extend([b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
    }
}
