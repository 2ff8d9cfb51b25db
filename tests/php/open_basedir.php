<?php
// Every way in which a script can name an arena. Words: INSIDE OUTSIDE (paths of arenas), LINK (a link inside that leads out), FOLDER (outside).
// Tells of each way what came of it, as JSON: true = a value was stored and read back.

[, $inside, $outside, $link, $folder] = $argv;
set_error_handler(fn () => true);
chdir(dirname($inside));

function works(callable $call): bool
{
    try {
        return $call() === 'value';
    } catch (Leveret\Exception | MemcachedException | Error) {
        return false;
    }
}

function cache(?string $name): bool
{
    return works(function () use ($name) {
        $cache = new Leveret\Cache($name);
        $cache->set('key', 'value');
        return $cache->get('key');
    });
}

function memcached(callable $add, ?Memcached $pool = null): bool
{
    return works(function () use ($add, $pool) {
        $pool ??= new Memcached();
        $add($pool);
        $pool->set('key', 'value');
        return $pool->get('key');
    });
}

function memcache(callable $make): bool
{
    return works(function () use ($make) {
        $pool = $make();
        $pool instanceof MemcachePool && @$pool->set('key', 'value');
        return $pool instanceof MemcachePool ? @$pool->get('key') : null;
    });
}

function session(string $handler, string $path, string $directive = 'session.save_path'): bool
{
    ini_set('session.use_cookies', 0);
    ini_set('session.cache_limiter', '');
    return works(function () use ($handler, $path, $directive) {
        ini_set('session.save_handler', $handler);
        ini_set('memcache.session_save_path', '');
        // PHP looks at session.save_path itself, as if all of it were one path: of what is no absolute path, one in this folder.
        if (ini_set($directive, $path) === false) {
            return null;
        }
        session_id('an-id');
        if (!@session_start()) {
            return null;
        }
        $_SESSION['key'] = 'value';
        @session_write_close();
        $_SESSION = [];
        @session_start();
        $value = $_SESSION['key'] ?? null;
        session_destroy();
        return $value;
    });
}

function with(MemcachePool $pool, callable $call): ?MemcachePool
{
    return $call($pool) ? $pool : null;
}

function ways(string $path): array
{
    return [
        'Cache' => cache($path),
        'Memcached::addServer' => memcached(fn ($m) => $m->addServer($path, 0)),
        'Memcached::addServer unix://' => memcached(fn ($m) => $m->addServer("unix://$path", 0)),
        'Memcached::addServers' => memcached(fn ($m) => $m->addServers([[$path, 0], ["unix://$path", 0, 1]])),
        'Memcached::__construct words' => works(function () use ($path) {
            $m = new Memcached(null, null, "--SERVER=$path");
            $m->set('key', 'value');
            return $m->get('key');
        }),
        'Memcached::__construct socket' => works(function () use ($path) {
            $m = new Memcached(null, null, "--SOCKET=\"$path\"");
            $m->set('key', 'value');
            return $m->get('key');
        }),
        'persistent Memcached' => memcached(fn ($m) => $m->addServer($path, 0), new Memcached("id $path")),
        'Memcache::connect' => memcache(fn () => with(new Memcache(), fn ($m) => @$m->connect($path, 0))),
        'Memcache::connect unix://' => memcache(fn () => with(new Memcache(), fn ($m) => @$m->connect("unix://$path", 0))),
        'Memcache::pconnect' => memcache(fn () => with(new Memcache(), fn ($m) => @$m->pconnect($path, 0))),
        'Memcache::addServer' => memcache(fn () => with(new Memcache(), fn ($m) => @$m->addServer($path, 0))),
        'MemcachePool::connect' => memcache(fn () => with(new MemcachePool(), fn ($m) => @$m->connect($path, 0))),
        'MemcachePool::addServer' => memcache(fn () => with(new MemcachePool(), fn ($m) => @$m->addServer($path, 0))),
        'memcache_connect' => memcache(fn () => @memcache_connect($path, 0) ?: null),
        'memcache_pconnect' => memcache(fn () => @memcache_pconnect($path, 0) ?: null),
        'memcache_add_server' => memcache(fn () => with(new Memcache(), fn ($m) => @memcache_add_server($m, $path, 0))),
        'session memcached' => session('memcached', $path),
        'session memcached, behind another' => session('memcached', "arena:named,$path"),
        'session memcache' => session('memcache', "unix://$path"),
        'session memcache, query' => session('memcache', "$path?weight=1"),
        'session memcache, own directive' => session('memcache', "unix://$path", 'memcache.session_save_path'),
        'session memcache, file://' => session('memcache', "file://$path", 'memcache.session_save_path'),
    ];
}

// Without leveret.dir, what only has a name lies where all arenas of this user do: not for a test.
$told = !ini_get('leveret.dir') ? [] : ['inside' => ways($inside), 'outside' => ways($outside), 'link' => ways($link), 'up' => ways(dirname($inside) . '/../' . basename(dirname($outside)) . '/up.arena')];
$named = fn () => ['Cache' => cache('arena:named'), 'default' => cache(null), 'Memcached' => memcached(fn ($m) => $m->addServer('arena:named', 0)),
    'Memcache' => memcache(fn () => with(new Memcache(), fn ($m) => @$m->connect('arena:named', 0))), 'apcu' => works(fn () => apcu_store('key', 'value') ? apcu_fetch('key') : null)];
putenv("LEVERET_DIR=$folder");
$told['named, by putenv'] = $named();
if (ini_get('leveret.dir')) {
    putenv('LEVERET_DIR');
    $told['named'] = $named();
}
echo json_encode($told);
