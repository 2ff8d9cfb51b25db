--TEST--
MemcachePool on an arena: values keep their types, also for other entrances; two pools share it
--FILE--
<?php
require __DIR__ . '/../start.inc';
$pool = new MemcachePool;
var_dump($pool->addServer('arena:values', 0), $pool->findServer('k'), $pool->getServerStatus('arena:values', 0));
$cache = new Leveret\Cache('values');
foreach (['text', '', 42, -1, 1.5, true, false, ['a' => [1]], str_repeat('long ', 10000)] as $number => $value) {
    echo json_encode([$pool->set("v$number", $value), $pool->get("v$number") === $value, $cache->get("v$number") === $value]), "\n";
}
$other = memcache_connect('arena:values', 0);
var_dump(memcache_get($other, 'v2'), memcache_increment($other, 'v2'), $pool->get('v2'));
echo json_encode([$pool->get(['v0', 'v4', 'none'], $flags), $flags]), "\n";
$cache->set('theirs', ['of' => 'Leveret\Cache']);
echo json_encode([$pool->get('theirs', $flags), $flags]), "\n";
var_dump($pool->increment('v0'));
--EXPECTF--
bool(true)
string(14) "arena:values:0"
int(1)
[true,true,true]
[true,true,true]
[true,true,true]
[true,true,true]
[true,true,true]
[true,true,true]
[true,true,true]
[true,true,true]
[true,true,true]
int(42)
int(43)
int(43)
[{"v0":"text","v4":1.5},{"v0":0,"v4":1792}]
[{"of":"Leveret\\Cache"},1]

Notice: MemcachePool::increment(): Server arena:values (tcp 0, udp 0) failed with: CLIENT_ERROR cannot increment or decrement non-numeric value (6) in %s on line %d
bool(false)
