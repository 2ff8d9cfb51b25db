<?php
/** Processes that are started one after the other at an arena that another process has filled and still has mapped. */
abstract class Fresh
{
    private Worker $filler;

    public function __construct(private readonly array $size)
    {
        $this->filler = new Worker();
        $this->filler->ask(['do' => 'prepare', 'workload' => 'Fill', 'size' => $size]);
        $this->filler->ask(['do' => 'sum']);
    }

    /** What a figure is, of what attach.php says. */
    abstract protected function told(array $answer): array;

    public function measure(array $command): array
    {
        $words = array_map(strval(...), [$this->size['items'], $this->size['bytes'], $this->size['reads']]);
        $process = proc_open([...own_command(["leveret.dir={$this->filler->folder}"]), __DIR__ . '/attach.php', ...$words], [1 => ['pipe', 'w']], $pipes);
        $answer = json_decode((string) fgets($pipes[1]), true);
        if (proc_close($process) !== 0 || $answer === null) {
            fail('attach.php failed');
        }
        return $this->told($answer) + ['asked' => $this->size['reads'], 'right' => $this->size['reads'] - $answer['wrong']];
    }
}

final class Attach extends Fresh
{
    protected function told(array $answer): array
    {
        return ['figure' => $answer['ns'] / 1e9];
    }
}

/** Without those of the first fetch, which opens the arena. */
final class Faults extends Fresh
{
    protected function told(array $answer): array
    {
        return ['figure' => $answer['faults']];
    }
}

/** By how much it has grown since before the first read. */
final class Footprint extends Fresh
{
    protected function told(array $answer): array
    {
        $bytes = fn (int $kilobytes): int => $kilobytes * 1024;
        return ['figure' => $bytes($answer['private_kb'] + $answer['tables_kb']), 'beside' => [['page tables', $bytes($answer['tables_kb'])]]];
    }
}
