--TEST--
leveret.allowed_classes keeps other classes from being made
--INI--
leveret.allowed_classes=Welcome
--FILE--
<?php
require __DIR__ . '/../cache.inc';

class Welcome { public $x = 1; }
class Stranger { public $x = 1; public function __wakeup(): void { echo "woken\n"; } }
$cache = new_cache();
$cache->setMultiple(['welcome' => new Welcome, 'stranger' => new Stranger, 'both' => [new Welcome, new Stranger]]);
foreach ([$cache->get('welcome'), $cache->get('stranger'), ...$cache->get('both')] as $object) {
    echo $object::class, "\n";
}
?>
--EXPECT--
Welcome
__PHP_Incomplete_Class
Welcome
__PHP_Incomplete_Class
