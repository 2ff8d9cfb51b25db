--TEST--
apcu_delete with an APCUIterator removes its items
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
for ($i = 0; $i < 3000; $i++) {
    apcu_store("user:$i", $i);
}
apcu_store('page', 1);
var_dump(apcu_delete(new APCUIterator('/^user:/')), (new APCUIterator())->getTotalCount(), apcu_fetch('page'));
var_dump(apcu_delete(new APCUIterator('/^user:/')), apcu_delete(new APCUIterator(['page', 'missing'])), apcu_exists('page'));
--EXPECT--
bool(true)
int(1)
int(1)
bool(true)
bool(true)
bool(false)
