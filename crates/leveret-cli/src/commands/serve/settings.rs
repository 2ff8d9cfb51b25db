//! From the options to what the server is told, with memcached's rules of which options go together.
use super::extended::{self, Extended, Ssl};
use super::options::ServeOptions;
use super::values::{OwnDatabase, Port};
use crate::output::Failure;
use crate::target;
use leveret_engine::{EvictionPolicy, MEMORY_MIN};
use leveret_server::redis::settings::{policy_word, DatabaseSettings, RedisPlace, RedisSettings, DATABASES};
use leveret_server::settings::{AllowedProtocol, MetricsAddress, Security, TlsSettings, MEMORY};
use leveret_server::Settings;
use std::collections::BTreeMap;

/// The server's settings, and options that were accepted without effect.
pub fn of(options: &ServeOptions) -> Result<(Settings, Vec<String>), Failure> {
    let mut extended = extended::read(&options.extended).map_err(Failure::Usage)?;
    let defaults = Settings::default();
    let (tcp_port, udp_port) = ports(options, &defaults);
    let settings = Settings {
        tcp_port,
        udp_port,
        listen: options.listen.iter().flatten().cloned().collect(),
        unix_path: options.unix_socket.clone(),
        unix_mode: options.unix_mask.unwrap_or(defaults.unix_mode),
        backlog: options.listen_backlog.unwrap_or(defaults.backlog),
        threads: options.threads.map_or(defaults.threads, |threads| threads as usize),
        conn_limit: options.conn_limit.map_or(defaults.conn_limit, |limit| limit as usize),
        maxconns_fast: !extended.waits_when_full,
        requests_per_turn: options.max_reqs_per_event.map_or(defaults.requests_per_turn, |requests| requests as usize),
        memory: options.memory_limit,
        item_size_max: options.max_item_size.map_or(defaults.item_size_max, |size| size as usize),
        lock_memory: options.lock_memory,
        evictions: !options.disable_evictions,
        cas: !options.disable_cas,
        flush: !options.disable_flush_all,
        dump: !options.disable_dumping,
        watch: !options.disable_watch,
        shutdown: options.enable_shutdown,
        // As in memcached: passwords are given in text with -Y, and in the binary protocol with -S.
        protocol: match options.protocol {
            None | Some(AllowedProtocol::Auto) if options.auth_file.is_some() => AllowedProtocol::Ascii,
            None if options.enable_sasl => AllowedProtocol::Binary,
            protocol => protocol.unwrap_or_default(),
        },
        verbosity: options.verbose,
        auth_file: options.auth_file.clone(),
        sasl_pwdb: options.sasl_pwdb.clone(),
        announce: options.announce,
        prefix_delimiter: options.delimiter.unwrap_or(defaults.prefix_delimiter),
        detail: options.delimiter.is_some(),
        track_sizes: extended.track_sizes,
        idle_timeout_secs: extended.idle_timeout_secs,
        memory_file: options.memory_file.clone(),
        pid_file: options.pidfile.clone(),
        tls: tls(options, &mut extended)?,
        metrics: metrics(options)?,
        redis: redis(options)?,
        ..defaults
    };
    check(options, &settings)?;
    Ok((settings, noted(options, extended.noted)))
}

/// `-s` switches the network off; `-U` alone moves TCP to the same port.
fn ports(options: &ServeOptions, defaults: &Settings) -> (Option<u16>, Option<u16>) {
    if options.unix_socket.is_some() {
        return (Some(0), Some(0));
    }
    let udp_port = options.udp_port.map_or(defaults.udp_port, |Port(port)| port);
    let tcp_port = match options.port {
        Some(Port(port)) => port,
        None if options.redis.is_some() && udp_port == Some(0) => Some(0),
        None if udp_port != Some(0) => udp_port,
        None => defaults.tcp_port,
    };
    (tcp_port, udp_port)
}

/// In the background the current folder is another.
fn metrics(options: &ServeOptions) -> Result<Option<MetricsAddress>, Failure> {
    Ok(match &options.metrics {
        Some(MetricsAddress::Unix(path)) if options.daemon => Some(MetricsAddress::Unix(super::absolute(path)?)),
        address => address.clone(),
    })
}

