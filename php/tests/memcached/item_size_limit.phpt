--TEST--
Memcached: a value above OPT_ITEM_SIZE_LIMIT is E2BIG, and the old one stays
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

foreach ([on_arena(), on_server()] as $m) {
    $m->setOption(Memcached::OPT_COMPRESSION, false);
    $m->setOption(Memcached::OPT_ITEM_SIZE_LIMIT, 10);
    tell($m, $m->set('k', '0123456789'));
    tell($m, $m->set('k', '0123456789A'));
    tell($m, $m->add('new', '0123456789A'));
    tell($m, $m->cas($m->get('k', null, Memcached::GET_EXTENDED)['cas'], 'k', '0123456789A'));
    tell($m, $m->get('k'));
    tell($m, $m->setMulti(['short' => 1, 'long' => '0123456789A']));
    tell($m, $m->getMulti(['short', 'long']));
    tell($m, $m->append('k', 'B'));
    tell($m, @$m->setOption(Memcached::OPT_ITEM_SIZE_LIMIT, -1));
    $m->setOption(Memcached::OPT_ITEM_SIZE_LIMIT, 0);
    tell($m, $m->set('k', '0123456789A'));
    echo "\n";
}
tell($m, $m->set('k', random_bytes(2 << 20)));
?>
--EXPECT--
true RES_SUCCESS
false RES_E2BIG
false RES_E2BIG
false RES_E2BIG
"0123456789" RES_SUCCESS
false RES_E2BIG
{"short":1} RES_SUCCESS
true RES_SUCCESS
false RES_INVALID_ARGUMENTS
true RES_SUCCESS

true RES_SUCCESS
false RES_E2BIG
false RES_E2BIG
false RES_E2BIG
"0123456789" RES_SUCCESS
false RES_E2BIG
{"short":1} RES_SUCCESS
true RES_SUCCESS
false RES_INVALID_ARGUMENTS
true RES_SUCCESS

false RES_E2BIG
