//! The sub-options of `-o`, as strictly as memcached takes them: an unknown one stops the start, so that a typing error
//! is seen. Nearly all tune slab classes, LRU queues and the hash table, which an arena does not have: they are checked
//! and noted.
use leveret_server::settings::TlsSettings;
use std::ops::RangeInclusive;

/// What `-o` says that matters to us.
#[derive(Debug, Default, PartialEq)]
pub struct Extended {
    /// Seconds; 0 = never.
    pub idle_timeout_secs: u32,
    /// Whether `stats sizes` answers.
    pub track_sizes: bool,
    /// Whether connections over the limit get an error at once, or wait.
    pub waits_when_full: bool,
    /// `ssl_...`, for `-Z`.
    pub ssl: Ssl,
    /// Names of those without effect.
    pub noted: Vec<String>,
}

/// What `ssl_...` says.
#[derive(Debug, Default, PartialEq)]
pub struct Ssl {
    /// As the server takes it; the files are still to be made absolute.
    pub settings: TlsSettings,
    /// Names of those that were given.
    pub names: Vec<String>,
}

impl Ssl {
    fn take(&mut self, name: &str, value: &str) -> Result<(), String> {
        let settings = &mut self.settings;
        match name {
            "ssl_chain_cert" => settings.chain_cert = value.into(),
            "ssl_key" => settings.key = Some(value.into()),
            "ssl_ca_cert" => settings.ca_cert = Some(value.into()),
            "ssl_verify_mode" => settings.verify_mode = value.parse().unwrap_or_default(),
            "ssl_ciphers" => settings.ciphers = Some(value.to_owned()),
            "ssl_session_cache" => settings.session_cache = true,
            "ssl_kernel_tls" => {}
            "ssl_wbuf_size" => settings.wbuf_kib = value.parse().unwrap_or_default(),
            "ssl_min_version" if matches!(value, "0" | "1") => {
                return Err(format!(
                    "-o: ssl_min_version={value} asks for TLS 1.{value}, which is broken and not spoken; allowed are 2 (TLS 1.2) and 3 (TLS 1.3)"
                ))
            }
            "ssl_min_version" => settings.is_min_tls13 = value == "3",
            // memcached's number for PEM is 1.
            _ if value == "1" || value.eq_ignore_ascii_case("pem") => {}
            _ => return Err(format!("-o: ssl_keyformat '{value}' is not read, only PEM (openssl pkey -inform {value} converts)")),
        }
        self.names.push(format!("-o {name}"));
        Ok(())
    }
}

/// What may stand behind the `=`.
enum Value {
    /// Its value is ignored.
    Ignored,
    /// Something must stand there.
    Needed,
    /// A whole number.
    Number(RangeInclusive<i64>),
    /// A fraction, both ends excluded.
    Between(f64, f64),
    /// One of these words.
    OneOf(&'static [&'static str]),
}

use Value::{Between, Ignored, Needed, Number, OneOf};

const U32: RangeInclusive<i64> = 0..=u32::MAX as i64;

fn known(name: &str) -> Option<Value> {
    Some(match name {
        "maxconns_fast" | "no_maxconns_fast" | "modern" | "no_modern" | "track_sizes" | "no_hashexpand" => Ignored,
        "slab_reassign" | "no_slab_reassign" | "no_slab_automove" | "lru_crawler" | "no_lru_crawler" => Ignored,
        "lru_maintainer" | "no_lru_maintainer" | "inline_ascii_resp" | "no_inline_ascii_resp" | "no_chunked_items" => {
            Ignored
        }
        "drop_privileges" | "no_drop_privileges" | "ssl_session_cache" | "ssl_kernel_tls" | "ext_drop_unread" => {
            Ignored
        }
        // memcached takes it with and without its number.
        "slab_automove" | "slab_sizes" | "resp_obj_mem_limit" => Ignored,
        "hashpower" => Number(12..=32),
        "idle_timeout" => Number(-(1 << 31)..=u32::MAX.into()),
        "tail_repair_time" => Number(10..=i32::MAX.into()),
        "lru_crawler_sleep" => Number(0..=1_000_000),
        "lru_crawler_tocrawl"
        | "temporary_ttl"
        | "watcher_logbuf_size"
        | "worker_logbuf_size"
        | "read_buf_mem_limit" => Number(U32),
        "hot_lru_pct" | "warm_lru_pct" => Number(1..=79),
        "slab_chunk_max" | "sock_cookie_id" | "ssl_wbuf_size" => Number(U32),
        "slab_automove_window" => Number(3..=u32::MAX.into()),
        "slab_automove_ratio" => Between(0.0, 1.0),
        "slab_automove_freeratio" | "hot_max_factor" | "warm_max_factor" => Between(0.0, f64::INFINITY),
        "hash_algorithm" => OneOf(&["jenkins", "murmur3", "xxh3"]),
        "ssl_verify_mode" | "ssl_min_version" => OneOf(&["0", "1", "2", "3"]),
        "ssl_chain_cert" | "ssl_key" | "ssl_keyformat" | "ssl_ciphers" | "ssl_ca_cert" => Needed,
        "ext_path" | "ext_page_size" | "ext_wbuf_size" | "ext_threads" | "ext_item_size" | "ext_item_age"
        | "ext_low_ttl" => Needed,
        "ext_recache_rate" | "ext_compact_under" | "ext_drop_under" | "ext_max_frag" | "ext_max_sleep" => Needed,
        _ => return None,
    })
}

