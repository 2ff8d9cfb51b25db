--TEST--
getMultiple(): more keys than the arena is asked for at once; duplicates, holes, numbers and keys that are too long among them, and user code that changes a key or the arena
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$keys = $expected = [];
for ($i = 0; $i < 1000; $i++) {
    $keys[] = "key $i";
    $expected["key $i"] = $i % 3 === 0 ? 'none' : "value $i";
    if ($i % 3 !== 0) {
        $cache->set("key $i", "value $i");
    }
}
echo json_encode([
    $cache->getMultiple($keys, 'none') === $expected,
    $cache->getMultiple(array_combine($keys, $keys), 'none') === $expected,
    $cache->getMultiple(new ArrayIterator($keys), 'none') === $expected,
    $cache->getMultiple(array_merge($keys, $keys), 'none') === $expected,
]), "\n";

$holes = $keys;
foreach (range(0, 999, 2) as $i) {
    unset($holes[$i]);
}
echo json_encode($cache->getMultiple($holes, 'none') === array_intersect_key($expected, array_flip($holes))), "\n";

// Numbers and references are not strings; PHP stores them where a string has its hash.
$cache->set('7', 'seven');
$mixed = $keys;
$mixed[31] = 7;
$mixed[32] = &$keys[32];
$mixed[64] = '7';
echo json_encode([$cache->getMultiple($mixed)[7], $cache->getMultiple($mixed)['key 32'], count($cache->getMultiple($mixed))]), "\n";

foreach ([0, 40] as $place) {
    $bad = $keys;
    $bad[$place] = str_repeat('k', 70000);
    show_exception(fn () => $cache->getMultiple($bad));
    $bad[$place] = 1.5;
    show_exception(fn () => $cache->getMultiple($bad));
}

final class Meddles
{
    public function __serialize(): array
    {
        return [];
    }
    public function __unserialize(array $data): void
    {
        $GLOBALS['meddle']();
    }
}

// A key's hash belongs to one arena: an object that uses another arena now must not use it.
$first = arena_dir() . '/first.arena';
$other = arena_dir() . '/other.arena';
$changing = new Leveret\Cache($other);
$changing->set('b', 'other b');
$changing->__construct($first);
$changing->set('a', new Meddles);
$changing->set('b', 'first b');
$meddle = fn () => $changing->__construct($other);
echo json_encode($changing->getMultiple(['a', 'b'])), "\n";

$meddle = fn () => unlink($first);
$changing->__construct($first);
echo json_encode(array_keys($changing->getMultiple(['a', 'b']))), "\n";

$cache->set('a', new Meddles);
$cache->set('c', 'right');
$key = 'b';
$meddle = function () use (&$key) { $key = 'c'; };
echo json_encode($cache->getMultiple(['a', &$key])), "\n";
?>
--EXPECT--
[true,true,true,true]
true
["seven","value 32",999]
Leveret\KeyTooLongException < Leveret\Exception: The key "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk..." is 70000 bytes long and this arena takes 16384: use a shorter one, such as a hash of it
TypeError < Error: Leveret\Cache::getMultiple(): Argument #1 ($keys) must have keys of type string or int, float given
Leveret\KeyTooLongException < Leveret\Exception: The key "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk..." is 70000 bytes long and this arena takes 16384: use a shorter one, such as a hash of it
TypeError < Error: Leveret\Cache::getMultiple(): Argument #1 ($keys) must have keys of type string or int, float given
{"a":{},"b":"other b"}
["a","b"]
{"a":{},"c":"right"}
