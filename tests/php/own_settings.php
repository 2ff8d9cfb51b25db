<?php
// What a site finds that others have left, and which of its classes it may have back. Then it leaves something itself.
final class One
{
}

final class Two
{
}

$name = $_GET['site'];
$cache = new Leveret\Cache('shop');
session_id('the-same-one');
session_start();
$pool = new MemcachePool();
$pool->addServer('arena:pool');
$kept = new Memcached('kept');
$kept->getServerList() || $kept->addServer('arena:kept', 0);
echo json_encode([
    'apcu' => apcu_fetch('owner'),
    'cache' => $cache->get('owner'),
    'session' => $_SESSION['owner'] ?? null,
    'pool' => $pool->get('owner'),
    'kept' => $kept->get('owner'),
    'classes' => array_map('get_class', [$cache->set('one', new One) ? $cache->get('one') : null, $cache->set('two', new Two) ? $cache->get('two') : null]),
]);
apcu_store('owner', $name);
$cache->set('owner', $name);
$_SESSION['owner'] = $name;
$pool->set('owner', $name);
$kept->set('owner', $name);
