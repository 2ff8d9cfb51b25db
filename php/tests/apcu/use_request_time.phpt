--TEST--
apc.use_request_time: the time does not change during a request
--INI--
apc.enable_cli=1
apc.use_request_time=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('a', 1, 1);
sleep(3);
var_dump(apcu_fetch('a'));
--EXPECT--
int(1)
