<?php
// The loading program: every key once, and one that was never stored. Words: CLASS HOST PORT COUNT.

[, $class, $host, $port, $count] = $argv;
$cache = new $class();
$cache->addServer($host, (int) $port);

$right = 0;
for ($i = 0; $i < $count; $i++) {
    $right += (int) ($cache->get(md5($i)) === crc32($i));
}
$stats = $cache->getStats();
$stats = $class === 'Memcached' ? reset($stats) : $stats;
echo json_encode(['right' => $right, 'miss' => $cache->get(md5($count)), 'items' => (int) $stats['curr_items']]);
