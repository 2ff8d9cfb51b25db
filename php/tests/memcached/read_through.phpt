--TEST--
Memcached: a callback fills a miss, and decides whether it is stored
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

foreach ([on_arena(), on_server()] as $m) {
    tell($m, $m->get('a', function (Memcached $m, string $key, &$value, &$expiration) { $value = "made for $key"; $expiration = 100; return true; }));
    tell($m, $m->get('a', fn() => print("called\n")));
    tell($m, $m->get('b', function ($m, $key, &$value) { $value = 1; return false; }));
    tell($m, $m->get('b'));
    tell($m, $m->getByKey('group', 'c', function ($m, $key, &$value) { $value = [$m->get('a')]; return true; }));
    tell($m, $m->get('d', function ($m, $key, &$value, &$expiration) { $value = 1; $expiration = -1; return true; }));
    tell($m, $m->get('d'));
    tell($m, $m->get('e', function ($m, $key, &$value) { $value = ['value' => 5]; return true; }, Memcached::GET_EXTENDED));
    tell($m, $m->get('e'));
    tell($m, $m->get('f', function ($m, $key, &$value) { $value = 5; return true; }, Memcached::GET_EXTENDED));
    try {
        $m->get('g', function ($m, $key, &$value) { $value = 1; throw new Exception('thrown'); });
    } catch (Exception $e) {
        echo $e->getMessage(), "\n";
    }
    tell($m, $m->get('g'));
    tell($m, $m->get('h', fn($m, $key, &$value) => $m->get('i', function ($m, $key, &$value) { $value = 'inner'; return true; }) && ($value = 'outer')));
    tell($m, $m->getMulti(['h', 'i'], Memcached::GET_PRESERVE_ORDER));
    echo "\n";
}
?>
--EXPECT--
"made for a" RES_SUCCESS
"made for a" RES_SUCCESS
false RES_NOTFOUND
false RES_NOTFOUND
["made for a"] RES_SUCCESS
1 RES_SUCCESS
false RES_NOTFOUND
{"value":5} RES_SUCCESS
5 RES_SUCCESS
false RES_NOTFOUND
thrown
false RES_NOTFOUND
"outer" RES_SUCCESS
{"h":"outer","i":"inner"} RES_SUCCESS

"made for a" RES_SUCCESS
"made for a" RES_SUCCESS
false RES_NOTFOUND
false RES_NOTFOUND
["made for a"] RES_SUCCESS
1 RES_SUCCESS
false RES_NOTFOUND
{"value":5} RES_SUCCESS
5 RES_SUCCESS
false RES_NOTFOUND
thrown
false RES_NOTFOUND
"outer" RES_SUCCESS
{"h":"outer","i":"inner"} RES_SUCCESS
