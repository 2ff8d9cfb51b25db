<?php
/*
 * What a server misses with a given memory: php worker.php SIDE
 *
 * It reads one JSON command a line and answers each with one JSON line. {"do": "prepare", "workload": "stream" | "trace", "size": {...},
 * "servers": [...]} makes the requests or reads them from the file that LEVERET_TRACE names; {"do": "measure"} sends them. What is missed is
 * stored. Every value that comes back is compared.
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

final class Client
{
    private $stream;
    private readonly string $value;
    private readonly array $size;

    public function __construct(private readonly array $given)
    {
        $this->size = $given['size'];
        [$host, $port] = $given['servers'][0];
        $this->stream = stream_socket_client($port ? "tcp://$host:$port" : "unix://$host") ?: fail('no connection');
        $this->value = str_repeat('x', VALUE_MAX);
    }

    public function measure(): array
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
        $gets > 0 || fail('the stream asks for nothing');
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
            fwrite($this->stream, 'get ' . implode(' ', array_keys($asked)) . "\r\n");
            while (($line = fgets($this->stream)) !== "END\r\n") {
                $words = explode(' ', rtrim((string) $line));
                $words[0] === 'VALUE' && count($words) === 4 || fail("a get was answered with '$line'");
                $value = stream_get_contents($this->stream, (int) $words[3] + 2);
                $read++;
                $wrong += (int) ($value !== substr($this->value, 0, $asked[$words[1]] ?? 0) . "\r\n");
                unset($asked[$words[1]]);
            }
        }
        $misses += count($asked);
        $sets = '';
        foreach ($stored + $asked as $key => $bytes) {
            $sets .= "set $key 0 0 $bytes noreply\r\n" . substr($this->value, 0, $bytes) . "\r\n";
        }
        $sets === '' || fwrite($this->stream, $sets);
    }
}

$client = null;
while (($line = fgets(STDIN)) !== false) {
    $given = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    $answer = match ($given['do']) {
        'prepare' => ['ready' => ($client = new Client($given)) !== null],
        'measure' => $client->measure(),
    };
    echo json_encode($answer), "\n";
}
