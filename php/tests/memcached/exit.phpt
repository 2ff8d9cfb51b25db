--TEST--
Memcached: exit inside a callback ends the script and leaves other processes alone
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

register_shutdown_function(function () { global $m; tell($m, $m->get('k')); });
$m = on_server();
$m->set('k', 'v');
$m->getDelayed(['k'], false, function () use ($m) { $m->get('missing', function () { exit("out\n"); }); });
?>
--EXPECT--
out
"v" RES_SUCCESS
