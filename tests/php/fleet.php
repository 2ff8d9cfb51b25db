<?php
/*
 * A host of a mixed fleet: it stores, changes and reads items with either provider of the classes. Orders are lines of JSON
 * on standard input, with one answer each: {"cell": "result", …}. The test gives the same order to the originals and to ours
 * and compares the answers. A cell is a value and an operation; its key begins with the writer and the host of the operation.
 */
error_reporting(E_ALL);
require __DIR__ . '/fleet_values.php';

const MAKERS = ['o', 'l'];

$said = [];
/* Without pointers, places and the names of two versions of one class. */
function plain(string $text): string
{
    return preg_replace(['/\(0x\w+\) (.*?)(\(.*?\))?,  host: .*/', '/Server \S+ \(tcp \S+, udp \S+\)/', '/\d+\.\d+\.\d+\.\d+:\d+|\S*\/socket\S*/'], ['$1', 'Server S', 'PLACE'], $text);
}
set_error_handler(function (int $number, string $text) use (&$said): bool {
    if (!str_starts_with($text, 'Creation of dynamic property')) {
        $said[] = '[' . $number . '] ' . plain($text);
    }
    return true;
});

/** Any value as a short text; equal values have equal texts. */
function shown(mixed $value): string
{
    try {
        $text = is_string($value) ? "'$value'" : (is_scalar($value) || $value === null ? var_export($value, true) : serialize($value));
    } catch (Throwable $thrown) {
        $text = get_debug_type($value) . ' ' . $thrown->getMessage();
    }
    return preg_match('/^[\x20-\x7e]{0,80}$/', $text) ? $text : substr(preg_replace('/[^\x20-\x7e]/', '.', substr($text, 0, 60)), 0, 40) . '… ' . strlen($text) . ' bytes, ' . substr(md5($text), 0, 8);
}

/** The result, exception and warnings of a call. */
function seen(callable $call): string
{
    global $said;
    $said = [];
    try {
        $text = shown($call());
    } catch (Throwable $thrown) {
        $text = get_class($thrown) . ': ' . plain($thrown->getMessage());
    }
    return implode(' ', [$text, ...$said]);
}

/** Messages about undecodable values differ between serializers and extensions: only the fact counts. */
function is_damaged(string $seen): bool
{
    return str_contains($seen, 'unserialize');
}

/** The three families of calls that a host has, with the same methods. */
abstract class Host
{
    public function __construct(protected array $config) {}
    /** Stores one value. */
    abstract public function write(string $key, mixed $value): string;
    /** Runs the operation $work on the item. */
    abstract public function work(string $key, string $work): string;
    abstract public function read(string $key): string;
    /** The cells whose results differ when they are read at once. $read has the results of read(), $cells the number of each key. */
    public function many(array $read, array $cells): string
    {
        return '';
    }
}

class MemcachedHost extends Host
{
    private Memcached $m;

    public function __construct(array $config)
    {
        parent::__construct($config);
        $this->m = isset($config['words']) ? new Memcached(null, null, $config['words']) : new Memcached();
        foreach ($config['steps'] as [$step, $name, $value]) {
            match ($step) {
                'option' => $this->m->setOption(self::constant($name), is_string($value) && !str_starts_with($name, 'OPT_PREFIX') ? self::constant($value) : $value),
                'options' => $this->m->setOptions(array_combine(array_map(self::constant(...), array_keys($value)), array_values($value))),
                'server' => $this->m->addServer(...$value),
                'servers' => $this->m->addServers($value),
                'bucket' => $this->m->setBucket(...$value),
            };
        }
    }

    private static function constant(string $name): mixed
    {
        return constant("Memcached::$name");
    }

    private function result(callable $call): string
    {
        $seen = seen($call);
        return is_damaged($seen) ? 'damaged' : $seen . ' ' . $this->m->getResultCode();
    }

    public function write(string $key, mixed $value): string
    {
        $group = $this->config['group'] ?? null;
        return match ($this->config['how'] ?? 'one') {
            'one' => $this->result(fn() => $group === null ? $this->m->set($key, $value, 1000) : $this->m->setByKey($group . $key, $key, $value, 1000)),
            'many' => $this->result(fn() => $group === null ? $this->m->setMulti([$key => $value], 1000) : $this->m->setMultiByKey($group . $key, [$key => $value], 1000)),
            'add' => $this->result(fn() => $group === null ? $this->m->add($key, $value, 1000) : $this->m->addByKey($group . $key, $key, $value, 1000)),
            'flagged' => $this->result(fn() => $this->m->set($key, $value, 1000, 0x5a5a)),
        };
    }

