//! The classic commands: the words after each name. Too few words are an error, further ones are ignored.
use super::line::{block_len, keys, word_len, ParsedText, RequestLine, BAD_FORMAT};
use super::{LruCrawler, LruTuning, Slabs, TextCommand, Words};
use crate::{number, StoreMode, WireKey, KEY_MAX};

/// Key, flags, exptime and length of a store.
type Numbers<'a> = (&'a [u8], u32, i64, usize);

const UNKNOWN: &str = "ERROR";
const BAD_EXPTIME: &str = "CLIENT_ERROR invalid exptime argument";
const BAD_DELTA: &str = "CLIENT_ERROR invalid numeric delta argument";
const BAD_SHUTDOWN: &str = "CLIENT_ERROR invalid shutdown mode";

pub(super) fn get<'a>(line: &RequestLine<'a, '_>, words: Words<'a>, with_cas: bool) -> ParsedText<'a> {
    match keys(words) {
        Some(keys) => line.request(TextCommand::Get { keys, with_cas }),
        None => line.refuse(BAD_FORMAT),
    }
}

pub(super) fn get_and_touch<'a>(line: &RequestLine<'a, '_>, mut words: Words<'a>, with_cas: bool) -> ParsedText<'a> {
    let (Some(exptime), Some(keys)) = (words.next(), keys(words)) else {
        return line.refuse(BAD_FORMAT);
    };
    match number::exptime(exptime) {
        Some(exptime) => line.request(TextCommand::GetAndTouch { exptime, keys, with_cas }),
        None => line.refuse(BAD_EXPTIME),
    }
}

pub(super) fn store<'a>(line: &RequestLine<'a, '_>, name: &[u8], mut words: Words<'a>) -> ParsedText<'a> {
    if let Some(plain) = plain_store(words).filter(|_| name != b"cas") {
        return stored(line, name, plain, None, false);
    }
    let key = words.next();
    let noreply = is_noreply(words);
    let (Some(key), Some(flags), Some(exptime), Some(len)) = (key, words.next(), words.next(), words.next()) else {
        return line.refuse_quietly(BAD_FORMAT, noreply);
    };
    let compare = if name == b"cas" { Some(words.next().and_then(number::unsigned)) } else { None };
    let len = block_len(len);
    let (Some(flags), Some(exptime), Some(len), true) =
        (number::store_flags(flags), number::store_exptime(exptime), len, key.len() <= KEY_MAX)
    else {
        return line.refuse_store(BAD_FORMAT, noreply, len);
    };
    if compare == Some(None) {
        return line.refuse_store(BAD_FORMAT, noreply, Some(len));
    }
    stored(line, name, (key, flags, exptime, len), compare.flatten(), noreply)
}

fn stored<'a>(
    line: &RequestLine<'a, '_>,
    name: &[u8],
    of: Numbers<'a>,
    compare: Option<u64>,
    noreply: bool,
) -> ParsedText<'a> {
    let (key, flags, exptime, len) = of;
    let verb = match name {
        b"add" => StoreMode::Add,
        b"replace" => StoreMode::Replace,
        b"append" => StoreMode::Append,
        b"prepend" => StoreMode::Prepend,
        _ => StoreMode::Set,
    };
    // Only a plain `set` replaces unconditionally; the others may fail and keep the existing value.
    let forget = (name == b"set").then(|| WireKey::plain(key));
    line.store(len, noreply, forget, |value| TextCommand::Store { verb, compare, key, flags, exptime, value, noreply })
}

/// Nearly all stores, read in one pass: single spaces, plain numbers, nothing behind. None: to be read word by word.
fn plain_store(words: Words<'_>) -> Option<Numbers<'_>> {
    let line = words.0.strip_prefix(b" ")?;
    let (key, rest) = line.split_at(word_len(line));
    let (flags, rest) = number::leading(rest.strip_prefix(b" ")?)?;
    let (exptime, rest) = number::leading(rest.strip_prefix(b" ")?)?;
    let len = block_len(rest.strip_prefix(b" ")?)?;
    let fits = (1..=KEY_MAX).contains(&key.len()) && i64::try_from(exptime).is_ok();
    // Of flags and exptime the lower 32 bits are kept.
    fits.then_some((key, flags as u32, i64::from(exptime as i32), len))
}

pub(super) fn delete<'a>(line: &RequestLine<'a, '_>, mut words: Words<'a>) -> ParsedText<'a> {
    // Here even a key may be this word.
    let noreply = is_noreply(words);
    match words.next() {
        Some(key) if key.len() <= KEY_MAX => line.request(TextCommand::Delete { key, noreply }),
        _ => line.refuse_quietly(BAD_FORMAT, noreply),
    }
}

