--TEST--
apcu_fetch(): more keys than the arena is asked for at once; holes in the array, and user code that changes a reference among the keys
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';

$keys = $expected = [];
for ($i = 0; $i < 1000; $i++) {
    $keys[] = "key $i";
    if ($i % 3 !== 0) {
        apcu_store("key $i", "value $i");
        $expected["key $i"] = "value $i";
    }
}
var_dump(apcu_fetch($keys) === $expected);

foreach (range(0, 999, 2) as $i) {
    unset($keys[$i], $expected["key $i"]);
}
var_dump(apcu_fetch($keys) === $expected);
var_dump(apcu_fetch(array_combine($keys, $keys)) === $expected);

final class Turns
{
    public function __unserialize(array $data): void
    {
        $GLOBALS['turned'] = str_repeat('other', 2);
        $GLOBALS['later'] = str_repeat('later', 2);
    }
    public function __serialize(): array
    {
        return [];
    }
}

apcu_store(['turnturn' => new Turns(), 'laterlater' => 'found']);
$turned = str_repeat('turn', 2);
$later = 'missing';
$found = apcu_fetch([&$turned, &$later]);
var_dump(array_keys($found), $found['turnturn'] instanceof Turns, $turned);
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
array(2) {
  [0]=>
  string(8) "turnturn"
  [1]=>
  string(10) "laterlater"
}
bool(true)
string(10) "otherother"
