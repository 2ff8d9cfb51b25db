<?php
// Sessions by either provider of the handler: how they end, and which of several servers has them. Words: the handler, the
// addresses of three servers, and an address without a server.
[, $handler, $places, $nobody] = $argv;
$servers = explode(',', $places);

/** The first line that a server answers. */
function ask(string $place, string $request): string
{
    $socket = stream_socket_client($place[0] === '/' ? "unix://$place" : "tcp://$place");
    fwrite($socket, "$request\r\n");
    return rtrim(fgets($socket));
}

/** PHP's warnings, without the pointers and source lines of libmemcached. */
set_error_handler(function (int $number, string $text): bool {
    echo '  warning: ', preg_replace('/\(0x\w+\) (.*?)(\(.*?\))?,  host: .*/', '$1', $text), "\n";
    return true;
});

function path_of(array $servers, array $weights = []): string
{
    global $handler;
    $parts = [];
    foreach ($servers as $number => $place) {
        $weight = $weights[$number] ?? null;
        if ($handler === 'memcached') {
            $parts[] = ($place[0] === '/' && $weight ? "$place:0" : $place) . ($weight ? ":$weight" : '');
        } else {
            $parts[] = ($place[0] === '/' ? "unix://$place:0" : "tcp://$place") . ($weight ? "?weight=$weight" : '');
        }
    }
    return implode(',', $parts);
}

function title(string $path, array $settings): string
{
    global $servers, $nobody;
    return str_replace([...$servers, $nobody], ['A', 'B', 'C', 'nobody'], $path) . ' ' . json_encode($settings);
}

function with(array $settings, callable $do): void
{
    $before = [];
    foreach ($settings as $name => $value) {
        $before[$name] = ini_get($name);
        ini_set($name, $value);
    }
    $do();
    foreach ($before as $name => $value) {
        ini_set($name, $value);
    }
}

/** The servers of forty sessions' items, the one that is read first. */
function places(string $path, array $settings): void
{
    global $servers, $handler;
    static $run = 0;
    $run++;
    echo title($path, $settings), "\n";
    with(['session.save_path' => $path] + $settings, function () use ($servers, $handler, $run) {
        for ($number = 0; $number < 40; $number++) {
            $id = "run$run-id$number";
            session_id($id);
            session_start();
            $_SESSION['n'] = $number;
            session_write_close();
            $found = [];
            foreach ($servers as $letter => $place) {
                // libmemcached refuses a longer one, and there is none then.
                $prefix = $handler === 'memcached' && strlen(ini_get('memcached.sess_prefix')) < 128 ? ini_get('memcached.sess_prefix') : '';
                $key = $prefix . $id;
                if (ask($place, "get $key") !== 'END') {
                    $found[] = 'ABC'[$letter];
                    $mark = 'at|s:1:"' . 'ABC'[$letter] . '";';
                    ask($place, "set $key 0 0 " . strlen($mark) . "\r\n$mark");
                }
            }
            session_id($id);
            session_start();
            echo '  ', $number, ': ', implode(' ', $found), ', read from ', $_SESSION['at'] ?? 'nowhere', "\n";
            session_abort();
        }
    });
}

