//! Scripts beside Redis' Lua: the same reply, the same item.
use crate::ours::Ours;
use crate::random::Random;
use crate::redis::Redis;
use crate::{generate, variable, DATABASES};
use leveret_protocol::resp::RespVersion;

/// Scripts that clients send, and their other arguments.
const SENT: &[(&str, &[&[&str]])] = &[
    // phpredis' sessions, Laravel's locks, Nextcloud, redis-py.
    ("if redis.call(\"get\",KEYS[1]) == ARGV[1] then return redis.call(\"del\",KEYS[1]) else return 0 end", &[&["10"], &["x"]]),
    ("local token = redis.call('get', KEYS[1])\nif not token or token ~= ARGV[1] then\n    return 0\nend\nredis.call('del', KEYS[1])\nreturn 1", &[&["10"], &["x"]]),
    (
        "local token = redis.call('get', KEYS[1])
        if not token or token ~= ARGV[1] then
            return 0
        end
        local expiration = redis.call('pttl', KEYS[1])
        if not expiration then
            expiration = 0
        end
        if expiration < 0 then
            return 0
        end

        local newttl = ARGV[2]
        if ARGV[3] == \"0\" then
            newttl = ARGV[2] + expiration
        end
        redis.call('pexpire', KEYS[1], newttl)
        return 1",
        &[&["10", "100000", "0"], &["10", "200000", "1"], &["x", "1", "0"]],
    ),
    ("if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('set', KEYS[1], ARGV[2]) return 1 else return 0 end", &[&["10", "new"], &["x", "y"]]),
    ("if redis.call('exists', KEYS[1]) == 1 then return redis.call('decrby', KEYS[1], ARGV[1]) else return 'NEX' end", &[&["3"], &["x"], &["9223372036854775807"]]),
    ("return redis.call('exists',KEYS[1])<1 and redis.call('setex',KEYS[1],ARGV[2],ARGV[1])", &[&["v", "100"], &["v", "0"], &["v", "x"]]),
    // MediaWiki.
    (
        "if redis.call('exists', KEYS[1]) == 1 then
            return redis.call('incrBy', KEYS[1], ARGV[1])
        elseif 1*ARGV[3] ~= 0 then
            redis.call('setex', KEYS[1], ARGV[3], ARGV[2])
            return ARGV[2]
        else
            redis.call('set', KEYS[1], ARGV[2])
            return tonumber(ARGV[2])
        end",
        &[&["1", "5", "100"], &["2", "7", "0"], &["x", "y", "z"]],
    ),
    // Counters with a window.
    (
        "local current = redis.call('INCR', KEYS[1])\nif current == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end\nreturn current",
        &[&["100"], &["x"]],
    ),
    (
        "local hits = redis.call('INCR', KEYS[1]) local left = redis.call('PTTL', KEYS[1]) if left <= 0 then redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[1])) left = tonumber(ARGV[1]) end return { hits, left > 0 }",
        &[&["100000"]],
    ),
    ("redis.replicate_commands(); return redis.status_reply('FINE')", &[&[]]),
    ("return redis.error_reply('MYERR no')", &[&[]]),
    ("return {err='MYERR no'}", &[&[]]),
    ("return {ok='FINE'}", &[&[]]),
    ("return redis.error_reply('single')", &[&[]]),
    ("return redis.pcall('incr', KEYS[1])", &[&[]]),
    ("local r = redis.pcall('incr', KEYS[1]) if type(r) == 'table' and r.err then return r.err end return r", &[&[]]),
    ("return redis.call('set', KEYS[1], ARGV[1]).ok", &[&["v"]]),
    ("return redis.call('type', KEYS[1]).ok == 'string'", &[&[]]),
    ("return {1, 2.9, 'three', false, true, {4}, nil, 5}", &[&[]]),
    ("return", &[&[]]),
    ("", &[&[]]),
    ("return #KEYS + #ARGV", &[&["a", "b"]]),
    ("return ARGV[3]", &[&["a", "b"]]),
    ("return {#ARGV[1], #'abc', -'2', not nil}", &[&["abcd"]]),
    ("return 10 / 3 .. ' ' .. 1e15 .. ' ' .. 2^1", &[]),
    ("return 10 / 3 .. ' ' .. 1e15 .. ' ' .. -7 % 3 .. ' ' .. 0.1", &[&[]]),
    ("return tostring(nil) .. tostring(true) .. tostring(12.50)", &[&[]]),
    ("return {tonumber('0x10'), tonumber(' 12 '), tonumber('1e2'), tonumber('x') == nil}", &[&[]]),
    ("return {3.99, -3.99, 1/0, '1' + 1, 1 == '1'}", &[&[]]),
    ("return 1 < 2 and 'a' < 'b' and 'Z' < 'a' and not (2 < 1)", &[&[]]),
    ("redis.call('set', KEYS[1], 'half') return redis.call('incr', KEYS[1])", &[&[]]),
    ("redis.call('set', KEYS[1], ARGV[1], 'EX', 100, 'NX') return redis.call('get', KEYS[1])", &[&["v"]]),
    ("return redis.call('nosuch', KEYS[1])", &[&[]]),
    ("return redis.call('get')", &[&[]]),
    ("return redis.call('get', KEYS[1], nil)", &[&[]]),
    ("return redis.call()", &[&[]]),
    ("return redis.call('get', {})", &[]),
    ("return redis.call('set', KEYS[1], 0.1)", &[&[]]),
    ("return redis.call('append', KEYS[1], 100000000000000000000)", &[&[]]),
    ("-- a comment\n--[[ a long\none ]] return [[long]] .. [==[er]==] .. 'a\\65\\n'", &[&[]]),
    ("local a, b = 1 local c = b if a then local a = 2 end return {a, c == nil}", &[&[]]),
    ("do local x = 1 end return 'x' .. 1 .. 2", &[&[]]),
    ("return 2 + 3 * 4 - 1 == 13 and (2 + 3) * 4 == 20 or false", &[&[]]),
    ("return 'a' .. 'b' == 'ab'", &[&[]]),
    // The key stands in the text.
    ("return redis.call('set', 'k', 'bar')", &[&[]]),
    ("redis.call('incrby', ARGV[1], 5) return redis.call('get', 'k')", &[&["k"]]),
];

