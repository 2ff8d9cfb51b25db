<?php
// The storing program of the well-known comparison of PHP's two modules: each key is an md5, each value a number.
// Words: CLASS HOST PORT COUNT.

[, $class, $host, $port, $count] = $argv;
$cache = new $class();
$cache->addServer($host, (int) $port);
$cache->flush();

$stored = 0;
for ($i = 0; $i < $count; $i++) {
    $stored += (int) ($class === 'Memcached' ? $cache->set(md5($i), crc32($i), 1800) : $cache->set(md5($i), crc32($i), 0, 1800));
}
echo json_encode(['stored' => $stored]);
