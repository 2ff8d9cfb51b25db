--TEST--
Memcached: counters in both protocols; values that are not numbers, and missing ones
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

foreach ([on_arena(), on_server()] as $m) {
    $m->setMulti(['n' => 5, 'text' => 'x', 'digits' => '41']);
    tell($m, $m->increment('n'));
    tell($m, $m->decrement('n', 100));
    tell($m, $m->increment('digits'));
    tell($m, $m->increment('text'));
    tell($m, $m->increment('missing'));
    tell($m, @$m->increment('n', -1));
    tell($m, @$m->increment('n', 1, 10));
    $m->setOption(Memcached::OPT_BINARY_PROTOCOL, true);
    tell($m, $m->increment('made', 1, 10, 100));
    tell($m, $m->increment('made', 1, 10, 100));
    tell($m, $m->decrement('missing'));
    tell($m, $m->incrementByKey('group', 'n', 3));
    tell($m, $m->decrementByKey('group', 'n', 1));
    echo "\n";
}
?>
--EXPECT--
6 RES_SUCCESS
0 RES_SUCCESS
42 RES_SUCCESS
false RES_CLIENT_ERROR
false RES_NOTFOUND
false RES_SUCCESS
false RES_SUCCESS
10 RES_SUCCESS
11 RES_SUCCESS
false RES_NOTFOUND
3 RES_SUCCESS
2 RES_SUCCESS

6 RES_SUCCESS
0 RES_SUCCESS
42 RES_SUCCESS
false RES_CLIENT_ERROR
false RES_NOTFOUND
false RES_SUCCESS
false RES_SUCCESS
10 RES_SUCCESS
11 RES_SUCCESS
false RES_NOTFOUND
3 RES_SUCCESS
2 RES_SUCCESS
