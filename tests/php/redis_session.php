<?php
// Visits of a session by php-redis' handler, as one worker makes them: SAVE_PATH ID VISITS NAP_US. Prints JSON: the count of each visit, and PHP's warnings.

[, $path, $id, $visits, $nap] = $argv;
$warnings = $counts = [];
set_error_handler(function (int $number, string $text) use (&$warnings): bool {
    $warnings[] = $text;
    return true;
});
ini_set('session.save_handler', 'redis');
ini_set('session.save_path', $path);
ini_set('session.use_cookies', 0);
ini_set('session.use_only_cookies', 0);
ini_set('session.cache_limiter', '');
for ($visit = 0; $visit < (int) $visits; $visit++) {
    session_id($id);
    session_start();
    $counts[] = $_SESSION['count'] = ($_SESSION['count'] ?? 0) + 1;
    $_SESSION['cart'] = ['a book', $visit];
    usleep((int) $nap);
    session_write_close();
}
echo json_encode(['counts' => $counts, 'warnings' => $warnings]);