/// Beginnings of each key: set or not, a number or not, with a deadline or without.
const BEFORE: &[&[&[u8]]] = &[
    &[],
    &[b"SET", b"k", b"10"],
    &[b"SET", b"k", b"text"],
    &[b"SET", b"k", b"10", b"EX", b"1000"],
    &[b"INCRBY", b"k", b"10"],
    &[b"SET", b"k", b""],
];

/// What is compared afterwards.
const AFTER: &[u8] = b"GET k\r\nTTL k\r\nEXISTS k\r\nSTRLEN k\r\n";

fn told(reply: &[u8]) -> String {
    let text = reply.escape_ascii().to_string();
    // Which variable was wrong is not told here.
    match text.find("attempt to ") {
        Some(at) => format!("{}attempt", &text[..at]),
        None => text,
    }
}

fn is_near(got: &[u8], want: &[u8]) -> bool {
    let number = |reply: &[u8]| std::str::from_utf8(reply.strip_prefix(b":")?).ok()?.trim_end().parse::<i64>().ok();
    match (number(got), number(want)) {
        (Some(got), Some(want)) if want > 50 => got.abs_diff(want) <= 2,
        _ => told(got) == told(want),
    }
}

#[test]
fn scripts_that_clients_send() {
    let mut ours = Ours::new(DATABASES);
    let Some(mut redis) = Redis::start(DATABASES, ours.value_max()) else { return println!("without redis-server") };
    let mut random = Random::new(1);
    for (script, inputs) in SENT {
        for (input, before) in inputs.iter().flat_map(|input| BEFORE.iter().map(move |before| (input, before))) {
            for version in [RespVersion::Two, RespVersion::Three] {
                redis.begin(version);
                ours.begin(version);
                if !before.is_empty() {
                    let before = generate::request(before);
                    redis.talk(&before, 1);
                    ours.talk(&before, &mut random);
                }
                for name in ["EVAL", "EVALSHA", "EVAL_RO"] {
                    let mut words = vec![name.as_bytes(), script.as_bytes(), b"1", b"k"];
                    let digest = leveret_strings::script_digest(script.as_bytes());
                    if name == "EVALSHA" {
                        words[1] = &digest;
                    }
                    words.extend(input.iter().map(|word| word.as_bytes()));
                    let said = generate::request(&words);
                    let (got, want) = (ours.talk(&said, &mut random), redis.talk(&said, 1));
                    let shown = format!("{name} {script:?} {input:?} after {before:?}");
                    assert!(is_near(&got[0], &want[0]), "{shown}: {} and not {}", told(&got[0]), told(&want[0]));
                    let (got, want) = (ours.talk(AFTER, &mut random), redis.talk(AFTER, 4));
                    let is_same = got.iter().zip(&want).all(|(got, want)| is_near(got, want));
                    assert!(
                        is_same,
                        "{shown}: then {:?} and not {:?}",
                        got.concat().escape_ascii().to_string(),
                        want.concat().escape_ascii().to_string()
                    );
                }
            }
        }
    }
}

