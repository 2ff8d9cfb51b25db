<?php
// A page of a site that is upgraded while visitors come: each API returns its own value, and stores version `n`, for the visitor `who`.
// A failed call is null or false; only a value that was never stored is "WRONG".

function described(int $n): array
{
    return ['n' => $n, 'half' => $n / 2, 'body' => str_repeat(md5((string) $n), $n % 100)];
}

function tried(callable $do): mixed
{
    try {
        return $do();
    } catch (Leveret\Exception | MemcachedException) {
        return null;
    }
}

function turn(int $n, callable $read, callable $store): array
{
    $found = tried($read);
    if ($found !== null && $found !== false) {
        $found = $found === described($found['n'] ?? 0) ? $found['n'] : 'WRONG';
    }
    return [$found === false ? null : $found, tried(fn() => $store(described($n))) === true];
}

$warnings = [];
set_error_handler(function (int $level, string $text) use (&$warnings) {
    return (bool) ($warnings[] = $text);
});
$n = (int) $_GET['n'];
$own = 'own-' . $_GET['who'];
try {
    [$shop, $refused] = [new Leveret\Cache('shop'), ''];
} catch (Leveret\Exception $error) {
    [$shop, $refused] = [null, $error->getMessage()];
}
$pool = new Memcached();
$pool->addServer($_GET['server'], 0);
$answer = [
    'refused' => $refused,
    'apcu' => turn($n, fn() => apcu_fetch($own), fn($value) => apcu_store($own, $value)),
    'cache' => turn($n, fn() => $shop?->get($own), fn($value) => $shop?->set($own, $value)),
    'server' => turn($n, fn() => $pool->get("$own-server"), fn($value) => $pool->set("$own-server", $value)),
];
// Each of the two reads the other's values.
if ($shop && isset($_GET['both'])) {
    $stored = [tried(fn() => $shop->set('by-cache', "c$n")), $pool->set('by-server', "s$n")];
    $answer['both'] = [...$stored, $pool->get('by-cache'), tried(fn() => $shop->get('by-server'))];
}
$text = json_encode($answer + ['warnings' => $warnings]);
header('Content-Length: ' . strlen($text));
echo $text;