    public function work(string $key, string $work): string
    {
        $group = $this->config['group'] ?? null;
        $call = function (string $name, mixed ...$more) use ($group, $key) {
            return $this->result(fn() => $group === null ? $this->m->$name($key, ...$more) : $this->m->{$name . 'ByKey'}($group . $key, $key, ...$more));
        };
        [$what, $with] = explode(' ', $work, 2) + [1 => ''];
        switch ($what) {
            case 'append':
            case 'prepend':
                return $call($what, $with);
            case 'replace':
            case 'add':
            case 'set':
                return $call($what, value($with), 1000);
            case 'inc':
                return $call('increment', (int) $with);
            case 'dec':
                return $call('decrement', (int) $with);
            case 'cas':
                $got = $group === null ? $this->m->get($key, null, Memcached::GET_EXTENDED) : $this->m->getByKey($group . $key, $key, null, Memcached::GET_EXTENDED);
                $token = $got['cas'] ?? 0;
                return $this->result(fn() => $group === null ? $this->m->cas($token, $key, value($with), 1000) : $this->m->casByKey($token, $group . $key, $key, value($with), 1000));
            case 'stale':
                $got = $group === null ? $this->m->get($key, null, Memcached::GET_EXTENDED) : $this->m->getByKey($group . $key, $key, null, Memcached::GET_EXTENDED);
                $call('set', value($with), 1000);
                return $this->result(fn() => $group === null ? $this->m->cas($got['cas'] ?? 0, $key, 'lost') : $this->m->casByKey($got['cas'] ?? 0, $group . $key, $key, 'lost'));
            case 'touch':
            case 'delete':
                return $call($what, (int) $with);
            case 'make':
                return $this->result(fn() => $group === null ? $this->m->increment("$key.made", 3, (int) $with, 1000) : $this->m->incrementByKey($group . $key, "$key.made", 3, (int) $with, 1000))
                    . $this->result(fn() => $group === null ? $this->m->get("$key.made") : $this->m->getByKey($group . $key, "$key.made"));
        }
        throw new LogicException("no work '$work'");
    }

    public function read(string $key): string
    {
        $group = $this->config['group'] ?? null;
        return $this->result(function () use ($key, $group) {
            $got = $group === null ? $this->m->get($key, null, Memcached::GET_EXTENDED) : $this->m->getByKey($group . $key, $key, null, Memcached::GET_EXTENDED);
            return is_array($got) ? [$got['value'], $got['flags'], $got['cas'] > 0] : $got;
        });
    }

    public function many(array $read, array $cells): string
    {
        if (isset($this->config['group'])) {
            return '';
        }
        $keys = array_map(strval(...), array_keys($read));
        $told = seen(function () use ($keys, $read, $cells) {
            $got = $this->m->getMulti($keys, Memcached::GET_EXTENDED | Memcached::GET_PRESERVE_ORDER);
            $differ = [];
            foreach ($read as $key => $one) {
                $item = $got[$key] ?? null;
                $many = is_array($item) ? shown([$item['value'], $item['flags'], $item['cas'] > 0]) . ' 0' : 'false';
                if (!str_starts_with($one === 'damaged' ? 'false' : $one, $many)) {
                    $differ[] = $cells[$key];
                }
            }
            return implode(' ', [implode(',', array_keys($got ?: [])) === implode(',', $keys) ? 'in order' : 'in another order', ...$differ]);
        });
        return is_damaged($told) ? preg_replace('/ \[2\].*/', '', $told) : $told . ' ' . $this->m->getResultCode();
    }
}

class MemcacheHost extends Host
{
    private MemcachePool $m;

    public function __construct(array $config)
    {
        parent::__construct($config);
        $this->m = new ($config['class'] === 'functions' ? 'Memcache' : $config['class']);
        foreach ($config['steps'] as [$step, $value]) {
            $this->call($step, $value);
        }
    }

    /** A method, or the function of that name. */
    private function call(string $name, array $words): mixed
    {
        static $functions = ['addServer' => 'add_server', 'setCompressThreshold' => 'set_compress_threshold'];
        return $this->config['class'] === 'functions' ? ('memcache_' . ($functions[$name] ?? $name))($this->m, ...$words) : $this->m->$name(...$words);
    }

    public function write(string $key, mixed $value): string
    {
        $flags = $this->config['flags'] ?? 0;
        return match ($this->config['how'] ?? 'one') {
            'one' => seen(fn() => $this->call('set', [$key, $value, $flags, 1000])),
            'many' => seen(fn() => $this->m->set([$key => $value], null, $flags, 1000)),
            'add' => seen(fn() => $this->call('add', [$key, $value, $flags, 1000])),
        };
    }

