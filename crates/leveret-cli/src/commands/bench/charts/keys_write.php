<?php
/* One key a call. What is around it is in passes.php. */

/** Returns how many calls said yes. */
function write_all($cache, string $address, array $keys, array $values, int $pass): int
{
    $done = 0;
    foreach ($keys as $number => $key) {
        $value = $values[($number + $pass) % VALUES];
        if (/*SET*/) {
            $done++;
        }
    }
    /*END*/
    return $done;
}
