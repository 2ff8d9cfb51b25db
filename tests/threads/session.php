<?php
/* Sessions: threads that visit the same session one after the other, by both handlers. A visit that is not alone loses a count. */
require __DIR__ . '/thread.inc';

foreach (['memcached' => 'arena:sessions', 'memcache' => 'arena:more-sessions'] as $handler => $path) {
    ini_set('session.save_handler', $handler);
    ini_set('session.save_path', $path);
    ini_set('session.use_cookies', '0');
    ini_set('session.cache_limiter', '');
    ini_set('memcached.sess_lock_retries', '4000');
    ini_set('memcached.sess_lock_wait_min', '5');
    ini_set('memcached.sess_lock_wait_max', '20');
    ini_set('memcache.lock_timeout', '60');
    session_id('thesame');
    session_start();
    $visits = $_SESSION['visits'] ?? 0;
    if ($is_last) {
        session_abort();
        ensure($visits === apcu_fetch("visits by $handler"), 'a visit was lost: ' . $visits . ' of ' . apcu_fetch("visits by $handler"));
        continue;
    }
    usleep(1000);
    $_SESSION['visits'] = $visits + 1;
    $_SESSION['by'][$thread] = $request;
    apcu_inc("visits by $handler");
    session_write_close();
}
