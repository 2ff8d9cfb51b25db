--TEST--
Memcached: getStats, getVersion, getAllKeys
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

foreach (['arena' => on_arena(), 'server' => on_server()] as $where => $m) {
    $m->set('k', 1);
    $stats = $m->getStats();
    tell($m, count($stats));
    $one = reset($stats);
    // Only the server's rows: none for the end of its list.
    var_dump(array_key_exists('', $one));
    var_dump(is_int($one['pid']), is_string($one['version']), $one['curr_items'] >= 1);
    var_dump(preg_match('/^\d+\.\d+\.\d+/', current($m->getVersion())), array_keys($m->getVersion()) === array_keys($stats));
    // No key for the end of the list of keys.
    // A server whose crawler is running, which happens from time to time, does not answer.
    for ($tries = 0; !in_array('k', $keys = $m->getAllKeys() ?: [], true) && $tries < 500; $tries++) {
        usleep(20000);
    }
    tell($m, [in_array('k', $keys, true), in_array('', $keys, true)]);
}
// The prefix applies to keys: names of statistics and keys of other clients have none.
$m->set('pid of another', 1);
$m->setOption(Memcached::OPT_PREFIX_KEY, 'pi');
var_dump(isset(current($m->getStats())['pid']));
$m->set('mine', 1);
for ($tries = 0; !in_array('mine', $keys = $m->getAllKeys() ?: [], true) && $tries < 500; $tries++) {
    usleep(20000);
}
var_dump(in_array('k', $keys, true));
$m->setOption(Memcached::OPT_PREFIX_KEY, '');
tell($m, array_key_exists('settings', current($m->getStats('settings'))));
tell($m, $m->getStats('reset'));
?>
--EXPECT--
1 RES_SUCCESS
bool(false)
bool(true)
bool(true)
bool(true)
int(1)
bool(true)
[true,false] RES_SUCCESS
1 RES_SUCCESS
bool(false)
bool(true)
bool(true)
bool(true)
int(1)
bool(true)
[true,false] RES_SUCCESS
bool(true)
bool(true)
false RES_SUCCESS
[] RES_SUCCESS
