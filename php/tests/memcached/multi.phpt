--TEST--
Memcached: getMulti returns the values found; GET_PRESERVE_ORDER adds null for a miss, in the order of the keys
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

foreach ([on_arena(), on_server()] as $m) {
    tell($m, $m->setMulti(['a' => 1, 'b' => [2], 5 => 'five']));
    $found = $m->getMulti(['a', 'missing', 'b', '5']);
    ksort($found);
    tell($m, $found);
    tell($m, $m->getMulti(['b', 'missing', 'a', 'b'], Memcached::GET_PRESERVE_ORDER));
    tell($m, $m->getMulti(['missing']));
    tell($m, $m->getMulti([]));
    tell($m, $m->getMulti(['a b', '', 'a']));
    tell($m, $m->setMulti(['good' => 1, 'a b' => 2]));
    tell($m, $m->getMultiByKey('group', ['a', 'good'], Memcached::GET_PRESERVE_ORDER));
    tell($m, $m->setMultiByKey('group', ['g' => 1]));
    tell($m, $m->deleteMultiByKey('group', ['g', 'missing']));
    echo "\n";
}
?>
--EXPECT--
true RES_SUCCESS
{"5":"five","a":1,"b":[2]} RES_SUCCESS
{"b":[2],"missing":null,"a":1} RES_SUCCESS
[] RES_NOTFOUND
[] RES_NOTFOUND
{"a":1} RES_SUCCESS
false RES_BAD_KEY_PROVIDED
{"a":1,"good":1} RES_SUCCESS
true RES_SUCCESS
{"g":true,"missing":16} RES_NOTFOUND

true RES_SUCCESS
{"5":"five","a":1,"b":[2]} RES_SUCCESS
{"b":[2],"missing":null,"a":1} RES_SUCCESS
[] RES_NOTFOUND
[] RES_NOTFOUND
{"a":1} RES_SUCCESS
false RES_BAD_KEY_PROVIDED
{"a":1,"good":1} RES_SUCCESS
true RES_SUCCESS
{"g":true,"missing":16} RES_NOTFOUND
