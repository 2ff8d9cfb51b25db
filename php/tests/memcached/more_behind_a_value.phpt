--TEST--
Memcached: a serialized value with trailing bytes, which might not fit into memory_limit, is read or refused, and freed once
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

$server = stream_socket_client('unix://' . memcached_socket());
$m = on_server();
$letters = array_fill(0, 60000, 'a');
foreach (['', 'more'] as $behind) {
    $data = serialize($letters) . $behind;
    fwrite($server, "set letters$behind 4 0 " . strlen($data) . "\r\n$data\r\n");
    fgets($server);
}
unset($data);
$refused = $read = 0;
for ($room = 2; $room < 12; $room += 0.5) {
    foreach (['letters', 'lettersmore'] as $key) {
        ini_set('memory_limit', memory_get_usage(true) + (int) ($room * 1024 * 1024));
        $value = @$m->get($key);
        $right = $m->getResultCode() === Memcached::RES_SUCCESS ? $value === $letters : $value === false;
        ini_set('memory_limit', -1);
        $value === false ? $refused++ : $read++;
        $others = [];
        for ($i = 0; $i < 100; $i++) {
            $others[] = [$i, 'x' => $i];
        }
        foreach ($others as $i => $other) {
            $right = $right && $other === [$i, 'x' => $i];
        }
        echo $right ? '' : "$key with $room MiB: a wrong value\n";
    }
}
echo $refused > 0 && $read > 0 ? "done\n" : "$refused refused, $read read\n";
?>
--EXPECT--
done
