--TEST--
APCUIterator: a regular expression that does not compile
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
new APCUIterator('/[/');
--EXPECTF--
Warning: APCUIterator::__construct(): Compilation failed: missing terminating ] for character class at offset %d in %s on line %d

Fatal error: APCUIterator::__construct(): Could not compile regular expression: /[/ in %s on line %d
