--TEST--
memory_limit met while an array in the compact form is stored or read ends the script, and harms nothing
--INI--
apc.enable_cli=1
leveret.apcu_cli=shared
memory_limit=512M
--FILE--
<?php
require __DIR__ . '/../start.inc';
$rows = [];
for ($i = 0; $i < 20000; $i++) {
    $rows[] = ['id' => $i, 'name' => "Customer $i", 'more' => [$i, ['k' => "deep $i", "only $i" => 1.5]]];
}
apcu_store('rows', $rows);
$said = ['read' => 0, 'ended' => 0];
for ($limit = 14; $limit <= 46; $limit += 4) {
    $output = other_php("echo count(apcu_fetch('rows'));", ['memory_limit' => "{$limit}M"]);
    $said[match (true) { $output === '20000' => 'read', (bool) preg_match('/(?:Allowed memory size|Hard memory limit) of/', $output) => 'ended' }]++;
}
var_dump($said['read'] > 1, $said['ended'] > 1);
$make = 'for ($i = 0; $i < 20000; $i++) { $rows[] = [$i => "Customer $i", "b" => ["only $i" => $i]]; }';
$said = ['stored' => 0, 'ended' => 0];
for ($limit = 14; $limit <= 30; $limit += 2) {
    $output = other_php("$make echo (int) apcu_store('made', \$rows);", ['memory_limit' => "{$limit}M"]);
    $said[match (true) { $output === '1' => 'stored', (bool) preg_match('/(?:Allowed memory size|Hard memory limit) of/', $output) => 'ended' }]++;
}
var_dump($said["stored"] > 0, $said["ended"] > 0);
var_dump(apcu_fetch('rows') === $rows);
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
