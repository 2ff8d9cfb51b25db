<?php
// Class Memcached over a Unix socket to the server that demo/run has started: the fastest way of php-memcached but multi-key calls.

function open_backend(string $folder): void
{
    global $memcached;
    $memcached = new Memcached();
    $memcached->addServer("$folder/server.sock", 0);
}

function write_all(array $items): int
{
    global $memcached;
    $stored = 0;
    foreach ($items as $key => $value) {
        $stored += (int) $memcached->set($key, $value, 1800);
    }
    return $stored;
}

function read_all(array $keys, bool $strings): array
{
    global $memcached;
    $values = [];
    foreach ($keys as $key) {
        $values[$key] = $memcached->get($key);
    }
    return $values;
}

function clear_all(): void
{
    global $memcached;
    $memcached->flush();
}

function backend_version(): string
{
    global $memcached;
    [$extension, $server] = extension_loaded('leveret') ? ['leveret', '`leveret serve` through its memory'] : ['memcached', 'memcached ' . implode(array_unique($memcached->getVersion()))];
    return phpversion($extension) . " on $server";
}
