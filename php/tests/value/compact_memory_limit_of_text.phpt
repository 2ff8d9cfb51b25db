--TEST--
memory_limit met while the text of objects is made whose class is not there ends the script, and harms nothing
--INI--
apc.enable_cli=1
leveret.apcu_cli=shared
memory_limit=512M
--FILE--
<?php
require __DIR__ . '/../start.inc';
// Of a class that is not there serialize()'s text is made first, which repeats the names.
$names = array_map(fn (int $i) => "property_$i" . str_repeat('_long', 20), range(1, 6));
eval('class Long { public $' . implode(', $', $names) . '; }');
$objects = [];
for ($i = 0; $i < 6000; $i++) {
    $objects[] = $object = new Long();
    $object->{$names[0]} = $i;
}
apcu_store('objects', $objects);
$said = ['read' => 0, 'ended' => 0];
for ($limit = 4; $limit <= 44; $limit += 5) {
    $output = other_php("echo count(apcu_fetch('objects'));", ['memory_limit' => "{$limit}M"]);
    $said[match (true) { $output === '6000' => 'read', (bool) preg_match('/(?:Allowed memory size|Hard memory limit) of/', $output) => 'ended' }]++;
}
var_dump($said['read'] > 0, $said['ended'] > 0);
var_dump(apcu_fetch('objects') == $objects);
--EXPECT--
bool(true)
bool(true)
bool(true)
