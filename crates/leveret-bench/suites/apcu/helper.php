<?php
/** A forked child that carries out one command at a time, and ends when its parent does. It shares the cache. */
final class Helper
{
    /** PHP gives up on a silent socket after a minute; the peers of a row may take longer than that. */
    private const PATIENCE_SECS = 86400;

    private $pipe;
    private int $pid;

    /** @param callable(array): mixed $serve */
    public function __construct(callable $serve)
    {
        [$this->pipe, $pipe] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        $this->pid = pcntl_fork();
        if ($this->pid === -1) {
            fail('fork failed');
        }
        if ($this->pid === 0) {
            fclose($this->pipe);
            stream_set_timeout($pipe, self::PATIENCE_SECS);
            while (($line = fgets($pipe)) !== false) {
                fwrite($pipe, json_encode($serve(json_decode($line, true))) . "\n");
            }
            exit;
        }
        fclose($pipe);
        stream_set_timeout($this->pipe, self::PATIENCE_SECS);
    }

    /** Only the helper that was started last can be waited for: those started later hold a copy of this end of the pipe. */
    public function end(): void
    {
        fclose($this->pipe);
        pcntl_waitpid($this->pid, $status);
    }

    public function send(array $command = []): void
    {
        fwrite($this->pipe, json_encode($command) . "\n");
    }

    public function receive(): mixed
    {
        $line = fgets($this->pipe);
        return $line === false ? fail('a helper process died') : json_decode($line, true);
    }

    public function ask(array $command = []): mixed
    {
        $this->send($command);
        return $this->receive();
    }
}

/** The command line of this process without its script, and with more settings. */
function own_command(array $ini): array
{
    $words = explode("\0", rtrim(file_get_contents('/proc/self/cmdline'), "\0"));
    $settings = array_slice($words, 0, array_search($GLOBALS['argv'][0], $words, true));
    foreach ($ini as $setting) {
        array_push($settings, '-d', $setting);
    }
    return $settings;
}

/** Another worker of the same side, with a cache of its own. It ends when its parent does. */
final class Worker
{
    private static int $started = 0;
    public readonly string $folder;
    private $process;
    private array $pipes = [];

    public function __construct(array $ini = [])
    {
        // The folder of ours; in it lies what is this worker's alone.
        $this->folder = getcwd() . '/' . getmypid() . '-' . self::$started++;
        mkdir($this->folder, 0700);
        $command = [...own_command([...$ini, "leveret.dir=$this->folder"]), __DIR__ . '/worker.php', $GLOBALS['argv'][1]];
        $this->process = proc_open($command, [['pipe', 'r'], ['pipe', 'w']], $this->pipes) ?: fail('no further PHP starts');
    }

    public function send(array $command): void
    {
        fwrite($this->pipes[0], json_encode($command) . "\n");
    }

    public function receive(): array
    {
        $line = fgets($this->pipes[1]);
        return $line === false ? fail('a worker died') : json_decode($line, true);
    }

    public function ask(array $command): array
    {
        $this->send($command);
        return $this->receive();
    }

    /** Its cache goes with it. */
    public function end(): void
    {
        array_map(fclose(...), $this->pipes);
        proc_close($this->process);
        array_map(unlink(...), glob("$this->folder/*"));
        rmdir($this->folder);
    }
}
