<?php
/* Fifty keys at a time, as a page asks for them. What is around it is in passes.php. */
const BATCH = 50;

function set_each($cache, array $items): int
{
    $done = 0;
    foreach ($items as $key => $value) {
        $done += (int) $cache->set($key, $value);
    }
    return $done;
}

function get_each($cache, array $keys): array
{
    $found = [];
    foreach ($keys as $key) {
        $found[$key] = $cache->get($key);
    }
    return $found;
}

function pool(string $class, string $address, bool $udp = false): object
{
    $cache = new $class();
    foreach (explode(',', $address) as $server) {
        [$host, $port] = explode(':', $server);
        $udp ? $cache->addServer($host, (int) $port, (int) $port) : $cache->addServer($host, (int) $port);
    }
    return $cache;
}

/** Returns how many were stored. */
function write_all($cache, string $address, array $keys, array $values, int $pass): int
{
    $done = 0;
    foreach (array_chunk($keys, BATCH, true) as $batch) {
        $items = [];
        foreach ($batch as $number => $key) {
            $items[$key] = $values[($number + $pass) % VALUES];
        }
        $done += (int) (/*SET*/);
    }
    /*END*/
    return $done;
}

/** Returns how many values were right. */
function read_all($cache, string $address, array $keys, array $values, int $pass): int
{
    $right = 0;
    foreach (array_chunk($keys, BATCH, true) as $batch) {
        $keys = array_values($batch);
        $found = /*GET*/;
        foreach ($batch as $number => $key) {
            if (($found[$key] ?? null) === $values[($number + $pass) % VALUES]) {
                $right++;
            }
        }
    }
    return $right;
}
