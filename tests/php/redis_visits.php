<?php
// Visits of sessions of the handler "redis" in all the ways that PHP has, and the server's keys in between: SAVE_PATH PORT PREFIX SETTINGS. The output is the same
// with php-redis.

[, $path, $port, $prefix, $settings] = $argv;
error_reporting(E_ALL & ~E_DEPRECATED);
set_error_handler(function (int $number, string $text) use ($path): bool {
    echo '  warning: ', str_replace($path, 'PATH', $text), "\n";
    return true;
}, E_ALL & ~E_DEPRECATED);
ob_start();
foreach (json_decode($settings, true) + ['session.save_handler' => 'redis', 'session.save_path' => $path, 'session.use_cookies' => 0, 'session.use_only_cookies' => 0,
    'session.cache_limiter' => '', 'session.gc_maxlifetime' => 1000] as $name => $value) {
    ini_set($name, (string) $value);
}
$look = new Redis();
$look->connect('127.0.0.1', (int) $port);

/** The server's keys: each without its prefix, its value if it is not compressed, and whether its ttl is that of a session. */
function look(): void
{
    global $look, $prefix;
    $keys = $look->keys('*');
    sort($keys);
    foreach ($keys as $key) {
        $ttl = $look->ttl($key);
        $value = $look->get($key);
        echo '  ', str_replace($prefix, '', $key), ': ', ini_get('redis.session.compression') === 'none' && !str_ends_with($key, '_LOCK') ? $value : 'there', ', ',
            match (true) { $ttl > 900 && $ttl <= 1000 => 'a lifetime', $ttl > 0 => 'shorter', default => 'for ever' }, "\n";
    }
}

function visit(string $title, string $id, callable $do): void
{
    session_id($id);
    $_SESSION = [];
    $is_open = session_start();
    echo "$title: ", json_encode([$is_open, $_SESSION]), "\n";
    $do();
    if (session_status() === PHP_SESSION_ACTIVE) {
        echo '  closed: ', json_encode(session_write_close()), "\n";
    }
    look();
}

visit('a new one', 'first', function () { $_SESSION = ['n' => 1, 'text' => str_repeat('a page ', 40)]; look(); });
visit('again', 'first', function () { $_SESSION['n']++; });
$look->expire("{$prefix}first", 10);
visit('nothing changes', 'first', function () {});
$look->expire("{$prefix}first", 10);
ini_set('session.lazy_write', 0);
visit('written all the same', 'first', function () {});
ini_set('session.lazy_write', 1);
visit('emptied', 'first', function () { $_SESSION = []; });
visit('aborted', 'first', function () { $_SESSION['lost'] = 1; session_abort(); });
// php-redis waits for its own lock here.
ini_get('redis.session.locking_enabled') or visit('reset', 'first', function () { $_SESSION['lost'] = 1; session_reset(); $_SESSION['kept'] = 1; });
visit('read and closed', 'first', function () { session_write_close(); echo '  ', json_encode(session_start(['read_and_close' => true])), "\n"; });
visit('a new id', 'first', function () { echo '  ', json_encode(session_regenerate_id()), "\n"; $_SESSION['id'] = 'new'; session_id() !== 'first' or print("  the same id\n"); session_write_close(); $GLOBALS['look']->del($GLOBALS['prefix'] . session_id()); });
visit('a new id, and the old one goes', 'first', function () { echo '  ', json_encode(session_regenerate_id(true)), "\n"; session_write_close(); $GLOBALS['look']->del($GLOBALS['prefix'] . session_id()); });
visit('to be destroyed', 'second', function () { $_SESSION['n'] = 1; session_write_close(); session_start(); echo '  ', json_encode(session_destroy()), "\n"; });
ini_set('session.use_strict_mode', 1);
visit('an id that nobody has given, in strict mode', 'guessed', function () { echo '  ', session_id() === 'guessed' ? 'taken' : 'another one', "\n"; session_destroy(); });
ini_set('session.use_strict_mode', 0);
visit('there for strict mode', 'third', function () { $_SESSION['n'] = 3; });
ini_set('session.use_strict_mode', 1);
visit('an id that is known, in strict mode', 'third', function () { echo '  ', session_id(), "\n"; });
ini_set('session.use_strict_mode', 0);
visit('garbage collection', 'third', function () { echo '  ', json_encode(session_gc()), "\n"; });
visit('bytes', 'bytes', function () { $_SESSION['b'] = implode('', array_map(chr(...), range(0, 255))); session_write_close(); session_start(); echo '  ', sha1($_SESSION['b']), "\n"; unset($_SESSION['b']); });
visit('large', 'large', function () { mt_srand(1); $_SESSION['l'] = ''; while (strlen($_SESSION['l']) < 700000) { $_SESSION['l'] .= mt_rand(); } session_write_close(); session_start(); echo '  ', sha1($_SESSION['l']), "\n"; session_destroy(); });
foreach (['', 'a', 'abc', 'abcd', 'abcde'] as $id) {
    visit("the id '$id'", $id, function () { $_SESSION['n'] = 4; if (strlen(session_id()) > 9) { session_destroy(); } });
}
echo ob_get_clean();
