<?php
/*
 * One API writes or reads every type of value: php translation.php write|read ENTRANCE TARGET [WRITER…]
 * What is written lies under "WRITER:NAME"; what is read is printed as JSON: writer => name => description. The descriptions of the
 * values themselves are added, under "want".
 *
 * ENTRANCE: apcu, cache, memcached-SERIALIZER[-zlib|-plain], memcache, memcachepool. TARGET: "arena:NAME", or HOST:PORT of a server.
 */

class Point
{
    public function __construct(public int $x = 1, protected ?array $y = [2], private string $z = 'z') {}
}

function values(): array
{
    return [
        'string' => 'hello', 'empty' => '', 'digits' => '42', 'spaces' => ' a ', 'binary' => "\0\xff\x78\x9c\x04\x08;\r\n", 'serialized' => 'a:1:{i:0;i:1;}',
        'long' => str_repeat('compressible ', 4000), 'int' => 42, 'negative' => -7, 'zero' => 0, 'max' => PHP_INT_MAX, 'min' => PHP_INT_MIN,
        'float' => 1.5, 'tiny' => -1.2345678901234567E-308, 'whole' => 3.0, 'inf' => INF, '-inf' => -INF, 'true' => true, 'false' => false, 'null' => null,
        'list' => [1, 'two', 3.5, null, true], 'none' => [], 'nested' => ['a' => ['b' => ['c' => [1, 2]], '5' => 'five']],
        'rows' => array_map(fn(int $id) => ['id' => $id, 'title' => "row number $id", 'tags' => ['a', 'b']], range(1, 1000)),
        'object' => new Point(7), 'objects' => [new Point, new Point(2, null, 'other')],
    ];
}

/** A text that is equal only for equal values of the same type. */
function describe(mixed $value): string
{
    $text = is_string($value) ? "'" . addcslashes($value, "\0..\37'\\\177..\377") . "'" : preg_replace('/\s+/', ' ', var_export($value, true));
    return strlen($text) > 120 ? get_debug_type($value) . ' ' . md5($text) : $text;
}

/** The value after JSON. Strings and numbers are not stored as JSON. */
function as_json(mixed $value, bool $arrays): mixed
{
    return is_array($value) || is_object($value) ? json_decode(json_encode($value), $arrays) : $value;
}

function memcached(string $kind, string $target): Memcached
{
    [, $serializer, $compression] = explode('-', "$kind-");
    $memcached = new Memcached;
    $serializer = constant('Memcached::SERIALIZER_' . strtoupper($serializer));
    $memcached->setOption(Memcached::OPT_SERIALIZER, $serializer) || exit("no serializer for $kind\n");
    $memcached->setOption(Memcached::OPT_COMPRESSION, $compression !== 'plain');
    $memcached->setOption(Memcached::OPT_COMPRESSION_TYPE, $compression === 'zlib' ? Memcached::COMPRESSION_ZLIB : Memcached::COMPRESSION_FASTLZ);
    [$host, $port] = str_starts_with($target, 'arena:') ? [$target, 0] : explode(':', $target);
    $memcached->addServer($host, (int) $port) || exit("no server for $kind\n");
    return $memcached;
}

function memcache(string $class, string $target): MemcachePool
{
    $memcache = new $class;
    [$host, $port] = str_starts_with($target, 'arena:') ? [$target, 0] : explode(':', $target);
    $memcache->addServer($host, (int) $port) || exit("no server for $class\n");
    return $memcache;
}

/** Two functions of an API: (key, value) stores, (key, &found) fetches. */
function entrance(string $kind, string $target): array
{
    $native = substr($target, strlen('arena:'));
    switch (strtok($kind, '-')) {
        case 'apcu':
            return ['apcu_store', fn(string $key, &$found) => apcu_fetch($key, $found)];
        case 'cache':
            $cache = new Leveret\Cache($native);
            $none = new stdClass;
            return [[$cache, 'set'], function (string $key, &$found) use ($cache, $none) {
                $value = $cache->get($key, $none);
                $found = $value !== $none;
                return $value;
            }];
        case 'memcached':
            $memcached = memcached($kind, $target);
            return [[$memcached, 'set'], function (string $key, &$found) use ($memcached) {
                $value = $memcached->get($key);
                $found = $memcached->getResultCode() === 0;
                return $value;
            }];
        default:
            $memcache = memcache($kind === 'memcachepool' ? 'MemcachePool' : 'Memcache', $target);
            return [fn(string $key, $value) => $memcache->set($key, $value), function (string $key, &$found) use ($memcache) {
                $flags = null;
                $value = $memcache->get($key, $flags);
                $found = $flags !== null;
                return $value;
            }];
    }
}

error_reporting(E_ALL & ~E_DEPRECATED); // Debian's memcache makes a property that PHP 8.2 does not like
[, $verb, $kind, $target] = $argv;
[$store, $fetch] = entrance($kind, $target);
$said = [];
set_error_handler(function (int $number, string $text) use (&$complaint): bool {
    $complaint = ' (with a warning)';
    return true;
}, E_ALL & ~E_DEPRECATED);
if ($verb === 'write') {
    foreach (values() as $name => $value) {
        $store("$argv[4]:$name", $value) || exit("$argv[4] cannot store $name\n");
    }
} else {
    foreach (array_slice($argv, 4) as $writer) {
        foreach (values() as $name => $value) {
            $complaint = '';
            $value = $fetch("$writer:$name", $found);
            $said[$writer][$name] = ($found ? describe($value) : 'missing') . $complaint;
        }
    }
    $said['want'] = array_map('describe', values());
    foreach (['arrays' => true, 'objects' => false] as $name => $arrays) {
        $said["want of JSON as $name"] = array_map(fn($value) => describe(as_json($value, $arrays)), values());
    }
}
echo json_encode($said, JSON_THROW_ON_ERROR);
