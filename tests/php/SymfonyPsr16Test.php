<?php
// The PSR-16 suite of Debian's php-cache-integration-tests against Symfony's own, unmodified adapter for apcu_*.

require_once 'Cache/IntegrationTests/autoload.php';
require_once 'Psr/SimpleCache/autoload.php';
require_once 'Symfony/Component/Cache/autoload.php';

final class SymfonyPsr16Test extends Cache\IntegrationTests\SimpleCacheTest
{
    public function createSimpleCache()
    {
        return new Symfony\Component\Cache\Psr16Cache(new Symfony\Component\Cache\Adapter\ApcuAdapter('psr16'));
    }
}
