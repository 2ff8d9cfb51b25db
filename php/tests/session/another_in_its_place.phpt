--TEST--
Session handlers: a session that user code has opened in the place of the one that is being read is not taken for that one
--INI--
session.use_cookies=0
session.cache_limiter=
memcached.sess_lock_retries=1000000
memcache.lock_timeout=1000000
output_buffering=1000000
--SKIPIF--
<?php if (!function_exists('pcntl_alarm')) die('skip needs pcntl'); ?>
--FILE--
<?php
require __DIR__ . '/../start.inc';

/** The data of the session of this id, as another process reads it, and what it is warned of. */
function stored(string $id): string
{
    global $handler;
    return other_php("session_id('$id'); session_start(['read_and_close' => true]); echo json_encode(\$_SESSION);", ['leveret.provide' => 'memcached,memcache', 'memcache.lock_timeout' => 1,
        'memcached.sess_lock_retries' => 0, 'session.save_handler' => $handler, 'session.save_path' => 'arena:places', 'session.use_cookies' => 0, 'session.cache_limiter' => '']);
}

class Handler extends SessionHandler
{
}

foreach (['memcached', 'memcache'] as $handler) {
    echo "$handler\n";
    session_write_close();
    session_set_save_handler(new SessionHandler, false);
    ini_set('session.save_handler', $handler);
    ini_set('session.save_path', 'arena:places');
    $evil = str_repeat('E', 46);
    session_id($evil);
    session_start();
    $_SESSION = ['whose' => 'evil'];
    session_write_close();

    // The error handler opens another session, which reuses the memory of the first one's id.
    ini_set('session.save_path', $handler === 'memcached' ? '/dev/shm/there/is/no.sock' : 'http:///bad');
    session_id('first' . str_repeat('1', 41));
    set_error_handler(function () use ($evil) {
        static $done = false;
        if (!$done) {
            $done = true;
            session_abort();
            ini_set('session.save_path', 'arena:places');
            session_id('second' . str_repeat('s', 40));
            $GLOBALS['taken'] = str_repeat('E', strlen($evil));
            session_start();
            $_SESSION = ['whose' => 'second'];
        }
        return true;
    });
    @session_start();
    var_dump(($_SESSION['whose'] ?? null) !== 'evil');
    session_write_close();
    restore_error_handler();
    echo stored($evil), "\n";

    // No lock stays on a session that is closed.
    echo stored('second' . str_repeat('s', 40)), "\n";

    // A signal handler closes the session and opens it again while its lock is awaited.
    $pool = new MemcachePool;
    $pool->addServer('arena:places', 0);
    $lock = $handler === 'memcached' ? 'memc.sess.key.lock.abc' : 'abc.lock';
    $pool->set($lock, 1);
    $user = new Handler;
    session_set_save_handler($user, false);
    pcntl_async_signals(true);
    pcntl_signal(SIGALRM, function () use ($user) {
        $user->close();
        $user->open('arena:places', 'PHPSESSID');
    });
    pcntl_alarm(1);
    session_id('abc');
    var_dump(@session_start());
    @session_abort();
    $pool->delete($lock);

    // An empty id.
    foreach ([fn() => $user->read(''), fn() => $user->write('', 'x'), fn() => $user->destroy('')] as $call) {
        session_id('empty');
        session_start();
        set_error_handler(function () use ($user) {
            $user->close();
            return true;
        });
        var_dump((bool) $call());
        restore_error_handler();
        @session_abort();
    }
}
?>
--EXPECT--
memcached
bool(true)
{"whose":"evil"}
[]
bool(false)
bool(false)
bool(true)
bool(true)
memcache
bool(true)
{"whose":"evil"}
[]
bool(false)
bool(false)
bool(false)
bool(false)