/// Random texts of the subset.
#[test]
fn random_scripts() {
    let seed = variable("LEVERET_SEED", 20261127);
    println!("LEVERET_SEED={seed}");
    let mut ours = Ours::new(DATABASES);
    let Some(mut redis) = Redis::start(DATABASES, ours.value_max()) else { return println!("without redis-server") };
    let (mut same, mut refused) = (0, 0);
    for number in 0..variable("LEVERET_SCRIPTS", 3000) {
        let mut random = Random::new(seed.wrapping_add(number));
        let version = if random.one_in(2) { RespVersion::Two } else { RespVersion::Three };
        redis.begin(version);
        ours.begin(version);
        let before = BEFORE[random.below(BEFORE.len())];
        if !before.is_empty() {
            let before = generate::request(before);
            redis.talk(&before, 1);
            ours.talk(&before, &mut random);
        }
        let script = Writer { random: &mut random, locals: 0, depth: 0 }.script();
        let said = generate::request(&[b"EVAL", script.as_bytes(), b"1", b"k", b"10", b"abc", b"100"]);
        let (got, want) = (ours.talk(&said, &mut random), redis.talk(&said, 1));
        let is_refused = got[0].starts_with(b"-UNSUPPORTED");
        refused += i32::from(is_refused);
        if is_refused {
            continue;
        }
        let shown = format!("LEVERET_SEED={} LEVERET_SCRIPTS=1 {script:?} after {before:?}", seed.wrapping_add(number));
        assert!(is_near(&got[0], &want[0]), "{shown}: {} and not {}", told(&got[0]), told(&want[0]));
        let (got, want) = (ours.talk(AFTER, &mut random), redis.talk(AFTER, 4));
        let is_same = got.iter().zip(&want).all(|(got, want)| is_near(got, want));
        assert!(
            is_same,
            "{shown}: then {:?} and not {:?}",
            got.concat().escape_ascii().to_string(),
            want.concat().escape_ascii().to_string()
        );
        same += 1;
    }
    println!("{same} scripts alike, {refused} not evaluated here");
}

struct Writer<'r> {
    random: &'r mut Random,
    locals: usize,
    depth: usize,
}

