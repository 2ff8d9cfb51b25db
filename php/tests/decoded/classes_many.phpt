--TEST--
getMulti() on an arena gives kept arrays, decoded values and strings in the order of the keys
--FILE--
<?php
require __DIR__ . '/../memcached.inc';
class Wakes { public $n = 0; function __wakeup() { global $m; $this->n = $m->get('array')[0]; if ($this->n === 3) throw new Exception('three'); } }
$m = on_arena();
$m->setOption(Memcached::OPT_PREFIX_KEY, 'p:');
$values = ['string' => 'text', 'array' => [1, 2], 'number' => 7, 'object' => new Wakes, 'float' => 0.5, 'false' => false];
$m->setMulti($values);
$m->setMulti($many = array_combine(array_map(fn ($i) => "m$i", range(1, 100)), array_map(fn ($i) => [$i], range(1, 100))));
for ($i = 0; $i < 3; $i++) {
    tell($m, $m->getMulti(['missing', 'array', 'object', 'string', 'float', 'array', 'number', 'false', '']));
}
tell($m, $m->getMulti(['missing', 'array', 'string'], Memcached::GET_PRESERVE_ORDER));
tell($m, $m->getMulti(['missing', 'neither']));
tell($m, $m->getMulti([]));
tell($m, $m->getMulti(['']));
for ($i = 0; $i < 3; $i++) {
    var_dump($m->getMulti(array_keys($many)) === $many);
}
$m->set('array', [3]);
try {
    $m->getMulti(['string', 'object', 'array']);
} catch (Exception $e) {
    echo $e->getMessage(), "\n";
}
--EXPECT--
{"array":[1,2],"object":{"n":1},"string":"text","float":0.5,"number":7,"false":false} RES_SUCCESS
{"array":[1,2],"object":{"n":1},"string":"text","float":0.5,"number":7,"false":false} RES_SUCCESS
{"array":[1,2],"object":{"n":1},"string":"text","float":0.5,"number":7,"false":false} RES_SUCCESS
{"missing":null,"array":[1,2],"string":"text"} RES_SUCCESS
[] RES_NOTFOUND
[] RES_NOTFOUND
false RES_BAD_KEY_PROVIDED
bool(true)
bool(true)
bool(true)
three
