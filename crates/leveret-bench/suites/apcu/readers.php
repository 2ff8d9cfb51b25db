<?php
/*
 * Readers and a writer that run at the same time, all children of one process, so that they share its cache.
 *
 * A reader takes its time inside the clock only; what it read it verifies outside, while the others go on.
 */
final class Readers
{
    /** @var Helper[] */
    private array $readers = [];
    private Helper $writer;
    private array $keys;
    private int $generation = 0;

    public function __construct(private readonly array $size)
    {
        $this->keys = array_map(fn ($number) => md5((string) $number), range(0, $size['keys'] - 1));
        $this->write();
        for ($i = 0; $i < 2; $i++) {
            $this->readers[] = new Helper($this->read(...));
        }
        $this->writer = new Helper($this->writeUntil(...));
    }

    /** Command: readers (their numbers), writer (bool), start and end (ns of the monotonic clock, which all processes share). */
    public function measure(array $command): array
    {
        $helpers = array_map(fn ($number) => $this->readers[$number], $command['readers']);
        foreach ($helpers as $helper) {
            $helper->send($command);
        }
        $written = $command['writer'] ? $this->writer->ask($command) : 0;
        $sum = ['ns' => 0, 'cpu_ns' => 0, 'calls' => 0, 'hits' => 0, 'wrong' => 0, 'written' => $written, 'per_ns' => 0, 'per_cpu_ns' => 0];
        foreach ($helpers as $helper) {
            $answer = $helper->receive();
            $sum['per_ns'] += $answer['calls'] / $answer['ns'];
            $sum['per_cpu_ns'] += $answer['calls'] / max(1, $answer['cpu_ns']);
            foreach ($answer as $name => $number) {
                $sum[$name] += $number;
            }
        }
        return $sum;
    }

    private function write(): void
    {
        $this->generation++;
        foreach ($this->keys as $number => $key) {
            $half = sprintf('%06d/%010d', $number, $this->generation);
            apcu_store($key, "$half $half") || fail('apcu_store refused');
        }
    }

    private function writeUntil(array $command): int
    {
        while (hrtime(true) < $command['start']);
        $first = $this->generation;
        while (hrtime(true) < $command['end']) {
            $this->write();
        }
        return ($this->generation - $first) * count($this->keys);
    }

    /** @var int[] the newest generation seen of each key: a cache never goes back. */
    private array $seen = [];

    private function read(array $command): array
    {
        $sum = ['ns' => 0, 'cpu_ns' => 0, 'calls' => 0, 'hits' => 0, 'wrong' => 0];
        $keys = $this->keys;
        $known = null;
        while (hrtime(true) < $command['start']);
        do {
            $out = array_fill(0, count($keys), null);
            $cpu = $this->cpuTime();
            $start = hrtime(true);
            foreach ($keys as $i => $key) {
                $out[$i] = apcu_fetch($key);
            }
            $sum['ns'] += hrtime(true) - $start;
            $sum['cpu_ns'] += $this->cpuTime() - $cpu;
            $sum['calls'] += count($keys);
            if ($out !== $known) {
                $sum['wrong'] += $this->wrong($out);
                $known = $out;
            }
            $sum['hits'] += count($out) - count(array_keys($out, false, true));
        } while (hrtime(true) < $command['end']);
        return $sum;
    }

    /** Of this process, in ns: what it would have needed on a machine of its own, but for waits. */
    private function cpuTime(): int
    {
        $used = getrusage();
        return (($used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec']) * 1_000_000 + $used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec']) * 1000;
    }

    private function wrong(array $out): int
    {
        $wrong = 0;
        foreach ($out as $number => $value) {
            $half = substr((string) $value, 0, 17);
            $generation = (int) substr($half, 7);
            if ($value !== "$half $half" || (int) $half !== $number || $generation < ($this->seen[$number] ?? 1)) {
                $wrong++;
            }
            $this->seen[$number] = $generation;
        }
        return $wrong;
    }
}
