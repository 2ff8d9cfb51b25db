--TEST--
Memcached: touch, delete, deleteMulti, flush
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

foreach ([on_arena(), on_server()] as $m) {
    $m->setMulti(['a' => 1, 'b' => 2, 'c' => 3, 7 => 4]);
    tell($m, $m->touch('a', 100));
    tell($m, $m->touch('missing', 100));
    tell($m, $m->touch('a', -1));
    tell($m, $m->get('a'));
    tell($m, $m->delete('b'));
    tell($m, $m->delete('b'));
    tell($m, $m->deleteMulti(['c', 'missing', 7, 'a b']));
    tell($m, $m->deleteMulti([]));
    tell($m, $m->set('over', 1, -1));
    tell($m, $m->get('over'));
    tell($m, $m->set('until', 1, time() + 1000));
    tell($m, $m->get('until'));
    tell($m, $m->set('past', 1, time() - 1000));
    tell($m, $m->get('past'));
    tell($m, $m->flush());
    tell($m, $m->get('until'));
    echo "\n";
}
?>
--EXPECT--
true RES_SUCCESS
false RES_NOTFOUND
true RES_SUCCESS
false RES_NOTFOUND
true RES_SUCCESS
false RES_NOTFOUND
{"c":true,"missing":16,"7":true,"a b":33} RES_BAD_KEY_PROVIDED
[] RES_SUCCESS
true RES_SUCCESS
false RES_NOTFOUND
true RES_SUCCESS
1 RES_SUCCESS
true RES_SUCCESS
false RES_NOTFOUND
true RES_SUCCESS
false RES_NOTFOUND

true RES_SUCCESS
false RES_NOTFOUND
true RES_SUCCESS
false RES_NOTFOUND
true RES_SUCCESS
false RES_NOTFOUND
{"c":true,"missing":16,"7":true,"a b":33} RES_BAD_KEY_PROVIDED
[] RES_SUCCESS
true RES_SUCCESS
false RES_NOTFOUND
true RES_SUCCESS
1 RES_SUCCESS
true RES_SUCCESS
false RES_NOTFOUND
true RES_SUCCESS
false RES_NOTFOUND
