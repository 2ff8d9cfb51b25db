<?php
// A page with a session: it counts its visitors, once each. Settings of the handler and of its locks come with the request.

/** What PHP warns of goes into the answer, but for what PHP 8.4 would have sites change one day. */
error_reporting(E_ALL & ~E_DEPRECATED);
$warnings = [];
set_error_handler(function (int $number, string $text) use (&$warnings): bool {
    $warnings[] = $text;
    return true;
}, E_ALL & ~E_DEPRECATED);

/** Ends the page. The length tells the client an answer that a kill has cut off from a whole one. */
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
    // A page that also uses the cache: nothing of its session may end with that.
    apcu_entry('page', fn() => 'computed', 1);
}
$count = ($_SESSION['count'] ?? 0) + 1;
if (isset($_GET['nap'])) {
    usleep(random_int(0, (int) $_GET['nap']));
}
$_SESSION['count'] = $count;
switch ($_GET['do'] ?? '') {
    case 'hold':
        // Somebody kills this worker before the session is written.
        file_put_contents($_GET['mark'] . '.new', getmypid());
        rename($_GET['mark'] . '.new', $_GET['mark']);
        sleep(100);
    case 'close':
        // The client hears of nothing that is not stored yet, whoever is killed.
        session_write_close();
}
// Else the end of the request writes the session.
answer(['count' => $count, 'pid' => getmypid()]);
