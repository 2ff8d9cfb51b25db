--TEST--
MemcachePool on an arena: more keys than it is asked for at once, missing ones, odd ones and ones that come twice among them
--FILE--
<?php
require __DIR__ . '/../start.inc';
$pool = new MemcachePool;
$pool->addServer('arena:many', 0);
$keys = $expected = [];
for ($i = 0; $i < 500; $i++) {
    $keys[] = "key-$i";
    if ($i % 3 !== 0) {
        $pool->set("key-$i", $expected["key-$i"] = match ($i % 4) { 0 => $i, 1 => "value $i", 2 => [$i], 3 => '' });
    }
}
var_dump($pool->get($keys) === $expected);
var_dump($pool->get(array_merge($keys, array_reverse($keys)), $flags, $cas) === $expected);
var_dump(array_keys($flags) === array_keys($expected), array_keys($cas) === array_keys($expected), min($cas) > 0);

// A space becomes an underscore; an empty key is refused.
$pool->set('odd key', 'odd');
array_splice($keys, 40, 0, ['odd key', '', 'odd_key']);
var_dump($pool->get($keys) == $expected + ['odd_key' => 'odd']);
?>
--EXPECTF--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)

Warning: MemcachePool::get(): Invalid key in %s on line %d
bool(true)
