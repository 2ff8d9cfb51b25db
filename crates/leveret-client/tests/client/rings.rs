//! Holds each ring against the places where the real clients put keys (vectors/rings.txt, taken by vectors/observe.py).
use leveret_client::ring::{Distribution, KeyHash, PeclHash, Preset, Ring, RingServer, Rule, Strategy};
use std::collections::HashMap;

const VECTORS: &str = include_str!("../vectors/rings.txt");

/// The keys of observe.py.
fn keys() -> Vec<String> {
    let letters = "abcdefghijklmnopqrstuvwxyz:./-_ABCDEFGHIJKLMNOP";
    (0..300).map(|i| format!("{i}{}{}", &letters[..i % 43], if i % 7 == 0 { "é€" } else { "" })).collect()
}

fn servers(words: &[&str]) -> Vec<RingServer> {
    let server = |word: &&str| {
        let [host, port, weight] = word.split('|').collect::<Vec<_>>()[..] else { panic!("{word}") };
        // addServer makes port 0 of a socket 11211.
        let port = if host.starts_with('/') { 11211 } else { port.parse().unwrap() };
        RingServer { host: host.to_string(), port, weight: weight.parse().unwrap() }
    };
    words.iter().map(server).collect()
}

fn preset(client: &str, mode: &str) -> Preset {
    let words: Vec<&str> = mode.split('+').collect();
    let hash = words.get(1).and_then(|name| KeyHash::from_name(name));
    let libmemcached = |distribution, hash: KeyHash| Preset::Libmemcached { distribution, hash };
    match (client, words[0]) {
        ("php-memcached", "modula") => libmemcached(Distribution::Modula, hash.unwrap()),
        ("php-memcached", "consistent") => {
            let hash = hash.unwrap();
            libmemcached(Distribution::consistent(hash), hash)
        }
        // Compatible means MD5 for the keys too, until another hash is set afterwards.
        ("php-memcached", "compatible") => libmemcached(Distribution::Ketama, hash.unwrap_or(KeyHash::Md5)),
        // OPT_LIBKETAMA_HASH changes nothing: the points stay with the key hash.
        ("php-memcached", "ketamahash") => {
            libmemcached(Distribution::consistent(KeyHash::OneAtATime), KeyHash::OneAtATime)
        }
        ("php-memcache", strategy) => Preset::PeclMemcache {
            strategy: if strategy == "standard" { Strategy::Standard } else { Strategy::Consistent },
            hash: if words[1] == "fnv" { PeclHash::Fnv } else { PeclHash::Crc32 },
        },
        ("dalli", _) => Preset::Dalli,
        other => panic!("{other:?}"),
    }
}

/// Where the ring puts a key while one server is dead, by the fail-over of the client whose rule it follows.
fn living_server(ring: &Ring, key: &[u8], dead: usize) -> usize {
    let first = ring.server(key).unwrap();
    if first != dead {
        return first;
    }
    (0..20).filter_map(|attempt| ring.other_server(key, attempt)).find(|server| *server != dead).unwrap_or(first)
}

#[test]
fn keys_live_where_the_real_clients_put_them() {
    let keys = keys();
    let mut sets = HashMap::new();
    let mut wrong = Vec::new();
    let mut checked = 0;
    for line in VECTORS.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        if words[0] == "servers" {
            sets.insert(words[1], servers(&words[2..]));
            continue;
        }
        let [client, mode, set, dead, places] = words[..] else { panic!("{line}") };
        let ring = Ring::new(preset(client, mode).with(&sets[set]), sets[set].clone());
        let dead: Option<usize> = dead.parse().ok();
        let ejected = match client {
            "php-memcached" => dead.map(|dead| ring.without_dead(|server| server != dead)),
            _ => None,
        };
        let differs = |key: &str, place: char| {
            let want = place.to_digit(10).map(|digit| digit as usize);
            let got = match (&ejected, dead) {
                (Some(ring), _) => ring.server(key.as_bytes()).unwrap(),
                (None, Some(dead)) => living_server(&ring, key.as_bytes(), dead),
                (None, None) => ring.server(key.as_bytes()).unwrap(),
            };
            want.is_some_and(|want| want != got)
        };
        let differing = keys.iter().zip(places.chars()).filter(|(key, place)| differs(key, *place)).count();
        if differing > 0 {
            wrong.push(format!("{client} {mode} {set} dead {dead:?}: {differing} of {}", places.len()));
        }
        checked += places.chars().filter(char::is_ascii_digit).count();
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(checked > 15_000, "{checked}");
}

