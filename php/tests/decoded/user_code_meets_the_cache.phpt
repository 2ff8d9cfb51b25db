--TEST--
Values that user code fetches while an outer value is decoded
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
class Fetches { public $inner; function __serialize(): array { return []; } function __unserialize(array $data): void { for ($i = 0; $i < 3; $i++) $this->inner = apcu_fetch('inner'); apcu_store('inner', ['stored' => 'within']); } }
for ($n = 0; $n < 3; $n++) {
    apcu_store('inner', ['n' => $n]);
    apcu_store('outer', [new Fetches, [1, 2]]);
    var_dump(apcu_fetch('outer')[0]->inner === ['n' => $n], apcu_fetch('inner') === ['stored' => 'within']);
}
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