/** The rest of a session after another visit, or its server, has ended it. */
function endings(): void
{
    global $servers, $nobody, $handler;
    $path = path_of([$servers[0]]);
    $key = $handler === 'memcached' ? 'memc.sess.key.end' : 'end';
    $lock = $handler === 'memcached' ? 'memc.sess.key.lock.end' : 'end.lock';
    with(['session.save_path' => $path, 'session.gc_maxlifetime' => 5000000], function () use ($servers, $key) {
        session_id('end');
        session_start();
        $_SESSION['n'] = 1;
        session_write_close();
        $left = (int) substr(ask($servers[0], "mg $key t"), 4);
        echo 'lives ', abs($left - 5000000) < 1000 ? 'as long as it should' : "$left seconds", "\n";
        session_id('end');
        session_start();
        echo 'destroyed meanwhile: ', ask($servers[0], "delete $key"), ', ';
        session_write_close();
        echo ask($servers[0], "get $key"), "\n";
        session_start();
        echo 'collected: ', json_encode(session_gc()), "\n";
        session_write_close();
    });
    with(['session.save_path' => $path, 'session.gc_maxlifetime' => -100], function () use ($servers, $key) {
        session_id('end');
        session_start();
        $_SESSION['n'] = 1;
        session_write_close();
        echo 'lives less than nothing: ', preg_replace('/^VALUE.*/', 'VALUE', ask($servers[0], "get $key")), "\n";
    });
    if ($handler !== 'memcached') {
        return;
    }
    with(['session.save_path' => path_of([$nobody])], function () {
        echo "nobody is there\n";
        session_id('end');
        var_dump(session_start());
        ini_set('memcached.sess_locking', 1);
        session_id('end');
        var_dump(session_start());
    });
    with(['session.save_path' => $path, 'memcached.sess_lock_wait_min' => 30, 'memcached.sess_lock_wait_max' => 1, 'memcached.sess_lock_retries' => 3], function () use ($servers, $lock) {
        echo 'locked: ', ask($servers[0], "set $lock 0 0 1\r\n1"), "\n";
        session_id('end');
        var_dump(session_start());
    });
    with(['session.save_path' => "PERSISTENT=x $servers[0]"], function () {
        session_id('end');
        var_dump(session_start());
    });
}

/** Save paths of pecl/memcache that are invalid, or have ignored parts. */
function odd_paths(): void
{
    global $servers;
    $rests = ["tcp://$servers[0];tcp://$servers[1]", "tcp://$servers[0]/path?weight=1", "tcp://user:word@$servers[0]", "$servers[0]",
        "tcp://$servers[0],,tcp://$servers[1]", 'tcp://127.0.0.1:port', 'tcp://127.0.0.1:70000', 'tcp://', 'unix://', "tcp://$servers[0]?weight=2.7&nonsense",
        "$servers[0]?weight=1", "tcp://$servers[0]?weight=0"];
    foreach ($rests as $number => $path) {
        with(['session.save_path' => $path], function () use ($servers, $path, $number) {
            echo title($path, []), "\n";
            foreach ([0, 1] as $visit) {
                session_id("odd$number");
                $_SESSION = [];
                echo '  ', json_encode(session_start()), ' ', $_SESSION['n'] ?? 0, "\n";
                $_SESSION['n'] = 1;
                session_write_close();
            }
            array_map(fn($place) => ask($place, "delete odd$number"), $servers);
        });
    }
}

foreach (['session.save_handler' => $handler, 'session.use_cookies' => 0, 'session.cache_limiter' => ''] as $name => $value) {
    ini_set($name, $value);
}
ob_start();
if ($handler === 'memcached') {
    ini_set('memcached.sess_locking', 0);
    foreach ([[], ['memcached.sess_consistent_hash' => 0], ['memcached.sess_consistent_hash_type' => 'ketama_weighted']] as $ring) {
        places(path_of($servers), $ring);
        places(path_of($servers, [1, 3, 2]), $ring);
        places(path_of($servers, [2, 0, 2]), $ring + ['memcached.sess_prefix' => 'other.']);
    }
    places(path_of($servers), ['memcached.sess_number_of_replicas' => 1, 'memcached.sess_binary_protocol' => 1]);
    foreach ([127, 128, 251] as $length) {
        places(path_of($servers), ['memcached.sess_prefix' => str_repeat('p', $length)]);
    }
    places(implode(' , ', $servers), []);
    places("$servers[0] $servers[1]", []);
} else {
    ini_set('memcache.lock_timeout', 1);
    foreach ([[], ['memcache.hash_strategy' => 'standard'], ['memcache.hash_function' => 'fnv']] as $ring) {
        foreach ([1, 2, 3] as $copies) {
            places(path_of($servers), $ring + ['memcache.session_redundancy' => $copies]);
        }
        places(path_of($servers, [1, 3, 2]), $ring + ['memcache.session_redundancy' => 1]);
        places(path_of(array_slice($servers, 0, 2)), $ring);
    }
    odd_paths();
}
endings();
echo str_replace([...$servers, $nobody], ['A', 'B', 'C', 'nobody'], ob_get_clean());
