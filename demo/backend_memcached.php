<?php
// Class Memcached over a Unix socket to a memcached that demo/run has started, its fastest way but multi-key calls.

function open_backend(string $folder): void
{
    global $memcached;
    $memcached = new Memcached();
    $memcached->addServer("$folder/memcached.sock", 0);
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
    return implode(array_unique($memcached->getVersion()));
}
