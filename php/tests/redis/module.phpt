--TEST--
The module redis: loaded, version 6.2.0, classes, exceptions, refused constructors and settings with their defaults
--INI--
leveret.provide=redis
--FILE--
<?php
require __DIR__ . '/../start.inc';

var_dump(extension_loaded('redis'), phpversion('redis'), get_parent_class('RedisException'), get_parent_class('RedisClusterException'));
foreach (['Redis' => 257, 'RedisSentinel' => 12] as $class => $least) {
    var_dump(count(get_class_methods($class)) >= $least);
}
foreach ([fn() => new RedisArray(['a']), fn() => new RedisCluster('a')] as $make) {
    try {
        $make();
    } catch (Exception $e) {
        echo get_class($e), ': ', $e->getMessage(), "\n";
    }
}
$settings = ini_get_all('redis', false);
var_dump(count($settings), $settings['redis.session.lock_retries'], $settings['redis.pconnect.pooling_enabled']);

$redis = new Redis();
var_dump($redis->getLastError(), $redis->getMode(), $redis->isConnected());
var_dump($redis->getOption(Redis::OPT_PREFIX), $redis->getOption(Redis::OPT_READ_TIMEOUT), $redis->getOption(Redis::OPT_MAX_RETRIES), $redis->getOption(99));
var_dump($redis->setOption(99, 1));
try {
    clone $redis;
} catch (Error $e) {
    echo $e->getMessage(), "\n";
}
?>
--EXPECTF--
bool(true)
string(5) "6.2.0"
string(16) "RuntimeException"
string(16) "RuntimeException"
bool(true)
bool(true)
RedisException: RedisArray is not in this version of Leveret: take redis out of leveret.provide and load the original
RedisClusterException: RedisCluster is not in this version of Leveret: take redis out of leveret.provide and load the original
int(34)
string(3) "100"
string(1) "1"
NULL
int(0)
bool(false)
NULL
float(0)
int(10)
bool(false)

Warning: Redis::setOption(): Unknown option '99' in %s on line %d
bool(false)
Trying to clone an uncloneable object of class Redis
