--TEST--
An arena that is cut short while it is in use: misses and failures, no crash
--INI--
apc.enable_cli=1
error_log=/dev/null
leveret.apcu_cli=shared
leveret.apcu_arena=apcu
--FILE--
<?php
require __DIR__ . '/../start.inc';
for ($i = 0; $i < 1000; $i++) {
    apcu_store("key $i", str_repeat((string) $i, 100));
}
$handle = fopen(getenv('LEVERET_DIR') . '/apcu.arena', 'r+');
ftruncate($handle, 0);
for ($i = 0; $i < 1000; $i++) {
    $value = apcu_fetch("key $i");
    if ($value !== false && $value !== str_repeat((string) $i, 100)) {
        exit("wrong\n");
    }
    apcu_store("new $i", 1);
    apcu_delete("key $i");
    apcu_inc("n");
}
@apcu_cache_info();
echo "done\n";
--EXPECT--
done
