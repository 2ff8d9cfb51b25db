//! Scripts that clients ask for by their SHA1 before they have sent them: what each does, in words that are evaluated
//! here. Another text may do the same, so several digests stand for one.

/// Digests, and a text that does the same.
pub const KNOWN: &[(&[&str], &str)] = &[
    (
        &[
            // phpredis' sessions, Laravel's locks, Nextcloud, redis-py.
            "b70c2384248f88e6b75b9f89241a180f856ad852",
            "647c65a442733a1aa440f99908d249d13b4d6c4a",
            "cf0e94b2e9ffc7e04395cf88f7583fc309985910",
            "c3f8721cbb97f72bc19e972846bd7aaf91901658",
        ],
        "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end",
    ),
    (
        // Nextcloud.
        &["75526f8048b13ce94a41b58eee59c664b4990ab2"],
        "if redis.call('get', KEYS[1]) ~= ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end",
    ),
    (
        // Nextcloud.
        &["94eac401502554c02b811e3199baddde62d976d4"],
        "if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('set', KEYS[1], ARGV[2]) return 1 else return 0 end",
    ),
    (
        // Nextcloud.
        &["fa4acbc946d23ef41d7d3910880b60e6e4972d72"],
        "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('expire', KEYS[1], ARGV[2]) else return 0 end",
    ),
    (
        // redis-py, when a lock is taken again.
        &["1cac51482acf5858da00f6d685d68f886cd6b6b2"],
        "if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end redis.call('pexpire', KEYS[1], ARGV[2]) return 1",
    ),
    (
        // redis-py, when a lock is kept for longer.
        &["a4e8783852e6b949f9ef3a97212805108459a890"],
        "if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
        local left = redis.call('pttl', KEYS[1])
        if left < 0 then return 0 end
        local time = ARGV[2]
        if ARGV[3] == '0' then time = time + left end
        redis.call('pexpire', KEYS[1], time)
        return 1",
    ),
    (
        // Nextcloud.
        &["720b40cb66cef1579f2ef16ec69b3da8c85510e9"],
        "if redis.call('exists', KEYS[1]) == 1 then return redis.call('decrby', KEYS[1], ARGV[1]) else return 'NEX' end",
    ),
    (
        // Laravel.
        &["a08c9c69b7c07ae2485190873b90d128a23e502d"],
        "return redis.call('exists', KEYS[1]) < 1 and redis.call('setex', KEYS[1], ARGV[2], ARGV[1])",
    ),
];

/// The text that does what the script of this digest does.
pub fn known(digest: &[u8]) -> Option<&'static [u8]> {
    let same =
        |(digests, _): &&(&[&str], &str)| digests.iter().any(|known| digest.eq_ignore_ascii_case(known.as_bytes()));
    KNOWN.iter().find(same).map(|(_, text)| text.as_bytes())
}
