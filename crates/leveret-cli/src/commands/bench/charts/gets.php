<?php
/* One key, again and again, over one connection. What is around it is in passes.php. */

/** Returns how many values were right. */
function read_all($cache, string $address, array $keys, array $values, int $pass): int
{
    $right = 0;
    $number = array_key_first($keys);
    [$key, $want] = [$keys[$number], $values[($number + $pass) % VALUES]];
    foreach ($keys as $ignored) {
        if ((/*GET*/) === $want) {
            $right++;
        }
    }
    return $right;
}
