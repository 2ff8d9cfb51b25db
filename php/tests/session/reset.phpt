--TEST--
Session handlers: session_reset() reads the session again and keeps its lock, one visitor after the other
--INI--
session.use_cookies=0
session.cache_limiter=
memcached.sess_lock_retries=0
memcache.lock_timeout=1
output_buffering=1000000
--FILE--
<?php
require __DIR__ . '/../start.inc';
ini_set('session.save_path', 'arena:sessions');
foreach (['memcached', 'memcache'] as $handler) {
    ini_set('session.save_handler', $handler);
    session_id("of-$handler");
    session_start();
    $_SESSION['n'] = 1;
    session_write_close();
    session_start();
    $_SESSION['n'] = 2;
    var_dump(session_reset(), $_SESSION['n']);
    $_SESSION['n'] = 3;
    session_write_close();
    session_start();
    var_dump($_SESSION['n']);
    session_abort();
    session_start();
    var_dump($_SESSION['n']);
    session_write_close();
}
--EXPECT--
bool(true)
int(1)
int(3)
int(3)
bool(true)
int(1)
int(3)
int(3)
