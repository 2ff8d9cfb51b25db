--TEST--
The cache opens as soon as the fault is mended, without a restart
--INI--
apc.enable_cli=1
leveret.apcu_cli=shared
leveret.apcu_arena=apcu
--FILE--
<?php
require __DIR__ . '/../start.inc';
$folder = getenv('LEVERET_DIR');
mkdir("$folder/apcu.arena");
ini_set('error_log', '/dev/null');
var_dump(apcu_enabled(), apcu_store('a', 1));
rmdir("$folder/apcu.arena");
$tries = 0;
while (!apcu_store('a', 1) && $tries++ < 100) {
    usleep(100000);
}
var_dump(apcu_fetch('a'), apcu_enabled());
--EXPECT--
bool(false)
bool(false)
int(1)
bool(true)
