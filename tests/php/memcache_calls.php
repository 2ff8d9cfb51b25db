<?php
/*
 * Calls of the classes MemcachePool and Memcache and of the functions memcache_*, a line each, with their warnings and notices:
 *
 *   php memcache_calls.php HOST PORT [UDP_PORT [ascii|binary]]
 *
 * What a server tells of itself is reduced to its shape, so that any server gives the same lines. Left out is what makes pecl/memcache
 * give up a healthy server: in the binary protocol most misses, in text a cas of what is not there.
 */
error_reporting(E_ALL & ~E_DEPRECATED);
[, $host, $port] = $argv;
$port = (int) $port;
$udp = (int) ($argv[3] ?? 0);
$protocol = $argv[4] ?? 'ascii';
$is_ascii = $protocol === 'ascii';
ini_set('memcache.protocol', $protocol);
/* Without what names the server. */
function plain($text) {
    $text = str_replace([$GLOBALS['host'], '127.0.0.1'], 'HOST', $text);
    return preg_replace(['/\d{4,}/', '/HOST:0\b/', '/Server \S+ \(tcp \S+, udp \S+\)/'], ['PORT', 'HOST:PORT', 'Server S'], $text);
}
/* pecl/memcache declares none of its properties; the newer one does. */
set_error_handler(function ($number, $text) { echo str_starts_with($text, 'Creation of dynamic property') ? '' : "[$number] " . plain($text) . "\n"; return true; });

function show($label, $value) {
    /* pecl/memcache puts a zero byte behind the keys of counters that are not there. */
    $text = str_replace(["\n", "' . \"\\0\" . ''"], [' ', "'"], var_export($value, true));
    echo $label, ': ', plain(strlen($text) > 400 ? md5($text) : $text), "\n";
}
function call($label, callable $what) {
    try {
        show($label, $what());
    } catch (Throwable $thrown) {
        echo $label, ': ', get_class($thrown), ': ', plain($thrown->getMessage()), "\n";
    }
}
function pool() {
    $pool = new MemcachePool();
    /* Not persistent: what one of these pools has to suffer is no matter to the next one. */
    $pool->addServer($GLOBALS['host'], $GLOBALS['port'], $GLOBALS['udp'], false);
    return $pool;
}
/* Value, flags and kind of token. */
function got($pool, $key) {
    $flags = $cas = 'unset';
    $value = $pool->get($key, $flags, $cas);
    return [$value, $flags, is_array($cas) ? array_map('gettype', $cas) : gettype($cas)];
}

$pool = pool();
if (!$udp) {
    show('flush', $pool->flush());
}

// Values of each type, and what they are read as.
$object = new stdClass();
$object->name = 'x';
$values = [
    'text' => 'hello', 'empty' => '', 'int' => 42, 'negative' => -7, 'zero' => 0, 'largest' => PHP_INT_MAX, 'float' => 1.5, 'third' => 1 / 3,
    'huge' => 1e100, 'small' => -2.5e-7, 'infinite' => INF, 'true' => true, 'false' => false, 'null' => null, 'array' => ['a' => [1, null]],
    'object' => $object, 'long' => str_repeat('abc', 300), 'bytes' => "\x00\xff\r\n", 'digits' => '0042',
];
foreach ($values as $key => $value) {
    call("set $key", fn() => $pool->set($key, $value));
    call("get $key", fn() => $udp ? [$pool->get($key, $flags), $flags] : got($pool, $key));
}
call('closure', fn() => $pool->set('c', function () {}));
call('miss', fn() => $udp ? $pool->get('none') : got($pool, 'none'));
call('add there', fn() => $pool->add('text', 1));
call('add', fn() => [$pool->delete('new') !== null, $pool->add('new', 5), $pool->get('new')]);
if ($is_ascii) {
    call('replace missing', fn() => $pool->replace('none', 1));
}
call('replace', fn() => [$pool->replace('new', 'newer'), $pool->get('new')]);
call('inc', fn() => $pool->increment('int', 5));
call('dec', fn() => $pool->decrement('int', 100));
call('inc missing', fn() => $pool->increment('none'));
call('dec missing', fn() => $pool->decrement('none'));
call('append', fn() => [$pool->append('text', '!'), $pool->prepend('text', '>'), $pool->get('text')]);
call('append a number', fn() => [$pool->set('n', 1), $pool->append('n', 2), $pool->prepend('n', true), $pool->get('n')]);
call('append a float', fn() => [$pool->set('s', 'v'), $pool->append('s', 1.5), $pool->get('s')]);
if ($is_ascii) {
    call('append missing', fn() => [$pool->append('none', '!'), $pool->prepend('none', '>')]);
}
call('delete', fn() => [$pool->delete('text'), $pool->delete('text')]);
call('delete with a time', fn() => [$pool->set('d', 1), $pool->delete('d', 10), $pool->get('d')]);
call('expired', fn() => [$pool->set('e', 1, 0, $is_ascii ? -1 : time() - 100), $pool->get('e')]);
call('expires', fn() => [$pool->set('e', 1, 0, 100), $pool->get('e')]);
call('expires at a time', fn() => [$pool->set('e', 1, 0, time() + 100), $pool->get('e')]);

