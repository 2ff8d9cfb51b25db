--TEST--
Session handler memcached: the error handler that learns of a missing lock may close the session
--INI--
session.use_cookies=0
session.cache_limiter=
output_buffering=1000000
--FILE--
<?php
require __DIR__ . '/../start.inc';
ini_set('session.save_handler', 'memcached');
ini_set('session.save_path', '127.0.0.1:1');
set_error_handler(function (int $level, string $text): bool {
    echo str_contains($text, 'Failed to write session lock') ? 'no lock ' : '', session_abort() ? 'closed' : 'none is open', "\n";
    return true;
});
session_id('closed');
var_dump(session_start());
?>
--EXPECT--
no lock closed
none is open
none is open
bool(false)
