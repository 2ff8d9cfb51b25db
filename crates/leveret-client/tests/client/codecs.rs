//! Values of Debian's php-memcached and php-memcache are read here, and ours there, through a real memcached.
use crate::common::{php, Folder, Memcached};
use leveret_client::codec::{compress, compress_bare, decompress, encoding, Compression, Economy, Form, Savings};
use leveret_engine::Encoding;

/// Values whose bytes a PHP script can make again: text with some variety, of lengths around the formats' borders.
const LENGTHS: [usize; 8] = [2100, 8190, 8300, 20_100, 65_535, 65_537, 150_000, 900_000];

fn value(len: usize) -> Vec<u8> {
    (0..len / 5 + 1).flat_map(|i| format!("{:05}", i * i % 1000 * (i / 700)).into_bytes()).take(len).collect()
}

const VALUE: &str = "function value(int $len): string { $text = ''; for ($i = 0; strlen($text) < $len; $i++) \
    { $text .= sprintf('%05d', $i * $i % 1000 * intdiv($i, 700)); } return substr($text, 0, $len); }
    [, $socket] = $argv; $lengths = array_slice($argv, 2);
    $memcached = new Memcached; $memcached->addServer($socket, 0);
    $memcache = new Memcache; $memcache->addServer(\"unix://$socket\", 0);";

fn with_server(name: &str, test: impl Fn(&Memcached, &dyn Fn(&str) -> String)) {
    let folder = Folder::new(name);
    let socket = folder.0.join("memcached.sock");
    let server = Memcached::unix(&socket);
    let lengths = LENGTHS.map(|len| len.to_string());
    let run = |script: &str| {
        let arguments: Vec<&str> =
            std::iter::once(socket.to_str().unwrap()).chain(lengths.iter().map(String::as_str)).collect();
        php(&format!("{VALUE} {script}"), &arguments)
    };
    test(&server, &run);
}

#[test]
fn values_that_the_extensions_compressed_are_read() {
    with_server("read", |server, php| {
        let said = php(
            "foreach (['fastlz' => 2, 'zlib' => 1] as $name => $type) {
                $memcached->setOption(Memcached::OPT_COMPRESSION_TYPE, $type);
                foreach ($lengths as $len) { $memcached->set(\"$name:$len\", value($len)) || print(\"$name:$len\"); }
            }
            foreach ($lengths as $len) { @$memcache->set(\"memcache:$len\", value($len), MEMCACHE_COMPRESSED) || print(\"memcache:$len\"); }",
        );
        assert_eq!(said, "");
        for len in LENGTHS {
            for (name, want) in [("fastlz", Compression::Fastlz), ("zlib", Compression::Zlib)] {
                let (flags, stored) = server.raw(&format!("{name}:{len}")).unwrap();
                let form = Form::from_pecl_memcached(flags).unwrap();
                assert_eq!((form.encoding, form.compression), (Encoding::RAW, want), "{name}:{len}");
                assert!(decompress(&stored, want, 1 << 20).unwrap() == value(len), "{name}:{len}");
            }
            let (flags, stored) = server.raw(&format!("memcache:{len}")).unwrap();
            assert_eq!(Form::from_pecl_memcache(flags).compression, Compression::BareZlib);
            assert!(decompress(&stored, Compression::BareZlib, 1 << 20).unwrap() == value(len), "memcache:{len}");
        }
    });
}

#[test]
fn values_that_we_compress_are_read_by_the_extensions() {
    with_server("write", |server, php| {
        for len in LENGTHS {
            for (name, by, flags) in [("fastlz", Compression::Fastlz, 0x50), ("zlib", Compression::Zlib, 0x30)] {
                let stored = compress(&value(len), by, &Economy::default()).unwrap();
                server.store(&format!("{name}:{len}"), flags, &stored);
            }
            let stored = compress_bare(&value(len), true, &Savings::default()).unwrap();
            server.store(&format!("memcache:{len}"), 2, &stored);
        }
        let said = php("foreach ($lengths as $len) {
                foreach (['fastlz', 'zlib'] as $name) { $memcached->get(\"$name:$len\") === value($len) || print(\"$name:$len \"); }
                $memcache->get(\"memcache:$len\") === value($len) || print(\"memcache:$len \");
            } echo 'read';");
        assert_eq!(said, "read");
    });
}

#[test]
fn the_flags_of_the_extensions_say_what_a_value_is() {
    with_server("flags", |server, php| {
        let said = php(
            "$memcached->setOption(Memcached::OPT_USER_FLAGS, 7);
            foreach (['raw' => 'text', 'integer' => -5, 'double' => 1.5, 'true' => true, 'false' => false] as $key => $one) { $memcached->set(\"d:$key\", $one); }
            foreach (['php' => Memcached::SERIALIZER_PHP, 'igbinary' => Memcached::SERIALIZER_IGBINARY, 'json' => Memcached::SERIALIZER_JSON, 'msgpack' => Memcached::SERIALIZER_MSGPACK] as $key => $one)
                { $memcached->setOption(Memcached::OPT_SERIALIZER, $one); $memcached->set(\"d:$key\", [1, 'a' => null]); }
            foreach (['raw' => 'text', 'integer' => -5, 'double' => 1.5, 'true' => true, 'false' => false, 'php' => [1]] as $key => $one) { $memcache->set(\"e:$key\", $one, MEMCACHE_USER1); }",
        );
        assert_eq!(said, "");
        for (name, encoding, d, e) in [
            ("raw", Encoding::RAW, "text", "text"),
            ("integer", Encoding::INTEGER, "-5", "-5"),
            ("double", Encoding::DOUBLE, "1.5", "1.5"),
            ("true", Encoding::BOOL, "1", "1"),
            ("false", Encoding::BOOL, "", "0"),
            ("php", encoding::PHP, "a:2:{i:0;i:1;s:1:\"a\";N;}", "a:1:{i:0;i:1;}"),
        ] {
            let (flags, value) = server.raw(&format!("d:{name}")).unwrap();
            assert_eq!(Form::from_pecl_memcached(flags), Some(Form { encoding, compression: Compression::None }));
            assert_eq!(String::from_utf8(value).unwrap(), d);
            let (flags, value) = server.raw(&format!("e:{name}")).unwrap();
            assert_eq!(Form::from_pecl_memcache(flags), Form { encoding, compression: Compression::None });
            assert_eq!(String::from_utf8(value).unwrap(), e);
        }
        for (name, encoding) in
            [("igbinary", encoding::IGBINARY), ("json", encoding::JSON), ("msgpack", encoding::MSGPACK)]
        {
            let (flags, _) = server.raw(&format!("d:{name}")).unwrap();
            assert_eq!(Form::from_pecl_memcached(flags).map(|form| form.encoding), Some(encoding));
        }
    });
}
