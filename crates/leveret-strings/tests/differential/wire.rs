//! Bytes that are no request, or hardly one: the same errors, and the connection closed where Redis closes it.
use crate::ours::Ours;
use crate::random::Random;
use crate::redis::Redis;
use crate::{variable, DATABASES};
use leveret_protocol::resp::RespVersion;

/// Parts of a conversation.
const PARTS: &[&[u8]] = &[
    b"*1\r\n$4\r\nPING\r\n",
    b"*2\r\n$4\r\nECHO\r\n$5\r\nab\r\nc\r\n",
    b"*2\r\n$4\r\nECHO\r\n$0\r\n\r\n",
    b"*2\r\n$4\r\nECHO\r\n$1\r\nxXX",
    b"*1\rX$4\rXPING\r\n",
    b"*0\r\n",
    b"*-1\r\n",
    b"*-10\r\n",
    b"\r\n",
    b"\n",
    b"PING\r\n",
    b"ping 'a b'\n",
    b"echo \"\\x41\\n\\t\\q\\\"\"\r\n",
    b"echo 'it\\'s'\r\n",
    b"  echo\tx  \r\n",
    b"echo a\x0bb\r\n",
    b"echo a \x0c\r\n",
];

/// What ends one.
const ENDS: &[&[u8]] = &[
    b"*1\r\n*1\r\n",
    b"*1\r\nPING\r\n",
    b"*1\r\n\r\n",
    b"*1\r\n\n\r\n",
    b"*1\r\n\xff\r\n",
    b"*1\r\n$x\r\n",
    b"*1\r\n$\r\n",
    b"*1\r\n$-1\r\n",
    b"*1\r\n$+1\r\n",
    b"*1\r\n$01\r\n",
    b"*1\r\n$ 1\r\n",
    b"*1\r\n$9223372036854775807\r\n",
    b"*1\r\n$9223372036854775808\r\n",
    b"*1\r\n$18446744073709551617\r\n",
    b"*1\r\n$-9223372036854775808\r\n",
    b"*x\r\n",
    b"*\r\n",
    b"*+1\r\n",
    b"*01\r\n",
    b"*9223372036854775807\r\n",
    b"*9223372036854775808\r\n",
    b"*3000000000\r\n",
    b"echo \"a\r\n",
    b"echo 'a\r\n",
    b"echo \"a\"b\r\n",
    b"echo 'a'b\r\n",
    b"echo \"\\\"\r\n",
    b"POST / HTTP/1.1\r\n",
    b"Host: example.com\r\n",
    b"*2\r\n$4\r\npOsT\r\n$1\r\na\r\n",
];

fn check(redis: &mut Redis, ours: &mut Ours, said: &[u8], random: &mut Random) {
    ours.begin(RespVersion::Two);
    let got = ours.talk(said, random).concat();
    let (want, is_closed) = redis.talk_to_the_end(said);
    let shown = |bytes: &[u8]| bytes[..bytes.len().min(400)].escape_ascii().to_string();
    // To a browser Redis sends not even what it has answered before.
    let is_http = said.to_ascii_lowercase().windows(4).any(|word| word == b"post" || word == b"host");
    assert!(
        is_http && got.starts_with(&want) || shown(&got) == shown(&want),
        "{} and not {} after {} ({} bytes)",
        shown(&got),
        shown(&want),
        shown(said),
        said.len()
    );
    assert_eq!(ours.is_over, is_closed, "closed after {}", shown(said));
}

#[test]
fn what_is_no_request() {
    let seed = variable("LEVERET_SEED", 20261127);
    let mut ours = Ours::new(DATABASES);
    let Some(mut redis) = Redis::start(DATABASES, ours.value_max()) else { return println!("without redis-server") };
    let mut random = Random::new(seed);
    for round in 0..400 {
        let mut said = Vec::new();
        for _ in 0..random.below(6) {
            said.extend_from_slice(random.pick::<&[u8]>(PARTS));
        }
        // Without an end it is waited for more.
        if round % 20 != 0 {
            said.extend_from_slice(ENDS[round % ENDS.len()]);
        }
        check(&mut redis, &mut ours, &said, &mut random);
    }
    let long = (64 << 10) + 10_000;
    for line in [
        vec![b'a'; long],
        [b"*".as_slice(), &vec![b'1'; long]].concat(),
        [b"*1\r\n$".as_slice(), &vec![b'1'; long]].concat(),
        [b"*1\r\n".as_slice(), &vec![b'x'; long]].concat(),
        [b"\0".as_slice(), &vec![b'a'; long]].concat(),
        [b"*\0".as_slice(), &vec![b'a'; long]].concat(),
        [b"$\0".as_slice(), &vec![b'a'; long]].concat(),
    ] {
        check(&mut redis, &mut ours, &line, &mut random);
    }
}

/// Before AUTH.
#[test]
fn what_unknown_clients_may_not_send() {
    let mut ours = Ours::new(DATABASES);
    ours.is_unknown = true;
    let Some(mut redis) = Redis::start(DATABASES, ours.value_max()) else { return println!("without redis-server") };
    redis.talk(b"CONFIG SET requirepass secret\r\n", 1);
    let mut random = Random::new(1);
    for said in
        [b"*11\r\n".as_slice(), b"*1\r\n$16385\r\n", b"*x\r\n", b"*1\r\n$x\r\n", b"*1\r\n*1\r\n", b"*2147483648\r\n"]
    {
        check(&mut redis, &mut ours, said, &mut random);
    }
}
