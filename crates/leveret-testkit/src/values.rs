//! Values that describe themselves, so that a torn, foreign or mixed-up read is caught by looking at the bytes alone.
//!
//! A frame is `LEV writer counter filler_len key\n filler crc32`, the crc as 8 hexadecimal digits over everything
//! before it. A value is one frame or, after append and prepend, several. It is text so that PHP can make and check it
//! as easily.

/// Contents of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueFrame<'a> {
    /// The key it was stored under.
    pub key: &'a [u8],
    /// The writer.
    pub writer: u64,
    /// Which of the writer's values it is.
    pub counter: u64,
    /// The whole frame's length in the value.
    pub len: usize,
}

/// A frame of `filler_len` more bytes than it needs.
pub fn frame(key: &[u8], writer: u64, counter: u64, filler_len: usize) -> Vec<u8> {
    let mut bytes = format!("LEV {writer} {counter} {filler_len} ").into_bytes();
    bytes.reserve(key.len() + filler_len + 9);
    bytes.extend_from_slice(key);
    bytes.push(b'\n');
    // Unequal in neighbouring counters and at neighbouring places: half of one value never completes another.
    let start = counter.wrapping_mul(7).wrapping_add(writer);
    bytes.extend((0..filler_len as u64).map(|at| b'a' + ((start + at) % 23) as u8));
    let crc = crc32fast::hash(&bytes);
    bytes.extend_from_slice(format!("{crc:08x}").as_bytes());
    bytes
}

/// Splits the value into frames. The error says what is wrong with it.
pub fn frames(mut value: &[u8]) -> Result<Vec<ValueFrame<'_>>, String> {
    let mut found = Vec::new();
    while !value.is_empty() {
        let frame = first_frame(value).ok_or_else(|| {
            format!(
                "no valid frame at its byte {} of {}",
                found.iter().map(|frame: &ValueFrame| frame.len).sum::<usize>(),
                show(value)
            )
        })?;
        value = &value[frame.len..];
        found.push(frame);
    }
    Ok(found)
}

/// The frames of a value that must all have been stored under `key`, at least one.
pub fn frames_of<'a>(key: &[u8], value: &'a [u8]) -> Result<Vec<ValueFrame<'a>>, String> {
    let found = frames(value).map_err(|why| format!("torn value under {}: {why}", show(key)))?;
    match found.iter().find(|frame| frame.key != key) {
        Some(foreign) => Err(format!("foreign value under {}: it was stored under {}", show(key), show(foreign.key))),
        None if found.is_empty() => Err(format!("empty value under {}", show(key))),
        None => Ok(found),
    }
}

fn first_frame(value: &[u8]) -> Option<ValueFrame<'_>> {
    let mut parts = value.splitn(5, |byte| *byte == b' ');
    let (magic, writer, counter, filler_len) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    if magic != b"LEV" {
        return None;
    }
    let number = |text: &[u8]| std::str::from_utf8(text).ok()?.parse::<u64>().ok();
    let head = magic.len() + writer.len() + counter.len() + filler_len.len() + 4;
    let key_len = value.get(head..)?.iter().position(|byte| *byte == b'\n')?;
    let body = (head + key_len + 1).checked_add(usize::try_from(number(filler_len)?).ok()?)?;
    let crc = std::str::from_utf8(value.get(body..body.checked_add(8)?)?).ok()?;
    if u32::from_str_radix(crc, 16).ok()? != crc32fast::hash(&value[..body]) {
        return None;
    }
    Some(ValueFrame {
        key: &value[head..head + key_len],
        writer: number(writer)?,
        counter: number(counter)?,
        len: body + 8,
    })
}

/// Bytes for a person: short, printable.
pub fn show(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(80)];
    let text: String = shown.iter().flat_map(|byte| std::ascii::escape_default(*byte)).map(char::from).collect();
    if shown.len() == bytes.len() {
        format!("\"{text}\"")
    } else {
        format!("\"{text}\"… ({} bytes)", bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_says_what_it_is() {
        let bytes = frame(b"some key", 3, 99, 1000);
        let want = ValueFrame { key: b"some key", writer: 3, counter: 99, len: bytes.len() };
        assert_eq!(frames_of(b"some key", &bytes), Ok(vec![want]));
        assert!(frames_of(b"other key", &bytes).unwrap_err().contains("foreign"));
    }

    #[test]
    fn appended_frames_are_all_seen() {
        let value = [frame(b"k", 1, 1, 0), frame(b"k", 2, 5, 40)].concat();
        let counters: Vec<u64> = frames_of(b"k", &value).unwrap().iter().map(|frame| frame.counter).collect();
        assert_eq!(counters, [1, 5]);
    }

    #[test]
    fn every_changed_or_missing_byte_is_noticed() {
        let bytes = frame(b"key", 1, 2, 20);
        for at in 0..bytes.len() {
            let mut torn = bytes.clone();
            torn[at] ^= 1;
            // A flipped case of a crc digit would mean the same number; this flip never does that.
            assert!(frames_of(b"key", &torn).is_err(), "byte {at}");
            assert!(frames_of(b"key", &bytes[..at]).is_err(), "cut at {at}");
        }
    }

    #[test]
    fn halves_of_two_versions_are_no_value() {
        let (old, new) = (frame(b"key", 1, 10, 64), frame(b"key", 1, 11, 64));
        for at in 1..old.len() {
            let mixed = [&new[..at], &old[at..]].concat();
            if mixed != old && mixed != new {
                assert!(frames(&mixed).is_err(), "cut at {at}");
            }
        }
    }
}
