--TEST--
A web server's process keeps decoded arrays from request to request, and no request changes them for the next
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
require __DIR__ . '/../web_server.inc';
$folder = getenv('LEVERET_DIR');
file_put_contents("$folder/index.php", <<<'CODE'
<?php
$n = $_GET['n'];
if ($n % 10 === 0) {
    apcu_store('a', ['version' => $n, 'rows' => array_fill(0, 500, ['text' => "row of $n"])]);
}
$last = apcu_fetch('a')['version'];
for ($i = 0; $i < 3; $i++) {
    $a = apcu_fetch('a');
    $right = $a === ['version' => $last, 'rows' => array_fill(0, 500, ['text' => "row of $last"])];
    $a['rows'][0]['text'] = 'changed by this request';
    $GLOBALS['left over'][] = $a;
}
if ($n % 7 === 0) {
    /* Nothing is given back in order when a request ends like this. */
    register_shutdown_function(fn () => no_such_function());
}
ob_start();
(new ReflectionExtension('leveret'))->info();
preg_match('~Decoded-value cache </td><td class="v">(\d+) arrays, (\d+) bytes|Decoded-value cache => (\d+) arrays, (\d+) bytes~', ob_get_clean(), $found);
echo json_encode([$right, $last, array_values(array_filter(array_slice($found, 1)))]), "\n";
CODE);

[$server, $address] = web_server('-n -d display_errors=0 -d extension=' . leveret_so(), "-t $folder", "$folder/log");
for ($n = 0; $n < 60; $n++) {
    $answer = file_get_contents("http://$address/?n=$n", false, stream_context_create(['http' => ['ignore_errors' => true]]));
    [$right, $version, [$arrays, $bytes]] = json_decode(strtok($answer, "\n"));
    $limit ??= 2 * $bytes;
    if (!$right || $version != intdiv($n, 10) * 10 || $arrays != 1 || $bytes > $limit) {
        echo "request $n: $answer\n";
    }
}
proc_terminate($server);
proc_close($server);
echo "done\n";
--EXPECT--
done
