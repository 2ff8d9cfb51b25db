--TEST--
Memcached: add, replace, append, prepend and their result codes
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

foreach ([on_arena(), on_server()] as $m) {
    tell($m, $m->add('k', 'a'));
    tell($m, $m->add('k', 'b'));
    tell($m, $m->replace('k', 'c'));
    tell($m, $m->replace('missing', 'c'));
    tell($m, @$m->append('k', 'd'));
    $m->setOption(Memcached::OPT_COMPRESSION, false);
    tell($m, $m->append('k', 'd'));
    tell($m, $m->prepend('k', 'b'));
    tell($m, $m->get('k'));
    tell($m, $m->append('missing', 'd'));
    tell($m, $m->prepend('missing', 'd'));
}
(new Memcached)->append('k', 'x');
?>
--EXPECTF--
true RES_SUCCESS
false RES_NOTSTORED
true RES_SUCCESS
false RES_NOTSTORED
null RES_SUCCESS
true RES_SUCCESS
true RES_SUCCESS
"bcd" RES_SUCCESS
false RES_NOTSTORED
false RES_NOTSTORED
true RES_SUCCESS
false RES_NOTSTORED
true RES_SUCCESS
false RES_NOTSTORED
null RES_SUCCESS
true RES_SUCCESS
true RES_SUCCESS
"bcd" RES_SUCCESS
false RES_NOTSTORED
false RES_NOTSTORED

Warning: Memcached::append(): cannot append/prepend with compression turned on in %s on line %d
