<?php
/* nginx and php-fpm, with the settings that this process has. Both end with it. Who includes it says what they serve. */
const WORKERS = 8;

function fail(string $why): never
{
    fwrite(STDERR, "$why\n");
    exit(1);
}

/** The first of these programs that is there. */
function program(string $of, string ...$names): string
{
    $folders = [...explode(':', (string) getenv('PATH')), dirname(PHP_BINARY, 2) . '/sbin', '/usr/sbin', '/usr/local/sbin'];
    foreach ($names as $name) {
        foreach ($folders as $folder) {
            if (is_executable("$folder/$name")) {
                return "$folder/$name";
            }
        }
    }
    fail("there is no $names[0], of Debian's $of");
}

/** A process that ends with this one, and takes its workers along. */
function start(string $name, array $words): int
{
    $outputs = [['file', '/dev/null', 'r'], ['file', "$name.log", 'a'], ['file', "$name.log", 'a']];
    $GLOBALS['started'][$name] = proc_open(['setpriv', '--pdeathsig', 'TERM', '--', ...$words], $outputs, $pipes) ?: fail("$name does not start");
    return proc_get_status($GLOBALS['started'][$name])['pid'];
}

/** Seconds of processor time of all threads of these processes, and of those that they have started. */
function cpu(array $pids): float
{
    $nanos = 0;
    foreach ($pids as $pid) {
        foreach (glob("/proc/$pid/task/*/schedstat") as $thread) {
            $nanos += (int) file_get_contents($thread);
        }
        $nanos += 1e9 * cpu(preg_split('/ /', (string) @file_get_contents("/proc/$pid/task/$pid/children"), -1, PREG_SPLIT_NO_EMPTY));
    }
    return $nanos / 1e9;
}

/** Both, listening on the Unix sockets `http` and `fpm`: their processes. $params: nginx's fastcgi_param lines; $modules: more words for PHP. */
function start_web(string $params, array $modules = []): array
{
    $version = PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION;
    [$nginx, $fpm] = [program('nginx', 'nginx'), program("php$version-fpm", "php-fpm$version", 'php-fpm')];
    $here = getcwd();
    // Without the module posix. Workers of root are root too: nobody else may enter this folder.
    $is_root = fileowner('/proc/self') === 0;
    [$fpm_user, $nginx_user] = $is_root ? ["user = 0\ngroup = 0", 'user root;'] : ['', ''];
    file_put_contents('fpm.conf', "[global]\nerror_log = $here/fpm.log\n[www]\n$fpm_user\nlisten = $here/fpm\nlisten.backlog = 511\npm = static\npm.max_children = "
        . WORKERS . "\npm.max_requests = 0\n");
    file_put_contents('nginx.conf', "daemon off; worker_processes 1; pid $here/nginx.pid; error_log $here/nginx.log; $nginx_user\n"
        . "events { worker_connections 512; }\nhttp {\naccess_log off; keepalive_requests 10000000;\n"
        . implode('', array_map(fn (string $kind): string => "{$kind}_temp_path $here/nginx-$kind;\n", ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']))
        . "server { listen unix:$here/http; location / { fastcgi_pass unix:$here/fpm;\n$params } } }\n");

    // php-fpm has the settings that this process has.
    $line = explode("\0", rtrim(file_get_contents('/proc/self/cmdline'), "\0"));
    $settings = array_slice($line, 1, array_search('turn.php', $line, true) - 1);
    $opcache = extension_loaded('Zend OPcache') ? [] : ['-d', 'zend_extension=opcache'];
    $pids[] = start('fpm', [$fpm, '-F', '-y', "$here/fpm.conf", ...($is_root ? ['-R'] : []), ...$settings, ...$opcache, ...$modules, '-d', 'display_errors=0',
        '-d', 'log_errors=1', '-d', "error_log=$here/php.log", '-d', 'opcache.validate_timestamps=0']);
    $pids[] = start('nginx', [$nginx, '-p', $here, '-e', "$here/nginx.log", '-c', "$here/nginx.conf"]);
    foreach (['fpm', 'http'] as $socket) {
        for ($tries = 0; @stream_socket_client("unix://$socket") === false; $tries++) {
            foreach ($GLOBALS['started'] as $name => $process) {
                if (!proc_get_status($process)['running']) {
                    fail("$name has ended: " . @file_get_contents("$name.log"));
                }
            }
            $tries < 1000 || fail("nobody listens on $socket");
            usleep(10_000);
        }
    }
    return $pids;
}

/** Ends both, and returns the first line that PHP has complained with. */
function end_web(): ?string
{
    $said = is_file('php.log') ? trim(strtok(file_get_contents('php.log'), "\n")) : null;
    array_map(proc_terminate(...), $GLOBALS['started']);
    array_map(proc_close(...), $GLOBALS['started']);
    return $said;
}
