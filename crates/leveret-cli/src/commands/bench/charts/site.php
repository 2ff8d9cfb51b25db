<?php
/*
 * One turn of one cache: php turn.php CONNECTIONS REQUESTS ADDRESS FOLDER
 *
 * Prints {"seconds", "client_cpu", "server_cpu", "asked", "done", "right", "said", "parts"}. nginx and php-fpm, both started here and with the settings
 * of this process, serve a page that fetches one key. Workers share the requests, and the values change between two passes: what a worker
 * has kept to itself is a wrong value. The second pass asks for each key once, in an order that nobody has seen before. Pages say how long
 * they have spent with the cache, in the header that browsers know: "parts", if one visitor asks; with more they wait for each other.
 */
[, $connections, $count, $address] = $argv;
const WORKERS = 8;

const PAGE = <<<'PAGE'
<?php
function value(int $number, int $pass): string
{
    return substr(md5("$number:$pass"), 0, 11);
}

$address = $_SERVER['ADDRESS'];
$pass = (int) $_GET['pass'];
$number = (int) $_GET['number'];
$cache = null;
$begin = hrtime(true);
/*OPEN*/
$opened = hrtime(true);
if (isset($_GET['store'])) {
    $done = 0;
    for ($i = 0; $i < $number; $i++) {
        [$key, $value] = ["key_$i", value($i, $pass)];
        if (/*SET*/) {
            $done++;
        }
    }
    /*END*/
    $body = (string) $done;
} else {
    $key = "key_$number";
    $body = (string) (/*GET*/);
}
$got = hrtime(true);
/*CLOSE*/
$end = hrtime(true);
header(sprintf('Server-Timing: open;dur=%.4f, get;dur=%.4f, close;dur=%.4f', ($opened - $begin) / 1e6, ($got - $opened) / 1e6, ($end - $got) / 1e6));
header('Content-Length: ' . strlen($body));
echo $body;
PAGE;

function value(int $number, int $pass): string
{
    return substr(md5("$number:$pass"), 0, 11);
}

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

/**
 * Asks for one page after the other over so many connections: [how many answers were right, their number's sum where they are numbers,
 * seconds of all pages by what Server-Timing calls them].
 */
function load(int $connections, array $requests): array
{
    [$streams, $wanted, $answers, $right, $sum, $parts] = [[], [], [], 0, 0, []];
    $ask = function (int $id) use (&$streams, &$wanted, &$answers, &$requests): void {
        [$query, $want] = current($requests);
        next($requests);
        [$wanted[$id], $answers[$id]] = [$want, ''];
        fwrite($streams[$id], "GET /page.php?$query HTTP/1.1\r\nHost: bench\r\n\r\n");
    };
    for ($id = 0; $id < min($connections, count($requests)); $id++) {
        $streams[$id] = @stream_socket_client('unix://http') ?: fail('nginx does not take a connection');
        stream_set_blocking($streams[$id], false);
        $ask($id);
    }
    while ($streams !== []) {
        [$readable, $none] = [$streams, null];
        stream_select($readable, $none, $none, 30) ?: fail('a page has not come within 30 s');
        foreach ($readable as $id => $stream) {
            $part = fread($stream, 65536);
            if ($part === '' && feof($stream)) {
                fail('nginx has closed a connection');
            }
            $answers[$id] .= $part;
            $head = strpos($answers[$id], "\r\n\r\n");
            if ($head === false) {
                continue;
            }
            if (!preg_match('~^HTTP/1.1 200 .*\r\nContent-Length: (\d+)~is', $answers[$id], $found)) {
                fail('a page is ' . strtok($answers[$id], "\r"));
            }
            if (strlen($answers[$id]) < $head + 4 + (int) $found[1]) {
                continue;
            }
            $body = substr($answers[$id], $head + 4);
            preg_match_all('~(\w+);dur=([\d.]+)~', substr($answers[$id], 0, $head), $timings, PREG_SET_ORDER);
            foreach ($timings as [, $part, $milliseconds]) {
                $parts[$part] = ($parts[$part] ?? 0) + (float) $milliseconds / 1e3;
            }
            $right += (int) ($body === $wanted[$id]);
            $sum += (int) $body;
            if (current($requests) !== false) {
                $ask($id);
            } else {
                fclose($stream);
                unset($streams[$id]);
            }
        }
    }
    return [$right, $sum, $parts];
}

