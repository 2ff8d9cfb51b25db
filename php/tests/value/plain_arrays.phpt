--TEST--
Arrays of every plain kind come back as they went, and go on as they would
--INI--
apc.enable_cli=1
apc.serializer=php
leveret.decoded_cache=0
--FILE--
<?php
require __DIR__ . '/arrays.inc';
come_back(3000);
--EXPECT--
bool(true)
