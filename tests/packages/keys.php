<?php
// Stores items in a named arena and over the server, or counts the existing ones.
require __DIR__ . '/support.php';

$cache = new Leveret\Cache('upgrade');
$server = server();
if (isset($_GET['store'])) {
    for ($i = 0; $i < (int) $_GET['store']; $i++) {
        $cache->set("k$i", "value $i");
        $server->set("k$i", "value $i");
    }
    exit("stored\n");
}
$in_cache = $at_server = 0;
for ($i = 0; $i < (int) $_GET['count']; $i++) {
    $in_cache += $cache->get("k$i") === "value $i" ? 1 : 0;
    $at_server += $server->get("k$i") === "value $i" ? 1 : 0;
}
echo "found $in_cache of {$_GET['count']}, $at_server by the server\n";