#[test]
fn an_explanation_names_the_steps_and_the_servers_after_the_first() {
    let list = servers(&["a|11211|1", "b|11211|1", "c|11211|1"]);
    let modula = Preset::Libmemcached { distribution: Distribution::Modula, hash: KeyHash::Md5 };
    let consistent = Preset::Libmemcached { distribution: Distribution::consistent(KeyHash::Md5), hash: KeyHash::Md5 };
    let pecl = Preset::PeclMemcache { strategy: Strategy::Consistent, hash: PeclHash::Crc32 };
    for preset in [modula, consistent, pecl, Preset::Dalli] {
        let ring = Ring::new(preset.clone(), list.clone());
        let explained = ring.explain(b"key").unwrap();
        assert_eq!(Some(explained.server), ring.server(b"key"));
        assert!(explained.hash.is_some());
        match explained.rule {
            Rule::Remainder { of, entry } => assert_eq!((of, entry), (3, explained.hash.unwrap() % 3)),
            Rule::Point { of, .. } => assert_eq!(of, if preset == Preset::Dalli { 480 } else { 300 }),
            Rule::Bucket { of, bucket, .. } => assert_eq!((of, bucket), (1024, explained.hash.unwrap() % 1024)),
            Rule::OnlyServer | Rule::Mask { .. } => panic!("{preset:?}"),
        }
        let mut all = explained.others.clone();
        all.push(explained.server);
        all.sort_unstable();
        // A remainder leads nowhere else.
        assert_eq!(
            all,
            if matches!(explained.rule, Rule::Remainder { .. }) { vec![explained.server] } else { vec![0, 1, 2] }
        );
        assert_eq!(Ring::new(preset.clone(), list[..1].to_vec()).explain(b"key").unwrap().rule, Rule::OnlyServer);
        assert_eq!(Ring::new(preset, vec![]).explain(b"key"), None);
    }
}

/// libmemcached takes as many bits of the hash as the last bucket's number has set: where buckets are no power of two,
/// some are left out. tests/test_memcached_places.py holds this beside the real one.
#[test]
fn virtual_buckets_are_found_by_bits_of_the_hash() {
    let servers = servers(&["a|11211|1", "b|11211|1", "c|11211|1"]);
    let ring = |buckets: &[u32]| {
        let distribution = Distribution::VirtualBucket(buckets.into());
        Ring::new(Preset::Libmemcached { distribution, hash: KeyHash::Md5 }, servers.clone())
    };
    for (buckets, table) in
        [(&[][..], &[0, 1, 2][..]), (&[2, 0, 1, 7], &[2, 0, 1, 7]), (&[2, 1, 0, 1, 2], &[2, 1, 0, 1, 2])]
    {
        for number in 0..50 {
            let key = format!("key{number}");
            let bucket = KeyHash::Md5.of(key.as_bytes()) & (table.len() as u32 - 1);
            let server = table[bucket as usize] as usize;
            let ring = ring(buckets);
            assert_eq!(ring.server(key.as_bytes()), Some(server).filter(|server| *server < 3), "{buckets:?} {key}");
            if let Some(explained) = ring.explain(key.as_bytes()) {
                assert_eq!(explained.rule, Rule::Mask { of: table.len() as u32, entry: bucket });
            }
        }
    }
}

/// 160 points for each of 2^27 units of weight are none, in 32 bits.
#[test]
fn a_weight_that_nobody_means_has_a_place_for_each_key() {
    for strategy in [Strategy::Standard, Strategy::Consistent] {
        for weight in [1 << 27, i32::MAX as u32, u32::MAX] {
            let servers = servers(&[&format!("a|1|{weight}"), &format!("b|2|{weight}")]);
            let ring = Ring::new(Preset::PeclMemcache { strategy, hash: PeclHash::Crc32 }, servers);
            assert!(
                keys().iter().all(|key| ring.server(key.as_bytes()).is_some_and(|server| server < 2)),
                "{strategy:?} {weight}"
            );
        }
    }
}
