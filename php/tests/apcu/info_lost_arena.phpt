--TEST--
apcu_cache_info, apcu_sma_info: an arena whose file was removed is opened again, and the call succeeds
--INI--
apc.enable_cli=1
leveret.apcu_cli=shared
leveret.apcu_arena=apcu
--FILE--
<?php
require __DIR__ . '/../start.inc';
$path = getenv('LEVERET_DIR') . '/apcu.arena';
foreach (['apcu_cache_info', 'apcu_sma_info'] as $info) {
    apcu_store('key', 1);
    // A file that is cut off is noticed by the next access.
    ftruncate(fopen($path, 'r+'), 4096);
    unlink($path);
    $answer = $info(true);
    var_dump($answer['num_entries'] ?? $answer['num_seg'], file_exists($path));
}
--EXPECT--
int(0)
bool(true)
int(1)
bool(true)
