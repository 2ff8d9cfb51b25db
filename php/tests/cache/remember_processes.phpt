--TEST--
Of four processes one computes, the others get its value
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$pids = [];
for ($i = 0; $i < 4; $i++) {
    $pids[] = in_child(function () use ($cache) {
        $cache->increment('ready');
        while ($cache->get('ready') < 4) {
            usleep(100);
        }
        return $cache->remember('key', 60, function () use ($cache) {
            usleep(200000);
            return $cache->increment('computed') + 6;
        });
    });
}
echo implode(' ', wait_for(...$pids)), "\n";
var_dump($cache->get('computed'));
?>
--EXPECT--
7 7 7 7
int(1)
