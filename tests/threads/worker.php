<?php
/* A request that does not end, as that of a worker of FrankenPHP: the decoded-value cache still accepts new values although nothing
 * is freed between requests. */
require __DIR__ . '/thread.inc';

if ($is_last || $request > 0) {
    return;
}

function decoded_arrays(): int
{
    ob_start();
    (new ReflectionExtension('leveret'))->info();
    preg_match('/Decoded-value cache (?:=> )?(\d+) arrays/', strip_tags(ob_get_clean()), $found);
    return (int) $found[1];
}

/* Many times the size of leveret.decoded_cache, each fetched so often that it is kept. */
$key = "worker/$thread";
$big = array_fill(0, 2000, str_repeat('x', 100));
for ($version = 0; $version < 200; $version++) {
    $big[0] = $version;
    apcu_store($key, $big);
    for ($time = 0; $time < 3; $time++) {
        ensure(apcu_fetch($key)[0] === $version, 'not the newest version');
    }
    ensure(decoded_arrays() === 1, "version $version is not kept decoded");
}
