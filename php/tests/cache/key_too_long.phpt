--TEST--
A key that is too long is refused by every method
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$max = $cache->stats()['key_max'];
$cache->set(str_repeat('k', $max), 1);
var_dump($cache->get(str_repeat('k', $max)));
$long = str_repeat('k', $max + 1);
show_exception(fn () => $cache->set($long, 1));
foreach ([
    fn () => $cache->get($long), fn () => $cache->getItem($long), fn () => $cache->getMultiple([$long]), fn () => $cache->setMultiple([$long => 1]),
    fn () => $cache->add($long, 1), fn () => $cache->replace($long, 1), fn () => $cache->cas($long, 1, 1), fn () => $cache->delete($long),
    fn () => $cache->deleteMultiple([$long]), fn () => $cache->has($long), fn () => $cache->increment($long), fn () => $cache->decrement($long),
    fn () => $cache->touch($long), fn () => $cache->remember($long, null, fn () => print("computed\n")),
] as $number => $call) {
    try {
        $call();
        echo "$number: no exception\n";
    } catch (Leveret\KeyTooLongException) {
    }
}
?>
--EXPECT--
int(1)
Leveret\KeyTooLongException < Leveret\Exception: The key "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk..." is 16385 bytes long and this arena takes 16384: use a shorter one, such as a hash of it
