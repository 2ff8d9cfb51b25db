//! Answers, as a server writes them: the lines with variable parts. Fixed answers are plain bytes where they are
//! needed.
use super::{Return, Returns};
use crate::WireKey;

/// `VALUE key flags length[ cas]`, with its line end. The value and another line end follow.
pub fn write_value_header(out: &mut Vec<u8>, key: &[u8], flags: u32, len: usize, cas: Option<u64>) {
    out.extend_from_slice(b"VALUE ");
    out.extend_from_slice(key);
    out.push(b' ');
    write_number(out, u64::from(flags));
    out.push(b' ');
    write_number(out, len as u64);
    if let Some(cas) = cas {
        out.push(b' ');
        write_number(out, cas);
    }
    out.extend_from_slice(b"\r\n");
}

/// A decimal number.
pub fn write_number(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// `STAT name value`, with its line end.
pub fn write_stat(out: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    out.extend_from_slice(b"STAT ");
    out.extend_from_slice(name);
    out.push(b' ');
    out.extend_from_slice(value);
    out.extend_from_slice(b"\r\n");
}

/// Facts about an item for a meta answer. A return flag without its fact is skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// For `c`.
    pub cas: Option<u64>,
    /// For `f`.
    pub flags: Option<u32>,
    /// For `h`.
    pub was_hit: Option<bool>,
    /// For `l`.
    pub idle_secs: Option<u64>,
    /// For `s`.
    pub size: Option<usize>,
    /// For `t`.
    pub ttl: Option<Ttl>,
    /// `W`: this client has won, and should refresh the value.
    pub won: bool,
    /// `X`: the value is stale.
    pub stale: bool,
    /// `Z`: another client has won before.
    pub lost: bool,
}

/// How long an item still lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ttl {
    /// It never expires.
    Forever,
    /// Seconds.
    Secs(u64),
}

/// A meta answer's line, with its end: the code (`HD`, `EN`, `NF` …), then the requested facts in the request's order.
pub fn write_meta(out: &mut Vec<u8>, code: &[u8; 2], key: &WireKey<'_>, returns: Returns<'_>, facts: &Facts) {
    out.extend_from_slice(code);
    write_returns(out, key, returns, facts);
}

/// As `write_meta`, for `VA`: the value's length stands behind the code. The value and another line end follow.
pub fn write_meta_value(out: &mut Vec<u8>, len: usize, key: &WireKey<'_>, returns: Returns<'_>, facts: &Facts) {
    out.extend_from_slice(b"VA ");
    write_number(out, len as u64);
    write_returns(out, key, returns, facts);
}

fn write_returns(out: &mut Vec<u8>, key: &WireKey<'_>, returns: Returns<'_>, facts: &Facts) {
    for wanted in returns {
        match wanted {
            Return::Cas => write_fact(out, b'c', facts.cas),
            Return::Flags => write_fact(out, b'f', facts.flags.map(u64::from)),
            Return::Hit => write_fact(out, b'h', facts.was_hit.map(u64::from)),
            Return::LastAccess => write_fact(out, b'l', facts.idle_secs),
            Return::Size => write_fact(out, b's', facts.size.map(|size| size as u64)),
            Return::Ttl => match facts.ttl {
                Some(Ttl::Forever) => out.extend_from_slice(b" t-1"),
                Some(Ttl::Secs(secs)) => write_fact(out, b't', Some(secs)),
                None => {}
            },
            Return::Opaque(token) => {
                out.extend_from_slice(b" O");
                out.extend_from_slice(token);
            }
            Return::Key => {
                out.extend_from_slice(b" k");
                out.extend_from_slice(key.as_written());
                if key.is_base64() {
                    out.extend_from_slice(b" b");
                }
            }
        }
    }
    for (is_so, letter) in [(facts.lost, b'Z'), (facts.stale, b'X'), (facts.won, b'W')] {
        if is_so {
            out.extend_from_slice(&[b' ', letter]);
        }
    }
    out.extend_from_slice(b"\r\n");
}

fn write_fact(out: &mut Vec<u8>, letter: u8, fact: Option<u64>) {
    if let Some(fact) = fact {
        out.extend_from_slice(&[b' ', letter]);
        write_number(out, fact);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{parse, TextCommand};
    use crate::{Limits, Parsed};

    fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn value_lines() {
        assert_eq!(text(|out| write_value_header(out, b"k", 5, 3, None)), "VALUE k 5 3\r\n");
        let longest = text(|out| write_value_header(out, b"k", u32::MAX, usize::MAX, Some(u64::MAX)));
        assert_eq!(longest, "VALUE k 4294967295 18446744073709551615 18446744073709551615\r\n");
        assert_eq!(text(|out| write_stat(out, b"pid", b"7")), "STAT pid 7\r\n");
    }

    // As memcached answered these very requests.
    #[test]
    fn meta_lines() {
        let all = Facts {
            cas: Some(1),
            flags: Some(5),
            was_hit: Some(true),
            idle_secs: Some(0),
            size: Some(3),
            ttl: Some(Ttl::Forever),
            ..Facts::default()
        };
        let none = Facts::default();
        for (request, code, facts, want) in [
            ("mg foo s v c f h k l O123 q t u\r\n", b"VA", all, "VA 3 s3 c1 f5 h1 kfoo l0 O123 t-1\r\n"),
            ("mg no k O1 v\r\n", b"EN", none, "EN kno O1\r\n"),
            ("mg Zm9vYg== b k\r\n", b"EN", none, "EN kZm9vYg== b\r\n"),
            ("mg foo O v\r\n", b"EN", none, "EN O\r\n"),
            (
                "mg a t v c f\r\n",
                b"VA",
                Facts { ttl: Some(Ttl::Secs(30)), stale: true, won: true, ..all },
                "VA 3 t30 c1 f5 X W\r\n",
            ),
            (
                "mg a N30 R60 t\r\n",
                b"HD",
                Facts { ttl: Some(Ttl::Secs(30)), stale: true, lost: true, ..all },
                "HD t30 Z X\r\n",
            ),
        ] {
            let Parsed::Request { request: TextCommand::MetaGet(get), .. } =
                parse(request.as_bytes(), &Limits { value_max: 0 })
            else {
                panic!("{request:?}")
            };
            let answer = text(|out| match code {
                b"VA" => write_meta_value(out, 3, &get.key, get.returns, &facts),
                code => write_meta(out, code, &get.key, get.returns, &facts),
            });
            assert_eq!(answer, want, "{request:?}");
        }
    }
}
