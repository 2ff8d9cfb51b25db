--TEST--
APCUIterator: the loop may remove the items that it meets
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
for ($i = 0; $i < 1000; $i++) {
    apcu_store("key $i", $i);
}
$met = 0;
foreach (new APCUIterator('/^key/', APC_ITER_KEY, 10) as $key => $item) {
    $met += apcu_delete($key);
}
var_dump($met, (new APCUIterator())->getTotalCount());
--EXPECT--
int(1000)
int(0)
