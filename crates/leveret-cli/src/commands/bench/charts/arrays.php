<?php
/* Arrays, as a database gives them. What is around it is in passes.php, or in arrays_repeat.php and there. */
const VALUES = 31; // of a thousand rows each: more would take their time to make
const BATCH = 16;

/** So many rows of eight columns. */
function value(int $number, int $rows): array
{
    $value = [];
    for ($i = 0; $i < $rows; $i++) {
        $n = crc32("$number:$i");
        $value[] = [
            'id' => $n,
            'name' => "Customer $n",
            'mail' => "customer.$n@example.org",
            'balance' => (float) $n, // who writes 1 for 1.0 gives another type back
            'visits' => $n % 100,
            'parent' => null,
            'active' => ($n & 1) === 1,
            'created' => sprintf('2026-%02d-%02d 12:00:00', $n % 12 + 1, $n % 28 + 1),
        ];
    }
    return $value;
}
