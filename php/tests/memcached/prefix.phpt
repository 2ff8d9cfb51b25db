--TEST--
Memcached: the prefix counts towards 250 bytes, is removed from results, and is replaced when it is set again
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

foreach ([on_arena(), on_server()] as $m) {
    var_dump($m->setOption(Memcached::OPT_PREFIX_KEY, 'first:'), $m->getOption(Memcached::OPT_PREFIX_KEY));
    $m->set('k', 1);
    $m->setOption(Memcached::OPT_PREFIX_KEY, 'second:');
    tell($m, $m->get('k'));
    tell($m, $m->setMulti(['k' => 2, 'l' => 3]));
    tell($m, $m->getMulti(['k', 'l']));
    $m->getDelayed(['k']);
    tell($m, $m->fetchAll());
    tell($m, $m->deleteMulti(['k', 'missing']));
    tell($m, $m->set(str_repeat('x', 243), 1));
    tell($m, $m->set(str_repeat('x', 244), 1));
    $m->setOption(Memcached::OPT_PREFIX_KEY, '');
    tell($m, $m->getMulti(['first:k', 'second:l'], Memcached::GET_PRESERVE_ORDER));
    var_dump(@$m->setOption(Memcached::OPT_PREFIX_KEY, 'a b'), @$m->setOption(Memcached::OPT_PREFIX_KEY, str_repeat('p', 251)), $m->getOption(Memcached::OPT_PREFIX_KEY));
    echo "\n";
}
?>
--EXPECT--
bool(true)
string(6) "first:"
false RES_NOTFOUND
true RES_SUCCESS
{"k":2,"l":3} RES_SUCCESS
[{"key":"k","value":2}] RES_SUCCESS
{"k":true,"missing":16} RES_NOTFOUND
true RES_SUCCESS
false RES_BAD_KEY_PROVIDED
{"first:k":1,"second:l":3} RES_SUCCESS
bool(false)
bool(false)
string(0) ""

bool(true)
string(6) "first:"
false RES_NOTFOUND
true RES_SUCCESS
{"k":2,"l":3} RES_SUCCESS
[{"key":"k","value":2}] RES_SUCCESS
{"k":true,"missing":16} RES_NOTFOUND
true RES_SUCCESS
false RES_BAD_KEY_PROVIDED
{"first:k":1,"second:l":3} RES_SUCCESS
bool(false)
bool(false)
string(0) ""
