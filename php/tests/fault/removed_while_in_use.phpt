--TEST--
An arena that is removed while a long request uses it: the request soon uses the new one, as others do
--INI--
apc.enable_cli=1
leveret.apcu_cli=shared
leveret.apcu_arena=apcu
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('a', 'in the old arena');
apcu_store('array', [1, 2]);
apcu_fetch('array');
apcu_fetch('array');
unlink(getenv('LEVERET_DIR') . '/apcu.arena');
echo other_php('apcu_store("b", "in the new arena");');
$tries = 0;
while (!apcu_exists('b') && $tries++ < 100) {
    usleep(100000);
}
var_dump(apcu_fetch('b'), apcu_fetch('a'), apcu_fetch('array'));
--EXPECT--
string(16) "in the new arena"
bool(false)
bool(false)
