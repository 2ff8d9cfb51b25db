--TEST--
Memcached: servers named tls://, and what php.ini says of them
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

$pem = "$arenas/tls.pem";
$key = openssl_pkey_new(['private_key_type' => OPENSSL_KEYTYPE_EC, 'curve_name' => 'prime256v1']);
file_put_contents("$arenas/openssl.cnf", "[req]\ndistinguished_name=dn\n[dn]\n[v3]\nbasicConstraints=CA:TRUE\n");
$how = ['config' => "$arenas/openssl.cnf", 'digest_alg' => 'sha256', 'x509_extensions' => 'v3'];
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
