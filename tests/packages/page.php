<?php
// Every API once: its provider and the answer.
require __DIR__ . '/support.php';

apcu_store('by-apcu', ['k' => 'value']);
$cache = new Leveret\Cache('page');
$cache->set('by-cache', 'value');
$memcache = new Memcache;
$memcache->addServer('unix:///run/leveret/test', 0);
$server = server();
if ($server) {
    $server->set('by-memcached', 'from PHP');
    assert($memcache->get('by-memcached') === 'from PHP');
}
printf(
    "page: apcu=%s memcached=%s memcache=%s cache=%s server=%s\n",
    apcu_fetch('by-apcu') === ['k' => 'value'] ? who('apcu') : 'lost',
    who('memcached'),
    who('memcache'),
    $cache->get('by-cache'),
    $server ? ($server->get('by-memcached') === 'from PHP' ? 'value' : 'lost') : 'none',
);
