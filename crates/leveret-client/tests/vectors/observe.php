<?php
/* Stores each key of standard input through php-memcached or php-memcache: observe.php CLIENT MODE HOST|PORT|WEIGHT...
   Ends with status 3 if this build has not the hash. */
[, $client, $mode] = $argv;
$servers = array_map(fn ($word) => explode('|', $word), array_slice($argv, 3));
$keys = explode("\n", stream_get_contents(STDIN));
$words = explode('+', $mode);

if ($client === 'php-memcached') {
    // HASH_* by name; libmemcached has jenkins too (9), and PHP hands the number on.
    $hashes = ['default' => 0, 'md5' => 1, 'crc' => 2, 'fnv1_64' => 3, 'fnv1a_64' => 4, 'fnv1_32' => 5, 'fnv1a_32' => 6, 'hsieh' => 7, 'murmur' => 8, 'jenkins' => 9];
    $hash = isset($words[1], $hashes[$words[1]]) ? $hashes[$words[1]] : null;
    $cache = new Memcached();
    $set = function (int $option, mixed $value) use ($cache): void {
        if (!@$cache->setOption($option, $value)) {
            exit(3);
        }
    };
    // The text protocol of php-memcached refuses bytes above 127, the binary one shows how they are hashed.
    $set(Memcached::OPT_BINARY_PROTOCOL, !in_array('eject', $words));
    switch ($words[0]) {
        case 'modula':
            $set(Memcached::OPT_HASH, $hash);
            break;
        case 'consistent':
            $set(Memcached::OPT_DISTRIBUTION, Memcached::DISTRIBUTION_CONSISTENT);
            $set(Memcached::OPT_HASH, $hash);
            break;
        case 'compatible':
            $set(Memcached::OPT_LIBKETAMA_COMPATIBLE, true);
            if ($hash !== null) {
                $set(Memcached::OPT_HASH, $hash);
            }
            break;
        case 'ketamahash':
            $set(Memcached::OPT_DISTRIBUTION, Memcached::DISTRIBUTION_CONSISTENT);
            $set(Memcached::OPT_LIBKETAMA_HASH, $hash);
            break;
    }
    if (in_array('eject', $words)) {
        $set(Memcached::OPT_REMOVE_FAILED_SERVERS, true);
        $set(Memcached::OPT_SERVER_FAILURE_LIMIT, 1);
        $set(Memcached::OPT_RETRY_TIMEOUT, 60);
    }
    foreach ($servers as [$host, $port, $weight]) {
        $cache->addServer($host, (int) $port, (int) $weight);
    }
    if (in_array('eject', $words)) {
        // Failures are noticed key by key; then the ring stands still.
        for ($round = 0; $round < 3; $round++) {
            foreach ($keys as $key) {
                $cache->get($key);
            }
        }
    }
    foreach ($keys as $key) {
        $cache->set($key, 'x');
    }
} else {
    ini_set('memcache.hash_strategy', $words[0]);
    ini_set('memcache.hash_function', $words[1]);
    $cache = new MemcachePool();
    foreach ($servers as [$host, $port, $weight]) {
        $cache->addServer($port === '0' ? "unix://$host" : $host, (int) $port, 0, false, (int) $weight, 1.0, 60);
    }
    foreach ($keys as $key) {
        @$cache->set($key, 'x');
    }
}
