<?php
/*
 * Calls of the class MemcachePool of pecl/memcache, a line each: php memcache_calls.php HOST PORT [UDP_PORT]
 */
error_reporting(E_ALL);
set_error_handler(function ($number, $text) { echo "[$number] ", preg_replace('/\d{4,}/', 'PORT', $text), "\n"; return true; });
[, $host, $port] = $argv;
$udp = (int) ($argv[3] ?? 0);
$pool = new MemcachePool();
$pool->addServer($host, (int) $port, $udp);
function show($label, $value) { echo $label, ': ', str_replace("\n", ' ', var_export($value, true)), "\n"; }
if (!$udp) {
    show('flush', $pool->flush());
}
foreach (['text' => 'hello', 'empty' => '', 'int' => 42, 'float' => 1.5, 'true' => true, 'false' => false, 'array' => ['a' => [1, null]], 'long' => str_repeat('abc', 300)] as $key => $value) {
    show("set $key", $pool->set($key, $value));
    $got = $pool->get($key, $flags);
    show("get $key", [$got, $flags]);
}
show('miss', $pool->get('none'));
show('add there', $pool->add('text', 1));
show('replace missing', $pool->replace('none', 1));
show('inc', $pool->increment('int', 5));
show('dec', $pool->decrement('int', 100));
show('inc missing', $pool->increment('none'));
show('append', [$pool->append('text', '!'), $pool->prepend('text', '>'), $pool->get('text')]);
show('delete', [$pool->delete('text'), $pool->delete('text')]);
if (!$udp) {
    show('many', $pool->get(['int', 'none', 'float', 'true']));
    show('set many', $pool->set(['m1' => 1, 'm2' => 'two']));
    show('delete many', $pool->delete(['m1', 'none']));
    show('version', is_string($pool->getVersion()));
    show('stats', isset($pool->getStats()['curr_items']));
    show('compressed', [$pool->set('z', str_repeat('x', 50000), MEMCACHE_COMPRESSED), strlen($pool->get('z'))]);
}
