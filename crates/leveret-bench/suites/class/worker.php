<?php
/*
 * One client as a process that lives through all rounds: php worker.php SIDE
 *
 * SIDE is leveret (our Redis), phpredis (the peer), apcu (our apcu_*), or bare (a ready-made request by `leveret-bench bare`). It reads one
 * JSON command a line and answers each with one JSON line. {"do": "prepare", "workload", "servers", "size"} connects; {"do": "measure"} stores
 * other values, makes the calls and tells the seconds and the processor time of a call. Every answer is compared when the clock has stopped.
 */
$side = $argv[1];
if (extension_loaded('leveret') !== ($side === 'leveret' || $side === 'apcu') || ($side === 'phpredis') !== extension_loaded('igbinary')) {
    fail('this is not the provider that was to be measured');
}

function fail(string $why): never
{
    fwrite(STDERR, "bench: $why\n");
    exit(70);
}

function connected(string $host, int $port): Redis
{
    $redis = new Redis();
    $redis->connect($host, $port) ?: fail('no connection');
    return $redis;
}

/** A program that repeats one request over a plain socket. Its time is the lowest that a client can reach on this machine. */
final class Bare
{
    public function __construct(private readonly string $host, private readonly int $port)
    {
    }

    public static function request(string ...$words): string
    {
        return '*' . count($words) . "\r\n" . implode('', array_map(fn (string $word): string => self::bulk($word), $words));
    }

    public static function bulk(string $text): string
    {
        return '$' . strlen($text) . "\r\n$text\r\n";
    }

    /** Once, here. */
    public function ask(string $request, int $length): string
    {
        $stream = stream_socket_client($this->port === 0 ? "unix://$this->host" : "tcp://$this->host:$this->port") ?: fail('no connection');
        fwrite($stream, $request);
        return (string) stream_get_contents($stream, $length);
    }

    /** What the program says. */
    public function exchange(string $request, string $reply, int $calls): array
    {
        file_put_contents('request', $request);
        file_put_contents('reply', $reply);
        $endpoint = $this->port === 0 ? "unix:$this->host" : "tcp:$this->host:$this->port";
        $said = shell_exec('leveret-bench bare ' . escapeshellarg($endpoint) . " request reply $calls");
        return json_decode((string) $said, true) ?? fail('there is no leveret-bench in PATH: ./x bench builds it');
    }
}

/** Values of this generation, by their keys: other bytes in each round. */
function values(int $count, int $generation): array
{
    $values = [];
    for ($i = 0; $i < $count; $i++) {
        $values["bench:key:$i"] = str_pad("$generation:$i:", 100, 'v');
    }
    return $values;
}

/** Makes the calls of a row. Returns the seconds, the processor time, the answers, and the answer that each should be. */
function call(string $workload, string $side, mixed $cache, array $place, array $values, int $calls): array
{
    $keys = array_keys($values);
    $key = $keys[0];
    $value = $values[$key];
    $out = array_fill(0, $calls, null);
    $begun = begin();
    switch ("$side $workload") {
        case 'leveret get':
        case 'phpredis get':
            for ($i = 0; $i < $calls; $i++) {
                $out[$i] = $cache->get($key);
            }
            return [...ended($begun), $out, $value];
        case 'apcu get':
            for ($i = 0; $i < $calls; $i++) {
                $out[$i] = apcu_fetch($key);
            }
            return [...ended($begun), $out, $value];
        case 'leveret set':
        case 'phpredis set':
            for ($i = 0; $i < $calls; $i++) {
                $out[$i] = $cache->set($key, $value);
            }
            return [...ended($begun), $out, true];
        case 'leveret connect':
        case 'phpredis connect':
            for ($i = 0; $i < $calls; $i++) {
                $redis = new Redis();
                $redis->connect(...$place);
                $out[$i] = $redis->get($key);
                $redis->close();
            }
            return [...ended($begun), $out, $value];
        case 'leveret mget':
        case 'phpredis mget':
            for ($i = 0; $i < $calls; $i++) {
                $out[$i] = $cache->mget($keys);
            }
            return [...ended($begun), $out, array_values($values)];
        case 'leveret pipeline':
        case 'phpredis pipeline':
            for ($i = 0; $i < $calls; $i++) {
                $pipeline = $cache->pipeline();
                foreach ($keys as $key) {
                    $pipeline->get($key);
                }
                $out[$i] = $pipeline->exec();
            }
            return [...ended($begun), $out, array_values($values)];
        case 'bare get':
        case 'bare pipeline':
            $request = implode('', array_map(fn (string $key): string => Bare::request('GET', $key), $keys));
            $said = $cache->exchange($request, implode('', array_map(Bare::bulk(...), $values)), $calls);
            return [$said['figure'] * $calls, $said['client_cpu'] * $calls, array_fill(0, $said['right'], true), true];
    }
    fail("$side has no $workload");
}

