--TEST--
A key is any bytes, and none
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
foreach (['', '0', "\0", "a\0b", 'a b', "line\nbreak", "\xff\xfe", '{}()/\@:', str_repeat('k', 5000)] as $number => $key) {
    $cache->set($key, $number);
}
foreach (['', '0', "\0", "a\0b", 'a b', "line\nbreak", "\xff\xfe", '{}()/\@:', str_repeat('k', 5000)] as $number => $key) {
    if ($cache->get($key) !== $number) {
        echo bin2hex($key), ' lost', "\n";
    }
}
var_dump($cache->has("a\0c"), $cache->has("\0\0"));
?>
--EXPECT--
bool(false)
bool(false)
