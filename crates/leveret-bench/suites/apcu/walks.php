<?php
/*
 * Walks over all items, and what is told of them. Between two batches another process stores one more key and overwrites the others, so
 * each walk must find another number of items.
 */

abstract class Walk extends Workload
{
    /** What is inside the clock. */
    abstract protected function walk(): mixed;

    /** Whether it found these keys, which are sorted. */
    abstract protected function isRight(mixed $found, array $keys): bool;

    /** How many calls one of them counts for: items, or one. */
    protected function weight(): int
    {
        return $this->size['keys'] + $this->generation;
    }

    protected function write(int $generation): void
    {
        foreach ($this->keys($generation) as $key) {
            apcu_store($key, $generation) || fail('apcu_store refused');
        }
    }

    private function keys(int $generation): array
    {
        $keys = array_map(fn ($number) => "key:$number:" . md5((string) $number), range(1, $this->size['keys'] + $generation));
        sort($keys);
        return $keys;
    }

    protected function calls(): int
    {
        $out = $this->room();
        $n = $this->size['calls'];
        $start = hrtime(true);
        for ($i = 0; $i < $n; $i++) {
            $out[$i] = $this->walk();
        }
        $ns = hrtime(true) - $start;
        $keys = $this->keys($this->generation);
        $this->out = array_map(fn ($found) => $this->isRight($found, $keys), $out);
        return $ns;
    }

    protected function count(): int
    {
        return $this->size['calls'] * $this->weight();
    }

    protected function expected(int $generation): array
    {
        return array_fill(0, $this->size['calls'], true);
    }
}

final class WalkKeys extends Walk
{
    protected function walk(): mixed
    {
        $keys = [];
        foreach (new APCUIterator(null, APC_ITER_KEY) as $key => $item) {
            $keys[] = $key;
        }
        return $keys;
    }

    protected function isRight(mixed $found, array $keys): bool
    {
        sort($found);
        return $found === $keys;
    }
}

final class WalkInfo extends Walk
{
    protected function walk(): mixed
    {
        return apcu_cache_info();
    }

    protected function isRight(mixed $found, array $keys): bool
    {
        $listed = array_column($found['cache_list'], 'info');
        sort($listed);
        return $listed === $keys && $found['num_entries'] === count($keys);
    }
}

final class WalkCount extends Walk
{
    protected function walk(): mixed
    {
        $all = new APCUIterator();
        return [$all->getTotalCount(), $all->getTotalSize()];
    }

    protected function isRight(mixed $found, array $keys): bool
    {
        return $found[0] === count($keys) && $found[1] > strlen(implode($keys));
    }

    protected function weight(): int
    {
        return 1;
    }
}

/** The keys that match a regular expression, one in eleven. */
final class WalkSome extends Walk
{
    protected function walk(): mixed
    {
        $keys = [];
        foreach (new APCUIterator('/^key:1/', APC_ITER_KEY) as $key => $item) {
            $keys[] = $key;
        }
        return $keys;
    }

    protected function isRight(mixed $found, array $keys): bool
    {
        sort($found);
        return $found === array_values(preg_grep('/^key:1/', $keys));
    }
}

/** What monitoring asks for: no item is listed. */
final class Totals extends Walk
{
    protected function walk(): mixed
    {
        return [apcu_cache_info(true), apcu_sma_info(true)];
    }

    protected function isRight(mixed $found, array $keys): bool
    {
        return $found[0]['num_entries'] === count($keys) && $found[1]['num_seg'] === 1;
    }

    protected function weight(): int
    {
        return 1;
    }
}
