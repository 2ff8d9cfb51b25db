--TEST--
A full cache gives up items one by one, and takes each new one
--INI--
apc.enable_cli=1
apc.shm_size=8M
--FILE--
<?php
require __DIR__ . '/../start.inc';
for ($i = 0; $i < 30000; $i++) {
    apcu_store("key $i", str_repeat(chr(65 + $i % 26), 1000));
    if (!apcu_exists("key $i")) {
        exit("lost the newest item\n");
    }
}
$info = apcu_cache_info(true);
var_dump($info['expunges'] > 0, $info['num_entries'] > 4000);
--EXPECT--
bool(true)
bool(true)
