--TEST--
Memcached: buffered writes are sent by their process only, not by a child that ends before it
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

$other = on_server();
$m = on_server();
$m->set('connected', 1);
$m->setOption(Memcached::OPT_BUFFER_WRITES, true);
$m->set('key', 'of the parent');
$pid = fork(function () use ($m, $other) {
    $m->quit();
    tell($other, $other->get('key'));
});
pcntl_waitpid($pid, $status);
tell($other, $other->get('key'));
$m->quit();
tell($other, $other->get('key'));
// A server that refuses one of many quiet writes, and reports it, loses none of the others.
$m->setOption(Memcached::OPT_BUFFER_WRITES, false);
$m->setOption(Memcached::OPT_NOREPLY, true);
$m->setOption(Memcached::OPT_COMPRESSION, false);
$m->set('large', str_repeat('x', 3 << 20));
for ($i = 0; $i < 2000; $i++) {
    $m->set("many$i", str_repeat('y', 500));
}
$m->quit();
echo count($other->getMulti(array_map(fn($i) => "many$i", range(0, 1999)))), "\n";
?>
--EXPECT--
false RES_NOTFOUND
false RES_NOTFOUND
"of the parent" RES_SUCCESS
2000
