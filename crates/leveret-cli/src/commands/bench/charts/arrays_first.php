<?php
/* Each array once. */

/** Returns how many values were right. */
function read_all($cache, string $address, array $keys, array $values, int $pass): int
{
    $right = 0;
    foreach (array_chunk($keys, BATCH, true) as $batch) {
        $found = []; // those before are freed here, while the clock runs
        foreach ($batch as $number => $key) {
            $found[$number] = /*GET*/;
        }
        $right += aside(function () use ($found, $values, $pass): int {
            $right = 0;
            foreach ($found as $number => $value) {
                $right += (int) ($value === $values[($number + $pass) % VALUES]);
            }
            return $right;
        });
    }
    return $right;
}
