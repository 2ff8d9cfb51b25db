--TEST--
Reaching memory_limit while a value is read harms nothing: no lease and no item is lost
--INI--
apc.enable_cli=1
memory_limit=64M
leveret.apcu_cli=shared
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('long', str_repeat('x', 3 << 20));
apcu_store('rows', array_fill(0, 50000, 'abc'));
foreach (['long', 'rows'] as $key) {
    $printed = other_php("ini_set('memory_limit', '6M'); apcu_entry('a', function () { for (;;) \$all[] = apcu_fetch('$key'); });");
    echo substr_count($printed, 'Allowed memory size'), "\n";
    var_dump(apcu_exists('a'), apcu_entry('a', fn () => 'computed'), apcu_delete('a'));
}
var_dump(apcu_fetch('long') === str_repeat('x', 3 << 20), apcu_fetch('rows') === array_fill(0, 50000, 'abc'));
--EXPECT--
1
bool(false)
string(8) "computed"
bool(true)
1
bool(false)
string(8) "computed"
bool(true)
bool(true)
bool(true)