    public function work(string $key, string $work): string
    {
        [$what, $with] = explode(' ', $work, 2) + [1 => ''];
        $flags = $this->config['flags'] ?? 0;
        switch ($what) {
            case 'append':
            case 'prepend':
                return seen(fn() => $this->call($what, [$key, $with]));
            case 'replace':
            case 'add':
            case 'set':
                return seen(fn() => $this->call($what, [$key, value($with), $flags, 1000]));
            case 'inc':
                return seen(fn() => $this->call('increment', [$key, (int) $with]));
            case 'dec':
                return seen(fn() => $this->call('decrement', [$key, (int) $with]));
            case 'cas':
            case 'stale':
                $had = $token = null;
                @$this->m->get($key, $had, $token);
                $token = is_int($token) ? $token : 0;
                if ($what === 'stale') {
                    $this->call('set', [$key, value($with), $flags, 1000]);
                }
                return seen(fn() => $this->call('cas', [$key, value($with), $flags, 1000, $token]));
            case 'delete':
                return seen(fn() => $this->call($what, [$key]));
            case 'make':
                return seen(fn() => $this->call('increment', ["$key.made", 3, (int) $with, 1000])) . seen(fn() => $this->call('get', ["$key.made"]));
            case 'touch':
                return '';
        }
        throw new LogicException("no work '$work'");
    }

    public function read(string $key): string
    {
        return seen(function () use ($key) {
            $flags = $cas = null;
            $value = $this->config['class'] === 'functions' ? memcache_get($this->m, $key, $flags, $cas) : $this->m->get($key, $flags, $cas);
            return [$value, $flags, $cas > 0];
        });
    }

    public function many(array $read, array $cells): string
    {
        $keys = array_map(strval(...), array_keys($read));
        return seen(function () use ($keys, $read, $cells) {
            $flags = $cas = null;
            $got = $this->m->get($keys, $flags, $cas);
            $differ = [];
            foreach ($read as $key => $one) {
                $many = shown(array_key_exists($key, $got) ? [$got[$key], $flags[$key], $cas[$key] > 0] : [false, null, false]);
                if (!str_starts_with($one, $many)) {
                    $differ[] = $cells[$key];
                }
            }
            return implode(' ', $differ);
        });
    }
}

class RedisHost extends Host
{
    private Redis $r;

    public function __construct(array $config)
    {
        parent::__construct($config);
        $this->r = new Redis();
        $this->r->connect(...$config['at']);
        foreach ($config['options'] as $name => $value) {
            $this->r->setOption(constant("Redis::OPT_$name"), is_string($value) && defined("Redis::$value") ? constant("Redis::$value") : $value);
        }
    }

    public function write(string $key, mixed $value): string
    {
        return seen(fn() => match ($this->config['kind']) {
            'string' => $this->r->set($key, $value, 1000),
            'setnx' => $this->r->setnx($key, $value),
            'mset' => $this->r->mset([$key => $value]),
            'hash' => [$this->r->hSet($key, 'field', $value), $this->r->hMSet($key, ['other' => $value, 'number' => 5])],
            'list' => $this->r->rPush($key, $value, 'last', $value),
            'set' => $this->r->sAdd($key, $value),
            'zset' => [$this->r->zAdd($key, 1.5, $value), $this->r->zScore($key, $value)],
            'pipeline' => $this->r->pipeline()->set($key, $value)->expire($key, 1000)->exec(),
            'multi' => $this->r->multi()->set($key, $value)->hSet("$key.h", 'f', $value)->exec(),
        });
    }

    public function work(string $key, string $work): string
    {
        [$what, $with] = explode(' ', $work, 2) + [1 => ''];
        return seen(fn() => match ($what) {
            'append' => $this->r->append($key, $with),
            'incr' => $this->r->incrBy($key, (int) $with),
            'incrByFloat' => $this->r->incrByFloat($key, (float) $with),
            'set' => $this->r->set($key, value($with), ['xx', 'keepttl']),
            'getset' => $this->r->getset($key, value($with)),
            'get' => $this->r->set($key, value($with), ['get']),
            'rename' => [$this->r->rename($key, "$key.new"), $this->r->rename("$key.new", $key)],
            'watch' => [$this->r->watch($key), $this->r->multi()->set($key, value($with))->exec()],
            'push' => $this->r->rPush($key, value($with)),
            'field' => $this->r->hSet($key, 'field', value($with)),
            'count' => $this->r->hIncrBy($key, 'number', (int) $with),
            'member' => [$this->r->zAdd($key, 3, value($with)), $this->r->sAdd($key, value($with))],
            'delete' => $this->r->del($key),
        });
    }

