<?php
// Calls of a server that answers wrongly, or is down: the result of each, and the results of the same object once the server answers correctly.
// Words: HOST PORT BINARY TIMEOUT (of the call that is lied to, in ms). Where HOST ends in .sock a server lies there, until there is a file of that name that ends in .honest.

[, $host, $port, $binary, $timeout_ms] = $argv;
const PATIENT_MS = 20_000;
$honest = preg_replace('/\.sock$/', '.honest', $host);

function be_patient(Memcached $client, int $ms): void
{
    $client->setOptions([
        Memcached::OPT_POLL_TIMEOUT => $ms,
        Memcached::OPT_CONNECT_TIMEOUT => $ms,
        // In microseconds, with Nextcloud's values: they have no effect.
        Memcached::OPT_RECV_TIMEOUT => 50,
        Memcached::OPT_SEND_TIMEOUT => 50,
    ]);
}

function client(string $host, int $port, bool $binary, int $timeout_ms): Memcached
{
    $client = new Memcached();
    $client->setOption(Memcached::OPT_BINARY_PROTOCOL, $binary);
    $client->setOption(Memcached::OPT_RETRY_TIMEOUT, 0); // a server is tried again at once
    be_patient($client, $timeout_ms);
    $client->addServer($host, $port);
    return $client;
}

$calls = [
    'get' => fn($client) => $client->get('a1'),
    'getMulti' => fn($client) => $client->getMulti(['a1', 'b1', 'c1']),
    'set' => fn($client) => $client->set('a1', 1),
    'setMulti' => fn($client) => $client->setMulti(['a1' => 1, 'b1' => 2]),
    'increment' => fn($client) => $client->increment('a1'),
    'delete' => fn($client) => $client->delete('a1'),
    'getDelayed' => fn($client) => [$client->getDelayed(['a1', 'b1', 'c1']), $client->fetchAll()],
];
foreach ($calls as $name => $call) {
    if (is_file($honest)) {
        unlink($honest);
    }
    $client = client($host, (int) $port, (bool) $binary, (int) $timeout_ms);
    $line = ['call' => $name, 'answer' => $call($client), 'code' => $client->getResultCode(), 'message' => $client->getResultMessage()];
    if ($honest !== $host) { // somebody lies there
        touch($honest);
        be_patient($client, PATIENT_MS);
        $line['then'] = [$client->get('z9'), $client->getMulti(['y9', 'x9']), $client->increment('w9')];
    }
    echo json_encode($line, JSON_PARTIAL_OUTPUT_ON_ERROR), "\n";
}
$peak = preg_match('/^VmHWM:\s+(\d+)/m', file_get_contents('/proc/self/status'), $found) ? (int) $found[1] : 0;
echo json_encode(['peak_kib' => $peak]), "\n";
