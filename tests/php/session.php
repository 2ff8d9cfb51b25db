<?php
// A page with a session: it counts its visitors, once each. Settings of the handler and of its locks come with the request.

/** PHP's warnings are part of the answer, except PHP 8.4's deprecations. */
error_reporting(E_ALL & ~E_DEPRECATED);
$warnings = [];
set_error_handler(function (int $number, string $text) use (&$warnings): bool {
    $warnings[] = $text;
    return true;
}, E_ALL & ~E_DEPRECATED);

/** Ends the page. By the length the client recognizes an answer that a kill has cut off. */
function answer(array $fields): never
{
    global $warnings;
    $text = json_encode($fields + ['warnings' => $warnings]);
    header('Content-Type: application/json');
    header('Content-Length: ' . strlen($text));
    exit($text);
}

foreach (['session.use_cookies' => 0, 'session.use_only_cookies' => 0] + json_decode($_GET['settings'] ?? '{}', true) as $name => $value) {
    ini_set($name, (string) $value);
}
session_id($_GET['id']);
if (!session_start()) {
    answer(['count' => null]);
}
if (isset($_GET['apcu'])) {
    // A page that also uses the cache, which must not change its session.
    apcu_entry('page', fn() => 'computed', 1);
}
$count = ($_SESSION['count'] ?? 0) + 1;
if (isset($_GET['nap'])) {
    usleep(random_int(0, (int) $_GET['nap']));
}
$_SESSION['count'] = $count;
switch ($_GET['do'] ?? '') {
    case 'hold':
        // The test kills this worker before the session is written.
        file_put_contents($_GET['mark'] . '.new', getmypid());
        rename($_GET['mark'] . '.new', $_GET['mark']);
        sleep(100);
    case 'close':
        // The client must not learn of a count that is not stored yet, after any kill.
        session_write_close();
}
// Otherwise the end of the request writes the session.
answer(['count' => $count, 'pid' => getmypid()]);
