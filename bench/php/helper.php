<?php
/** A forked child that carries out one command at a time, and ends when its parent does. */
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
