--TEST--
Memcached: cas() stores only over the version whose token it has
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

foreach ([on_arena(), on_server()] as $m) {
    $m->set('k', 'a');
    ['cas' => $token, 'value' => $value, 'flags' => $flags] = $m->get('k', null, Memcached::GET_EXTENDED);
    var_dump(is_int($token), $value, $flags);
    tell($m, $m->cas($token, 'k', 'b'));
    tell($m, $m->cas($token, 'k', 'c'));
    tell($m, $m->cas($token, 'missing', 'c'));
    tell($m, $m->get('k'));
    $multi = $m->getMulti(['k', 'missing'], Memcached::GET_EXTENDED);
    tell($m, array_keys($multi));
    tell($m, $m->casByKey((string) $multi['k']['cas'], 'group', 'k', 'd'));
    $m->getDelayed(['k'], true);
    $item = $m->fetch();
    tell($m, [array_keys($item), $m->cas($item['cas'], 'k', 'e')]);
}
?>
--EXPECT--
bool(true)
string(1) "a"
int(0)
true RES_SUCCESS
false RES_DATA_EXISTS
false RES_NOTFOUND
"b" RES_SUCCESS
["k"] RES_SUCCESS
true RES_SUCCESS
[["key","value","cas","flags"],true] RES_SUCCESS
bool(true)
string(1) "a"
int(0)
true RES_SUCCESS
false RES_DATA_EXISTS
false RES_NOTFOUND
"b" RES_SUCCESS
["k"] RES_SUCCESS
true RES_SUCCESS
[["key","value","cas","flags"],true] RES_SUCCESS
