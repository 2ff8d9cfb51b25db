--TEST--
Session handlers: a signal and PHP's time limit end the wait for a lock, and nothing is written over the session
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
ini_set('session.save_path', 'arena:sessions');
$pool = new MemcachePool;
$pool->addServer('arena:sessions', 0);
$locks = ['memcached' => 'memc.sess.key.lock.mine', 'memcache' => 'mine.lock'];
pcntl_async_signals(true);
foreach ($locks as $handler => $lock) {
    echo "$handler: ";
    ini_set('session.save_handler', $handler);
    session_id('mine');
    session_start();
    $_SESSION['n'] = 1;
    session_write_close();
    $_SESSION = [];
    $pool->set($lock, 1);
    foreach ([fn() => throw new Exception('enough'), fn() => session_abort()] as $asked) {
        pcntl_signal(SIGALRM, function () use ($asked) {
            echo 'asked, ';
            $asked();
        });
        session_id('mine');
        pcntl_alarm(1);
        try {
            var_dump(@session_start());
        } catch (Exception $exception) {
            echo $exception->getMessage(), ', ';
        }
        $_SESSION['lost'] = 1;
        echo json_encode(session_write_close()), ', ', json_encode(@$pool->get($lock) > 0), "\n";
    }
    /* What PHP's timer sends is sent by a shell, since time that is waited is no time to it. */
    echo other_php(<<<PHP
        session_id('mine');
        set_time_limit(1000);
        set_error_handler(function (int \$number, string \$text) { echo "\$text\\n"; return true; });
        exec('(sleep 0.3; kill -PROF ' . getmypid() . ') > /dev/null 2>&1 &');
        session_start();
        echo 'is not reached';
        PHP, ['leveret.provide' => 'memcached,memcache', 'session.save_handler' => $handler, 'session.save_path' => 'arena:sessions', 'session.use_cookies' => 0,
        'session.cache_limiter' => '', 'memcached.sess_lock_retries' => 1000000, 'memcache.lock_timeout' => 1000000]);
    $pool->delete($lock);
    session_id('mine');
    var_dump(session_start(), $_SESSION);
    session_write_close();
    $pool->delete($handler === 'memcached' ? 'memc.sess.key.mine' : 'mine');
}
?>
--EXPECTF--
memcached: asked, enough, false, true
asked, bool(false)
false, true

Fatal error: Maximum execution time of 1000 seconds exceeded in Command line code on line 3

Warning: PHP Request Shutdown: Failed to write session data (memcached). Please verify that the current setting of session.save_path is correct (arena:sessions) in Unknown on line 0
bool(true)
array(1) {
  ["n"]=>
  int(1)
}
memcache: asked, enough, false, true
asked, bool(false)
false, true

Fatal error: Maximum execution time of 1000 seconds exceeded in Command line code on line 3
bool(true)
array(1) {
  ["n"]=>
  int(1)
}
