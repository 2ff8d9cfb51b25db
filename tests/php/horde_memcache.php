<?php
// Debian's unmodified Horde_Memcache, which takes the class Memcached where there is one, else Memcache. Words: HOST PORT.

require_once 'Horde/Memcache.php';

function show(string $what, mixed $value): void
{
    $text = serialize($value);
    echo $what, ': ', strlen($text) < 200 ? $text : md5($text), "\n";
}

@trigger_error('Horde asks for the last error at the end, and is not prepared for none');
[, $host, $port] = $argv;
$cache = new Horde_Memcache(['hostspec' => [$host], 'port' => [(int) $port], 'compression' => true, 'prefix' => 'horde']);
$cache->flush();
foreach (['text' => 'hello', 'number' => 42, 'float' => 0.5, 'no' => false, 'list' => ['a' => [1, null]], 'object' => new ArrayObject([1]), 'long' => str_repeat('Horde ', 20000)] as $key => $value) {
    show("set $key", $cache->set($key, $value, 600));
    show("get $key", $cache->get($key));
}
show('get many', $cache->get(['text', 'nothing', 'list']));
show('replace', [$cache->replace('text', 'again'), $cache->get('text'), $cache->replace('nobody', 1)]);
show('delete', [$cache->delete('text'), $cache->delete('text'), $cache->get('text')]);
if (!class_exists('Memcached')) {
    // Horde cuts values that are too large for memcached, and keeps the number of parts in the flags.
    $large = str_repeat(pack('N*', ...range(1, 1000)), 700);
    show('set large', $cache->set('large', $large));
    show('get large', $cache->get('large') === $large);
    show('get large and small', $cache->get(['large', 'number']));
}
show('lock', [$cache->lock('door'), $cache->unlock('door')]);
$copy = unserialize(serialize($cache));
show('copy', $copy->get('number'));
show('servers', array_keys($cache->stats()) !== []);
$cache->flush();
show('flush', $copy->get('number'));
