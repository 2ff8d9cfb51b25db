--TEST--
A process killed while it computes is followed by the next
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$pid = in_child(fn () => $cache->remember('key', 60, function () use ($cache) {
    $cache->set('computing', true);
    sleep(60);
}));
while (!$cache->has('computing')) {
    usleep(1000);
}
$waiter = in_child(fn () => $cache->remember('key', 60, fn () => 42));
exec("kill -KILL $pid");
echo implode(' ', wait_for($pid, $waiter)), ' ', $cache->get('key'), "\n";
?>
--EXPECT--
killed 42 42
