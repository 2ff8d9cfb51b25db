--TEST--
An exception in a remember() within remember() is thrown by both, stores nothing, and frees both leases
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$failures = [
    'exception' => fn () => throw new DomainException('mine'),
    'key' => fn () => $cache->remember(str_repeat('k', 70000), 60, fn () => 1),
    'resource' => fn () => STDERR,
    'closure' => fn () => fn () => 1,
    'type' => fn () => $cache->remember('x', 'soon', fn () => 1),
];
foreach (['inner', 'outer'] as $inner) {
    foreach ($failures as $name => $failure) {
        try {
            $cache->remember('outer', 60, fn () => $cache->remember($inner, 60, $failure));
        } catch (Throwable $thrown) {
            echo $name, ': ', get_class($thrown), "\n";
        }
        var_dump($cache->has('outer') || $cache->has('inner'));
    }
}
// A caller that catches the exception continues.
echo $cache->remember('outer', 60, function () use ($cache, $failures) {
    try {
        return $cache->remember('inner', 60, $failures['exception']);
    } catch (DomainException) {
        return 'without';
    }
}), "\n";
$cache->clear();
$pid = in_child(fn () => $cache->remember("outer", 60, fn () => 3) + $cache->remember("inner", 60, fn () => 4));
echo implode(' ', wait_for($pid)), "\n";
?>
--EXPECT--
exception: DomainException
bool(false)
key: Leveret\KeyTooLongException
bool(false)
resource: Leveret\UnsupportedValueException
bool(false)
closure: Exception
bool(false)
type: TypeError
bool(false)
exception: DomainException
bool(false)
key: Leveret\KeyTooLongException
bool(false)
resource: Leveret\UnsupportedValueException
bool(false)
closure: Exception
bool(false)
type: TypeError
bool(false)
without
7
