<?php
// A page of an application: it uses the three modules, of any provider. Without one it is a fatal error, and the answer 500.
require __DIR__ . '/support.php';

$value = bin2hex(random_bytes(8));
apcu_store($value, $value, 60);
if (apcu_fetch($value) !== $value) {
    http_response_code(500);
}
$memcached = new Memcached;
$memcached->addServer(...require __DIR__ . '/circle-server.php');
$memcache = new Memcache;
$memcache->addServer('127.0.0.1', 11211);
// A server that is just being replaced stores nothing: that is a miss, never a wrong value.
if ($memcached->set($value, $value, 60) && !in_array($memcached->get($value), [$value, false], true)) {
    http_response_code(500);
}
@$memcache->set("$value-2", $value, 0, 60);
printf("page: apcu=%s memcached=%s memcache=%s\n", ...array_map('provider', ['apcu', 'memcached', 'memcache']));

function provider(string $module): string
{
    return extension_loaded('leveret') ? who($module) : 'other';
}
