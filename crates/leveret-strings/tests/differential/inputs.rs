//! The arguments of each command.
use crate::generate::Generator;

pub fn of(generator: &mut Generator<'_>, name: &str, words: &mut Vec<Vec<u8>>) {
    match name {
        "append" | "getset" | "setnx" => words.extend([generator.key(), generator.value()]),
        "bitcount" | "bitpos" => bits(generator, name, words),
        "bitfield" | "bitfield_ro" => fields(generator, name, words),
        "bitop" => {
            words.push(generator.word(&["AND", "OR", "XOR", "NOT", "NOT", "NAND"]));
            words.push(generator.key());
            let keys = if words[1].eq_ignore_ascii_case(b"not") && !generator.random.one_in(4) {
                vec![generator.key()]
            } else {
                generator.keys()
            };
            words.extend(keys);
        }
        "copy" => {
            words.extend([generator.key(), generator.key()]);
            if generator.random.one_in(3) {
                words.extend([generator.word(&["DB"]), database(generator)]);
            }
            if generator.random.one_in(3) {
                words.push(generator.word(&["REPLACE", "REPLACE", "NX"]));
            }
        }
        "decrby" | "incrby" => words.extend([generator.key(), generator.number()]),
        "incrbyfloat" => words.extend([generator.key(), generator.float()]),
        "del" | "exists" | "mget" | "touch" | "unlink" => words.extend(generator.keys()),
        "echo" => words.push(generator.value()),
        "ping" if generator.random.one_in(2) => words.push(generator.value()),
        "expire" | "pexpire" | "expireat" | "pexpireat" => {
            let unit = if name.starts_with('p') { 1000 } else { 1 };
            words.push(generator.key());
            words.push(if name.ends_with("at") { generator.unix_time(unit) } else { generator.time(unit) });
            while generator.random.one_in(3) {
                words.push(generator.word(&["NX", "XX", "GT", "LT", "GT", "LT", "AB"]));
            }
        }
        "flushall" | "flushdb" if generator.random.one_in(3) => words.push(generator.word(&["ASYNC", "SYNC", "NOW"])),
        // What is read may lie behind the longest value here.
        "getbit" => {
            let offset = Some(bit(generator)).filter(|offset| offset.len() < 8).unwrap_or_else(|| b"100".to_vec());
            words.extend([generator.key(), offset]);
        }
        "setbit" => {
            let value = generator.word(&["0", "1", "1", "2", "-1", "x"]);
            words.extend([generator.key(), bit(generator), value]);
        }
        "getex" => {
            words.push(generator.key());
            while generator.random.one_in(2) {
                expiry(generator, words, &["PERSIST", "KEEPTTL", "NX"]);
            }
        }
        "getrange" | "substr" => words.extend([generator.key(), generator.number(), generator.number()]),
        "lcs" => {
            words.extend([generator.key(), generator.key()]);
            while generator.random.one_in(2) {
                words.push(generator.word(&["LEN", "IDX", "IDX", "WITHMATCHLEN", "MINMATCHLEN", "X"]));
                if words.last().is_some_and(|word| word.len() == 11) {
                    words.push(generator.number());
                }
            }
        }
        "move" => words.extend([generator.key(), database(generator)]),
        "mset" | "msetnx" => {
            for key in generator.keys() {
                words.extend([key, generator.value()]);
            }
        }
        "psetex" | "setex" => {
            let time = generator.time(if name == "setex" { 1 } else { 1000 });
            words.extend([generator.key(), time, generator.value()]);
        }
        "rename" | "renamenx" => words.extend([generator.key(), generator.key()]),
        "select" => words.push(generator.word(&["0", "1", "2", "3"])),
        "set" => {
            words.extend([generator.key(), generator.value()]);
            if generator.random.one_in(2) {
                return;
            }
            while !generator.random.one_in(3) {
                expiry(generator, words, &["NX", "XX", "GET", "GET", "KEEPTTL", "PERSIST"]);
            }
        }
        "setrange" => {
            let offset = if generator.random.one_in(60) { b"8388607".to_vec() } else { generator.number() };
            words.extend([generator.key(), offset, generator.value()]);
        }
        "object" => {
            words.push(generator.word(&["REFCOUNT", "IDLETIME", "FREQ", "NOSUCH", "ENCODING"]));
            words.push(b"no such key".to_vec());
        }
        "nosuch" | "" => words.extend((0..generator.random.below(5)).map(|_| generator.value()).collect::<Vec<_>>()),
        "dbsize" | "flushall" | "flushdb" | "ping" => {}
        _ => words.push(generator.key()),
    }
}

fn expiry(generator: &mut Generator<'_>, words: &mut Vec<Vec<u8>>, others: &[&str]) {
    if generator.random.one_in(2) {
        return words.push(generator.word(others));
    }
    let word = generator.word(&["EX", "PX", "EXAT", "PXAT"]);
    let unit = if word[0].eq_ignore_ascii_case(&b'p') { 1000 } else { 1 };
    let time = if word.len() == 4 { generator.unix_time(unit) } else { generator.time(unit) };
    words.push(word);
    if !generator.random.one_in(20) {
        words.push(time);
    }
}

fn database(generator: &mut Generator<'_>) -> Vec<u8> {
    generator.word(&["0", "1", "2", "3", "4", "-1", "x", "99999999999"])
}

fn bit(generator: &mut Generator<'_>) -> Vec<u8> {
    match generator.random.below(30) {
        0 => b"67108863".to_vec(),
        1 => b"67108864".to_vec(),
        _ => generator.number(),
    }
}

fn bits(generator: &mut Generator<'_>, name: &str, words: &mut Vec<Vec<u8>>) {
    words.push(generator.key());
    if name == "bitpos" {
        words.push(generator.word(&["0", "1", "0", "1", "2", "x"]));
    }
    let numbers = generator.random.below(4);
    words.extend((0..numbers.min(2)).map(|_| generator.number()).collect::<Vec<_>>());
    if numbers == 3 {
        words.push(generator.word(&["BIT", "BYTE", "BIT", "NIBBLE"]));
    }
}

fn fields(generator: &mut Generator<'_>, name: &str, words: &mut Vec<Vec<u8>>) {
    words.push(generator.key());
    for _ in 0..generator.random.below(4) {
        let action = match name {
            "bitfield_ro" if !generator.random.one_in(10) => "GET",
            _ => *generator.random.pick(&["GET", "SET", "INCRBY", "OVERFLOW", "SET", "INCRBY", "X"]),
        };
        words.push(generator.word(&[action]));
        if action == "OVERFLOW" {
            words.push(generator.word(&["WRAP", "SAT", "FAIL", "NONE"]));
            continue;
        }
        words.push(
            generator
                .word(&["u8", "i8", "u1", "i1", "u63", "i64", "i64", "u5", "i33", "i16", "u0", "u64", "x8", "i65"])
                .to_ascii_lowercase(),
        );
        // At the very end Redis lets a value become 8 bytes longer than its limit.
        let offset = Some(bit(generator)).filter(|offset| offset != b"67108863").unwrap_or_default();
        // The product of a large number wraps in Redis.
        let may_count_fields = offset.len() < 10 && generator.random.one_in(3);
        words.push(if may_count_fields { [b"#", offset.as_slice()].concat() } else { offset });
        if action != "GET" {
            words.push(generator.number());
        }
    }
}
