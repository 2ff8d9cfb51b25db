--TEST--
Memcached: the result of setMulti is that of its last item; invalid versions, server lists and times
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

foreach (['arena' => on_arena(), 'server' => on_server()] as $m) {
    $m->setOption(Memcached::OPT_COMPRESSION, false);
    $large = str_repeat('x', 2 << 20);
    tell($m, $m->setMulti(['' => 1, 'good' => 1]));
    tell($m, $m->setMulti(['good' => 2, '' => 1]));
    echo $m->getLastErrorCode(), "\n";
    tell($m, $m->getMulti(['', 'good']));
    tell($m, $m->getMulti(['']));
    tell($m, $m->deleteMulti(['', 'good', '']));
    $m->setOption(Memcached::OPT_ITEM_SIZE_LIMIT, 100);
    tell($m, $m->setMulti(['large' => $large, 'small' => 1]));
    tell($m, $m->setMulti(['small' => 2, 'large' => $large]));
    $m->setOption(Memcached::OPT_ITEM_SIZE_LIMIT, 0);
    tell($m, $m->getMulti(['large', 'small']));
    tell($m, $m->delete('small', 5));
    tell($m, $m->deleteMulti(['small'], 5));
    tell($m, $m->get('small'));
    $m->setOption(Memcached::OPT_BINARY_PROTOCOL, true);
    tell($m, $m->cas(0, 'small', 3));
    tell($m, $m->cas(0, 'never there', 3));
    tell($m, $m->get('never there'));
    tell($m, $m->increment('text') ?: ($m->set('text', 'x') ? $m->increment('text') : null));
    echo "\n";
}
$version = $m->get('text', null, Memcached::GET_EXTENDED)['cas'];
tell($m, $m->cas($version, 'text', $large));
tell($m, $m->get('text'));
echo $m->getLastErrorCode(), "\n";
tell($m, $m->getStats('nonsense'));
$m->setOption(Memcached::OPT_BINARY_PROTOCOL, false);
tell($m, $m->getStats('nonsense'));
tell($m, (new Memcached())->getOption(Memcached::OPT_SOCKET_SEND_SIZE));
?>
--EXPECTF--
true RES_SUCCESS
false RES_BAD_KEY_PROVIDED
33
{"good":2} RES_SUCCESS
false RES_BAD_KEY_PROVIDED
{"good":true} RES_SUCCESS
true RES_SUCCESS
false RES_E2BIG
{"small":2} RES_SUCCESS
false RES_INVALID_ARGUMENTS
{"small":38} RES_INVALID_ARGUMENTS
2 RES_SUCCESS
true RES_SUCCESS
false RES_NOTFOUND
false RES_NOTFOUND
false RES_UNKNOWN_READ_FAILURE

true RES_SUCCESS
false RES_BAD_KEY_PROVIDED
33
{"good":2} RES_SUCCESS
false RES_BAD_KEY_PROVIDED
{"good":true} RES_SUCCESS
true RES_SUCCESS
false RES_E2BIG
{"small":2} RES_SUCCESS
false RES_INVALID_ARGUMENTS
{"small":38} RES_INVALID_ARGUMENTS
2 RES_SUCCESS
true RES_SUCCESS
false RES_NOTFOUND
false RES_NOTFOUND
false RES_UNKNOWN_READ_FAILURE

false RES_E2BIG
"x" RES_SUCCESS
0
[] RES_SUCCESS
false RES_INVALID_ARGUMENTS

Warning: Memcached::getOption(): no servers defined in %s on line %d
null RES_INVALID_ARGUMENTS
