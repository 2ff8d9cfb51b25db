<?php
/** The smallest limit, in whole MiB, at which every item is still there; of ours the blocks that its file then has. */
final class Smallest
{
    private int $asked = 0;
    private int $wrong = 0;

    public function __construct(private readonly array $size)
    {
    }

    /** Bisects: `too_small` loses items (or is the least there may be), `enough` keeps them all. */
    public function measure(array $command): array
    {
        [$tooSmall, $enough] = [$this->size['too_small'], $this->size['enough']];
        $best = $this->try($enough) ?? fail("$enough MiB do not hold {$this->size['items']} items");
        while ($enough - $tooSmall > 1) {
            $middle = intdiv($tooSmall + $enough, 2);
            $bytes = $this->try($middle);
            if ($bytes === null) {
                $tooSmall = $middle;
            } else {
                [$enough, $best] = [$middle, $bytes];
            }
        }
        return ['figure' => $best, 'asked' => $this->asked, 'right' => $this->asked - $this->wrong, 'said' => "$enough MiB hold all, $tooSmall MiB do not"];
    }

    /** The bytes that so many MiB take when all items are in them; null when they do not hold all. */
    private function try(int $mib): ?int
    {
        $worker = new Worker(["apc.shm_size={$mib}M"]);
        $worker->ask(['do' => 'prepare', 'workload' => 'Fill', 'size' => $this->size]);
        $sum = $worker->ask(['do' => 'sum']);
        $this->asked += $sum['items'];
        $this->wrong += $sum['wrong'];
        // APCu reserves all of it at once.
        $bytes = array_sum(array_map(fn (string $file) => stat($file)['blocks'] * 512, glob("$worker->folder/*.arena"))) ?: $mib * 2 ** 20;
        $worker->end();
        return $sum['hits'] === $sum['items'] ? $bytes : null;
    }
}
