--TEST--
remember() gives a value that the arena cannot take, as apcu_entry does, and the log says so once
--INI--
leveret.memory=8M
log_errors=1
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$log = arena_dir() . '/log';
ini_set('error_log', $log);
$cache = new_cache();
$other = new OtherProcess($cache, 'key');
$most = $cache->stats()['value_max'];
$value = str_repeat('x', $most);
var_dump($cache->remember('fits', 60, fn () => $value) === $value, $cache->has('fits'));
foreach ([$most + 1, 2 * $most, 20 * $most] as $length) {
    var_dump(strlen($cache->remember('key', 60, fn () => str_repeat('y', $length))) === $length, $cache->has('key'));
}
var_dump(count($cache->remember('array', 60, fn () => array_fill(0, $most, 1))) === $most, $cache->has('array'));
// Other processes are not blocked meanwhile.
echo $other->remember(), "\n";
$lines = file($log);
var_dump(count($lines), str_contains($lines[0], $most + 1 . ' bytes'), str_contains($lines[0], $cache->stats()['path']), str_contains($lines[0], "takes $most bytes"));
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)
bool(false)
computed elsewhere
int(1)
bool(true)
bool(true)
bool(true)
