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
/* As applications compare it with their own: a socket in a list has port 0, whatever is said, and an arena the one that is given. */
$m->addServers([['/tmp/listed.socket', 0], ['/tmp/listed.socket', 11211], ['arena:phpt', 0], ['arena:phpt', 11211], ['10.0.0.5', 0]]);
foreach ($m->getServerList() as $server) {
    echo json_encode($server, JSON_UNESCAPED_SLASHES), "\n";
}
set_error_handler(fn(int $level, string $text) => print("$text\n"));
$m->addServers([['10.0.0.6', 1], 'word', ['alone'], ['10.0.0.7', 1], 5, [], ['10.0.0.7', 70000]]);
restore_error_handler();
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
{"host":"/tmp/listed.socket","port":0,"type":"SOCKET"}
{"host":"/tmp/listed.socket","port":0,"type":"SOCKET"}
{"host":"arena:phpt","port":0,"type":"SOCKET"}
{"host":"arena:phpt","port":11211,"type":"SOCKET"}
{"host":"10.0.0.5","port":11211,"type":"TCP"}
Memcached::addServers(): server list entry #2 is not an array
Memcached::addServers(): could not add entry #4 to the server list
Memcached::addServers(): server list entry #5 is not an array
Memcached::addServers(): could not add entry #7 to the server list
Memcached::addServers(): could not add entry #8 to the server list
bool(true)
false RES_BAD_KEY_PROVIDED
false RES_BAD_KEY_PROVIDED
true RES_BAD_KEY_PROVIDED
[] RES_BAD_KEY_PROVIDED
true RES_BAD_KEY_PROVIDED
