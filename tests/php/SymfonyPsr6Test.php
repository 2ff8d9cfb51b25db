<?php
// The PSR-6 suite of Debian's php-cache-integration-tests against one of Symfony's adapters.

require_once 'Cache/IntegrationTests/autoload.php';
require_once __DIR__ . '/symfony_adapter.php';

final class SymfonyPsr6Test extends Cache\IntegrationTests\CachePoolTest
{
    public function createCachePool()
    {
        return symfony_adapter('psr6');
    }
}
