<?php
// Runs within a site, where it shares that site's cache: how many reads its main cache has answered. host, port: not of APCu.
if (extension_loaded('leveret') !== (bool) $_GET['ours'] || !opcache_get_status(false)['opcache_enabled']) {
    exit('this is not the PHP that was to be measured');
}
if ($_GET['host'] === '') {
    exit((string) (int) apcu_cache_info(true)['num_hits']);
}
$cache = new Memcached();
$cache->addServer($_GET['host'], (int) $_GET['port']);
echo array_sum(array_column($cache->getStats(), 'get_hits'));
