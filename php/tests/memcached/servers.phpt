--TEST--
Memcached: addServer, addServers, the list, which server has a key, no servers
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

$m = new Memcached();
foreach (['get', 'delete', 'increment', 'touch', 'getServerByKey'] as $method) {
    tell($m, $m->$method('k'));
}
foreach (['getMulti', 'getDelayed', 'deleteMulti'] as $method) {
    tell($m, $m->$method(['k']));
}
tell($m, $m->set('k', 1));
tell($m, $m->setMulti(['k' => 1]));
foreach (['getStats', 'getVersion', 'flush', 'getAllKeys'] as $method) {
    tell($m, $m->$method());
}
tell($m, $m->addServer('10.0.0.1', 11211, 3));
tell($m, $m->addServer('', 11212));
tell($m, $m->addServer('/tmp/memcached.socket', 0));
tell($m, $m->addServer('arena:phpt', 0));
tell($m, $m->addServer('10.0.0.2', 70000));
tell($m, $m->addServer("10.0.0.1\0", 11211));
tell($m, @$m->addServers([['10.0.0.3', 11211], ['host' => '10.0.0.4', 'port' => '11213', 'weight' => 5], ['alone'], 'word']));
foreach ($m->getServerList() as $server) {
    echo json_encode($server, JSON_UNESCAPED_SLASHES), "\n";
}
var_dump(in_array($m->getServerByKey('k')['host'], array_column($m->getServerList(), 'host'), true));
tell($m, $m->getServerByKey(''));
tell($m, $m->getLastDisconnectedServer());
tell($m, $m->resetServerList());
tell($m, $m->getServerList());
tell($m, $m->quit());
?>
--EXPECT--
false RES_NO_SERVERS
false RES_NO_SERVERS
false RES_NO_SERVERS
false RES_NO_SERVERS
false RES_NO_SERVERS
false RES_NO_SERVERS
false RES_NO_SERVERS
{"k":20} RES_NO_SERVERS
false RES_NO_SERVERS
false RES_NO_SERVERS
false RES_NO_SERVERS
false RES_NO_SERVERS
false RES_NO_SERVERS
false RES_NO_SERVERS
true RES_SUCCESS
true RES_SUCCESS
true RES_SUCCESS
true RES_SUCCESS
false RES_INVALID_ARGUMENTS
true RES_SUCCESS
true RES_SUCCESS
{"host":"10.0.0.1","port":11211,"type":"TCP"}
{"host":"localhost","port":11212,"type":"TCP"}
{"host":"/tmp/memcached.socket","port":11211,"type":"SOCKET"}
{"host":"arena:phpt","port":11211,"type":"SOCKET"}
{"host":"10.0.0.1\u0000","port":11211,"type":"TCP"}
{"host":"10.0.0.3","port":11211,"type":"TCP"}
{"host":"10.0.0.4","port":11213,"type":"TCP"}
bool(true)
false RES_BAD_KEY_PROVIDED
false RES_BAD_KEY_PROVIDED
true RES_BAD_KEY_PROVIDED
[] RES_BAD_KEY_PROVIDED
true RES_BAD_KEY_PROVIDED
