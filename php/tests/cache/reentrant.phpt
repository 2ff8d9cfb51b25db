--TEST--
User code that runs while a value is decoded may use the cache
--FILE--
<?php
require __DIR__ . '/../cache.inc';

class Nosy {
    public static Leveret\Cache $cache;
    public int $seen = 0;
    public function __wakeup(): void {
        if (self::$cache->increment('woken') > 1) { return; }   // the walk meets this very object
        foreach (self::$cache as $key => $value) {
            if ($key !== 'nosy') { $this->seen++; }
            break;
        }
        self::$cache->set('other', 'new');
        self::$cache->delete('third');
    }
}
$cache = Nosy::$cache = new_cache();
$cache->set('other', 'old');
$cache->set('nosy', new Nosy);
var_dump($cache->get('nosy') instanceof Nosy, $cache->get('woken') > 0, $cache->get('other'));
?>
--EXPECT--
bool(true)
bool(true)
string(3) "new"