// Counters.
call('counter', fn() => [$pool->set('i', 5), $pool->increment('i'), $pool->increment('i', 10), $pool->decrement('i'), $pool->get('i')]);
call('counter below zero', fn() => [$pool->decrement('i', 100), $pool->increment('i', -1), $pool->decrement('i', -3), $pool->increment('i', 0), $pool->get('i')]);
call('counter of digits', fn() => [$pool->set('g', '10'), $pool->increment('g'), $pool->get('g')]);
call('counter with user flags', fn() => [$pool->set('u', 5, MEMCACHE_USER1), $pool->increment('u'), $pool->get('u', $flags), $flags]);
call('counter of the largest', fn() => [$pool->set('l', PHP_INT_MAX), $is_ascii ? $pool->increment('l') : null]);
call('counter of text', fn() => [$pool->set('t', 'abc'), $is_ascii ? $pool->increment('t') : null]);
call('counter of a float', fn() => [$pool->set('f', 1.5), $is_ascii ? $pool->increment('f') : null]);
call('counter of a negative', fn() => [$pool->set('m', -5), $is_ascii ? $pool->increment('m') : null]);
if (!$is_ascii) {
    call('counter made', fn() => [$pool->increment('made', 1, 7), $pool->increment('made', 1, 7), $pool->decrement('made', 100), $pool->get('made')]);
    call('counter made by decrement', fn() => [$pool->decrement('made2', 1, 3, 100), $pool->get('made2')]);
    call('counter made below zero', fn() => [$pool->increment('made3', 1, -5), $pool->increment('made3', 2), $pool->increment(['made3'], 2)]);
}

// Flags.
foreach ([MEMCACHE_COMPRESSED, MEMCACHE_USER1, MEMCACHE_USER2, MEMCACHE_USER3, MEMCACHE_USER4, MEMCACHE_USER1 | MEMCACHE_COMPRESSED, 0xf0000, 0x100000] as $flags) {
    call("user flags $flags", fn() => [$pool->set('k', 'v', $flags), $pool->get('k', $back), $back]);
}
foreach ([1, 3, 4, 256, 768, 4096, -1] as $flags) {
    call("reserved flags $flags", fn() => $pool->set('k', 'v', $flags));
}

// Keys.
call('empty key', fn() => [$pool->set('', 1), $pool->get(''), $pool->delete(''), $pool->increment('')]);
call('odd key', fn() => [$pool->set("a b\tc\n", 'odd'), $pool->get('a_b_c_'), $pool->get("a b\tc\n"), $pool->delete('a b c ')]);
call('key of high bytes', fn() => [$pool->set("gr\xfc\xdfe", 1), $pool->get("gr\xfc\xdfe")]);
call('key with DEL', fn() => [$pool->set("a\x7fb", 1), $pool->get('a_b'), $pool->get("a\x7fb")]);
call('long key', fn() => [$pool->set(str_repeat('k', 251), 'cut'), $pool->get(str_repeat('k', 250)), $pool->get(str_repeat('k', 999))]);
call('keys of other types', fn() => [$pool->set(5, 'five'), $pool->get('5'), $pool->get(5.5), $pool->set(true, 'yes'), $pool->get(1)]);
call('null key', fn() => $pool->get(null));
call('object key', fn() => $pool->get(new stdClass()));

