<?php
/* A connection for each key, as each page has one. What is around it is in passes.php. */

/** Returns how many values were right. */
function read_all($ignored, string $address, array $keys, array $values, int $pass): int
{
    $right = 0;
    foreach ($keys as $number => $key) {
        $cache = null;
        /*OPEN*/
        if ((/*GET*/) === $values[($number + $pass) % VALUES]) {
            $right++;
        }
        /*CLOSE*/
    }
    return $right;
}
