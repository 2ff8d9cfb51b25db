<?php
// The PSR-16 suite of Debian's php-cache-integration-tests against one of Symfony's adapters.

require_once 'Cache/IntegrationTests/autoload.php';
require_once 'Psr/SimpleCache/autoload.php';
require_once __DIR__ . '/symfony_adapter.php';

final class SymfonyPsr16Test extends Cache\IntegrationTests\SimpleCacheTest
{
    public function createSimpleCache()
    {
        return new Symfony\Component\Cache\Psr16Cache(symfony_adapter('psr16'));
    }
}
