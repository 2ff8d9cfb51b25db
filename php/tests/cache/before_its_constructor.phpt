--TEST--
Code that the constructor runs may already have the object: it is that of the default arena
--FILE--
<?php
require __DIR__ . '/../cache.inc';
putenv('LEVERET_DIR=' . arena_dir());
final class Name
{
    public function __toString(): string
    {
        $cache = debug_backtrace()[1]['object'];
        var_dump(iterator_to_array($cache));
        $cache->set('key', 'value');
        var_dump(iterator_to_array($cache));
        return arena_dir() . '/other.arena';
    }
}
var_dump((new Leveret\Cache(new Name()))->get('key'), (new Leveret\Cache())->get('key'));
?>
--EXPECT--
array(0) {
}
array(1) {
  ["key"]=>
  string(5) "value"
}
NULL
string(5) "value"
