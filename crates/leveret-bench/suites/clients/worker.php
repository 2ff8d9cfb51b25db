<?php
/*
 * One client as a process that lives through all rounds: php worker.php SIDE
 *
 * SIDE is leveret (our Memcached), apcu (our apcu_*), memcached or memcache (the peers), or bare (ready-made requests over plain sockets,
 * whose answers nobody reads: what the machine needs for it, whoever the client is). It reads one JSON command a line and answers each
 * with one JSON line. {"do": "prepare", "workload", "servers", "size"} connects; {"do": "measure"} stores the keys, makes the calls and
 * tells the seconds and the processor time of a call. The answers are kept and looked at when the clock has stopped.
 */
$side = $argv[1];
$ours = str_starts_with($side, 'leveret') || $side === 'apcu';
if (extension_loaded('leveret') !== $ours) {
    fail('this is not the provider that was to be measured');
}

function fail(string $why): never
{
    fwrite(STDERR, "bench: $why\n");
    exit(70);
}

/** What differs between the classes: how servers are added, and how many keys are stored. */
abstract class Client
{
    public ?object $cache = null;

    abstract public function __construct(array $servers, array $options);

    abstract public function setMany(array $values): bool;

    abstract public function getMany(array $keys): mixed;

    abstract public function deleteMany(array $keys): mixed;

    abstract public function close(): void;

    /** What getMany() answered, by key. */
    public function values(mixed $answer): mixed
    {
        return $answer;
    }
}

final class ClientMemcached extends Client
{
    public function __construct(array $servers, array $options)
    {
        $this->cache = new Memcached();
        foreach ($options as $option => $value) {
            $this->cache->setOption($option, $value);
        }
        foreach ($servers as [$host, $port]) {
            $this->cache->addServer($host, $port);
        }
    }

    public function setMany(array $values): bool
    {
        return $this->cache->setMulti($values);
    }

    public function getMany(array $keys): mixed
    {
        return $this->cache->getMulti($keys);
    }

    public function deleteMany(array $keys): mixed
    {
        return $this->cache->deleteMulti($keys);
    }

    public function close(): void
    {
        $this->cache->quit();
    }
}

final class ClientMemcache extends Client
{
    private array $servers;

    public function __construct(array $servers, array $options)
    {
        $this->servers = $servers;
        $this->open($options['udp'] ?? false);
    }

    private function open(bool $udp = false): void
    {
        // The class declares no property for what it keeps there, and newer PHP deprecates that.
        $this->cache = @new MemcachePool();
        foreach ($this->servers as [$host, $port]) {
            @$this->cache->addServer($port === 0 ? "unix://$host" : $host, $port, $udp ? $port : 0, false);
        }
    }

    public function setMany(array $values): bool
    {
        return $this->cache->set($values);
    }

    public function getMany(array $keys): mixed
    {
        return $this->cache->get($keys);
    }

    public function deleteMany(array $keys): mixed
    {
        return $this->cache->delete($keys);
    }

    public function close(): void
    {
        $this->cache->close();
        $this->open();
    }
}

final class ClientApcu extends Client
{
    public function __construct(array $servers, array $options)
    {
        $this->cache = new class {
            public function get(string $key): mixed
            {
                return apcu_fetch($key);
            }
        };
    }

    public function setMany(array $values): bool
    {
        return apcu_store($values) === [];
    }

    public function getMany(array $keys): mixed
    {
        return apcu_fetch($keys);
    }

    public function deleteMany(array $keys): mixed
    {
        return apcu_delete($keys);
    }

    public function close(): void
    {
    }
}

/** Whole requests of all servers go out, then whole answers come in. */
final class ClientBare extends Client
{
    private array $sockets = [];
    private array $made = [];

    public function __construct(array $servers, array $options)
    {
        foreach ($servers as [$host, $port]) {
            $socket = socket_create(AF_INET, SOCK_STREAM, SOL_TCP);
            if (!socket_connect($socket, $host, $port) || !socket_set_option($socket, SOL_TCP, TCP_NODELAY, 1)) {
                fail('no connection');
            }
            $this->sockets[] = $socket;
        }
    }

    public function setMany(array $values): bool
    {
        if (($this->made['values'] ?? null) !== $values) {
            $this->make($values);
        }
        $stored = $this->exchange($this->made['sets'], array_map(fn ($count) => $count * strlen("STORED\r\n"), $this->made['counts']));
        return array_sum(array_map(fn ($answer) => substr_count($answer, "STORED\r\n"), $stored)) === count($values);
    }

    public function getMany(array $keys): mixed
    {
        return $this->exchange($this->made['gets'], $this->made['lengths']);
    }

    public function values(mixed $answer): mixed
    {
        preg_match_all("/VALUE (\\S+) 0 \\d+\r\n([^\r]*)\r\n/", implode($answer), $found);
        return array_combine($found[1], $found[2]);
    }

    public function deleteMany(array $keys): mixed
    {
        fail('nobody asks for that');
    }

    public function close(): void
    {
    }

