--TEST--
Memcached: getLastDisconnectedServer() names a server whose connection failed, and none that has answered with an error
--INI--
leveret.provide=memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

on_server();
// Another object: that one has waited for the server to start.
$m = new Memcached;
$m->addServer(memcached_socket(), 0);
$m->set('s', 'abc');
$m->increment('s');
var_dump($m->getResultCode() === Memcached::RES_CLIENT_ERROR, $m->getLastDisconnectedServer());
$m->getStats('no such');
var_dump($m->getLastDisconnectedServer());
$gone = new Memcached;
$gone->addServer('127.0.0.1', 1);
var_dump($gone->get('s'), $gone->getLastDisconnectedServer());
$gone->setOption(Memcached::OPT_CONNECT_TIMEOUT, 4294967296);
var_dump($gone->getOption(Memcached::OPT_CONNECT_TIMEOUT));
$gone->setOption(Memcached::OPT_CONNECT_TIMEOUT, PHP_INT_MAX);
var_dump($gone->getOption(Memcached::OPT_CONNECT_TIMEOUT));
?>
--EXPECT--
bool(true)
bool(false)
bool(false)
bool(false)
array(2) {
  ["host"]=>
  string(9) "127.0.0.1"
  ["port"]=>
  int(1)
}
int(0)
int(-1)
