--TEST--
Memcached: more keys than an arena is asked for at once, missing ones, bad ones and ones that come twice among them
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

$keys = $expected = [];
for ($i = 0; $i < 500; $i++) {
    $keys[] = "key-$i";
    if ($i % 3 !== 0) {
        $expected["key-$i"] = match ($i % 4) { 0 => $i, 1 => "value $i", 2 => [$i], 3 => '' };
    }
}
$ordered = array_replace(array_fill_keys($keys, null), $expected);
$bad = $keys;
array_splice($bad, 40, 0, ['key 1', '', str_repeat('k', 300)]);

foreach ([on_arena(), on_server()] as $m) {
    tell($m, $m->setMulti($expected));
    tell($m, $m->getMulti($keys) == $expected);
    tell($m, $m->getMulti($keys, Memcached::GET_PRESERVE_ORDER) === $ordered);
    tell($m, array_column($m->getMulti($keys, Memcached::GET_EXTENDED), 'value') === array_values($expected));
    tell($m, $m->getMulti(array_merge($keys, array_reverse($keys))) == $expected);
    tell($m, $m->getMulti($bad) == $expected);
    tell($m, $m->getDelayed($keys));
    tell($m, array_column($m->fetchAll(), 'value', 'key') === $expected);
    tell($m, $m->getDelayed($bad, true));
    $items = $m->fetchAll();
    tell($m, [array_column($items, 'value', 'key') === $expected, min(array_column($items, 'cas')) > 0]);
    echo "\n";
}
?>
--EXPECT--
true RES_SUCCESS
true RES_SUCCESS
true RES_SUCCESS
true RES_SUCCESS
true RES_SUCCESS
true RES_SUCCESS
true RES_SUCCESS
true RES_SUCCESS
true RES_SUCCESS
[true,true] RES_SUCCESS

true RES_SUCCESS
true RES_SUCCESS
true RES_SUCCESS
true RES_SUCCESS
true RES_SUCCESS
true RES_SUCCESS
true RES_SUCCESS
true RES_SUCCESS
true RES_SUCCESS
[true,true] RES_SUCCESS
