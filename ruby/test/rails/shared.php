<?php
// The same counter and the same list as /shared of the Rails application.
$cache = new Leveret\Cache();
$list = $cache->remember('list', null, fn () => [['name' => 'by PHP', 'price' => 2.5]]);
echo json_encode(['count' => $cache->increment('shared'), 'list' => $list]);
