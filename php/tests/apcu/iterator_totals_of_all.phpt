--TEST--
APCUIterator: totals of all items are those of the items that it finds, and expired ones are not among them
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
function compare(string $when): void
{
    $found = iterator_to_array(new APCUIterator());
    $all = new APCUIterator();
    $info = apcu_cache_info();
    $sizes = array_sum(array_column($found, 'mem_size'));
    echo $when, ': ', json_encode([
        $all->getTotalCount(), $all->getTotalCount() === count($found), $all->getTotalSize() === $sizes,
        $all->getTotalHits() === array_sum(array_column($found, 'num_hits')),
        $info['num_entries'] === count($found), $sizes === array_sum(array_column($info['cache_list'], 'mem_size')),
    ]), "\n";
}

compare('empty');
for ($i = 0; $i < 1000; $i++) {
    apcu_store("key $i", [1, 1.5, true, null, str_repeat('v', $i % 100), [$i]][$i % 6]);
}
apcu_fetch('key 4');
compare('stored');
var_dump(apcu_cache_info(true)['mem_size'] === (float) (new APCUIterator)->getTotalSize());
apcu_store('short', 'v', 1);
compare('one that ends');
sleep(3);
compare('ended');
apcu_store('large', str_repeat('v', 2_000_000));
compare('large');
apcu_clear_cache();
compare('cleared');
--EXPECT--
empty: [0,true,true,true,true,true]
stored: [1000,true,true,true,true,true]
bool(true)
one that ends: [1001,true,true,true,true,true]
ended: [1000,true,true,true,true,true]
large: [1001,true,true,true,true,true]
cleared: [0,true,true,true,true,true]