function begin(): array
{
    return [getrusage(), hrtime(true)];
}

/** Seconds by the clock and of the processor since then. */
function ended(array $begun): array
{
    [$now, [$before, $begin]] = [hrtime(true), $begun];
    $after = getrusage();
    $cpu = 0;
    foreach (['ru_utime', 'ru_stime'] as $kind) {
        $cpu += $after["$kind.tv_sec"] - $before["$kind.tv_sec"] + ($after["$kind.tv_usec"] - $before["$kind.tv_usec"]) / 1e6;
    }
    return [($now - $begin) / 1e9, $cpu];
}

final class Work
{
    private readonly mixed $cache;
    private readonly array $place;
    private readonly array $size;
    private int $generation = 0;

    public function __construct(private readonly string $side, private readonly string $workload, array $given)
    {
        $this->size = $given['size'];
        [$host, $port] = $given['servers'][0];
        // php-redis wants another port than 0 beside a path, and ours takes both.
        $this->place = [$host, $port === 0 ? -1 : $port];
        $this->cache = match ($side) {
            'apcu' => null,
            'bare' => new Bare($host, $port),
            default => connected(...$this->place),
        };
    }

    public function measure(): array
    {
        $values = values($this->size['keys'], ++$this->generation);
        $this->store($this->workload === 'set' ? values($this->size['keys'], 0) : $values);
        $calls = $this->size['calls'];
        [$seconds, $cpu, $out, $want] = call($this->workload, $this->side, $this->cache, $this->place, $values, $calls);
        $right = count(array_filter($out, fn (mixed $answer): bool => $answer === $want));
        // A store that returned true may still have stored nothing: the values are read back.
        $right += (int) ($this->stored(array_keys($values)) === array_values($values));
        if ($this->side === 'leveret' && ($this->size['is_mapped'] ?? false) !== str_contains(file_get_contents('/proc/self/maps'), '.arena')) {
            fail('it has taken the other way: the socket, or the short cut');
        }
        return ['figure' => $seconds / $calls, 'client_cpu' => $cpu / $calls, 'asked' => $calls + 1, 'right' => $right];
    }

    private function store(array $values): void
    {
        $stored = match ($this->side) {
            'apcu' => apcu_store($values) === [],
            'bare' => $this->cache->ask(Bare::request('MSET', ...array_merge(...array_map(null, array_keys($values), array_values($values)))), strlen("+OK\r\n")) === "+OK\r\n",
            default => $this->cache->mset($values),
        };
        $stored || fail('the keys cannot be stored');
    }

    private function stored(array $keys): array
    {
        return match ($this->side) {
            'apcu' => array_values(apcu_fetch($keys)),
            'bare' => array_map(fn (string $key): string => substr($this->cache->ask(Bare::request('GET', $key), strlen(Bare::bulk(str_pad('', 100)))), strlen("$100\r\n"), 100), $keys),
            default => $this->cache->mget($keys),
        };
    }
}

$work = null;
while (($line = fgets(STDIN)) !== false) {
    $given = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    $answer = match ($given['do']) {
        'prepare' => ['ready' => ($work = new Work($side, $given['workload'], $given)) !== null],
        'measure' => $work->measure(),
    };
    echo json_encode($answer), "\n";
}
