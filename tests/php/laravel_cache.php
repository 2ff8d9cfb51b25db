<?php
// Debian's unmodified Illuminate\Cache (Laravel's cache) on its Memcached store: one line for each thing an application does with it.
// Words: HOST PORT.

require_once 'Illuminate/Cache/autoload.php';

use Illuminate\Cache\{MemcachedConnector, MemcachedStore, RateLimiter, Repository};

function show(string $what, mixed $value): void
{
    echo $what, ': ', str_replace("\n", ' ', var_export($value, true)), "\n";
}

[, $host, $port] = $argv;
$servers = [['host' => $host, 'port' => (int) $port, 'weight' => 100]];
$options = [Memcached::OPT_LIBKETAMA_COMPATIBLE => true, Memcached::OPT_CONNECT_TIMEOUT => 2000];
$store = new MemcachedStore((new MemcachedConnector())->connect($servers, 'laravel', $options), 'shop');
$again = (new MemcachedConnector())->connect($servers, 'laravel', $options);
show('servers of a persistent id', count($again->getServerList()));
$cache = new Repository($store);

show('flush', $cache->flush());
show('get of nothing', $cache->get('nothing'));
show('default', $cache->get('nothing', 'default'));
foreach (['text' => 'hello', 'number' => 42, 'float' => 0.5, 'yes' => true, 'no' => false, 'list' => ['a' => [1, 2]], 'object' => new ArrayObject([1]), 'long' => str_repeat('abc', 2000), 'empty' => ''] as $key => $value) {
    show("put $key", $cache->put($key, $value, 600));
    show("get $key is the same", $cache->get($key) == $value && gettype($cache->get($key)) === gettype($value));
    show("has $key", $cache->has($key));
}
show('put for ever', $cache->forever('for-ever', 1));
show('put for no time', $cache->put('text', 'gone', 0));
show('get', $cache->get('text'));
show('add', [$cache->add('added', 1, 600), $cache->add('added', 2, 600), $cache->get('added')]);
show('count', [$cache->put('count', 1, 600), $cache->increment('count'), $cache->increment('count', 5), $cache->decrement('count', 2), $cache->get('count')]);
show('count nothing', $cache->increment('nothing'));
show('put many', $cache->putMany(['one' => 1, 'two' => [2], 'three' => 'drei'], 600));
show('many', $cache->many(['one', 'nothing', 'three', 'two']));
show('remember', [$cache->remember('made', 600, fn() => 'made once'), $cache->remember('made', 600, fn() => 'made twice')]);
show('pull', [$cache->pull('made'), $cache->get('made')]);
show('forget', [$cache->forget('one'), $cache->forget('one')]);
show('a month and a day', [$cache->put('long-lived', 1, 31 * 86400), $cache->get('long-lived')]);
show('array access', [$cache['two'], isset($cache['nothing'])]);

$people = $cache->tags(['people', 'artists']);
$others = $cache->tags(['people', 'authors']);
show('tagged', [$people->put('Ada', 1, 600), $others->put('Ben', 2, 600), $people->get('Ada'), $others->get('Ada'), $cache->get('Ada')]);
show('flush a tag', [$cache->tags(['artists'])->flush(), $people->get('Ada'), $others->get('Ben')]);

$mine = $cache->lock('printer', 60);
$yours = $cache->lock('printer', 60);
show('lock', [$mine->get(), $yours->get(), $yours->release(), $yours->get()]);
show('release', [$mine->release(), $yours->get(), $cache->restoreLock('printer', $yours->owner())->release()]);
show('lock with work', [$cache->lock('work', 60)->get(fn() => 'done'), $cache->lock('work', 60)->get(fn() => 'done again')]);

$limiter = new RateLimiter($cache);
show('rate', array_map(fn() => $limiter->attempt('login', 3, fn() => 'in', 60), range(1, 5)));
show('left', [$limiter->remaining('login', 3), $limiter->tooManyAttempts('login', 3), $limiter->clear('login'), $limiter->remaining('login', 3)]);

show('result of a bad key', [$store->get('with space'), $store->getMemcached()->getResultCode(), $store->getMemcached()->getResultMessage()]);
show('flush', [$cache->flush(), $cache->get('two'), $cache->get('for-ever')]);
