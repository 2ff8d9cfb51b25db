<?php
/* The classes Memcached and MemcachePool: on an arena and over the socket of a server, with connections that outlive the request. */
require __DIR__ . '/thread.inc';

const ROUNDS = 20;

function clients(): array
{
    $clients = [];
    foreach (['arena:memcached' => 'arena', getenv('LEVERET_SOCKET') => 'socket'] as $server => $name) {
        $clients["$name/Memcached"] = $memcached = new Memcached("persistent $name");
        if (!$memcached->getServerList()) {
            $memcached->addServer($server, 0);
            $memcached->setOption(Memcached::OPT_BINARY_PROTOCOL, $name === 'socket');
        }
        $clients["$name/MemcachePool"] = $pool = new MemcachePool;
        $pool->addServer($name === 'socket' ? "unix://$server" : $server, 0);
    }
    return $clients;
}

foreach (clients() as $name => $client) {
    if ($is_last) {
        ensure((int) $client->get("$name/counted") === (int) $client->get("$name/asked"), 'a count was lost');
        continue;
    }
    for ($round = 0; $round < ROUNDS; $round++) {
        $client->add("$name/counted", 0);
        $client->increment("$name/counted");
        if ($round === 0) {
            $client->add("$name/asked", 0);
            $client->increment("$name/asked", ROUNDS);
        }
        $own = "$name/$thread";
        ensure($client->set($own, value_of($own, $round)), "$own was not stored");
        ensure(version_in($client->get($own), $own) === $round, 'not the newest version');
        $shared = "$name/shared";
        $client->set($shared, value_of($shared, $round));
        version_in($client->get($shared), $shared);
        $keys = [$own, $shared, "$own/none"];
        $found = $client instanceof Memcached ? $client->getMulti($keys) : $client->get($keys);
        ensure(count($found) === 2 && version_in($found[$own], $own) === $round, 'getMulti() has missed an item');
    }
}
