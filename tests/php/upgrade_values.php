<?php
// Values of all kinds, by all APIs of one arena, stored by one version and read by another. Words: store or check, the arena.
// Prints the differences; nothing if there are none. Deadlines are decades away.

[, $do, $arena] = $argv;

const YEARS = 40 * 365 * 86400;

function values(): array
{
    $rows = array_map(fn($i) => ['id' => $i, 'name' => "row $i", 'price' => $i / 4, 'on' => $i % 2 === 0], range(0, 40));
    $object = new ArrayObject([1, 'two']);
    return [
        'null' => null, 'true' => true, 'false' => false, 'zero' => 0, 'most' => PHP_INT_MAX, 'least' => PHP_INT_MIN, 'half' => 0.5,
        'inf' => INF, 'empty' => '', 'short' => 'short', 'digits' => '0123', 'bytes' => implode('', array_map('chr', range(0, 255))),
        'page' => str_repeat('page ', 1000), 'large' => str_repeat('0123456789', 30000), 'list' => [1, 2.5, 'three', null], 'rows' => $rows,
        'nested' => [[[[]]], ['a' => ['b' => true]]], 'object' => $object,
    ];
}

$cache = new Leveret\Cache($arena);
$pool = new Memcached();
$pool->addServer("arena:$arena", 0);
$entrances = [
    'apcu' => [fn($key, $value, $ttl) => apcu_store($key, $value, $ttl), fn($key) => apcu_fetch($key)],
    'cache' => [fn($key, $value, $ttl) => $cache->set($key, $value, $ttl ?: null), fn($key) => $cache->get($key)],
    'pool' => [fn($key, $value, $ttl) => $pool->set($key, $value, $ttl ? time() + $ttl : 0), fn($key) => $pool->get($key)],
];
$wrong = [];
foreach ($entrances as $name => [$store, $read]) {
    foreach (values() as $kind => $value) {
        foreach ([0, YEARS] as $ttl) {
            $key = "$name-$kind-$ttl";
            if ($do === 'store' ? !$store($key, $value, $ttl) : serialize($read($key)) !== serialize($value)) {
                $wrong[] = $key;
            }
        }
    }
}
// Numbers that are counted on, and items that are overwritten, touched and deleted on an older layout.
$counts = ['apcu' => fn() => apcu_inc('visits'), 'cache' => fn() => $cache->increment('hits'), 'pool' => fn() => $pool->increment('asks')];
$pool->add('asks', 0);
foreach ($counts as $name => $count) {
    if ($count() !== ($do === 'store' ? 1 : 2)) {
        $wrong[] = "$name counts";
    }
}
if ($do === 'check') {
    $done = [$cache->set('cache-rows-0', 'new', 60), $cache->get('cache-rows-0'), $pool->touch('pool-rows-0', 60), $pool->delete('pool-list-0'), $pool->get('pool-list-0'),
        apcu_delete('apcu-list-0'), apcu_exists('apcu-list-0'), apcu_fetch('cache-short-0'), $cache->get('pool-digits-0')];
    if ($done !== [true, 'new', true, true, false, true, false, 'short', '0123']) {
        $wrong[] = $done;
    }
}
echo json_encode($wrong);