pub(super) fn count<'a>(line: &RequestLine<'a, '_>, mut words: Words<'a>, is_decrement: bool) -> ParsedText<'a> {
    let key = words.next();
    let (noreply, delta) = (is_noreply(words), words.next());
    match (key, delta) {
        (Some(key), Some(delta)) if key.len() <= KEY_MAX => match number::unsigned(delta) {
            Some(delta) => line.request(TextCommand::Count { key, delta, is_decrement, noreply }),
            None => line.refuse_quietly(BAD_DELTA, noreply),
        },
        _ => line.refuse_quietly(BAD_FORMAT, noreply),
    }
}

pub(super) fn touch<'a>(line: &RequestLine<'a, '_>, mut words: Words<'a>) -> ParsedText<'a> {
    let key = words.next();
    let (noreply, exptime) = (is_noreply(words), words.next());
    match (key, exptime) {
        (Some(key), Some(exptime)) if key.len() <= KEY_MAX => match number::exptime(exptime) {
            Some(exptime) => line.request(TextCommand::Touch { key, exptime, noreply }),
            None => line.refuse_quietly(BAD_EXPTIME, noreply),
        },
        _ => line.refuse_quietly(BAD_FORMAT, noreply),
    }
}

pub(super) fn flush_all<'a>(line: &RequestLine<'a, '_>, mut words: Words<'a>) -> ParsedText<'a> {
    let noreply = is_noreply(words);
    let exptime = match words.next() {
        None | Some(b"noreply") => None,
        Some(word) => match number::exptime(word) {
            Some(exptime) => Some(exptime),
            None => return line.refuse_quietly(BAD_EXPTIME, noreply),
        },
    };
    line.request(TextCommand::FlushAll { exptime, noreply })
}

pub(super) fn verbosity<'a>(line: &RequestLine<'a, '_>, mut words: Words<'a>) -> ParsedText<'a> {
    let noreply = is_noreply(words);
    match words.next().and_then(number::unsigned_32) {
        Some(level) => line.request(TextCommand::Verbosity { level, noreply }),
        None => line.refuse_quietly(BAD_FORMAT, noreply),
    }
}

pub(super) fn shutdown<'a>(line: &RequestLine<'a, '_>, mut words: Words<'a>) -> ParsedText<'a> {
    match (words.next(), words.next()) {
        (None, _) => line.request(TextCommand::Shutdown { graceful: false }),
        (Some(b"graceful"), None) => line.request(TextCommand::Shutdown { graceful: true }),
        _ => line.refuse(BAD_SHUTDOWN),
    }
}

pub(super) fn cache_memlimit<'a>(line: &RequestLine<'a, '_>, mut words: Words<'a>) -> ParsedText<'a> {
    let noreply = is_noreply(words);
    match words.next().and_then(number::unsigned_32) {
        Some(megabytes) => line.request(TextCommand::CacheMemlimit { megabytes: megabytes.into(), noreply }),
        None => line.refuse_quietly(UNKNOWN, noreply),
    }
}

pub(super) fn slabs<'a>(line: &RequestLine<'a, '_>, mut words: Words<'a>) -> ParsedText<'a> {
    let noreply = is_noreply(words);
    let change = match (words.next(), words.next(), words.next()) {
        (Some(b"reassign"), Some(from), Some(to)) => match (number::signed_32(from), number::signed_32(to)) {
            (Some(from), Some(to)) => Slabs::Reassign { from, to },
            _ => return line.refuse_quietly(BAD_FORMAT, noreply),
        },
        (Some(b"automove"), Some(level), _) => match number::unsigned_32(level) {
            Some(level) => Slabs::Automove { level },
            None => return line.refuse_quietly(BAD_FORMAT, noreply),
        },
        _ => return line.refuse(UNKNOWN),
    };
    line.request(TextCommand::Slabs { change, noreply })
}

pub(super) fn lru<'a>(line: &RequestLine<'a, '_>, mut words: Words<'a>) -> ParsedText<'a> {
    let noreply = is_noreply(words);
    let change = match (words.next(), words.next()) {
        (Some(b"tune"), Some(hot)) => tune(hot, words),
        (Some(b"mode"), Some(b"flat")) => Some(LruTuning::Mode { is_segmented: false }),
        (Some(b"mode"), Some(b"segmented")) => Some(LruTuning::Mode { is_segmented: true }),
        (Some(b"temp_ttl"), Some(secs)) => number::exptime(secs).map(|secs| LruTuning::TempTtl { secs }),
        _ => None,
    };
    match change {
        Some(change) => line.request(TextCommand::Lru { change, noreply }),
        None => line.refuse_quietly(UNKNOWN, noreply),
    }
}

