<?php
/**
 * Stores of keys that never come again, into memory that is full: for each of them something else has to go.
 *
 * First many stores, whose mean is the figure, in time of the processor; then stores with a clock each, for the slow ones. Those are looked
 * at in blocks: one in which the kernel gave the processor to somebody else says nothing of a store and is left out.
 */
final class Full
{
    private const BLOCK = 32;

    private int $next = 0;
    private string $pad;

    public function __construct(private readonly array $size)
    {
        $this->pad = str_repeat('0123456789abcdef', intdiv($size['bytes'], 16) + 1);
        for ($stored = 0; $stored < $size['fill']; $stored += count($pairs)) {
            $pairs = $this->pairs(min(100_000, $size['fill'] - $stored));
            foreach ($pairs as $i => [$key, $value, $ttl]) {
                apcu_store($key, $value, $ttl) || fail('apcu_store refused');
            }
        }
    }

    public function measure(array $command): array
    {
        $answer = ['calls' => $this->size['calls'], 'wrong' => 0];
        $pairs = $this->pairs($this->size['calls']);
        $out = array_fill(0, count($pairs), null);
        $start = $this->usage()['ns'];
        foreach ($pairs as $i => [$key, $value, $ttl]) {
            $out[$i] = apcu_store($key, $value, $ttl);
        }
        $answer['ns'] = $this->usage()['ns'] - $start;
        $answer['wrong'] += $this->wrong($pairs, $out);

        $pairs = $this->pairs($this->size['single']);
        $single = $this->singly(static function (array $pair): bool {
            [$key, $value, $ttl] = $pair;
            return apcu_store($key, $value, $ttl);
        }, $pairs, $out);
        $answer['wrong'] += $this->wrong($pairs, $out);
        // What this machine does to any work of that length: a sum over 500 bytes of the process's own.
        $private = str_repeat('x', 500);
        $floor = $this->singly(static fn (array $pair): string => md5($private), $pairs, $out);
        $answer['beside'] = array_map(null, array_keys($single['times']), array_values($single['times']));
        if (isset($floor['times']['p99.99'])) {
            $answer['beside'][] = ['as much work on private memory at p99.99', $floor['times']['p99.99']];
        }
        $answer['said'] = sprintf('left out were the %.1f %% of stores beside which something else ran', $single['left_out'] * 100);
        return $answer;
    }

    /** Calls with a clock each. Their answers are left in $out. */
    private function singly(callable $call, array $pairs, array &$out): array
    {
        $times = array_fill(0, count($pairs), 0);
        $first = 0;
        $kept = [];
        $before = $this->usage()['switches'];
        foreach ($pairs as $i => $pair) {
            $start = hrtime(true);
            $out[$i] = $call($pair);
            $times[$i] = hrtime(true) - $start;
            if ($i - $first === self::BLOCK - 1) {
                $after = $this->usage()['switches'];
                if ($after === $before) {
                    for ($j = $first; $j <= $i; $j++) {
                        $kept[] = $times[$j];
                    }
                }
                $first = $i + 1;
                $before = $after;
            }
        }
        sort($kept);
        $times = [];
        foreach ($kept === [] ? [] : ['median' => 0.5, 'p99.9' => 0.999, 'p99.99' => 0.9999, 'longest' => 1.0] as $name => $share) {
            $times[$name] = $kept[(int) ((count($kept) - 1) * $share)] / 1e9;
        }
        return ['left_out' => 1 - count($kept) / count($pairs), 'times' => $times];
    }

    private function pairs(int $count): array
    {
        $lifetimes = $this->size['lifetimes'];
        $pairs = [];
        for ($i = 0; $i < $count; $i++) {
            $number = $this->next++;
            $key = md5((string) $number);
            $pairs[] = [$key, substr("$key$this->pad", 0, $this->size['bytes']), $lifetimes[$number % count($lifetimes)]];
        }
        return $pairs;
    }

    /** What was stored is there as it was stored, or gone; what was stored last is there. */
    private function wrong(array $pairs, array $out): int
    {
        $wrong = 0;
        foreach ($pairs as $i => [$key, $value]) {
            $found = apcu_fetch($key);
            $wrong += $out[$i] !== true || $found !== $value && ($found !== false || $i === count($pairs) - 1);
        }
        return $wrong;
    }

    /** The processor's time that this process has used so far, and how often it has lost it. */
    private function usage(): array
    {
        $used = getrusage();
        $micros = ($used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec']) * 1_000_000 + $used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec'];
        return ['ns' => $micros * 1000, 'switches' => $used['ru_nivcsw']];
    }
}
