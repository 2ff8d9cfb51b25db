<?php
/*
 * Readers and writers at the same time. What processes do that share a cache is held against processes that share nothing: each side has
 * two memories, which are workers of this kind with a cache of their own.
 */
abstract class Together
{
    /** @var Worker[] */
    private array $memories = [];

    public function __construct(private readonly array $size)
    {
        for ($i = 0; $i < 2; $i++) {
            $this->memories[] = $memory = new Worker();
            $memory->ask(['do' => 'prepare', 'workload' => 'Readers', 'size' => ['keys' => $size['keys']]]);
        }
    }

    /** Starts all together and waits for all. Of each the number of its memory, its readers, and whether it writes. */
    protected function atOnce(array ...$commands): array
    {
        $start = hrtime(true) + 5_000_000;
        $end = $start + $this->size['milliseconds'] * 1_000_000;
        foreach ($commands as [$memory, $readers, $writer]) {
            $this->memories[$memory]->send(['do' => 'sum', 'readers' => $readers, 'writer' => $writer, 'start' => $start, 'end' => $end]);
        }
        return array_map(fn (array $command) => $this->memories[$command[0]]->receive(), $commands);
    }

    protected function answer(array $told, array $beside, array ...$answers): array
    {
        $all = array_merge(...$answers);
        $calls = array_sum(array_column($all, 'calls'));
        return $told + ['beside' => $beside, 'asked' => $calls, 'right' => $calls - array_sum(array_column($all, 'wrong'))];
    }
}

/** The work of two readers of one memory, as a multiple of that of two readers that share nothing. */
final class TwoReaders extends Together
{
    public function measure(array $command): array
    {
        // Apart is measured before and after: how far the two differ is what the measuring itself does.
        $alone = $this->atOnce([0, [0], false]);
        $apart = $this->atOnce([0, [0], false], [1, [0], false]);
        $shared = $this->atOnce([0, [0, 1], false]);
        $again = $this->atOnce([0, [0], false], [1, [0], false]);
        $rate = fn (string $per): array => array_map(fn ($answers) => array_sum(array_column($answers, $per)), [$alone, $apart, $shared, $again]);
        [$rates, $cpu] = [$rate('per_ns'), $rate('per_cpu_ns')];
        return $this->answer(['figure' => $rates[2] / (($rates[1] + $rates[3]) / 2), 'control' => $rates[3] / $rates[1]], [
            ['two readers of one memory to one', $rates[2] / $rates[0]],
            ['two that share nothing to one', ($rates[1] + $rates[3]) / 2 / $rates[0]],
            ['by CPU time, which leaves out other programs', $cpu[2] / (($cpu[1] + $cpu[3]) / 2)],
        ], $alone, $apart, $shared, $again);
    }
}

/** The time of a reader beside a writer on the same keys, to its time alone. */
final class BesideWriter extends Together
{
    public function measure(array $command): array
    {
        $alone = $this->atOnce([0, [0], false]);
        $foreign = $this->atOnce([0, [0], false], [1, [], true]);
        $beside = $this->atOnce([0, [0], true]);
        $time = fn (array $answers, string $ns): float => $answers[0][$ns] / $answers[0]['calls'];
        $alone_ns = $time($alone, 'ns');
        return $this->answer(['figure' => $time($beside, 'ns') / $alone_ns, 'control' => $time($foreign, 'ns') / $alone_ns], [
            ['by CPU time, which leaves out other programs', $time($beside, 'cpu_ns') / $time($alone, 'cpu_ns')],
            ['beside a writer of another memory', $time($foreign, 'ns') / $alone_ns],
        ], $alone, $foreign, $beside) + ['said' => sprintf('a fetch alone takes %.0f ns, beside the writer %.0f ns', $alone_ns, $time($beside, 'ns'))];
    }
}
