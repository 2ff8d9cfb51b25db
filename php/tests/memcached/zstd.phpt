--TEST--
Memcached: zstd where the library was built with it; elsewhere it is refused, as a value that is so compressed
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

$has = Memcached::HAVE_ZSTD;
$m = on_arena();
var_dump($m->setOption(Memcached::OPT_COMPRESSION_TYPE, Memcached::COMPRESSION_ZSTD) === $has);
var_dump($m->getOption(Memcached::OPT_COMPRESSION_TYPE) === ($has ? Memcached::COMPRESSION_ZSTD : Memcached::COMPRESSION_FASTLZ));
var_dump((@ini_set('memcached.compression_type', 'zstd') !== false) === $has);
foreach ([-5, 0, 3, 22, PHP_INT_MAX] as $level) {
    $m->setOption(Memcached::OPT_COMPRESSION_LEVEL, $level);
    $m->set('text', $value = str_repeat("level $level ", 5000));
    var_dump($m->get('text') === $value);
}
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
