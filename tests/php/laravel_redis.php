<?php
// Debian's unmodified Illuminate\Cache and Illuminate\Redis (Laravel) on php-redis: one line for each thing an application does with them. Words: HOST PORT.

require_once 'Illuminate/Cache/autoload.php';
require_once 'Illuminate/Redis/autoload.php';

use Illuminate\Cache\{RateLimiter, RedisStore, Repository};
use Illuminate\Contracts\Cache\LockTimeoutException;
use Illuminate\Redis\RedisManager;

function show(string $what, mixed $value): void
{
    echo $what, ': ', str_replace("\n", ' ', var_export($value, true)), "\n";
}

/** The manager needs nothing from the application if its drivers are its own. */
function manager(string $host, string $port): RedisManager
{
    $server = ['host' => $host, 'port' => (int) $port, 'timeout' => 5];
    $config = ['options' => ['prefix' => 'shop_'], 'default' => $server + ['database' => 0], 'cache' => $server + ['database' => 1]];
    return new RedisManager(null, 'phpredis', $config);
}

[, $host, $port] = $argv;
$redis = manager($host, $port);
$store = new RedisStore($redis, 'laravel:', 'cache');
$store->setLockConnection('default');
$cache = new Repository($store);

show('flush', [$redis->connection('default')->flushdb(), $cache->flush()]);
show('get of nothing', [$cache->get('nothing'), $cache->get('nothing', 'default')]);
foreach (['text' => 'hello', 'number' => 42, 'float' => 0.5, 'yes' => true, 'no' => false, 'list' => ['a' => [1, 2]], 'object' => new ArrayObject([1]), 'long' => str_repeat('abc', 2000), 'empty' => ''] as $key => $value) {
    show("put $key", $cache->put($key, $value, 600));
    show("get $key", $cache->get($key) == $value);
    show("has $key", $cache->has($key));
}
show('the key and its time', [$redis->connection('cache')->ttl('laravel:text') > 590, $redis->connection('default')->exists('laravel:text')]);
show('put for ever', [$cache->forever('for-ever', 1), $redis->connection('cache')->ttl('laravel:for-ever')]);
show('put for no time', [$cache->put('text', 'gone', 0), $cache->get('text')]);
show('add', [$cache->add('added', 1, 600), $cache->add('added', 2, 600), $cache->get('added'), $redis->connection('cache')->ttl('laravel:added') > 590]);
show('count', [$cache->put('count', 1, 600), $cache->increment('count'), $cache->increment('count', 5), $cache->decrement('count', 2), $cache->get('count')]);
show('count nothing', $cache->increment('nothing'));
show('put many', $cache->putMany(['one' => 1, 'two' => [2], 'three' => 'drei'], 600));
show('many', $cache->many(['one', 'nothing', 'three', 'two']));
show('remember', [$cache->remember('made', 600, fn() => 'made once'), $cache->remember('made', 600, fn() => 'made twice')]);
show('pull', [$cache->pull('made'), $cache->get('made')]);
show('forget', [$cache->forget('one'), $cache->forget('one')]);

$mine = $cache->lock('printer', 60);
$yours = $cache->lock('printer', 60);
show('lock', [$mine->get(), $yours->get(), $yours->release(), $yours->get(), $redis->connection('default')->exists('laravel:printer')]);
show('release', [$mine->release(), $yours->get(), $cache->restoreLock('printer', $yours->owner())->release()]);
show('lock with work', [$cache->lock('work', 60)->get(fn() => 'done'), $cache->lock('work', 60)->get(fn() => 'done again')]);
show('a lock without an end', [$cache->lock('for-ever')->get(), $cache->lock('for-ever')->get(), $cache->lock('for-ever')->forceRelease()]);
$short = $cache->lock('short', 1);
show('a lock ends by itself', [$short->get(), usleep(1_100_000), $cache->lock('short', 1)->get(), $short->release()]);
$cache->lock('busy', 60)->get();
try {
    $cache->lock('busy', 60)->block(1);
} catch (LockTimeoutException $e) {
    show('block', get_class($e));
}

$limiter = new RateLimiter($cache);
show('rate', array_map(fn() => $limiter->attempt('login', 3, fn() => 'in', 60), range(1, 5)));
show('left', [$limiter->remaining('login', 3), $limiter->tooManyAttempts('login', 3), $limiter->availableIn('login') > 55, $limiter->clear('login'), $limiter->remaining('login', 3)]);

show('transaction', $redis->connection('cache')->transaction(fn($tx) => $tx->set('tx', 1)->incr('tx')));
show('pipeline', $redis->connection('cache')->pipeline(fn($pipe) => $pipe->set('pipe', 1)->incr('pipe')->get('pipe')));
show('flush leaves the other', [$cache->flush(), $cache->get('two'), $redis->connection('default')->exists('laravel:busy')]);
