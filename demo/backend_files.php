<?php
// One file a key, in the same file system as the arena. Strings as they are, other types serialized.

function open_backend(string $folder): void
{
    define('FILES', "$folder/files/");
    mkdir(FILES, 0700, true);
}

function write_all(array $items): int
{
    $stored = 0;
    foreach ($items as $key => $value) {
        $stored += (int) (file_put_contents(FILES . $key, is_string($value) ? $value : serialize($value)) !== false);
    }
    return $stored;
}

function read_all(array $keys, bool $strings): array
{
    $values = [];
    foreach ($keys as $key) {
        $text = file_get_contents(FILES . $key);
        $values[$key] = $strings ? $text : (@unserialize($text) ?: $text);
    }
    return $values;
}

function clear_all(): void
{
    array_map('unlink', glob(FILES . '*'));
}

function backend_version(): string
{
    return 'PHP ' . PHP_VERSION;
}
