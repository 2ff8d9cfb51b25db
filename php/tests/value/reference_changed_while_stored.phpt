--TEST--
A value that a script stores by reference stays whole when code of the value assigns something else to it
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';

/** Takes the array away that it is in, and has another one put into the same memory. */
class Thief implements JsonSerializable
{
    function __serialize(): array { return self::steal(); }
    function __unserialize(array $data): void {}
    function jsonSerialize(): array { return self::steal(); }
    static function steal(): array
    {
        $GLOBALS['target'] = null;
        $GLOBALS['other'] = array_fill_keys(array_map(fn($number) => "other $number", range(1, 40)), 'other');
        return [1];
    }
}

function fresh(): array
{
    return ['thief' => new Thief] + array_combine(array_map(fn($number) => "key $number", range(2, 40)), range(2, 40));
}

function tell(string $who, ?array $stored): void
{
    unset($stored['thief']);
    $expected = fresh();
    unset($expected['thief']);
    echo $who, ': ', $stored === $expected ? 'whole' : 'torn', "\n";
}

$target = fresh();
apcu_store(['k' => &$target]);
tell('apcu', apcu_fetch('k'));

$target = fresh();
$cache = new Leveret\Cache;
$cache->setMultiple(['k' => &$target]);
tell('Cache', $cache->get('k'));

$target = fresh();
$pool = new MemcachePool;
$pool->addServer('arena:drop-in', 0);
$pool->set(['k' => &$target]);
tell('MemcachePool', $pool->get('k'));

$memcached = new Memcached;
$memcached->addServer('arena:drop-in', 0);
foreach (['php' => Memcached::SERIALIZER_PHP, 'json' => Memcached::SERIALIZER_JSON_ARRAY] as $name => $serializer) {
    $target = fresh();
    $memcached->setOption(Memcached::OPT_SERIALIZER, $serializer);
    $memcached->setMulti(['k' => &$target]);
    tell("Memcached, $name", $memcached->get('k'));
}
--EXPECT--
apcu: whole
Cache: whole
MemcachePool: whole
Memcached, php: whole
Memcached, json: whole
