--TEST--
Arrays of every plain kind come back as they went by igbinary too
--EXTENSIONS--
igbinary
--INI--
apc.enable_cli=1
apc.serializer=igbinary
leveret.decoded_cache=0
--FILE--
<?php
require __DIR__ . '/arrays.inc';
come_back(3000);
apcu_store('shared', [$list = range(1, 3), $list, $list]);
var_dump(apcu_fetch('shared') === [$list, $list, $list]);
--EXPECT--
bool(true)
bool(true)
