--TEST--
Memcached: a delayed get survives servers that are added or reordered before the fetch
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

foreach ([fn($m) => $m->addServer('127.0.0.1', 1), fn($m) => $m->setOption(Memcached::OPT_SORT_HOSTS, true), fn($m) => $m->addServers([['/a', 0], ['/z', 0]])] as $change) {
    $m = new Memcached();
    $m->addServers([['zebra.invalid', 1], [memcached_socket(), 0], ['aardvark.invalid', 1]]);
    $keys = array_values(array_filter(array_map(fn($n) => "k$n", range(1, 40)), fn($key) => $m->getServerByKey($key)['host'][0] === '/'));
    foreach ($keys as $n => $key) $m->set($key, $n);
    $m->getDelayed($keys);
    $change($m);
    var_dump(array_column($m->fetchAll(), 'value', 'key') === array_flip($keys));
}
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
