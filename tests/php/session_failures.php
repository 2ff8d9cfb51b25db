<?php
// Visits of a session whose server, or the way there, fails. Words: the handler, the save path, the failing operation, and the shell
// commands that begin and end the failure.
[, $handler, $path, $what, $fail, $mend] = $argv;
set_error_handler(function (int $number, string $text): bool {
    echo "  warning: $text", in_array(session_id(), ['', 'visitor'], true) ? '' : ' (of another session)', "\n";
    return true;
});

/** A visit: prints the session's content. */
function visit(string $title, callable $do): void
{
    session_id('visitor');
    $_SESSION = [];
    $is_open = session_start();
    echo "$title: ", json_encode([$is_open, $_SESSION]), "\n";
    $do();
}

ob_start();
foreach (['session.save_handler' => $handler, 'session.use_cookies' => 0, 'session.cache_limiter' => '', 'session.save_path' => $path,
    'memcache.lock_timeout' => 1, 'memcached.sess_lock_retries' => 0, 'memcached.sess_binary_protocol' => 0, 'memcached.sess_locking' => $what !== 'validate'] as $name => $value) {
    ini_set($name, (string) $value);
}
visit('before', function () {
    $_SESSION['n'] = 1;
    session_write_close();
});
ini_set('session.use_strict_mode', (int) ($what === 'validate'));
if ($what === 'destroy') {
    visit('to be destroyed', function () use ($fail) {
        exec($fail);
        echo 'destroyed: ', json_encode(session_destroy()), "\n";
    });
} else {
    exec($fail);
    visit('failing', function () {
        $_SESSION['lost'] = 1;
        echo 'written: ', json_encode(session_write_close()), "\n";
    });
}
exec($mend);
ini_set('session.use_strict_mode', 0);
visit('after', 'session_write_close');
echo str_replace($path, 'PATH', ob_get_clean());
