//! Instructions as callgrind counts them: of a whole process, and of the cache's extensions and what they call.
use std::collections::HashMap;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// Our extension; the originals, with the libraries that only they use.
const CACHES: [&str; 8] = [
    "/leveret.so",
    "/apcu.so",
    "/memcached.so",
    "/libmemcached.so",
    "/libmemcachedutil.so",
    "/libhashkit.so",
    "/igbinary.so",
    "/msgpack.so",
];

/// The words before those of the program.
pub fn callgrind(counts: &Path) -> Vec<String> {
    let file = format!("--callgrind-out-file={}", counts.display());
    ["valgrind", "--tool=callgrind", "--log-file=/dev/null", &file].map(String::from).into()
}

/// All, and the cache's part: a call into an extension costs all that happens until it returns, also PHP's own unserialize().
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instructions {
    pub all: u64,
    pub in_cache: u64,
}

pub fn count(path: &Path) -> io::Result<Instructions> {
    count_lines(BufReader::new(std::fs::File::open(path)?))
}

fn count_lines(lines: impl BufRead) -> io::Result<Instructions> {
    // Objects have their name where they come first, and a number in brackets from then on.
    let mut known: HashMap<String, bool> = HashMap::new();
    let mut is_cache = |text: &str| {
        let (number, name) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
        if !name.is_empty() {
            let name = format!("/{name}");
            known.insert(number.to_owned(), CACHES.iter().any(|cache| name.contains(cache)));
        }
        known.get(number).copied().unwrap_or(false)
    };
    let mut found = Instructions::default();
    let (mut within, mut callee, mut is_call) = (false, false, false);
    for line in lines.split(b'\n') {
        let line = line?;
        let line = String::from_utf8_lossy(&line);
        if is_call {
            if callee && !within {
                found.in_cache += number(line.split_whitespace().nth(1));
            }
            (callee, is_call) = (within, false);
        } else if let Some(object) = line.strip_prefix("ob=") {
            within = is_cache(object);
            callee = within;
        } else if let Some(object) = line.strip_prefix("cob=") {
            callee = is_cache(object);
        } else if line.starts_with("calls=") {
            is_call = true;
        } else if let Some(total) = line.strip_prefix("totals:") {
            found.all = number(total.split_whitespace().next());
        }
    }
    Ok(found)
}

fn number(word: Option<&str>) -> u64 {
    word.and_then(|word| word.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_into_the_cache_count_once_and_whole() {
        // PHP calls the extension (70), which calls libc (30 of them) and a library of its own; PHP calls libc too (9).
        let file =
            "ob=(1) /usr/bin/php8.2\nfn=(1) main\n1 100\ncob=(2) /x/build/leveret.so\ncfn=(2)\ncalls=1 5\n1 70\n\
                    cob=(3) /lib/libc.so.6\ncfn=(3)\ncalls=1 5\n1 9\n\n\
                    ob=(2)\nfn=(2)\n5 40\ncob=(3)\ncfn=(3)\ncalls=2 5\n5 30\ncob=(2)\ncfn=(4)\ncalls=1 5\n5 20\n\n\
                    ob=(3)\nfn=(3)\n7 39\ncob=(2)\ncalls=1 1\n7 4\n\ntotals: 209\n";
        let want = Instructions { all: 209, in_cache: 74 };
        assert_eq!(count_lines(file.as_bytes()).expect("memory"), want);
    }
}
