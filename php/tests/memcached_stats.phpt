--TEST--
Memcached: getStats, getVersion, getAllKeys
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/memcached.inc';

foreach (['arena' => on_arena(), 'server' => on_server()] as $where => $m) {
    $m->set('k', 1);
    $stats = $m->getStats();
    tell($m, count($stats));
    $one = reset($stats);
    var_dump(is_int($one['pid']), is_string($one['version']), $one['curr_items'] >= 1);
    var_dump(preg_match('/^\d+\.\d+\.\d+/', current($m->getVersion())), array_keys($m->getVersion()) === array_keys($stats));
}
tell($m, is_array($m->getStats('settings')));
?>
--EXPECT--
1 RES_SUCCESS
bool(true)
bool(true)
bool(true)
int(1)
bool(true)
1 RES_SUCCESS
bool(true)
bool(true)
bool(true)
int(1)
bool(true)
true RES_SUCCESS
