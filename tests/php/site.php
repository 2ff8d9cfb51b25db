<?php
// One page that uses the cache and checks each value that it reads. Every value describes itself, so that a torn or
// foreign one is seen: it names its key and version, and its body is made from them.

const SHARED_KEYS = 200;

function describe(string $key, int $version): array|string
{
    $seed = hash('xxh64', "$key:$version");
    $body = str_repeat($seed, 1 + hexdec(substr($seed, 0, 2)) * ($version % 5 ? 1 : 40));
    return $version % 3 ? "$key:$version:$body" : ['key' => $key, 'version' => $version, 'body' => $body];
}

/** The version of a value whose bytes are all correct; another value ends the page with a word that the client searches for. */
function version_of(string $key, mixed $value): int
{
    $version = is_array($value) ? $value['version'] : (int) explode(':', (string) $value, 3)[1];
    if ($value !== describe($key, $version)) {
        exit("WRONG $key: " . difference(serialize(describe($key, $version)), serialize($value)));
    }
    return $version;
}

/** Where two texts differ, and where they agree again: distinguishes a torn value from another key's. */
function difference(string $wanted, string $got): string
{
    $differs = $wanted ^ $got;
    $from = strspn($differs, "\0");
    $until = strlen(rtrim($differs, "\0"));
    return sprintf('%d bytes where %d were stored, differs from byte %d to %d: wanted %s, got %s', strlen($got), strlen($wanted),
        $from, $until, json_encode(substr($wanted, $from, 60)), json_encode(substr($got, $from, 60), JSON_INVALID_UTF8_SUBSTITUTE));
}

/** Reads and rewrites keys that every worker writes. */
function work_on_shared(): int
{
    $seen = 0;
    for ($i = 0; $i < 60; $i++) {
        $key = 'shared-' . random_int(0, SHARED_KEYS - 1);
        $value = apcu_fetch($key, $found);
        if ($found) {
            version_of($key, $value);
            $seen++;
        }
        if ($i % 3 === 0) {
            apcu_store($key, describe($key, random_int(1, 1 << 30)));
        }
        if ($i % 20 === 0) {
            apcu_delete('shared-' . random_int(0, SHARED_KEYS - 1));
        }
    }
    apcu_inc('requests');
    apcu_entry('entry-' . random_int(0, 20), fn($key) => describe($key, 7), 1);
    return $seen;
}

/** Ends the page. By the length the client recognizes an answer that a kill has cut off. */
function answer(mixed $value): never
{
    $text = json_encode($value);
    header('Content-Type: application/json');
    header('Content-Length: ' . strlen($text));
    exit($text);
}

switch ($_GET['do']) {
    case 'work':
        // `key` belongs to one client. Its old value is returned, then it becomes `version`.
        $key = $_GET['key'];
        $before = apcu_fetch($key, $found);
        $before = $found ? version_of($key, $before) : 0;
        $seen = work_on_shared();
        $stored = apcu_store($key, describe($key, (int) $_GET['version']));
        answer(['before' => $before, 'stored' => $stored, 'seen' => $seen, 'pid' => getmypid()]);
    case 'store':
        answer(apcu_store($_GET['key'], $_GET['value']));
    case 'fetch':
        $value = apcu_fetch($_GET['key'], $found);
        answer($found ? $value : null);
    case 'late':
        // Uses the cache for the first time after a signal: the file that it has created is removed.
        touch($_GET['mark']);
        while (file_exists($_GET['mark'])) {
            usleep(1000);
            clearstatcache();
        }
        answer(apcu_fetch($_GET['key']));
    case 'pid':
        answer(getmypid());
}
