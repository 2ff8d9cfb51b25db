<?php
/* One array, again and again: the first of the keys, whatever their order. */

/** Returns for how many fetches there is an array. */
function write_all($cache, string $address, array $keys, array $values, int $pass): int
{
    [$key, $value] = [$keys[0], $values[$pass]];
    return (/*SET*/) ? count($keys) : 0;
}

/** Returns how many values were right. */
function read_all($cache, string $address, array $keys, array $values, int $pass): int
{
    [$key, $want, $right] = [$keys[0], $values[$pass], 0];
    aside(fn () => /*GET*/);
    $batches = array_chunk($keys, BATCH);
    foreach ($pass === 0 ? array_slice($batches, 0, 1) : $batches as $batch) {
        $found = []; // those before are freed here, while the clock runs
        foreach ($batch as $ignored) {
            $found[] = /*GET*/;
        }
        $right += aside(fn (): int => count(array_keys($found, $want, true)));
    }
    return $right;
}
