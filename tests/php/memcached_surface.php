<?php
/*
 * What the class Memcached says to settings, to words of libmemcached's configuration and to objects, a line each call: php
 * memcached_surface.php SERVER PART. As memcached_calls.php, the test compares the lines of pecl/memcached and ours.
 */
[, $server, $part] = $argv;
set_error_handler(function (int $level, string $text): bool {
    echo "  [$level] $text\n";
    return true;
});

function tell(string $label, ?Memcached $m, callable $call): mixed
{
    $result = null;
    try {
        $result = $call($m);
        $said = preg_replace(['/#\d+/', '/\s+/'], ['', ' '], is_object($result) ? print_r($result, true) : var_export($result, true));
    } catch (Throwable $e) {
        $said = get_class($e) . ': ' . $e->getMessage();
    }
    echo "$label: $said", $m ? ' code=' . $m->getResultCode() . ' ' . $m->getResultMessage() : '', "\n";
    return $result;
}

function client(): Memcached
{
    $m = new Memcached;
    $m->addServer($GLOBALS['server'], 0);
    $m->setOption(Memcached::OPT_SERIALIZER, Memcached::SERIALIZER_PHP);
    return $m;
}

$constants = (new ReflectionClass('Memcached'))->getConstants();
$options = array_filter($constants, fn($name) => str_starts_with($name, 'OPT_') && !str_contains($name, 'SOCKET') && !str_contains($name, '_TIMEOUT')
    && !in_array($name, ['OPT_COMPRESSION_LEVEL', 'OPT_ITEM_SIZE_LIMIT', 'OPT_USE_UDP', 'OPT_HASH']), ARRAY_FILTER_USE_KEY);

