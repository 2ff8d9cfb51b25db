<?php
// apcu_*: of our extension or of the original, whichever is loaded.

function open_backend(string $folder): void
{
    apcu_enabled() || exit(98);
}

function write_all(array $items): int
{
    $stored = 0;
    foreach ($items as $key => $value) {
        $stored += (int) apcu_store($key, $value, 1800);
    }
    return $stored;
}

function read_all(array $keys, bool $strings): array
{
    $values = [];
    foreach ($keys as $key) {
        $values[$key] = apcu_fetch($key);
    }
    return $values;
}

function clear_all(): void
{
    apcu_clear_cache();
}

function backend_version(): string
{
    return extension_loaded('leveret') ? phpversion('leveret') : phpversion('apcu');
}
