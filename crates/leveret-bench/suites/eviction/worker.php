<?php
/*
 * Misses of a server with a given memory, or its overhead for an item: php worker.php SIDE
 *
 * Sides memcached and leveret speak memcached's protocol; redis-lru, redis-lfu and leveret-redis speak RESP.
 *
 * It reads one JSON command a line and answers each with one JSON line. {"do": "prepare", "workload": "stream" | "trace" | "overhead",
 * "size": {...}, "servers": [...]} connects; {"do": "measure"} sends the requests, of which a trace is read from the file that LEVERET_TRACE
 * names. Missed items are stored. Every returned value is compared. The overhead is the memory of a server that is full, divided by the number
 * of its items, less key and value.
 *
 * Keys have 30 bytes, values are lognormal (median 230 B, sigma 1.2), and 450,000 keys return; a scan is 50 keys in a row that never do. A
 * trace is a stream as `leveret-policy --write` writes it, with its own keys, sizes and sets, and without its lifetimes: a server's clock
 * is not the stream's.
 */
const KEYS = 450_000;
const SCAN = 50;
// Keys of one get. A key that comes twice among them counts as a hit the second time.
const TOGETHER = 20;
const VALUE_MAX = 100_000;
// Bytes of a key of an overhead.
const OVERHEAD_KEY = 24;

function fail(string $why): never
{
    fwrite(STDERR, "bench: $why\n");
    exit(70);
}

/** By Zipf's law, with scans as such a part of all requests. */
function generated(int $count, float $zipf, float $scans): iterable
{
    mt_srand(7);
    $sums = [];
    for ($rank = 1, $sum = 0.0; $rank <= KEYS; $rank++) {
        $sums[] = $sum += $rank ** -$zipf;
    }
    $once = KEYS;
    for ($at = 0; $at < $count;) {
        if (mt_rand() / mt_getrandmax() < $scans / SCAN) {
            for ($end = min($count, $at + SCAN); $at < $end; $at++) {
                yield request($once++);
            }
            continue;
        }
        $place = mt_rand() / mt_getrandmax() * $sum;
        for ($low = 0, $high = KEYS - 1; $low < $high;) {
            $middle = $low + $high >> 1;
            $sums[$middle] < $place ? $low = $middle + 1 : $high = $middle;
        }
        yield request($low);
        $at++;
    }
}

/** Key, bytes of the value, whether it is stored without being asked for. The size is the key's own. */
function request(int $number): array
{
    $bits = unpack('V2', hash('xxh64', (string) $number, true));
    [$one, $two] = [($bits[1] + 1) / 2 ** 32, $bits[2] / 2 ** 32];
    $normal = sqrt(-2 * log($one)) * cos(2 * M_PI * $two);
    return [sprintf('key-%026d', $number), min(VALUE_MAX, (int) (230 * exp(1.2 * $normal))), false];
}

/** The same from a file. */
function written(string $path, int $count): iterable
{
    $file = @fopen($path, 'r') ?: fail("there is no stream '$path': LEVERET_TRACE has to name one that leveret-policy --write has written");
    $columns = array_flip(fgetcsv($file, escape: ''));
    while ($count-- > 0 && ($line = fgetcsv($file, escape: '')) !== false) {
        [$key, $key_size, $size, $op] = array_map(fn (string $name): string => $line[$columns[$name]], ['key', 'key_size', 'size', 'op']);
        yield [str_pad($key, (int) $key_size, 'k', STR_PAD_LEFT), (int) $size, $op === 'set'];
    }
}

/** Gets and sets of many keys, in one protocol. */
abstract class Wire
{
    public function __construct(protected $stream)
    {
    }

    /** Values of those keys that exist. */
    abstract public function get(array $keys): iterable;

    /** Values by key. */
    abstract public function set(array $values): void;

    abstract public function count(): int;

    protected function line(): string
    {
        $line = fgets($this->stream);
        return $line === false ? fail('the server has closed the connection') : rtrim($line, "\r\n");
    }

    protected function bytes(int $len): string
    {
        return substr((string) stream_get_contents($this->stream, $len + 2), 0, -2);
    }
}

final class Memcached extends Wire
{
    public function get(array $keys): iterable
    {
        fwrite($this->stream, 'get ' . implode(' ', $keys) . "\r\n");
        while (($line = $this->line()) !== 'END') {
            $words = explode(' ', $line);
            $words[0] === 'VALUE' && count($words) === 4 || fail("a get was answered with '$line'");
            yield $words[1] => $this->bytes((int) $words[3]);
        }
    }

    public function set(array $values): void
    {
        $sets = '';
        foreach ($values as $key => $value) {
            $sets .= "set $key 0 0 " . strlen($value) . " noreply\r\n$value\r\n";
        }
        fwrite($this->stream, $sets);
    }

    public function count(): int
    {
        fwrite($this->stream, "stats\r\n");
        for ($items = null; ($line = $this->line()) !== 'END';) {
            sscanf($line, 'STAT curr_items %d', $found) === 1 && $items = $found;
        }
        return $items ?? fail('the statistics have no curr_items');
    }
}