$version = PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION;
[$nginx, $fpm] = [program('nginx', 'nginx'), program("php$version-fpm", "php-fpm$version", 'php-fpm')];
$here = getcwd();
mkdir('page');
file_put_contents('page/page.php', PAGE);
// Without the module posix. Workers of root are root too: nobody else may enter this folder.
$is_root = fileowner('/proc/self') === 0;
[$fpm_user, $nginx_user] = $is_root ? ["user = 0\ngroup = 0", 'user root;'] : ['', ''];
file_put_contents('fpm.conf', "[global]\nerror_log = $here/fpm.log\n[www]\n$fpm_user\nlisten = $here/fpm\nlisten.backlog = 511\npm = static\npm.max_children = "
    . WORKERS . "\npm.max_requests = 0\n");
file_put_contents('nginx.conf', "daemon off; worker_processes 1; pid $here/nginx.pid; error_log $here/nginx.log; $nginx_user\n"
    . "events { worker_connections 512; }\nhttp {\naccess_log off; keepalive_requests 10000000;\n"
    . implode('', array_map(fn (string $kind): string => "{$kind}_temp_path $here/nginx-$kind;\n", ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']))
    . "server { listen unix:$here/http; location / { fastcgi_pass unix:$here/fpm;\n"
    . "fastcgi_param SCRIPT_FILENAME $here/page/page.php; fastcgi_param QUERY_STRING \$query_string;\n"
    . "fastcgi_param REQUEST_METHOD \$request_method; fastcgi_param ADDRESS \"$address\"; } } }\n");

// php-fpm has the settings that this process has.
$line = explode("\0", rtrim(file_get_contents('/proc/self/cmdline'), "\0"));
$settings = array_slice($line, 1, array_search('turn.php', $line, true) - 1);
$opcache = extension_loaded('Zend OPcache') ? [] : ['-d', 'zend_extension=opcache'];
$pids[] = start('fpm', [$fpm, '-F', '-y', "$here/fpm.conf", ...($is_root ? ['-R'] : []), ...$settings, ...$opcache, '-d', 'display_errors=0',
    '-d', 'log_errors=1', '-d', "error_log=$here/php.log", '-d', 'opcache.validate_timestamps=0']);
$pids[] = start('nginx', [$nginx, '-p', $here, '-e', "$here/nginx.log", '-c', "$here/nginx.conf"]);
foreach (['fpm', 'http'] as $socket) {
    for ($tries = 0; @stream_socket_client("unix://$socket") === false; $tries++) {
        foreach ($started as $name => $process) {
            if (!proc_get_status($process)['running']) {
                fail("$name has ended: " . @file_get_contents("$name.log"));
            }
        }
        $tries < 1000 || fail("nobody listens on $socket");
        usleep(10_000);
    }
}

$ask = fn (array $numbers, int $pass): array => array_map(fn (int $number): array => ["number=$number&pass=$pass", value($number, $pass)], $numbers);
$store = fn (int $pass): int => load(1, [["store&number=$count&pass=$pass", $count]])[1];
$numbers = range(0, (int) $count - 1);
$store(0);
load((int) $connections, $ask($numbers, 0)); // the first pages of a worker take longer
$done = $store(1);
mt_srand(7);
shuffle($numbers);
$requests = $ask($numbers, 1);
$servers = file('server/pids', FILE_IGNORE_NEW_LINES);
[$client, $server] = [cpu($pids), cpu($servers)];
$begin = hrtime(true);
[$right, , $parts] = load((int) $connections, $requests);
$seconds = (hrtime(true) - $begin) / 1e9;
[$client, $server] = [cpu($pids) - $client, cpu($servers) - $server];
$said = is_file('php.log') ? trim(strtok(file_get_contents('php.log'), "\n")) : null;
array_map(proc_terminate(...), $started);
array_map(proc_close(...), $started);
echo json_encode(['seconds' => $seconds, 'client_cpu' => $client, 'server_cpu' => $servers === [] ? null : $server, 'asked' => (int) $count,
    'done' => $done, 'right' => $right, 'said' => $said, 'parts' => $connections === '1' ? array_map(null, array_keys($parts), array_values($parts)) : []]), "\n";
