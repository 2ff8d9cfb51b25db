--TEST--
Servers named tls:// for every class and for sessions, and their settings in php.ini
--EXTENSIONS--
openssl
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

$pem = "$arenas/tls.pem";
// Some systems have no configuration of OpenSSL, and PHP 8.3 makes no key then.
file_put_contents("$arenas/openssl.cnf", "[req]\ndefault_bits=2048\ndistinguished_name=dn\n[dn]\n[v3]\nbasicConstraints=CA:TRUE\nsubjectAltName=IP:127.0.0.1\n");
$how = ['config' => "$arenas/openssl.cnf", 'digest_alg' => 'sha256', 'x509_extensions' => 'v3'];
$key = openssl_pkey_new(['private_key_type' => OPENSSL_KEYTYPE_EC, 'curve_name' => 'prime256v1', 'config' => $how['config']]);
openssl_x509_export(openssl_csr_sign(openssl_csr_new(['commonName' => 'localhost'], $key, $how), null, $key, 1, $how), $certificate);
openssl_pkey_export($key, $text, null, $how);
file_put_contents($pem, $certificate . $text);
$listening = stream_socket_server('tcp://127.0.0.1:0');
$port = (int) substr(strrchr(stream_socket_get_name($listening, false), ':'), 1);
fclose($listening);
$server = proc_open(['memcached', '-u', trim(shell_exec('id -un')), '-t', '1', '-l', '127.0.0.1', '-p', $port, '-Z', '-o', "ssl_chain_cert=$pem", '-o', "ssl_key=$pem"], [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], ['file', '/dev/null', 'w']], $pipes);
while (!@stream_socket_client("tcp://127.0.0.1:$port")) {
    usleep(10000);
}
$code = '$m = new Memcached(); $m->addServer("tls://127.0.0.1", ' . $port . '); var_dump($m->set("k", [1])); echo $m->getLastErrorMessage(), "\n"; var_dump($m->get("k"));';
echo other_php($code, ['leveret.provide' => 'memcached', 'leveret.tls_verify' => '0']);
echo other_php($code, ['leveret.provide' => 'memcached', 'leveret.tls_ca_file' => "$arenas/absent.pem"]);

// Trusted because it is in the file itself; longer than a TLS record, whose end memcached 1.6.18 waits for.
$many = '$all = []; for ($i = 0; $i < 1000; $i++) { $all["k$i"] = str_repeat(chr(65 + $i % 26), 300); }';
$classes = $many . ' $place = ["tls://127.0.0.1", ' . $port . '];
foreach ([false, true] as $binary) {
    $m = new Memcached(); $m->addServer(...$place); $m->setOption(Memcached::OPT_BINARY_PROTOCOL, $binary);
    var_dump($m->setMulti($all) && $m->getMulti(array_keys($all)) === $all);
}
$m = new MemcachePool(); $m->addServer(...$place); var_dump($m->set("long", str_repeat("x", 500000)) && strlen($m->get("long")));
$m = new Memcache(); var_dump($m->connect("tls://127.0.0.1:' . $port . '") && strlen($m->get("long")));';
echo other_php($classes, ['leveret.provide' => 'memcached,memcache', 'leveret.tls_ca_file' => $pem]);
foreach (['memcached', 'memcache'] as $handler) {
    $session = 'session_id("of' . $handler . '"); session_start(); $_SESSION["a"] = str_repeat("y", 100000); session_write_close(); $_SESSION = []; session_start(); var_dump(strlen($_SESSION["a"]));';
    echo other_php($session, ['leveret.provide' => $handler, 'leveret.tls_ca_file' => $pem, 'session.save_handler' => $handler, 'session.save_path' => "tls://127.0.0.1:$port",
        'session.use_cookies' => '0', 'session.cache_limiter' => '']);
}
proc_terminate($server, 9);
?>
--EXPECTF--
bool(true)
SUCCESS
array(1) {
  [0]=>
  int(1)
}
bool(false)
tls://127.0.0.1:%d: %s/absent.pem: there is no such file or folder
bool(false)
leveret: tls://127.0.0.1:%d: %s/absent.pem: there is no such file or folder
bool(true)
bool(true)
bool(true)
bool(true)
int(100000)
int(100000)
