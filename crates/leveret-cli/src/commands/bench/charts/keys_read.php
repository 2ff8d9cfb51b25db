<?php
/* One key a call, each once. What is around it is in passes.php. */

/** Returns how many values were right. */
function read_all($cache, string $address, array $keys, array $values, int $pass): int
{
    $right = 0;
    foreach ($keys as $number => $key) {
        if ((/*GET*/) === $values[($number + $pass) % VALUES]) {
            $right++;
        }
    }
    return $right;
}
