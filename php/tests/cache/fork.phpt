--TEST--
A forked child and its parent share the items
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$cache->set('from parent', ['p']);
$child = in_child(function () use ($cache) {
    $cache->set('from child', $cache->get('from parent'));
    $cache->increment('count', 5);
    return 7;
});
echo wait_for($child)[0], "\n";
var_dump($cache->get('from child') === ['p'], $cache->increment('count'));
?>
--EXPECT--
7
bool(true)
int(6)
