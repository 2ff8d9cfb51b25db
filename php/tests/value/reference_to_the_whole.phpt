--TEST--
A value that refers to itself as a whole comes back as a value, and its copies are no references to it
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
$object = new stdClass();
$object->self = &$object;
echo serialize($object), "\n";

$cache = new Leveret\Cache();
$memcached = new Memcached();
$memcached->addServer('arena:memcached', 0);
$memcached->setOption(Memcached::OPT_SERIALIZER, Memcached::SERIALIZER_PHP);
$memcache = new MemcachePool();
$memcache->addServer('arena:memcache');
apcu_store('key', $object);
$cache->set('key', $object);
$memcached->set('key', $object);
$memcache->set('key', $object);

foreach ([apcu_fetch(...), $cache->get(...), $memcached->get(...), $memcache->get(...)] as $get) {
    $values = array_map($get, ['key']);
    $copy = $values;
    $copy[0] = 'something else';
    echo get_debug_type($values[0]), ' ', get_debug_type($values[0]->self), "\n";
}
foreach ([apcu_fetch(['key']), $cache->getMultiple(['key']), $memcached->getMulti(['key']), $memcache->get(['key'])] as $values) {
    $copy = $values;
    $copy['key'] = 'something else';
    echo get_debug_type($values['key']), "\n";
}
unset($object, $values, $copy);
gc_collect_cycles();
?>
--EXPECT--
O:8:"stdClass":1:{s:4:"self";R:1;}
stdClass stdClass
stdClass stdClass
stdClass stdClass
stdClass stdClass
stdClass
stdClass
stdClass
stdClass