/// `--redis` and what belongs to it, which means nothing without it.
fn redis(options: &ServeOptions) -> Result<Option<RedisSettings>, Failure> {
    let Some(place) = &options.redis else {
        let given = [
            (options.redis_databases.is_some(), "--redis-databases"),
            (!options.redis_database.is_empty(), "--redis-database"),
            (options.requirepass.is_some(), "--requirepass"),
        ];
        return match given.iter().find(|(is_given, _)| *is_given) {
            Some((_, name)) => Err(Failure::Usage(format!("{name}: it is for clients of Redis; add --redis"))),
            None => Ok(None),
        };
    };
    // In the background the current folder is another.
    let place = match place {
        RedisPlace::Unix(path) if options.daemon => RedisPlace::Unix(super::absolute(path)?),
        RedisPlace::Tcp { is_tls: true, .. } if !options.enable_ssl => {
            return Err(Failure::Usage("--redis tls:PORT means something only together with -Z".to_owned()));
        }
        place => place.clone(),
    };
    if options.requirepass.as_ref().is_some_and(String::is_empty) {
        return Err(Failure::Usage("--requirepass: an empty password is none; leave it out".to_owned()));
    }
    let databases = options.redis_databases.unwrap_or(DATABASES);
    let own = databases_of_their_own(options, databases)?;
    Ok(Some(RedisSettings { place, databases, password: options.requirepass.clone(), own }))
}

/// `--redis-database`: what each has of its own, and what it cannot have.
fn databases_of_their_own(options: &ServeOptions, count: u32) -> Result<BTreeMap<u32, DatabaseSettings>, Failure> {
    let mut all = BTreeMap::new();
    for OwnDatabase { number, memory, policy, arena } in &options.redis_database {
        let refuse = |why: String| Err(Failure::Usage(format!("--redis-database {number}: {why}")));
        if *number >= count {
            return refuse(format!("there are {count} databases, 0 to {} (--redis-databases)", count - 1));
        }
        if *number == 0 && (memory.is_some() || arena.is_some()) {
            return refuse("database 0 is the arena of --arena, with the memory of -m".to_owned());
        }
        if memory.is_some_and(|memory| memory < MEMORY_MIN) {
            return refuse(format!("memory: an arena has at least {} MiB", MEMORY_MIN >> 20));
        }
        if let Some(policy) = policy.filter(|policy| options.disable_evictions && *policy != EvictionPolicy::None) {
            return refuse(format!("policy: -M drops nothing, and {} does", policy_word(policy)));
        }
        let resolve = |name: &String| target::resolve(name, options.dir.as_deref());
        let arena = arena.as_ref().map(resolve).transpose()?;
        let own = DatabaseSettings { memory: *memory, policy: *policy, arena };
        if all.insert(*number, own).is_some() {
            return refuse("it is said twice".to_owned());
        }
    }
    Ok(all)
}

/// Without `-Z` the `ssl_` options have no effect, as in memcached.
fn tls(options: &ServeOptions, extended: &mut Extended) -> Result<Option<TlsSettings>, Failure> {
    let refuse = |text: &str| Err(Failure::Usage(text.to_owned()));
    let has = |security| options.listen.iter().flatten().any(|listen| listen.security == security);
    let Ssl { mut settings, names } = std::mem::take(&mut extended.ssl);
    if !options.enable_ssl {
        for (prefix, security) in Security::PREFIXES {
            if has(security) {
                return refuse(&format!("-l {prefix} it means something only together with -Z"));
            }
        }
        extended.noted.extend(names);
        return Ok(None);
    }
    if settings.chain_cert.as_os_str().is_empty() {
        // `memcached -Z -V` is how programs ask whether it can TLS at all.
        if options.version || options.license {
            return Ok(None);
        }
        return refuse("-Z: with which certificate? Say -o ssl_chain_cert=FILE,ssl_key=FILE (PEM)");
    }
    if settings.verify_mode > 0 && settings.ca_cert.is_none() {
        return refuse("-o ssl_verify_mode needs the certificates of authorities: -o ssl_ca_cert=FILE (PEM)");
    }
    if has(Security::Mutual) && settings.ca_cert.is_none() {
        return refuse("-l mtls: needs the certificates of authorities: -o ssl_ca_cert=FILE (PEM)");
    }
    extended.noted.extend(names.into_iter().filter(|name| name == "-o ssl_kernel_tls" || name == "-o ssl_wbuf_size"));
    if settings.wbuf_kib == 0 {
        // memcached's default.
        settings.wbuf_kib = 16;
    }
    if options.daemon {
        // In the background the current folder is another.
        for path in
            [Some(&mut settings.chain_cert), settings.key.as_mut(), settings.ca_cert.as_mut()].into_iter().flatten()
        {
            *path = super::absolute(path)?;
        }
    }
    Ok(Some(settings))
}