// Arguments.
call('set without value', fn() => $pool->set('k'));
call('get without key', fn() => $pool->get());
call('get with too much', fn() => $pool->get('a', $a, $b, 4));
call('flags of text', fn() => $pool->set('a', 1, 'x'));
call('flags that are false', fn() => $pool->set('a', 1, false, false));
call('function without object', fn() => memcache_get('x', 'k'));
call('function of another object', fn() => memcache_get(new stdClass(), 'k'));
call('debug', fn() => memcache_debug(true));

// Compression.
$text = str_repeat('abc', 10000);
call('compressed', fn() => [$pool->set('z', $text), $pool->get('z', $flags) === $text, $flags]);
call('compressed on demand', fn() => [$pool->set('z', str_repeat('x', 500), MEMCACHE_COMPRESSED), strlen($pool->get('z', $flags)), $flags]);
call('compressed array', fn() => [$pool->set('z', [str_repeat('x', 500)], MEMCACHE_COMPRESSED), count($pool->get('z', $flags)), $flags]);
call('too short to compress', fn() => [$pool->set('z', 'short', MEMCACHE_COMPRESSED), $pool->get('z', $flags), $flags]);
call('numbers are not compressed', fn() => [$pool->set('z', 5, MEMCACHE_COMPRESSED), $pool->get('z', $flags), $flags]);
call('empty is not compressed', fn() => [$pool->set('z', '', MEMCACHE_COMPRESSED), $pool->get('z', $flags), $flags]);
call('noise is not compressed', function () use ($pool) {
    mt_srand(1);
    $noise = implode('', array_map(fn() => chr(mt_rand(0, 255)), range(1, 30000)));
    return [$pool->set('z', $noise), $pool->get('z', $flags) === $noise, $flags];
});
foreach ([[0, .2], [100, .2], [100, .98], [100, 0.0], [1, 0.5], [100, 1.0]] as [$threshold, $savings]) {
    call("threshold $threshold saving $savings", function () use ($pool, $threshold, $savings) {
        $answers = [$pool->setCompressThreshold($threshold, $savings)];
        foreach ([99, 100, 101, 2000] as $len) {
            $pool->set('z', str_repeat('a', $len));
            $pool->get('z', $answers[]);
        }
        return $answers;
    });
}
call('threshold below zero', fn() => $pool->setCompressThreshold(-1));
call('savings out of range', fn() => [$pool->setCompressThreshold(1, 1.5), $pool->setCompressThreshold(1, -0.5)]);
call('threshold alone', fn() => $pool->setCompressThreshold(20000));

