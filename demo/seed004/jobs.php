<?php
/*
 * The work of seed 004, for demo/run and for the suite `published` of `leveret bench`: its script and its pages, word for word, but for the
 * two ports, the path of its file and the number of its calls. All that is started here ends with this process.
 */
require_once dirname(__DIR__, 2) . '/crates/leveret-bench/suites/pages/fastcgi.php';

final class Seed004
{
    private const VALUE = 'hello world';
    private const CALLS = '10000';
    private const FILES = ['script', 'connections', 'redis', 'memcached', 'filesystem', 'empty'];
    private array $started = [];
    private ?FastCgi $pages = null;
    private readonly array $ports;

    /**
     * `$php`: a PHP with its settings, whose classes are measured. `$servers`: the command of each server, with the words REDIS and MEMCACHED
     * where its ports belong.
     */
    public function __construct(private readonly string $folder, private readonly array $php, array $servers, private readonly int $calls)
    {
        $this->ports = ['REDIS' => self::free_port(), 'MEMCACHED' => self::free_port()];
        foreach ($servers as $number => $command) {
            $this->start("server$number", array_map(fn (string $word): string => (string) ($this->ports[$word] ?? $word), $command));
        }
        foreach ($this->ports as $port) {
            $this->wait("tcp://127.0.0.1:$port");
        }
        $words = ['6379' => $this->ports['REDIS'], '11211' => $this->ports['MEMCACHED'], '/tmp/foo.txt' => "$folder/foo.txt", self::CALLS => $calls];
        foreach (self::FILES as $name) {
            file_put_contents("$folder/$name.php", strtr(file_get_contents(__DIR__ . "/$name.php"), $words));
        }
    }

    private static function free_port(): int
    {
        $socket = stream_socket_server('tcp://127.0.0.1:0');
        return (int) substr(strrchr(stream_socket_get_name($socket, false), ':'), 1);
    }

    private function start(string $name, array $command): void
    {
        $log = ['file', "$this->folder/$name.log", 'a'];
        $process = proc_open(['setpriv', '--pdeathsig', 'TERM', '--', ...$command], [['file', '/dev/null', 'r'], $log, $log], $pipes);
        $this->started[$name] = $process ?: fail("$command[0] does not start");
    }

    private function wait(string $address): mixed
    {
        for ($tries = 0; ($stream = @stream_socket_client($address)) === false; $tries++) {
            foreach ($this->started as $name => $process) {
                proc_get_status($process)['running'] || fail("$name has ended: " . file_get_contents("$this->folder/$name.log"));
            }
            $tries < 2000 || fail("nobody listens on $address");
            usleep(10_000);
        }
        return $stream;
    }

    public function end(): void
    {
        $this->pages = null;
        array_map(proc_terminate(...), $this->started);
        array_map(proc_close(...), $this->started);
        $this->started = [];
    }

    /** Reads that both servers have answered, by this process or another. */
    private function hits(): array
    {
        $memcached = stream_socket_client("tcp://127.0.0.1:{$this->ports['MEMCACHED']}");
        fwrite($memcached, "stats\r\nquit\r\n");
        $redis = stream_socket_client("tcp://127.0.0.1:{$this->ports['REDIS']}");
        fwrite($redis, "INFO stats\r\nQUIT\r\n");
        preg_match('/STAT get_hits (\d+)/', stream_get_contents($memcached), $of_memcached) && preg_match('/keyspace_hits:(\d+)/', stream_get_contents($redis), $of_redis)
            || fail('a server does not tell its hits');
        return [(int) $of_redis[1], (int) $of_memcached[1]];
    }

    /** Seconds of a whole script. Its last values are compared, and the servers must have answered each of its reads with a value. */
    public function script(string $name): float
    {
        $before = $this->hits();
        $command = [...$this->php, '-d', 'auto_prepend_file=' . __DIR__ . '/prepend.php', "$this->folder/$name.php"];
        $said = (string) shell_exec(implode(' ', array_map(escapeshellarg(...), $command)) . ' 2>&1');
        $answer = json_decode($said, true);
        ($answer['values'] ?? null) == ['r' => self::VALUE, 'm' => self::VALUE, 'f' => self::VALUE] || fail("$name.php has read other values: $said");
        $hits = array_map(fn (int $after, int $before): int => $after - $before, $this->hits(), $before);
        // One server may count both clients' reads.
        [$this->calls, $this->calls] === $hits || [2 * $this->calls, 2 * $this->calls] === $hits
            || fail("$name.php had hits of Redis and memcached: " . implode(' and ', $hits));
        return $answer['seconds'];
    }

    /** Seconds of a request for a page, by one visitor, to php-fpm itself. Each answer is compared. */
    public function page(string $name, int $requests): float
    {
        $this->pages ??= $this->fpm();
        $want = ['empty' => [], 'filesystem' => ['f' => self::VALUE], 'redis' => ['r' => self::VALUE], 'memcached' => ['m' => self::VALUE]][$name];
        $params = ['SCRIPT_FILENAME' => "$this->folder/$name.php", 'SCRIPT_NAME' => "/$name.php", 'REQUEST_METHOD' => 'GET', 'QUERY_STRING' => ''];
        $answers = [];
        $begin = hrtime(true);
        for ($i = 0; $i < $requests; $i++) {
            $answers[] = $this->pages->ask($params);
        }
        $seconds = (hrtime(true) - $begin) / 1e9;
        foreach ($answers as $answer) {
            [, $body] = explode("\r\n\r\n", $answer, 2) + ['', ''];
            (json_decode($body, true)['values'] ?? null) === $want || fail("$name.php has shown other values: $answer");
        }
        return $seconds / $requests;
    }

    private function fpm(): FastCgi
    {
        $version = PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION;
        $folders = [...explode(':', (string) getenv('PATH')), '/usr/sbin', '/usr/local/sbin'];
        $programs = array_filter(array_map(fn (string $folder): string => "$folder/php-fpm$version", $folders), is_executable(...));
        $program = reset($programs) ?: fail("there is no php-fpm$version");
        // Whoever is root has workers of root: nobody else may enter this folder.
        $user = fileowner('/proc/self') === 0 ? "user = 0\ngroup = 0\n" : '';
        file_put_contents("$this->folder/fpm.conf", "[global]\nerror_log = $this->folder/fpm.log\n[www]\n{$user}listen = $this->folder/fpm\npm = static\npm.max_children = 1\n");
        $opcache = extension_loaded('Zend OPcache') ? [] : ['-d', 'zend_extension=opcache'];
        $this->start('fpm', [$program, '-F', '-R', '-y', "$this->folder/fpm.conf", ...array_slice($this->php, 1), ...$opcache,
            '-d', 'auto_prepend_file=' . __DIR__ . '/prepend.php', '-d', 'opcache.validate_timestamps=0', '-d', 'display_errors=stderr']);
        return new FastCgi($this->wait("unix://$this->folder/fpm"));
    }
}
