--TEST--
A process started later finds the items, and its own remain when it has ended
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$path = arena_dir() . '/shared.arena';
$cache = new Leveret\Cache($path);
$cache->set('here', ['x' => 1.5]);
echo in_new_process('
    $cache = new Leveret\Cache(' . var_export($path, true) . ');
    echo json_encode($cache->get("here")), "\n";
    $cache->set("there", "stored by another process");
');
var_dump($cache->get('there'));
?>
--EXPECT--
{"x":1.5}
string(25) "stored by another process"