switch ($part) {
    case 'options':
        foreach ($options as $name => $option) {
            foreach ([0, 1, 2, 5, -1, 99, '', 'x', 5.7, [], [1]] as $value) {
                foreach (['get', 'set'] as $before) {
                    $m = client();
                    $before === 'get' ? $m->get('never there') : $m->set('there', 1);
                    tell("$name = " . json_encode($value) . " after $before", $m, fn($m) => $m->setOption($option, $value));
                    tell("$name is", $m, fn($m) => $m->getOption($option));
                }
            }
        }
        foreach ([1, 126, 127, 128, 200, 250, 251, 300] as $len) {
            $m = client();
            $m->setOption(Memcached::OPT_PREFIX_KEY, 'before');
            $m->get('never there');
            tell("prefix of $len bytes", $m, fn($m) => $m->setOption(Memcached::OPT_PREFIX_KEY, str_repeat('p', $len)));
            tell('last error', $m, fn($m) => $m->getLastErrorCode());
            tell('is', $m, fn($m) => strlen($m->getOption(Memcached::OPT_PREFIX_KEY)));
            tell('set', $m, fn($m) => $m->set('key', 1));
        }
        foreach ([0, 6, 99] as $serializer) {
            $m = client();
            $m->setOption(Memcached::OPT_SERIALIZER, Memcached::SERIALIZER_JSON);
            tell("serializer $serializer", $m, fn($m) => $m->setOption(Memcached::OPT_SERIALIZER, $serializer));
            tell('is', $m, fn($m) => $m->getOption(Memcached::OPT_SERIALIZER));
        }
        foreach ([0, 1, 2, 5, 6] as $distribution) {
            foreach ([0, 1] as $weighted) {
                $m = new Memcached;
                $m->setOption(Memcached::OPT_DISTRIBUTION, $distribution);
                foreach (range(1, 5) as $number) {
                    $m->addServer("10.0.0.$number", 11211 + $number % 2, $weighted * $number);
                }
                echo "places of distribution $distribution, weighted $weighted: ", md5(json_encode(array_map(fn($n) => $m->getServerByKey("key $n")['host'], range(1, 300)))), "\n";
            }
        }
        break;
    case 'words':
        $words = ['', '--SERVER=localhost', '--server=localhost:11221', '--SERVER=10.0.0.1:1/?5 --SERVER=10.0.0.2', '--SERVER=host_name.example-1.com:5/?0',
            '--SERVER=10.0.0.1:0', '--SERVER=10.0.0.1:65535', '--BINARY-PROTOCOL', '--buffer-requests', '--CONNECT-TIMEOUT=33', '--CONNECT-TIMEOUT=0',
            '--DISTRIBUTION=consistent', '--DISTRIBUTION=modula', '--DISTRIBUTION=CONSISTENT,MD5', '--DISTRIBUTION=modula,CRC', '--HASH=MD5', '--HASH=crc', '--HASH=FNV1_64',
            '--HASH=FNV1A_64', '--HASH=FNV1_32', '--HASH=FNV1A_32', '--HASH=MURMUR', '--HASH=JENKINS', '--HASH-WITH-NAMESPACE', '--NAMESPACE=foo', '--NAMESPACE="foo:"',
            '--NAMESPACE=foo.bar', '--NAMESPACE="' . str_repeat('n', 127) . '"', '--BINARY-PROTOCOL --NAMESPACE="foo bar"', '--NOREPLY', '--NUMBER-OF-REPLICAS=2',
            '--POLL-TIMEOUT=44', '--RANDOMIZE-REPLICA-READ', '--RCV-TIMEOUT=55', '--SND-TIMEOUT=66', '--REMOVE-FAILED-SERVERS=0', '--RETRY-TIMEOUT=7', '--SORT-HOSTS',
            '--TCP-NODELAY', '--TCP-KEEPALIVE', '--TCP-KEEPIDLE', '--SOCKET-RECV-SIZE=1000', '--SOCKET-SEND-SIZE=1000', '--SUPPORT-CAS', '--FETCH-VERSION', '--USER-DATA',
            '--VERIFY-KEY', '--VERIFY-KEY --BINARY-PROTOCOL', '--POOL-MIN=3 --POOL-MAX=9', '--IO-BYTES-WATERMARK=1 --IO-KEY-PREFETCH=2 --IO-MSG-WATERMARK=3', 'RESET', 'end',
            '--SERVER=localhost RESET --SERVER=cacheb', '--SERVER=localhost END --SERVER=cacheb', "\n--SERVER=localhost", "--SERVER=localhost\n",
            '--SERVER=10.0.0.1 --BINARY-PROTOCOL --NAMESPACE=xyz --HASH=MD5 --DISTRIBUTION=consistent --CONNECT-TIMEOUT=5'];
        $options += array_filter($constants, fn($name) => $name === 'OPT_HASH' || preg_match('/^OPT_.*_TIMEOUT$/', $name), ARRAY_FILTER_USE_KEY);
        foreach ($words as $line) {
            $m = new Memcached(null, null, $line);
            $m->setOption(Memcached::OPT_SERIALIZER, Memcached::SERIALIZER_PHP);
            tell("words $line", $m, fn($m) => [json_encode($m->getServerList()), json_encode(array_map(fn($option) => $m->getOption($option), $options))]);
        }
        $m = new Memcached(null, null, "--SOCKET=\"$server\" --NAMESPACE=worded");
        tell('a socket', $m, fn($m) => [array_column($m->getServerList(), 'host') === [$server], $m->set('key', 1), client()->get('wordedkey')]);
        break;
    case 'words refused':
        foreach (array_slice($argv, 3) as $line) {
            tell("words $line", null, fn() => new Memcached(null, null, $line));
        }
        break;
    case 'objects':
        class Holder { public $m; public $x = 5; }
        class Own extends Memcached { public $own = 7; protected $p = 8; function __construct() { parent::__construct(); } }
        $m = client();
        $holder = new Holder;
        $holder->m = $m;
        foreach ([Memcached::SERIALIZER_PHP, Memcached::SERIALIZER_IGBINARY, Memcached::SERIALIZER_MSGPACK] as $serializer) {
            $m->setOption(Memcached::OPT_SERIALIZER, $serializer);
            tell('an object that holds one', $m, fn($m) => $m->set('holder', $holder));
            $read = tell('is', $m, fn($m) => $m->get('holder'));
            tell('used', $m, fn() => $read->m->get('x'));
            $read->m->__construct();
            tell('constructed', $m, fn() => $read->m->getServerList());
            tell('a subclass', $m, fn($m) => $m->set('own', new Own));
            tell('is', $m, fn($m) => $m->get('own'));
        }
        tell('serialize', $m, fn($m) => serialize([$m, new Own]));
        tell('unserialize', $m, fn() => unserialize('O:9:"Memcached":0:{}'));
        tell('clone', $m, fn($m) => clone $m);
        $socket = stream_socket_client("unix://$server");
        foreach ([4 => 'O:6:"Absent":0:{}', 5 => "\0\0\0\2\x17\x06Absent\x14\0"] as $flags => $bytes) {
            fwrite($socket, "set absent$flags $flags 0 " . strlen($bytes) . "\r\n$bytes\r\n");
            fgets($socket);
        }
        $loader = function (string $class): void { throw new Exception("there is no $class"); };
        spl_autoload_register($loader);
        tell('an autoloader that throws', $m, fn($m) => $m->get('absent4'));
        tell('an autoloader that throws, igbinary', $m, fn($m) => $m->get('absent5'));
        spl_autoload_unregister($loader);
        ini_set('unserialize_callback_func', 'no_such_class');
        function no_such_class(string $class): void { throw new Exception("there is no $class"); }
        tell('unserialize_callback_func that throws', $m, fn($m) => $m->get('absent4'));
        ini_set('unserialize_callback_func', '');
        break;
    case 'life':
        $calls = 0;
        foreach ([null, 'shared', 'shared', 'shared', 'shared'] as $id) {
            tell('new', null, function () use ($id, &$calls) {
                $made = new Memcached($id, function (Memcached $m) use (&$calls) {
                    $m->addServer('10.0.0.1', 1);
                    if (++$calls < 4) {
                        throw new Exception("call $calls");
                    }
                });
                return [$calls, $made->isPristine(), count($made->getServerList())];
            });
        }
        tell('the same in its own callback', null, fn() => count((new Memcached('nested', fn() => new Memcached('nested', fn($m) => $m->addServer('10.0.0.1', 1))))->getServerList()) < 2);
        $m = client();
        $m->setOption(Memcached::OPT_BINARY_PROTOCOL, true);   // in text the original sends no version at all, and is out of step then
        foreach ([null, 1.5, true, [], '', '5', new stdClass, STDIN] as $token) {
            tell('cas by ' . get_debug_type($token), $m, fn($m) => $m->cas($token, 'never there', 1));
            tell('casByKey by ' . get_debug_type($token), $m, fn($m) => $m->casByKey($token, 'group', 'never there', 1));
        }
        break;
}
