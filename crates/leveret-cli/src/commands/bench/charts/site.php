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

$page = getcwd() . '/page/page.php';
mkdir('page');
file_put_contents($page, PAGE);
$pids = start_web("fastcgi_param SCRIPT_FILENAME $page; fastcgi_param QUERY_STRING \$query_string;\n"
    . "fastcgi_param REQUEST_METHOD \$request_method; fastcgi_param ADDRESS \"$address\";");

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
$said = end_web();
echo json_encode(['seconds' => $seconds, 'client_cpu' => $client, 'server_cpu' => $servers === [] ? null : $server, 'asked' => (int) $count,
    'done' => $done, 'right' => $right, 'said' => $said, 'parts' => $connections === '1' ? array_map(null, array_keys($parts), array_values($parts)) : []]), "\n";
