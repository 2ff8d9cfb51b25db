<?php
/** A PHP that serves one copy of a site. It ends with this process. */
final class Site
{
    private readonly FastCgi $connection;
    /** @var resource */
    private $process;
    public readonly int $pid;

    /** `$settings`: of its environment; `$under`: a command that runs PHP. */
    public function __construct(string $folder, private readonly string $code, array $settings, array $modules, array $under)
    {
        $version = PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION;
        $program = getenv('LEVERET_PHP_CGI') ?: "php-cgi$version";
        // The settings that this process has.
        $line = explode("\0", rtrim(file_get_contents('/proc/self/cmdline'), "\0"));
        $own = array_slice($line, 1, array_search($GLOBALS['argv'][0], $line, true) - 1);
        $opcache = extension_loaded('Zend OPcache') ? [] : ['-d', 'zend_extension=opcache.so'];
        $command = [...$under, $program, ...$own, ...$opcache, ...$modules, '-d', 'display_errors=1', '-b', "$folder/socket"];
        // No children of the caller's choice: this one process is what is measured.
        $environment = ['PHP_FCGI_CHILDREN' => '0', 'PHP_FCGI_MAX_REQUESTS' => '0'] + $settings + getenv();
        $outputs = [['file', '/dev/null', 'r'], ['file', "$folder/output.log", 'a'], ['file', "$folder/output.log", 'a']];
        $this->process = proc_open(['setpriv', '--pdeathsig', 'KILL', '--', ...$command], $outputs, $pipes, null, $environment) ?: fail("$program does not start");
        $this->pid = proc_get_status($this->process)['pid'];
        for ($tries = 0; ($stream = @stream_socket_client("unix://$folder/socket")) === false; $tries++) {
            proc_get_status($this->process)['running'] || fail("$program has ended: " . file_get_contents("$folder/output.log"));
            $tries < 6000 || fail("$program does not listen");
            usleep(10_000);
        }
        $this->connection = new FastCgi($stream);
    }

    /** One page: what is the same in all answers, seconds by the clock, and those of the PHP process. */
    public function page(string $path): array
    {
        $cpu = $this->cpu();
        $start = hrtime(true);
        $answer = $this->ask($this->code, $path);
        $seconds = (hrtime(true) - $start) / 1e9;
        return [$this->same_in_all($answer), $seconds, $this->cpu() - $cpu];
    }

    /** How many reads its main cache has answered. */
    public function hits(bool $ours, string $host, int $port): int
    {
        $query = http_build_query(['host' => $host, 'port' => $port, 'ours' => (int) $ours]);
        [, $body] = explode("\r\n\r\n", $this->ask(__DIR__, "hits.php?$query"), 2) + ['', ''];
        is_numeric($body) || fail("hits.php says: $body");
        return (int) $body;
    }

    public function maps(string $name): bool
    {
        return str_contains(file_get_contents("/proc/$this->pid/maps"), $name);
    }

    public function callgrind(string $what): void
    {
        exec('callgrind_control ' . escapeshellarg($what) . " $this->pid 2>&1", $said, $status);
        $status === 0 || fail('callgrind_control: ' . implode(' ', $said));
    }

    /** Waits until it has ended, so that callgrind can write. */
    public function stop(): void
    {
        // php-cgi's handler only notes the signal, and whoever notes it just before accept() waits there all the same.
        while (proc_get_status($this->process)['running']) {
            proc_terminate($this->process);
            usleep(100_000);
        }
        proc_close($this->process);
    }

    private function ask(string $root, string $path): string
    {
        [$script, $query] = explode('?', $path, 2);
        $file = $script === '' ? 'index.php' : $script;
        return $this->connection->ask([
            'SCRIPT_FILENAME' => "$root/$file", 'SCRIPT_NAME' => "/$file", 'REQUEST_URI' => "/$path", 'QUERY_STRING' => $query,
            'REQUEST_METHOD' => 'GET', 'SERVER_PROTOCOL' => 'HTTP/1.1', 'GATEWAY_INTERFACE' => 'CGI/1.1',
            'SERVER_NAME' => 'localhost', 'SERVER_PORT' => '80', 'HTTP_HOST' => 'localhost', 'REMOTE_ADDR' => '127.0.0.1',
        ]);
    }

    /** Seconds that it has had of the processors, of all its threads, in steps of a nanosecond. */
    private function cpu(): float
    {
        $threads = array_map(fn (string $file): int => (int) file_get_contents($file), glob("/proc/$this->pid/task/*/schedstat"));
        return array_sum($threads) / 1e9;
    }

    /** The body, without what differs from request to request: its number, how long it took, and when the page was parsed. */
    private function same_in_all(string $answer): string
    {
        [$head, $body] = explode("\r\n\r\n", $answer, 2) + ['', ''];
        !str_contains($head, 'Status:') && $body !== '' || fail('it gave no page: ' . substr($answer, 0, 2000));
        return preg_replace('~"wgRequestId":"[^"]*|"wgBackendResponseTime":\d+|Saved in parser cache .* timestamp \d+~', '', $body);
    }
}
