--TEST--
A change of a fetched value does not change the item
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$cache->set('list', [1, 2]);
$cache->set('object', new ArrayObject([1]));
foreach ([1, 2, 3] as $round) {   // the third is served from the decoded-value cache
    $list = $cache->get('list');
    $list[] = $round;
    $object = $cache->get('object');
    $object[] = $round;
}
echo json_encode([$cache->get('list'), count($cache->get('object'))]), "\n";
?>
--EXPECT--
[[1,2],1]