/// Reads all that was given with `-o`.
pub fn read(given: &[String]) -> Result<Extended, String> {
    let mut extended = Extended::default();
    for part in given.iter().flat_map(|text| text.strip_suffix(',').unwrap_or(text).split(',')) {
        // `-o ''` says nothing; two commas in a row say nonsense.
        if part.is_empty() && given.iter().any(|text| text.is_empty()) {
            continue;
        }
        let (name, value) = part.split_once('=').map_or((part, None), |(name, value)| (name, Some(value)));
        let rule = known(name).ok_or_else(|| format!("-o: illegal suboption \"{part}\""))?;
        check(name, &rule, value)?;
        match name {
            // A negative number means an idle time that is never reached.
            "idle_timeout" => extended.idle_timeout_secs = value.and_then(|value| value.parse().ok()).unwrap_or(0),
            "maxconns_fast" => extended.waits_when_full = false,
            "no_maxconns_fast" => extended.waits_when_full = true,
            "track_sizes" => extended.track_sizes = true,
            // Defaults of memcached: asking for them changes nothing there either.
            "modern" => {}
            name if name.starts_with("ssl_") => extended.ssl.take(name, value.unwrap_or_default())?,
            _ => extended.noted.push(format!("-o {name}")),
        }
    }
    Ok(extended)
}

fn check(name: &str, rule: &Value, value: Option<&str>) -> Result<(), String> {
    if matches!(rule, Ignored) {
        return Ok(());
    }
    let value = value.ok_or_else(|| format!("-o: missing {name} argument"))?;
    match rule {
        Ignored | Needed => Ok(()),
        Number(range) => match value.parse() {
            Ok(number) if range.contains(&number) => Ok(()),
            _ => Err(format!("-o: {name} must be a number from {} to {}, not '{value}'", range.start(), range.end())),
        },
        Between(above, below) => match value.parse::<f64>() {
            Ok(number) if number > *above && number < *below => Ok(()),
            _ if below.is_finite() => Err(format!("-o: {name} must be > {above} and < {below}, not '{value}'")),
            _ => Err(format!("-o: {name} must be > {above}, not '{value}'")),
        },
        OneOf(words) if words.contains(&value) => Ok(()),
        OneOf(words) => Err(format!("-o: unknown {name} '{value}' ({})", words.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Extended, String> {
        read(&[text.to_owned()])
    }

    /// Each of these was tried with memcached 1.6.18: it starts with them.
    #[test]
    fn what_memcached_takes() {
        for text in [
            "modern",
            "modern,",
            "no_modern",
            "",
            "maxconns_fast=1",
            "hashpower=20",
            "slab_reassign,slab_automove",
            "ext_path=/tmp/xx:1m",
            "ssl_chain_cert=foo",
            "read_buf_mem_limit=0",
            "slab_automove_freeratio=0.1",
            "temporary_ttl=61,track_sizes",
            "hash_algorithm=xxh3",
            "sock_cookie_id=5",
            "idle_timeout=-5",
            "resp_obj_mem_limit=1",
        ] {
            assert!(of(text).is_ok(), "{text:?}: {:?}", of(text));
        }
    }

    /// And each of these it refuses.
    #[test]
    fn what_memcached_refuses() {
        for text in [
            "foo",
            "foo=1",
            ",",
            "modern,,track_sizes",
            "idle_timeout=5, modern",
            "hashpower",
            "hashpower=abc",
            "hashpower=5",
            "hashpower=33",
            "idle_timeout",
            "hot_lru_pct=0",
            "hot_lru_pct=80",
            "hash_algorithm=foo",
            "tail_repair_time=5",
            "read_buf_mem_limit",
            "lru_crawler_sleep=2000000",
            "lru_crawler_tocrawl=abc",
            "slab_automove_ratio=2",
            "slab_automove_window=2",
            "watcher_logbuf_size",
            "warm_max_factor=-1",
            "hot_max_factor=0",
            "ssl_verify_mode=9",
            "ssl_keyformat=DER",
            "ssl_min_version=1",
            "ssl_min_version=4",
            "ssl_key",
            "proxy_config=x",
            "no_ext_drop_unread",
        ] {
            assert!(of(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn what_has_a_meaning_is_taken_and_the_rest_is_noted() {
        let extended = read(&["idle_timeout=60,lru_crawler,track_sizes".to_owned(), "no_maxconns_fast".to_owned()]);
        let want = Extended {
            idle_timeout_secs: 60,
            track_sizes: true,
            waits_when_full: true,
            noted: vec!["-o lru_crawler".to_owned()],
            ..Extended::default()
        };
        assert_eq!(extended, Ok(want));
        assert_eq!(of("modern"), Ok(Extended::default()));
    }
}