fn check(options: &ServeOptions, settings: &Settings) -> Result<(), Failure> {
    let refuse = |text: &str| Err(Failure::Usage(text.to_owned()));
    if settings.item_size_max as u64 > settings.memory.unwrap_or(MEMORY) / 2 {
        return refuse("-I: the largest item cannot be larger than half of the memory (-m)");
    }
    if settings.auth_file.is_some() && settings.udp_port != Some(0) {
        return refuse("-Y: UDP has no passwords; switch UDP off (-U 0)");
    }
    if settings.auth_file.is_some() && settings.protocol == AllowedProtocol::Binary {
        return refuse("-Y: the binary protocol has no such password; use -B ascii");
    }
    check_sasl(options, settings)?;
    if settings.redis.as_ref().is_some_and(|redis| redis.password.is_none()) && options.enable_sasl {
        return refuse(
            "-S: clients of Redis have no SASL, and would need no password for the same cache; add --requirepass",
        );
    }
    let has_address = settings.listen.iter().any(|listen| listen.port.is_some());
    let has_memcached =
        has_address || settings.tcp_port != Some(0) || settings.udp_port != Some(0) || settings.unix_path.is_some();
    if settings.redis.as_ref().is_some_and(|redis| redis.password.is_some())
        && has_memcached
        && !settings.asks_for_passwords()
    {
        return refuse("--requirepass: clients of memcached would need no password for the same cache; add -Y or -S, or leave out -p, -U and -s");
    }
    if options.fresh && options.share {
        return refuse("--fresh: what another server serves is not ours to empty; give --arena or --share");
    }
    if options.fresh && options.memory_file.is_some() {
        return refuse("--fresh: -e keeps the cache for the next start, and this drops it");
    }
    if options.napi_ids.is_some_and(|ids| ids as usize > settings.threads) {
        return refuse("-N: there cannot be more NAPI ids than threads (-t)");
    }
    if settings.tcp_port == Some(0)
        && settings.udp_port == Some(0)
        && settings.unix_path.is_none()
        && settings.redis.is_none()
        && settings.listen.iter().all(|listen| listen.port.is_none())
    {
        return refuse("nothing to listen on: -p 0, -U 0 and no -s");
    }
    Ok(())
}

fn check_sasl(options: &ServeOptions, settings: &Settings) -> Result<(), Failure> {
    let refuse = |text: &str| Err(Failure::Usage(text.to_owned()));
    if !options.enable_sasl {
        // The operator expects that passwords are required.
        return if options.sasl_pwdb.is_some() {
            refuse("--sasl-pwdb: only -S asks for passwords; add it")
        } else {
            Ok(())
        };
    }
    if options.auth_file.is_some() {
        return refuse("-S and -Y: the one is for the binary protocol, the other for text; choose one");
    }
    if settings.protocol != AllowedProtocol::Binary {
        return refuse("-S: text has no SASL; leave -B out, or say -B binary");
    }
    if settings.udp_port != Some(0) {
        return refuse("-S: UDP has no passwords; switch UDP off (-U 0)");
    }
    if settings.sasl_pwdb.is_none() {
        return refuse("-S: who may sign in? Name a file of user:password lines, MEMCACHED_SASL_PWDB=FILE or --sasl-pwdb FILE, or a sasldb of saslpasswd2, named so or by sasldb_path in /etc/sasl2/memcached.conf");
    }
    Ok(())
}