fn tune(hot: &[u8], mut words: Words<'_>) -> Option<LruTuning> {
    let hot_percent = number::unsigned_32(hot)?;
    let warm_percent = number::unsigned_32(words.next()?)?;
    let hot_factor = factor(words.next()?)?;
    let warm_factor = factor(words.next()?)?;
    Some(LruTuning::Tune { hot_percent, warm_percent, hot_factor, warm_factor })
}

pub(super) fn lru_crawler<'a>(line: &RequestLine<'a, '_>, mut words: Words<'a>) -> ParsedText<'a> {
    let request = match (words.next(), words.next(), words.next()) {
        (Some(b"enable"), None, _) => LruCrawler::Enable,
        (Some(b"disable"), None, _) => LruCrawler::Disable,
        (Some(b"sleep"), Some(micros), None) => match number::unsigned_32(micros) {
            Some(micros) => LruCrawler::Sleep { micros },
            None => return line.refuse(BAD_FORMAT),
        },
        (Some(b"tocrawl"), Some(items), None) => match number::unsigned_32(items) {
            Some(items) => LruCrawler::ToCrawl { items },
            None => return line.refuse(BAD_FORMAT),
        },
        (Some(b"crawl"), Some(classes), None) => LruCrawler::Crawl { classes },
        (Some(b"metadump"), Some(classes), None) => LruCrawler::Metadump { classes },
        (Some(b"mgdump"), Some(classes), None) => LruCrawler::Mgdump { classes },
        _ => return line.refuse(UNKNOWN),
    };
    line.request(TextCommand::LruCrawler(request))
}

/// The last word of the rest of the line is `noreply`.
fn is_noreply(words: Words<'_>) -> bool {
    let line = words.0.trim_ascii_end();
    line.ends_with(b" noreply")
}

fn factor(word: &[u8]) -> Option<f64> {
    std::str::from_utf8(word).ok()?.parse::<f64>().ok().filter(|factor| factor.is_finite())
}

#[cfg(test)]
mod tests {
    use super::ParsedText;
    use crate::{text::parse, Limits, Parsed};

    /// The whole result, with lengths as if the line had `less` fewer bytes.
    fn told(found: ParsedText<'_>, less: usize) -> String {
        let less_of = |len: usize| len - less;
        format!(
            "{:?}",
            match found {
                Parsed::More { total, scanned } => Parsed::More { total: less_of(total), scanned },
                Parsed::Request { request, consumed } => Parsed::Request { request, consumed: less_of(consumed) },
                Parsed::Refused { refusal, consumed, swallow } =>
                    Parsed::Refused { refusal, consumed: less_of(consumed), swallow },
            }
        )
    }

    /// A second space has a store read word by word.
    #[test]
    fn a_store_that_is_read_in_one_pass_says_what_its_words_say() {
        let numbers = [
            "0",
            "007",
            "+5",
            "-1",
            "3",
            "2147483645",
            "2147483646",
            "4294967296",
            "9223372036854775807",
            "9223372036854775808",
            "9999999999999999999",
            "18446744073709551615",
            "18446744073709551616",
            "00000000003",
            "000000000003",
            "3\t",
            "3x",
            "x",
            "",
        ]; // fmt: skip
        let long = "k".repeat(251);
        let limits = Limits { value_max: 1 << 20 };
        let mut stored = 0;
        for name in ["set", "add", "append", "cas"] {
            for key in ["k", &long[1..], &long, ""] {
                for flags in numbers {
                    for exptime in numbers {
                        for (len, end) in numbers
                            .into_iter()
                            .flat_map(|len| ["", " ", " noreply", " 7", " 7 noreply"].map(|end| (len, end)))
                        {
                            let once = format!("{name} {key} {flags} {exptime} {len}{end}\r\nabc\r\n");
                            let twice = format!("{name} {key}  {flags} {exptime} {len}{end}\r\nabc\r\n");
                            let plain = parse(once.as_bytes(), &limits);
                            stored += u32::from(matches!(plain, Parsed::Request { .. }));
                            assert_eq!(told(plain, 0), told(parse(twice.as_bytes(), &limits), 1), "{once:?}");
                        }
                    }
                }
            }
        }
        assert!(stored > 1000, "{stored}");
    }
}
