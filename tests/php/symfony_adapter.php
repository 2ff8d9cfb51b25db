<?php
// Which of Symfony's own, unmodified adapters a suite runs on: the setting `test.cache` is `apcu` or a data source name of memcached.

require_once 'Symfony/Component/Cache/autoload.php';

use Symfony\Component\Cache\Adapter\{AdapterInterface, ApcuAdapter, MemcachedAdapter};

function symfony_adapter(string $namespace): AdapterInterface
{
    $cache = get_cfg_var('test.cache');
    return $cache === 'apcu' ? new ApcuAdapter($namespace) : new MemcachedAdapter(MemcachedAdapter::createConnection($cache), $namespace);
}
