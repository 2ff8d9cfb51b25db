<?php
// WordPress's object cache on the class Memcache. Servers are parsed as wp-memcached parses $memcached_servers: "unix://" and a
// path is passed unchanged, others are split at the colons, and a port of 0 or none becomes the default one.

function wp_cache_init(): void
{
    $GLOBALS['wp_object_cache'] = new Objects($GLOBALS['memcached_servers']);
}

function wp_cache_get($key, $group = '', $force = false, &$found = null)
{
    return $GLOBALS['wp_object_cache']->get($key, $group, $force, $found);
}

function wp_cache_set($key, $data, $group = '', $expire = 0) { return $GLOBALS['wp_object_cache']->store('set', $key, $data, $group, $expire); }
function wp_cache_add($key, $data, $group = '', $expire = 0) { return $GLOBALS['wp_object_cache']->store('add', $key, $data, $group, $expire); }
function wp_cache_replace($key, $data, $group = '', $expire = 0) { return $GLOBALS['wp_object_cache']->store('replace', $key, $data, $group, $expire); }
function wp_cache_delete($key, $group = '') { return $GLOBALS['wp_object_cache']->delete($key, $group); }
function wp_cache_incr($key, $offset = 1, $group = '') { return $GLOBALS['wp_object_cache']->count($key, $offset, $group); }
function wp_cache_flush() { return $GLOBALS['wp_object_cache']->flush(); }
function wp_cache_close() { return true; }
function wp_cache_add_global_groups($groups): void {}
function wp_cache_add_non_persistent_groups($groups): void {}

class Objects
{
    public array $failures = [];
    private array $known = [];
    private Memcache $servers;

    public function __construct(array $servers)
    {
        $this->servers = new Memcache();
        foreach ($servers as $server) {
            [$host, $port] = str_starts_with($server, 'unix://') ? [$server, 0] : explode(':', $server);
            $port = str_starts_with($server, 'unix://') ? 0 : ((int) $port ?: (int) ini_get('memcache.default_port'));
            $this->servers->addServer($host, $port, true, 1, 1, 15, true, function ($host, $port) { $this->failures[] = "$host:$port"; });
            $this->servers->setCompressThreshold(20000, 0.2);
        }
    }

    public function get($key, string $group, bool $force, ?bool &$found)
    {
        $name = "wp:$group:$key";
        if (!$force && array_key_exists($name, $this->known)) {
            $found = true;
            return $this->known[$name];
        }
        $flags = false;
        $value = $this->servers->get($name, $flags);
        $found = $flags !== false;
        return $found ? $this->known[$name] = $value : false;
    }

    public function store(string $how, $key, $data, string $group, $expire): bool
    {
        $name = "wp:$group:$key";
        $is_stored = $this->servers->$how($name, $data, 0, (int) $expire);
        if ($is_stored) {
            $this->known[$name] = $data;
        }
        return $is_stored;
    }

    public function delete($key, string $group): bool
    {
        unset($this->known["wp:$group:$key"]);
        return $this->servers->delete("wp:$group:$key");
    }

    public function count($key, int $offset, string $group)
    {
        unset($this->known["wp:$group:$key"]);
        return $this->servers->increment("wp:$group:$key", $offset);
    }

    public function flush(): bool
    {
        $this->known = [];
        return $this->servers->flush();
    }
}