impl Writer<'_> {
    fn script(mut self) -> String {
        let mut text = String::new();
        for _ in 0..1 + self.random.below(4) {
            text += &self.statement();
        }
        format!("{text}return {}", self.expression())
    }

    fn statement(&mut self) -> String {
        self.depth += 1;
        let text = match self.random.below(if self.depth > 3 { 3 } else { 5 }) {
            0 => {
                let value = self.expression();
                let text = format!("local v{} = {value} ", self.locals);
                self.locals += 1;
                text
            }
            1 if self.locals > 0 => format!("v{} = {} ", self.random.below(self.locals), self.expression()),
            1 | 2 => format!("{} ", self.command()),
            kind => {
                let locals = self.locals;
                let condition = self.expression();
                let then = self.statement();
                self.locals = locals;
                let text = if kind == 3 {
                    format!("if {condition} then {then}end ")
                } else {
                    let otherwise = self.statement();
                    format!("if {condition} then {then}else {otherwise}end ")
                };
                self.locals = locals;
                text
            }
        };
        self.depth -= 1;
        text
    }

    fn expression(&mut self) -> String {
        self.depth += 1;
        let text = match self.random.below(if self.depth > 4 { 6 } else { 13 }) {
            0 => self.random.pick(&["1", "0", "10", "2.5", "-3", "1e3", "100"]).to_string(),
            1 => self.random.pick(&["'10'", "'abc'", "\"\"", "' 7 '", "'0x1f'"]).to_string(),
            2 => self.random.pick(&["nil", "true", "false"]).to_string(),
            3 => self
                .random
                .pick(&["ARGV[1]", "ARGV[2]", "ARGV[3]", "ARGV[4]", "KEYS[1]", "#ARGV", "KEYS[2]"])
                .to_string(),
            4 | 5 if self.locals > 0 => format!("v{}", self.random.below(self.locals)),
            4 | 5 => "ARGV[1]".to_owned(),
            6 | 7 => self.command(),
            8 => format!("tonumber({})", self.expression()),
            9 => format!("not {}", self.expression()),
            10 => format!("({})", self.expression()),
            _ => {
                let operator =
                    *self.random.pick(&["==", "~=", "<", "<=", ">", ">=", "+", "-", "*", "%", "..", "and", "or"]);
                format!("{} {operator} {}", self.expression(), self.expression())
            }
        };
        self.depth -= 1;
        text
    }

    fn command(&mut self) -> String {
        let call = if self.random.one_in(4) { "pcall" } else { "call" };
        let value = *self.random.pick(&["ARGV[1]", "ARGV[2]", "'7'", "5", "'text'", "2.5"]);
        let time = *self.random.pick(&["ARGV[3]", "1000", "'2000'", "0", "-1", "'x'"]);
        let command = match self.random.below(22) {
            0 => "'get', KEYS[1]".to_owned(),
            1 => format!("'set', KEYS[1], {value}"),
            2 => format!("'set', KEYS[1], {value}, 'EX', {time}"),
            3 => format!("'SET', KEYS[1], {value}, 'NX'"),
            4 => format!("'set', KEYS[1], {value}, 'XX', 'GET', 'KEEPTTL'"),
            5 => format!("'setex', KEYS[1], {time}, {value}"),
            6 => format!("'setnx', KEYS[1], {value}"),
            7 => "'incr', KEYS[1]".to_owned(),
            8 => format!("'incrby', KEYS[1], {value}"),
            9 => format!("'decrby', KEYS[1], {value}"),
            10 => format!("'append', KEYS[1], {value}"),
            11 => "'del', KEYS[1]".to_owned(),
            12 => "'exists', KEYS[1]".to_owned(),
            13 => format!("'expire', KEYS[1], {time}"),
            14 => "'persist', KEYS[1]".to_owned(),
            15 => "'ttl', KEYS[1]".to_owned(),
            16 => "'getdel', KEYS[1]".to_owned(),
            17 => format!("'getset', KEYS[1], {value}"),
            18 => "'getrange', KEYS[1], 0, 2".to_owned(),
            19 => format!("'setrange', KEYS[1], 1, {value}"),
            20 => format!("'getex', KEYS[1], 'EX', {time}"),
            _ => "'strlen', KEYS[1]".to_owned(),
        };
        format!("redis.{call}({command})")
    }
}