fn noted(options: &ServeOptions, extended: Vec<String>) -> Vec<String> {
    let given = [
        (options.slab_growth_factor.is_some(), "-f"),
        (options.slab_min_size.is_some(), "-n"),
        (options.enable_largepages, "-L"),
        (options.napi_ids.is_some(), "-N"),
    ];
    let mut noted: Vec<String> = given.iter().filter(|(given, _)| *given).map(|(_, name)| (*name).to_owned()).collect();
    noted.extend(extended);
    noted.extend(options.further.iter().map(|word| format!("'{}'", word.to_string_lossy())));
    noted
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, Command, FromArgMatches};

    fn settings(line: &str) -> Result<(Settings, Vec<String>), String> {
        let parser = ServeOptions::augment_args(Command::new("serve").no_binary_name(true));
        let matches = parser.try_get_matches_from(line.split_whitespace()).map_err(|error| error.to_string())?;
        of(&ServeOptions::from_arg_matches(&matches).expect("options")).map_err(|failure| match failure {
            Failure::Usage(text) => text,
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn ports_as_memcached_understands_them() {
        for (line, tcp, udp) in [
            ("", Some(11211), Some(0)),
            ("-p 1", Some(1), Some(0)),
            ("-U 2", Some(2), Some(2)),
            ("-U 2 -p 1", Some(1), Some(2)),
            ("-U 0", Some(11211), Some(0)),
            ("-p -1", None, Some(0)),
            ("-U -1", None, None),
            ("-U -1 -p 0", Some(0), None),
            ("-s /x", Some(0), Some(0)),
            ("-s /x -p 1 -U 2", Some(0), Some(0)),
        ] {
            let settings = settings(line).expect(line).0;
            assert_eq!((settings.tcp_port, settings.udp_port), (tcp, udp), "{line}");
        }
    }

    #[test]
    fn every_switch_reaches_its_setting() {
        let settings =
            settings("-M -C -F -X -W -A -D . -vv -t 2 -c 10 -R 5 -b 7 -I 2m -a 660 -Y f -o idle_timeout=9 -e m -P p")
                .expect("settings")
                .0;
        assert!(
            !(settings.evictions || settings.cas || settings.flush || settings.dump || settings.watch)
                && settings.shutdown
        );
        assert_eq!(
            (settings.prefix_delimiter, settings.detail, settings.verbosity, settings.threads),
            (b'.', true, 2, 2)
        );
        assert_eq!(
            (settings.conn_limit, settings.requests_per_turn, settings.backlog, settings.item_size_max),
            (10, 5, 7, 2 << 20)
        );
        assert_eq!(
            (settings.unix_mode, settings.protocol, settings.idle_timeout_secs),
            (0o660, AllowedProtocol::Ascii, 9)
        );
        assert!(settings.auth_file.is_some() && settings.memory_file.is_some() && settings.pid_file.is_some());
    }

    /// compat-facts 15, and results with memcached 1.6.18.
    #[test]
    fn what_memcached_refuses_is_refused() {
        for line in [
            "-I 1000",
            "-I 33m",
            "-I 256m",
            "-I 1025m -m 4000",
            "-m 0",
            "-m 1",
            "-c 0",
            "-t 0",
            "-t abc",
            "-R 0",
            "-f 1",
            "-n 0",
            "-B http",
            "-a 9",
            "-S",
            "-S --sasl-pwdb f -B ascii",
            "-S --sasl-pwdb f -B auto",
            "-S --sasl-pwdb f -U 1",
            "-S --sasl-pwdb f -Y f",
            "-S --sasl-pwdb f -Y f -B binary",
            "--sasl-pwdb f",
            "-Z",
            "-Z -o ssl_key=k",
            "-Z -o ssl_chain_cert=c,ssl_verify_mode=2",
            "-l notls:127.0.0.1",
            "-l btls:127.0.0.1",
            "-l mtls:127.0.0.1",
            "-l mtls:127.0.0.1 -o ssl_ca_cert=a",
            "-Z -o ssl_chain_cert=c -l mtls:127.0.0.1",
            "-Z -o ssl_chain_cert=c -l 127.0.0.1 -l ::1,mtls:127.0.0.1:5",
            "-Z -l mtls:127.0.0.1 -o ssl_ca_cert=a",
            "-N 0",
            "-N 3 -t 2",
            "-o foo",
            "-U 1 -Y f",
            "-B binary -Y f",
            "-p 70000",
            "--nosuch",
            "-q",
            "--mem=64",
            "-D",
            "-l h:abc",
            "-p 0",
        ] {
            assert!(settings(line).is_err(), "{line}");
        }
    }

    #[test]
    fn what_memcached_takes_is_taken() {
        for line in [
            "-I 1024",
            "-I 32m",
            "-I 128m -m 256",
            "-m 3",
            "-m 64m",
            "-c 1",
            "-t 65",
            "-b 0",
            "-b -1",
            "-f 1.01 -n 48",
            "-D ab",
            "-N 2",
            "foo bar",
            "-L -k -r -d",
            "-l * -p 1",
            "-l ::1",
            "-p 0 -U 5",
            "-p 0 -l 127.0.0.1:5",
            "-m 64 -m 128",
            "-o modern -o track_sizes",
            "-S --sasl-pwdb f",
            "-S --sasl-pwdb f -B binary -U 0",
            "-o ssl_chain_cert=c",
            "-Z -o ssl_chain_cert=c,ssl_key=k,ssl_keyformat=1,ssl_ciphers=x,ssl_wbuf_size=16,ssl_kernel_tls -l notls:127.0.0.1",
            "-Z -o ssl_chain_cert=c,ssl_ca_cert=a -l notls:127.0.0.1:1,btls:127.0.0.1:2,127.0.0.1:3,mtls:127.0.0.1:4",
            "-m64 -p1 -vvv",
            "--memory-limit=64",
            "--memory-limit 64",
            "-p 11211 -u memcache -m 64 -c 1024 -l 127.0.0.1 -P /run/memcached/memcached.pid",
        ] {
            assert!(settings(line).is_ok(), "{line}: {:?}", settings(line));
        }
    }

    #[test]
    fn databases_of_their_own() {
        let redis = |line: &str| settings(line).map(|(settings, _)| settings.redis.expect("with --redis"));
        let one = "--redis --redis-database 2,memory=256,policy=noeviction,arena=/tmp/shop.arena";
        let both = format!("{one} --redis-database 0,policy=volatile-lfu --redis-database 5");
        let own = redis(&both).expect("settings").own;
        let two = DatabaseSettings {
            memory: Some(256 << 20),
            policy: Some(EvictionPolicy::None),
            arena: Some("/tmp/shop.arena".into()),
        };
        let zero = DatabaseSettings { policy: Some(EvictionPolicy::Volatile), ..DatabaseSettings::default() };
        assert_eq!(own, BTreeMap::from([(0, zero), (2, two), (5, DatabaseSettings::default())]));
        assert!(settings("--redis -M --redis-database 2,policy=noeviction").is_ok());
        for (line, part) in [
            ("--redis-database 2", "--redis-database: it is for clients of Redis"),
            ("--redis --redis-database 16", "--redis-database 16: there are 16 databases, 0 to 15"),
            ("--redis --redis-databases 2 --redis-database 2", "--redis-database 2: there are 2 databases"),
            ("--redis --redis-database 0,memory=64", "--redis-database 0: database 0 is the arena of --arena"),
            ("--redis --redis-database 0,arena=a", "--redis-database 0: database 0 is the arena of --arena"),
            ("--redis --redis-database 2,memory=7", "--redis-database 2: memory: an arena has at least 8 MiB"),
            ("--redis -M --redis-database 2,policy=allkeys-lfu", "--redis-database 2: policy: -M drops nothing"),
            ("--redis --redis-database 2 --redis-database 2", "--redis-database 2: it is said twice"),
            ("--redis --redis-database 2,arena=a+b", "names no arena"),
            ("--redis --redis-database 2,memory=8,memory=9", "memory of database 2: it is said twice"),
            ("--redis --redis-database 2,colour=red", "database 2 has no 'colour'"),
            ("--redis --redis-database two", "'two' is no database"),
        ] {
            let error = settings(line).expect_err(line);
            assert!(error.contains(part), "{line}: {error}");
        }
    }

    #[test]
    fn passwords_hold_for_both_entrances() {
        for (line, is_taken) in [
            ("--redis --requirepass x", true),
            ("--redis --requirepass x -p 1", false),
            ("--redis --requirepass x -p 1 -Y f", true),
            ("--redis --requirepass x -p 1 -S --sasl-pwdb f", true),
            ("--redis -p 1 -S --sasl-pwdb f", false),
            ("--redis -S --sasl-pwdb f", false),
            ("--redis -p 1 -Y f", true),
            ("--redis -p 1", true),
        ] {
            assert_eq!(settings(line).is_ok(), is_taken, "{line}: {:?}", settings(line));
        }
    }

    #[test]
    fn what_has_no_meaning_is_noted() {
        let (_, noted) =
            settings("-f 1.25 -n 48 -L -N 1 -o lru_crawler,idle_timeout=5,hash_algorithm=xxh3 word").expect("settings");
        assert_eq!(noted, ["-f", "-n", "-L", "-N", "-o lru_crawler", "-o hash_algorithm", "'word'"]);
    }
}