    public function read(string $key): string
    {
        $seen = seen(fn() => match ($this->r->type($key)) {
            Redis::REDIS_STRING => [$this->r->get($key), $this->r->ttl($key) > 0],
            Redis::REDIS_HASH => [$this->r->hGetAll($key), $this->r->hMGet($key, ['field', 'none']), $this->r->hGet($key, 'other')],
            Redis::REDIS_LIST => [$this->r->lRange($key, 0, -1), $this->r->lIndex($key, 0)],
            Redis::REDIS_SET => $this->r->sMembers($key),
            // Without scores: the original crashes if a member is not a string.
            Redis::REDIS_ZSET => array_map(fn($member) => [$member, $this->r->zScore($key, $member)], $this->r->zRange($key, 0, -1)),
            Redis::REDIS_NOT_FOUND => 'nothing',
        });
        return is_damaged($seen) ? 'damaged' : $seen;
    }
}

/** Sessions: each cell is a visitor. */
class SessionHost extends Host
{
    /** A request: it ends with its operation on the session, or, if that failed, without a write. */
    private function visit(string $id, callable $do): string
    {
        $seen = seen(function () use ($id, $do) {
            try {
                $_SESSION = [];
                session_id($id);
                $began = session_start();
                $answer = $began ? $do() : 'no session';
                return [$began, $answer, session_status() === PHP_SESSION_ACTIVE && session_write_close()];
            } finally {
                if (session_status() === PHP_SESSION_ACTIVE) {
                    session_abort();
                }
            }
        });
        // The reason of a failed write differs between extensions.
        return preg_replace('/ \[\d\] \w+\(\): (error saving session|Server S failed|Write of lock failed).*?(?= \[\d\]|$)/', '', $seen);
    }

    public function write(string $key, mixed $value): string
    {
        return $this->visit($key, function () use ($value) {
            $_SESSION['value'] = $value;
        });
    }

    public function work(string $key, string $work): string
    {
        return match ($work) {
            'look' => $this->visit($key, fn() => null),
            'count' => $this->visit($key, fn() => $_SESSION['count'] = ($_SESSION['count'] ?? 0) + 1),
            'grow' => $this->visit($key, fn() => strlen($_SESSION['more'] = str_repeat('more ', 9000))),
            'shrink' => $this->visit($key, fn() => $_SESSION = ['value' => 1]),
            'empty' => $this->visit($key, fn() => $_SESSION = []),
            'destroy' => $this->visit($key, fn() => session_destroy()),
            'regenerate' => $this->visit($key, fn() => session_regenerate_id(true)),
        };
    }

    public function read(string $key): string
    {
        return $this->visit($key, fn() => $_SESSION);
    }
}

/** The writer and the host of the operation ("-": none), and the number of the cell. */
function key_of(array $config, string $writer, string $worker, int $number): string
{
    return ($config['keys'] ?? '') . "$writer$worker" . ($config['separator'] ?? '.') . $number . ($config['tail'] ?? '');
}

function answer(array $order): array
{
    $config = $order['config'];
    foreach ($config['ini'] ?? [] as $name => $value) {
        ini_set($name, $value);
    }
    foreach ($config['request'] ?? [] as $name => $value) {
        $_SERVER[$name] = $value;
    }
    $class = $config['host'] . 'Host';
    global $said;
    $said = [];
    $host = new $class($config);
    $seen = $said ? ['making the client' => implode(' ', $said)] : [];
    $me = $order['me'];
    foreach ($order['do'] === 'write' ? [$me] : MAKERS as $writer) {
        foreach ($order['do'] === 'work' ? [$me] : ['-', ...MAKERS] as $worker) {
            $read = $cells = [];
            foreach ($config['cells'] as $number => [$value, $work]) {
                if (($worker === '-') !== ($work === '')) {
                    continue;
                }
                $key = key_of($config, $writer, $worker, $number);
                $cells[$key] = $number;
                $seen["$writer$worker.$number"] = $read[$key] = match ($order['do']) {
                    'write' => $host->write($key, value($value)),
                    'work' => $host->work($key, $work),
                    'read' => $host->read($key),
                };
            }
            if ($order['do'] === 'read' && ($config['many'] ?? true)) {
                $seen["$writer$worker.many"] = $host->many($read, $cells);
            }
        }
    }
    unset($host);
    foreach ($config['ini'] ?? [] as $name => $value) {
        ini_restore($name);
    }
    foreach ($config['request'] ?? [] as $name => $value) {
        unset($_SERVER[$name]);
    }
    return $seen;
}

ini_set('memory_limit', '1G');
ini_set('session.use_cookies', 0);
ini_set('session.cache_limiter', '');
while (($line = fgets(STDIN)) !== false) {
    fwrite(STDOUT, json_encode((object) answer(json_decode($line, true, flags: JSON_THROW_ON_ERROR)), JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE) . "\n");
}
