--TEST--
APCUIterator: a value that refers back to its iterator is collected
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
class Holds { public $iterator; public $held = true; }
apcu_store('a', new Holds);
function make() {
    $iterator = new APCUIterator();
    $iterator->current()['value']->iterator = $iterator;
}
for ($i = 0; $i < 3; $i++) {
    make();
}
var_dump(gc_collect_cycles() > 0);
--EXPECT--
bool(true)
