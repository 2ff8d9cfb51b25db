"""Memcached::setEncodingKey beside php-memcached over libmemcached: each reads what the other has encrypted, on Debian's memcached."""

import json
import unittest

from servers import Server
from support import EXTENSION, PHP, SystemTest, run

ORIGINAL = ["-d", "extension=igbinary.so", "-d", "extension=msgpack.so", "-d", "extension=memcached.so"]
KEY = "a key of at least thirty-two bytes, which is all that libmemcached's cipher looks at"

VALUES = """
    $values = ['text' => 'hello', 'empty' => '', 'int' => -42, 'float' => 1.5, 'no' => false, 'list' => [1, ['a' => null]], 'long' => str_repeat('abc', 2000)];
    for ($len = 14; $len < 34; $len++) $values["len$len"] = str_repeat('x', $len);
    [, $port, $binary, $key, $begin] = $argv;
    $m = new Memcached; $m->setOption(Memcached::OPT_BINARY_PROTOCOL, (bool) $binary); $m->setOption(Memcached::OPT_SERIALIZER, Memcached::SERIALIZER_PHP); $m->addServer('127.0.0.1', (int) $port);
    $said = [$m->setEncodingKey($key)];"""
WRITE = VALUES + """
    foreach ($values as $k => $value) $said[] = [$m->set("$begin-$k", $value), $m->getResultCode()];
    echo json_encode($said);"""
READ = VALUES + """
    foreach ($values as $k => $value) $said[] = [$m->get("$begin-$k") === $value, $m->getResultCode()];
    echo json_encode($said);"""
# The bytes on the server.
RAW = """
    [, $port, , $begin] = $argv; $m = new Memcached; $m->addServer('127.0.0.1', (int) $port); $said = [];
    $socket = stream_socket_client("tcp://127.0.0.1:$port");
    foreach (['text', 'empty', 'int', 'float', 'no', 'list', 'len15', 'len16', 'len33'] as $k) {
        fwrite($socket, "get $begin-$k\\r\\n"); $said[$k] = '';
        while (!str_ends_with($said[$k], "END\\r\\n")) $said[$k] .= fread($socket, 65536);
        $said[$k] = str_replace("$begin-", '', bin2hex(str_replace("$begin-", '', $said[$k])));
    }
    echo json_encode($said);"""
CALLS = """
    [, $port, $binary, $key] = $argv; $said = []; $told = function ($answer) use (&$m, &$said) { $said[] = [$answer, $m->getResultCode()]; };
    $plain = new Memcached; $plain->addServer('127.0.0.1', (int) $port); $plain->set('plain', 'plain text'); $plain->set('block', 'sixteen bytes ab'); $plain->set('number', 5);
    $m = new Memcached; $m->setOption(Memcached::OPT_BINARY_PROTOCOL, (bool) $binary); $m->addServer('127.0.0.1', (int) $port); $m->setOption(Memcached::OPT_COMPRESSION, false);
    $told($m->setEncodingKey($key)); $told($m->get('plain')); $told($m->get('block')); $told($m->get('number')); $told($m->get('none'));
    $told($m->set('mine', 'v')); $told($m->add('mine', 'v')); $told($m->replace('mine', 'w')); $told($m->get('mine'));
    $told($m->append('mine', 'x')); $told($m->prepend('mine', 'x')); $told($m->get('mine')); $told($m->set('n', 5)); $told($m->increment('n')); $told($m->decrement('n'));
    $cas = $m->get('mine', null, Memcached::GET_EXTENDED)['cas']; $told($m->cas($cas, 'mine', 'z')); $told($m->get('mine'));
    $told($m->setMulti(['x' => 1, 'y' => 'two'])); $told($m->getMulti(['x', 'y'])); $told($m->getDelayed(['x', 'y'])); $told($m->fetchAll());
    $told($m->touch('mine', 100)); $told($m->get('absent', function ($m, $k, &$v) { $v = 'computed'; return true; })); $told($m->get('absent'));
    $told($m->setEncodingKey(strrev($key))); $told($m->get('mine')); $told($m->getMulti(['mine', 'x'])); $told($m->set('mine', 'again')); $told($m->get('mine')); $told($m->delete('mine'));
    echo json_encode($said);"""


class Encryption(SystemTest):
    """An application's key means the same to both."""

    def setUp(self):
        super().setUp()
        self.memcached = Server(self, "memcached", udp=False)

    def said(self, code, *words, ours, binary=False):
        options = (["-d", f"extension={EXTENSION}", "-d", "leveret.provide=memcached", "-d", f"leveret.dir={self.arenas}"] if ours else ORIGINAL)
        done = run([PHP, "-n", *options, "-d", "display_errors=stderr", "-r", code, "--", str(self.memcached.port), "1" if binary else "", *words])
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_both_read_both(self):
        """each class reads what the other encrypted, by text and binary, and the bytes are the same"""
        # 31 bytes and the terminating zero of PHP's string are 32 bytes, too.
        for key, binary in ((KEY, False), (KEY[:32], False), (KEY[:31], False), (KEY, True)):
            for writer in (True, False):
                written = self.said(WRITE, key, f"by-{writer}", ours=writer, binary=binary)
                self.assertEqual([True, *[[True, 0]] * (len(written) - 1)], written, (key, writer, binary))
                for reader in (True, False):
                    # Over binary libmemcached encrypts what it stores, and decrypts nothing: it reads over text.
                    read = self.said(READ, key, f"by-{writer}", ours=reader, binary=binary and reader)
                    self.assertEqual([True, *[[True, 0]] * (len(written) - 1)], read, (key, writer, reader, binary))
            raw = [self.said(RAW, f"by-{writer}", ours=False) for writer in (True, False)]
            self.assertEqual(raw[1], raw[0], (key, binary))

    def test_calls(self):
        """values that a key does not decrypt, calls that are impossible with a key, and another key answer alike"""
        want = self.said(CALLS, KEY, ours=False)
        self.memcached.talk(b"flush_all\r\n", b"OK\r\n")
        self.assertEqual(want, self.said(CALLS, KEY, ours=True))


if __name__ == "__main__":
    unittest.main()