    private function make(array $values): void
    {
        $all = count($this->sockets);
        $this->made = ['values' => $values, 'sets' => array_fill(0, $all, ''), 'gets' => array_fill(0, $all, 'get'),
            'counts' => array_fill(0, $all, 0), 'lengths' => array_fill(0, $all, strlen("END\r\n"))];
        foreach (array_keys($values) as $i => $key) {
            $server = $i % $all;
            $len = strlen($values[$key]);
            $this->made['sets'][$server] .= "set $key 0 0 $len\r\n$values[$key]\r\n";
            $this->made['gets'][$server] .= " $key";
            $this->made['counts'][$server]++;
            $this->made['lengths'][$server] += strlen("VALUE $key 0 $len\r\n") + $len + 2;
        }
        foreach ($this->made['gets'] as &$get) {
            $get .= "\r\n";
        }
    }

    private function exchange(array $requests, array $lengths): array
    {
        foreach ($requests as $server => $request) {
            socket_send($this->sockets[$server], $request, strlen($request), 0);
        }
        $answers = [];
        foreach ($lengths as $server => $length) {
            for ($answer = ''; strlen($answer) < $length; $answer .= $part) {
                if (!socket_recv($this->sockets[$server], $part, 65536, 0)) {
                    fail('a server has hung up');
                }
            }
            $answers[] = $answer;
        }
        return $answers;
    }
}

$client = null;
$command = [];
$values = [];

/** A value of this generation: other bytes in each round. */
function values(array $command, int $generation): array
{
    $values = [];
    for ($i = 0; $i < $command['keys']; $i++) {
        $values["bench:key:$i"] = str_pad("$generation:$i:", $command['bytes'], 'v');
    }
    return $values;
}

function prepare(array $given, string $side): array
{
    global $client, $command;
    $command = ['workload' => $given['workload'], 'servers' => $given['servers'], 'bytes' => 100] + $given['size'];
    $class = match ($side) {
        'memcache' => ClientMemcache::class,
        'apcu' => ClientApcu::class,
        'bare' => ClientBare::class,
        default => ClientMemcached::class,
    };
    $options = [];
    if ($command['udp'] ?? false) {
        $options = $side === 'memcache' ? ['udp' => true] : [Memcached::OPT_USE_UDP => true];
    }
    $client = new $class($command['servers'], $options);
    return ['ready' => true];
}

function measure(): array
{
    global $client, $command;
    static $generation = 0;
    $values = values($command, ++$generation);
    $keys = array_keys($values);
    $key = $keys[0];
    $calls = $command['calls'];
    $cache = $client->cache;
    $out = array_fill(0, $calls, null);
    if (!$client->setMany($values)) {
        fail('the keys cannot be stored');
    }
    $usage = getrusage();
    $begin = hrtime(true);
    switch ($command['workload']) {
        case 'get':
            if ($client instanceof ClientApcu) {
                // As scripts call it: the object's method around it would be measured too.
                for ($i = 0; $i < $calls; $i++) {
                    $out[$i] = apcu_fetch($key);
                }
                break;
            }
            for ($i = 0; $i < $calls; $i++) {
                $out[$i] = $cache->get($key);
            }
            break;
        case 'set':
            $value = $values[$key];
            for ($i = 0; $i < $calls; $i++) {
                $out[$i] = $cache->set($key, $value);
            }
            break;
        case 'getMany':
            for ($i = 0; $i < $calls; $i++) {
                $out[$i] = $client->getMany($keys);
            }
            break;
        case 'setMany':
            for ($i = 0; $i < $calls; $i++) {
                $out[$i] = $client->setMany($values);
            }
            break;
        case 'deleteMany':
            // A key that is gone is asked for like one that is there.
            for ($i = 0; $i < $calls; $i++) {
                $out[$i] = $client->deleteMany($keys);
            }
            break;
        case 'connect':
            for ($i = 0; $i < $calls; $i++) {
                $client->close();
                $out[$i] = $client->cache->get($key);
            }
            break;
    }
    $ns = hrtime(true) - $begin;
    $after = getrusage();
    $cpu = 0;
    foreach (['ru_utime', 'ru_stime'] as $kind) {
        $cpu += ($after["$kind.tv_sec"] - $usage["$kind.tv_sec"]) * 1_000_000 + $after["$kind.tv_usec"] - $usage["$kind.tv_usec"];
    }
    // Whether the server has what was stored is asked too.
    $asked = $calls + 1;
    return ['figure' => $ns / $calls / 1e9, 'client_cpu' => $cpu / $calls / 1e6, 'asked' => $asked, 'right' => $asked - wrong($out, $values, $client, $keys)];
}

function wrong(array $out, array $values, Client $client, array $keys): int
{
    global $command;
    $wrong = 0;
    if ($client instanceof ClientBare && $command['workload'] === 'getMany') {
        $out = array_map($client->values(...), $out);
    }
    foreach ($out as $number => $answer) {
        $wrong += match ($command['workload']) {
            'get', 'connect' => $answer !== $values[$keys[0]],
            // php-memcached gives them in its servers' order.
            'getMany' => !is_array($answer) || count($answer) !== count($values) || array_diff_assoc($values, $answer) !== [],
            'set', 'setMany' => $answer !== true,
            'deleteMany' => $number === 0 && in_array(false, (array) $answer, true),
        };
    }
    // Was it stored, and deleted? The server is asked, not the answers believed.
    $now = $client->values($client->getMany($keys));
    return $wrong + match ($command['workload']) {
        'deleteMany' => $now !== [] && $now !== false,
        'set', 'setMany' => array_diff_assoc($values, (array) $now) !== [],
        default => 0,
    };
}

while (($line = fgets(STDIN)) !== false) {
    $given = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    echo json_encode($given['do'] === 'prepare' ? prepare($given, $side) : measure()), "\n";
}
