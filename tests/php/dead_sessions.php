<?php
// Sessions of the handler "memcache" where one of the servers is dead, visited twice each. Words: LIVING DEAD (sockets).

[, $living, $dead] = $argv;
set_error_handler(function (int $number, string $text): bool {
    echo "  warning: $text\n";
    return true;
});
ob_start();
foreach (['session.save_handler' => 'memcache', 'session.use_cookies' => 0, 'session.cache_limiter' => '', 'memcache.lock_timeout' => 1] as $name => $value) {
    ini_set($name, $value);
}
// Without a retry time-out each visit tries the dead server again.
$queries = ['' => '', 'always tried' => '?retry_interval=0'];
$settings = [[], ['memcache.allow_failover' => 0], ['memcache.protocol' => 'binary'], ['memcache.session_redundancy' => 1000]];
foreach ($queries as $title => $query) {
    foreach ($settings as $number => $setting) {
        $before = array_map('ini_get', array_combine(array_keys($setting), array_keys($setting)));
        array_map('ini_set', array_keys($setting), $setting);
        ini_set('session.save_path', "unix://$living:0$query,unix://$dead:0$query");
        echo "$title ", json_encode($setting), "\n";
        for ($visit = 0; $visit < 12; $visit++) {
            session_id('dead' . strlen($title) . "-$number-" . $visit % 6);
            $_SESSION = [];
            echo '  ', json_encode(session_start()), ' ', $_SESSION['visits'] ?? 0, "\n";
            $_SESSION['visits'] = ($_SESSION['visits'] ?? 0) + 1;
            session_write_close();
        }
        array_map('ini_set', array_keys($before), $before);
    }
}
echo str_replace([$living, $dead], ['living', 'dead'], ob_get_clean());
