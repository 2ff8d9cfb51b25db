--TEST--
exit in the callback of remember() frees the lease while the process still lives
--FILE--
<?php
require __DIR__ . '/../cache.inc';
$cache = new_cache();
$other = new OtherProcess($cache, 'key');
register_shutdown_function(function () use ($other) {
    echo "shutdown\n", $other->remember(), "\n";
});
$cache->remember('key', 60, function () { echo "exit\n"; exit; });
echo "not reached\n";
?>
--EXPECT--
exit
shutdown
computed elsewhere
