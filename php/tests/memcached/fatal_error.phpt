--TEST--
Memcached: a fatal error inside a callback; the persistent connection is of use afterwards
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

register_shutdown_function(function () { $m = new Memcached('persistent'); tell($m, $m->get('k')); });
$m = new Memcached('persistent');
$m->addServer(memcached_socket(), 0);
$m->set('k', 'v');
$m->getDelayed(['k', 'l'], false, function () { ini_set('memory_limit', '2M'); str_repeat('x', 1 << 26); });
?>
--EXPECTF--
%AFatal error: Allowed memory size of %d bytes exhausted%A
"v" RES_SUCCESS
