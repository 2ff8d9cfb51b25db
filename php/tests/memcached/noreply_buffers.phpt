--TEST--
Memcached: OPT_NOREPLY and OPT_BUFFER_WRITES answer before the server does, and lose nothing
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

foreach ([on_arena(), on_server()] as $m) {
    $m->setOption(Memcached::OPT_NOREPLY, true);
    var_dump($m->set('a', 1), $m->delete('missing'), $m->setMulti(['b' => 2, 'c' => 3]), $m->deleteMulti(['b', 'missing']));
    tell($m, $m->getMulti(['a', 'b', 'c']));
    $m->setOption(Memcached::OPT_NOREPLY, false);
    $m->setOption(Memcached::OPT_BUFFER_WRITES, true);
    for ($i = 0; $i < 3000; $i++) {
        $m->set("k$i", $i);
    }
    var_dump($m->setMulti(['b' => 2]), $m->flushBuffers());
    tell($m, $m->get('k2999'));
    var_dump(count($m->getMulti(array_map(fn($i) => "k$i", range(0, 2999)))));
    $m->delete('k1');
    tell($m, $m->get('k1'));
}
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
array(2) {
  ["b"]=>
  bool(true)
  ["missing"]=>
  bool(true)
}
{"a":1,"c":3} RES_SUCCESS
bool(true)
bool(true)
2999 RES_SUCCESS
int(3000)
false RES_NOTFOUND
bool(true)
bool(true)
bool(true)
array(2) {
  ["b"]=>
  bool(true)
  ["missing"]=>
  bool(true)
}
{"a":1,"c":3} RES_SUCCESS
bool(true)
bool(true)
2999 RES_SUCCESS
int(3000)
false RES_NOTFOUND