if (!$udp) {
    // Many keys at once.
    show('many', $pool->get(['int', 'none', 'float', 'true']));
    call('many with flags', function () use ($pool) {
        $answer = got($pool, ['int', 'none', 'array', 'true']);
        ksort($answer[0]);
        ksort($answer[1]);
        ksort($answer[2]);
        return $answer;
    });
    call('many, none there', fn() => got($pool, ['none', 'none2']));
    call('many, none asked', fn() => got($pool, []));
    call('many with odd keys', fn() => [$pool->set(['a b' => 1]), $pool->get(['a b', ''])]);
    call('a null among many', fn() => $pool->get(['null']));
    call('set many', fn() => [$pool->set(['m1' => 1, 'm2' => 'two', 5 => [5]]), $pool->get(['m1', 'm2', 5])]);
    call('set many with flags', fn() => [$pool->set(['m3' => 'x', 'm4' => 'y'], null, MEMCACHE_USER2, 100), $pool->get(['m3', 'm4'], $flags), $flags]);
    call('set none', fn() => $pool->set([]));
    call('set many with an empty key', fn() => [$pool->set(['ok' => 1, '' => 2]), $pool->get('ok')]);
    call('add many', fn() => [$pool->add(['m1' => 5, 'm5' => 6]), $pool->get(['m1', 'm5']), $pool->add(['m6' => 1, 'm7' => 2])]);
    call('delete many', fn() => [$pool->delete(['m1', 'none']), $pool->delete(['m2', 'm5']), $pool->delete([]), $pool->get(['m1', 'm2', 'm5'])]);
    call('count many', fn() => [$pool->set(['i1' => 1, 'i2' => 2]), $pool->increment(['i1', 'i2', 'none']), $pool->decrement(['i1', 'i2'], 5), $pool->increment([])]);
    if ($is_ascii) {
        call('replace many', fn() => [$pool->replace(['m3' => 7, 'none' => 6]), $pool->get(['m3', 'none'])]);
        call('append many', fn() => [$pool->append(['m4' => '1', 'none' => '2']), $pool->get('m4')]);
        call('count many, one of text', fn() => $pool->increment(['t', 'i1']));
    }

    // Versions.
    call('cas', function () use ($pool) {
        $pool->set('v', 1);
        $pool->get('v', $flags, $cas);
        return [$pool->cas('v', 2, 0, 0, $cas), $pool->cas('v', 3, 0, 0, $cas), $pool->get('v')];
    });
    call('cas without a version', fn() => [$is_ascii ? $pool->cas('v', 9) : null, $pool->get('v')]);
    call('cas of many', function () use ($pool) {
        $pool->set('v1', 1);
        // Each shard of an arena numbers its own versions, so two keys may have the same one.
        do {
            $pool->set('v2', 2);
            $pool->get(['v1', 'v2'], $flags, $cas);
        } while ($cas['v1'] === $cas['v2']);
        return [array_map('gettype', $cas), $pool->cas(['v1' => 11, 'v2' => 12], null, 0, 0, $cas['v1']), $pool->get(['v1', 'v2'])];
    });
    call('set with a version', fn() => [$pool->set('v', 5), $pool->set('v', 6, 0, 0, 1), $pool->get('v')]);
    call('set and replace with a version that has passed', function () use ($pool) {
        $pool->get('v', $flags, $cas);
        return [$pool->set('v', 7, 0, 0, $cas), $pool->set('v', 8, 0, 0, $cas), $pool->replace('v', 9, 0, 0, $cas), $pool->get('v')];
    });

    // Too large for a server.
    $noise = implode('', array_map(fn($i) => md5($i, true), range(1, 100000)));
    if ($is_ascii) {
        call('too large', fn() => [$pool->set('big', 1), $pool->set('big', $noise), $pool->get('big')]);
    }

    // Servers.
    show('version', is_string($pool->getVersion()));
    if ($is_ascii) {
        show('stats', isset($pool->getStats()['curr_items']));
        show('stats per server', array_map(fn($rows) => isset($rows['curr_items']) && is_string($rows['curr_items']), $pool->getExtendedStats()));
        call('items', fn() => isset(current($pool->getStats('items')['items'])['number']));
        call('slabs', fn() => isset($pool->getStats('slabs')['active_slabs']));
        call('sizes', fn() => is_array($pool->getStats('sizes')));
        call('reset', fn() => [$pool->getStats('reset'), $pool->getExtendedStats('reset')]);
        call('unknown stats', fn() => [$pool->getStats('settings'), $pool->getExtendedStats('')]);
        call('no such slab', fn() => $pool->getStats('cachedump', 60, 10));
    }
    call('status', fn() => [$pool->getServerStatus($host, $port), $pool->getServerStatus('nobody', 1)]);
    call('added as off, which is no matter to others', function () use ($host, $port) {
        $off = new Memcache();
        $on = new Memcache();
        return [$off->addServer($host, $port, true, 1, 1, 15, false), $off->getServerStatus($host, $port),
                $on->addServer($host, $port, true, 1, 1, 15, true), $on->getServerStatus($host, $port) > 0, is_string($on->getVersion())];
    });
    call('find', fn() => $pool->findServer('k'));
    call('find nothing', fn() => $pool->findServer(''));
    call('parameters', fn() => [$pool->setServerParams($host, $port, 2, 10, true), $pool->setServerParams('nobody'), $pool->get('int')]);
    call('out of order', fn() => [$pool->setServerParams($host, $port, 2, -1, false), $pool->getServerStatus($host, $port), $pool->get('int'), $pool->set('int', 1)]);
    call('in order again', fn() => [$pool->setServerParams($host, $port, 2, 15, true), $pool->getServerStatus($host, $port), $pool->get('int')]);
    call('callbacks', fn() => [$pool->setFailureCallback('strlen'), $pool->setFailureCallback(null), $pool->setServerParams($host, $port, 1, 15, true, 'strlen')]);
    call('no callback', fn() => [$pool->setFailureCallback('no such function'), $pool->setServerParams($host, $port, 1, 15, true, 'no such function')]);
    call('sasl', fn() => [$is_ascii ? $pool->setSaslAuthData('user', 'password') : null, $pool->setSaslAuthData('', 'password'), $pool->setSaslAuthData('user', '')]);
    call('sasl, and no server', function () {
        $none = new MemcachePool();
        return [$none->setSaslAuthData('user', 'word'), $none->username, $none->password];
    });
    $servers = [['x', 'y'], [$host, -1], [$host, 70000], [$host, 1, -1], [$host, 1, 70000], [$host, 1, 0, true, 0], [$host, 1, 0, true, -1], [[]]];
    foreach ($servers as $number => $server) {
        $other = new MemcachePool();
        call("bad server $number", fn() => [$other->addServer(...$server), $other->get('k')]);
    }
    foreach ([[$host, 1, true, 0], [$host, 1, true, 1, 1, 15, true, 'no such function'], [$host, 1, true, 1, 1, 15, true, 'strlen']] as $number => $server) {
        $other = new Memcache();
        call("bad server of Memcache $number", fn() => $other->addServer(...$server));
    }
    call('the same server twice', function () use ($pool, $host, $port) {
        return [$pool->addServer($host, $port), count($pool->getExtendedStats())];
    });

    // Objects without a server.
    foreach (['get' => ['k'], 'set' => ['k', 1], 'delete' => ['k'], 'increment' => ['k'], 'getVersion' => [], 'getStats' => [], 'flush' => [], 'close' => [],
              'getServerStatus' => ['a'], 'findServer' => ['k'], 'setCompressThreshold' => [1], 'setFailureCallback' => [null]] as $method => $arguments) {
        call("no server $method", fn() => (new MemcachePool())->$method(...$arguments));
    }
    $broken = new Memcache();
    $broken->connection = 5;
    call('broken connection', fn() => $broken->get('k'));
    $copy = clone $pool;
    call('a clone shares the connection', fn() => $copy->get('int'));

    // Both classes, and the functions.
    $memcache = new Memcache();
    call('connect', fn() => [$memcache->connect($host, $port), get_resource_type($memcache->connection), $memcache->connect($host, $port)]);
    call('connect with a timeout', fn() => (new Memcache())->connect($host, $port, 2.5));
    call('pconnect', fn() => (new Memcache())->pconnect($host, $port));
    call('connect of MemcachePool', fn() => (new MemcachePool())->connect($host, $port, 0, false, 2, 1.5, 10));
    call('class', fn() => [$memcache instanceof MemcachePool, $memcache->set('k', 'v'), $memcache->get('k')]);
    call('add server', fn() => [$memcache->addServer($host, $port, true, 1, 1, 15), $memcache->get('k')]);
    $handle = memcache_connect($host, $port);
    show('memcache_connect', get_class($handle));
    show('memcache_pconnect', get_class(memcache_pconnect($host, $port)));
    call('memcache_add_server', fn() => memcache_add_server($handle, $host, $port));
    call('memcache_set', fn() => [memcache_set($handle, 'k', 1), memcache_add($handle, 'k', 2), memcache_replace($handle, 'k', 3), memcache_get($handle, 'k')]);
    call('memcache_append', fn() => [memcache_set($handle, 's', 'b'), memcache_append($handle, 's', 'c'), memcache_prepend($handle, 's', 'a'), memcache_get($handle, 's')]);
    call('memcache_get', function () use ($handle) {
        memcache_set($handle, ['k1' => 1, 'k2' => 2], null, MEMCACHE_USER1);
        return [memcache_get($handle, ['k1', 'k2'], $flags, $cas), $flags, count($cas)];
    });
    call('memcache_cas', function () use ($handle) {
        memcache_get($handle, 'k', $flags, $cas);
        return [memcache_cas($handle, 'k', 5, 0, 0, $cas), memcache_cas($handle, 'k', 5, 0, 0, $cas)];
    });
    call('memcache_increment', fn() => [memcache_increment($handle, 'k', 2), memcache_decrement($handle, 'k'), memcache_delete($handle, 'k'), memcache_delete($handle, 'k')]);
    call('memcache_get_version', fn() => is_string(memcache_get_version($handle)));
    call('memcache_get_server_status', fn() => memcache_get_server_status($handle, $host, $port));
    call('memcache_set_server_params', fn() => memcache_set_server_params($handle, $host, $port, 1, 15));
    call('memcache_set_failure_callback', fn() => memcache_set_failure_callback($handle, null));
    call('memcache_set_compress_threshold', fn() => memcache_set_compress_threshold($handle, 100, 0.3));
    if ($is_ascii) {
        call('memcache_get_stats', fn() => is_array(memcache_get_stats($handle)));
        call('memcache_get_extended_stats', fn() => count(memcache_get_extended_stats($handle)));
        call('memcache_set_sasl_auth_data', fn() => memcache_set_sasl_auth_data($handle, 'user', 'password'));
    }
    call('memcache_flush', fn() => [memcache_flush($handle), memcache_get($handle, 'k1')]);
    call('memcache_close', fn() => memcache_close($handle));

    // After close().
    $closed = pool();
    call('closed', fn() => [$closed->set('k', 1), $closed->close()]);
    foreach (['get' => ['k'], 'set' => ['k', 1], 'increment' => ['k'], 'getVersion' => [], 'getStats' => [], 'getExtendedStats' => [], 'flush' => [],
              'findServer' => ['k'], 'getServerStatus' => [$host, $port], 'close' => []] as $method => $arguments) {
        call("closed $method", fn() => $closed->$method(...$arguments));
    }
    call('closed get of many', fn() => $closed->get(['k', 'l']));
    call('added again', fn() => [$closed->addServer($host, $port, 0, false), $closed->set('k', 1), $closed->get('k')]);

    // A class of the application's.
    $own = new class extends Memcache {
        public function get($key, &$flags = null, &$cas = null): mixed { return ['own', parent::get($key, $flags, $cas)]; }
    };
    call('own class', fn() => [$own->connect($host, $port), $own->set('k', 'v'), $own->get('k')]);

    // User code in the midst.
    call('exception of __sleep', fn() => $pool->set('x', new Sleeper()));
    call('exception of __wakeup', fn() => [$pool->set('x', new Waker()), $pool->get('x')]);
    call('exception of __wakeup, many', fn() => $pool->get(['x', 'int']));
    call('the same pool in __sleep', fn() => [$pool->set(['y' => new Nested(), 'w' => 2]), $pool->get('inner'), $pool->get('w')]);

    // Values that lie: what is stored past the class. An arena has no socket for that.
    if (!str_starts_with($host, 'arena:')) {
        $socket = fsockopen($host, $port);
        $lies = [
            [1, 'garbage'], [1, ''], [1, 'b:0;'], [1, 'N;'], [1, 'O:8:"NotThere":0:{}'], [1, 'a:1:{i:0;'], [1, 'C:3:"ABC":1:{x}'], [2, 'garbage'], [2, ''], [3, 'garbage'],
            [2, gzcompress('hello')], [3, gzcompress(serialize([1]))], [3, gzcompress('junk')], [2, substr(gzcompress($text), 0, -6)], [2, gzdeflate('x')],
            [2, gzencode('hello')], [2, gzcompress(str_repeat("\0", 500000))], [768, 'abc'], [768, ''], [768, '99999999999999999999'], [768, '12 '], [768, '-5'],
            [1792, 'abc'], [1792, '1e3'], [1792, ''], [256, '5'], [256, ''], [256, '0'], [256, '01'], [512, 'x'], [1024, 'x'], [3840, '5'], [4, 'x'], [80, 'x'],
            [0x100000, 'x'], [0xfffffffc, 'x'], [0xffffffff, 'x'], [769, serialize('x')], [770, gzcompress('7')], [771, gzcompress(serialize(8))],
        ];
        foreach ($lies as $number => [$flags, $bytes]) {
            fwrite($socket, "set lie $flags 0 " . strlen($bytes) . "\r\n$bytes\r\n");
            fgets($socket);
            call("lie $number, flags $flags", fn() => got($pool, 'lie'));
            call("lie $number among many", fn() => got($pool, ['lie']));
        }
    }

    // Prefixes of keys.
    ini_set('memcache.prefix_static_key', 'pre');
    $prefixed = pool();
    call('static prefix', fn() => [$prefixed->set('k', 1), $prefixed->get('k'), $prefixed->get(['k']), $prefixed->delete('k')]);
    call('prefix with a dot', fn() => ini_set('memcache.prefix_static_key', 'a.b'));
    ini_set('memcache.prefix_static_key', '');
    ini_set('memcache.prefix_host_key', 1);
    foreach (['www.ex.com', 'a.b.ex.com', 'localhost', ''] as $site) {
        foreach ([[1, 0], [0, 0], [1, 1], [0, 1]] as [$without_www, $without_subdomain]) {
            ini_set('memcache.prefix_host_key_remove_www', $without_www);
            ini_set('memcache.prefix_host_key_remove_subdomain', $without_subdomain);
            $_SERVER['SERVER_NAME'] = $site;
            $prefixed = pool();
            call("prefix of $site $without_www $without_subdomain", fn() => [$prefixed->set('k', 1), array_keys($prefixed->get(['k']))]);
        }
    }
    ini_set('memcache.prefix_host_key', 0);

    // Servers that do not answer.
    call('connect to nobody', fn() => (new Memcache())->connect('127.0.0.1', 1));
    call('memcache_connect to nobody', fn() => memcache_connect('127.0.0.1', 1));
    foreach (['get' => ['k'], 'set' => ['k', 1], 'add' => ['k', 1], 'delete' => ['k'], 'increment' => ['k'], 'append' => ['k', 'x'], 'getVersion' => [], 'flush' => [],
              'getExtendedStats' => []] as $method => $arguments) {
        $dead = new MemcachePool();
        $dead->addServer('127.0.0.1', 1, 0, false);
        call("nobody $method", fn() => [$dead->$method(...$arguments), $dead->$method(...$arguments), $dead->getServerStatus('127.0.0.1', 1)]);
    }
    foreach (['get' => [['k', 'l']], 'set' => [['k' => 1, 'l' => 2]], 'delete' => [['k', 'l']], 'increment' => [['k', 'l']]] as $method => $arguments) {
        $dead = new MemcachePool();
        $dead->addServer('127.0.0.1', 1, 0, false);
        call("nobody $method of many", fn() => $dead->$method(...$arguments));
    }
    $dead = new MemcachePool();
    $dead->addServer('127.0.0.1', 1, 0, false);
    $dead->setFailureCallback(function (...$arguments) { show('failed', $arguments); });
    call('callback', fn() => [$dead->get('k'), $dead->get('k')]);
    $dead = new MemcachePool();
    $dead->addServer('127.0.0.1', 1, 0, false);
    $dead->setFailureCallback(function () { throw new Exception('of the callback'); });
    call('callback throws', fn() => $dead->get('k'));
    $dead = new MemcachePool();
    $dead->addServer('127.0.0.1', 1, 0, false);
    $dead->addServer($host, $port, 0, false);
    $dead->setFailureCallback(function ($host, $tcp) { show('failed', [$host, $tcp]); });
    $keys = array_map(fn($number) => "key$number", range(0, 19));
    call('the other server takes over', fn() => [$dead->set(array_combine($keys, $keys)), count($dead->get($keys)), $dead->delete($keys)]);
    call('found at the other server', fn() => count(array_unique(array_map([$dead, 'findServer'], $keys))));

    // Directives.
    foreach (['protocol' => 'x', 'hash_strategy' => 'x', 'hash_function' => 'x', 'chunk_size' => '0', 'redundancy' => '0', 'compress_threshold' => '-1',
              'lock_timeout' => 'abc', 'max_failover_attempts' => '0', 'default_port' => '11212', 'allow_failover' => '0'] as $name => $value) {
        call("directive $name", fn() => ini_set("memcache.$name", $value) !== false);
    }
}

class Sleeper { public function __sleep() { throw new Exception('of __sleep'); } }
class Waker { public function __wakeup() { throw new Exception('of __wakeup'); } }
class Nested { public function __sleep() { $GLOBALS['pool']->set('inner', 1); return []; } }
