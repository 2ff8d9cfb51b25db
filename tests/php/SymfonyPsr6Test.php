<?php
// The PSR-6 suite of Debian's php-cache-integration-tests against Symfony's own, unmodified adapter for apcu_*.

require_once 'Cache/IntegrationTests/autoload.php';
require_once 'Symfony/Component/Cache/autoload.php';

final class SymfonyPsr6Test extends Cache\IntegrationTests\CachePoolTest
{
    public function createCachePool()
    {
        return new Symfony\Component\Cache\Adapter\ApcuAdapter('psr6');
    }
}
