--TEST--
exit in __unserialize ends the request and nothing else
--INI--
apc.enable_cli=1
leveret.apcu_cli=shared
--FILE--
<?php
require __DIR__ . '/../start.inc';
class Leaves { function __serialize(): array { return []; } function __unserialize(array $data): void { echo "leaving\n"; exit; } }
$class = 'class Leaves { function __serialize(): array { return []; } function __unserialize(array $data): void { echo "leaving\n"; exit; } }';
apcu_store('a', new Leaves);
echo other_php("$class apcu_fetch('a'); echo 'not reached';");
echo other_php("$class apcu_entry('b', fn () => apcu_fetch('a')); echo 'not reached';");
var_dump(apcu_entry('b', fn () => 'computed'), apcu_store('a', 1), apcu_fetch('a'));
--EXPECT--
leaving
leaving
string(8) "computed"
bool(true)
int(1)
