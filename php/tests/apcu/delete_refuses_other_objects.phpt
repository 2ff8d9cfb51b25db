--TEST--
apcu_delete: an object must be an APCUIterator
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_delete(new stdClass);
echo "not reached\n";
--EXPECTF--
Fatal error: apcu_delete(): apc_delete object argument must be instance of APCUIterator. in %s on line %d