final class Redis extends Wire
{
    public function get(array $keys): iterable
    {
        $this->send('MGET', ...$keys);
        $this->expect('*' . count($keys));
        foreach ($keys as $key) {
            $len = $this->line();
            $len[0] === '$' || fail("a get was answered with '$len'");
            if ($len !== '$-1') {
                yield $key => $this->bytes((int) substr($len, 1));
            }
        }
    }

    public function set(array $values): void
    {
        foreach ($values as $key => $value) {
            $this->send('SET', (string) $key, $value);
        }
        foreach ($values as $value) {
            $this->expect('+OK');
        }
    }

    public function count(): int
    {
        $this->send('DBSIZE');
        return (int) substr($this->line(), 1);
    }

    public function evict_by(string $policy): void
    {
        $this->send('CONFIG', 'SET', 'maxmemory-policy', $policy);
        $this->expect('+OK');
    }

    private function send(string ...$words): void
    {
        $request = '*' . count($words) . "\r\n";
        foreach ($words as $word) {
            $request .= '$' . strlen($word) . "\r\n$word\r\n";
        }
        fwrite($this->stream, $request);
    }

    private function expect(string $wanted): void
    {
        ($line = $this->line()) === $wanted || fail("the server answered '$line', not '$wanted'");
    }
}

final class Client
{
    private readonly Wire $wire;
    private readonly string $pattern;
    private readonly array $size;

    public function __construct(string $side, private readonly array $given)
    {
        $this->size = $given['size'];
        [$host, $port] = $given['servers'][0];
        $stream = stream_socket_client($port ? "tcp://$host:$port" : "unix://$host") ?: fail('no connection');
        $this->wire = str_contains($side, 'redis') ? new Redis($stream) : new Memcached($stream);
        str_starts_with($side, 'redis-') && $this->wire->evict_by('allkeys-' . substr($side, strlen('redis-')));
        $this->pattern = (new Random\Randomizer(new Random\Engine\Mt19937(1)))->getBytes(2 * VALUE_MAX);
    }

    /** The value of a key: the part of the pattern at its hash. A longer value of the same key begins with the shorter one. */
    private function value(string $key, int $len): string
    {
        return substr($this->pattern, crc32($key) % VALUE_MAX, $len);
    }

    public function measure(): array
    {
        return $this->given['workload'] === 'overhead' ? $this->overhead() : $this->misses();
    }

    private function misses(): array
    {
        $stream = $this->given['workload'] === 'trace' ? written((string) getenv('LEVERET_TRACE'), $this->size['requests'])
            : generated($this->size['requests'], $this->size['zipf'], $this->size['scans']);
        [$gets, $misses, $read, $wrong, $piece] = [0, 0, 0, 0, []];
        foreach ($stream as $request) {
            $piece[] = $request;
            if (count($piece) === TOGETHER) {
                $this->send($piece, $gets, $misses, $read, $wrong);
                $piece = [];
            }
        }
        $this->send($piece, $gets, $misses, $read, $wrong);
        $gets > 0 || fail('the stream has no gets');
        return ['figure' => $misses / $gets * 100, 'asked' => $read, 'right' => $read - $wrong];
    }

    private function send(array $piece, int &$gets, int &$misses, int &$read, int &$wrong): void
    {
        [$asked, $stored] = [[], []];
        foreach ($piece as [$key, $bytes, $is_set]) {
            $is_set ? $stored[$key] = $bytes : $asked[$key] = $bytes;
            $gets += (int) !$is_set;
        }
        if ($asked !== []) {
            foreach ($this->wire->get(array_map(strval(...), array_keys($asked))) as $key => $value) {
                $read++;
                $wrong += (int) (!isset($asked[$key]) || $value !== $this->value($key, strlen($value)));
                unset($asked[$key]);
            }
        }
        $misses += count($asked);
        $stored += $asked;
        $values = [];
        foreach ($stored as $key => $bytes) {
            $values[$key] = $this->value((string) $key, $bytes);
        }
        $values === [] || $this->wire->set($values);
    }

    /** Stores until the server has evicted, and checks the last items. */
    private function overhead(): array
    {
        [$value, $stored] = [substr($this->pattern, 0, $this->size['value_len']), 0];
        $memory = $this->size['memory_mib'] << 20;
        $enough = intdiv(2 * $memory, OVERHEAD_KEY + strlen($value));
        while ($stored < $enough) {
            $values = [];
            for ($end = $stored + TOGETHER; $stored < $end; $stored++) {
                $values[sprintf('key-%020d', $stored)] = $value;
            }
            $this->wire->set($values);
        }
        $right = 0;
        foreach ($this->wire->get(array_keys($values)) as $found) {
            $right += (int) ($found === $value);
        }
        $items = $this->wire->count();
        $items < $stored || fail('the server has evicted nothing');
        return ['figure' => $memory / $items - OVERHEAD_KEY - strlen($value), 'asked' => count($values), 'right' => $right];
    }
}

$client = null;
while (($line = fgets(STDIN)) !== false) {
    $given = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    $answer = match ($given['do']) {
        'prepare' => ['ready' => ($client = new Client($argv[1], $given)) !== null],
        'measure' => $client->measure(),
    };
    echo json_encode($answer), "\n";
}
