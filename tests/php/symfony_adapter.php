<?php
// Which of Symfony's own, unmodified adapters a suite runs on: the setting `test.cache` is `apcu` or a data source name of memcached or Redis.

require_once 'Symfony/Component/Cache/autoload.php';

use Symfony\Component\Cache\Adapter\{AdapterInterface, ApcuAdapter, MemcachedAdapter, RedisAdapter};

function symfony_adapter(string $namespace): AdapterInterface
{
    $cache = get_cfg_var('test.cache');
    return match (strtok($cache, ':')) {
        'apcu' => new ApcuAdapter($namespace),
        'redis' => new RedisAdapter(RedisAdapter::createConnection($cache), $namespace),
        default => new MemcachedAdapter(MemcachedAdapter::createConnection($cache), $namespace),
    };
}
