"""As much of FastCGI as one request at a time needs, over a connection that stays: no web server takes part in what is measured."""
import socket
import struct

BEGIN_REQUEST, END_REQUEST, PARAMS, STDIN, STDOUT, STDERR = 1, 3, 4, 5, 6, 7
RESPONDER, KEEP_CONNECTION = 1, 1


class FastCgi:
    def __init__(self, path, patience):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(patience)
        self._socket.connect(str(path))
        self._stream = self._socket.makefile('rb')

    def ask(self, params):
        """The answer, with its head."""
        pairs = b''.join(_length(name) + _length(value) + name.encode() + value.encode() for name, value in params.items())
        begin = struct.pack('>HB5x', RESPONDER, KEEP_CONNECTION)
        self._socket.sendall(_record(BEGIN_REQUEST, begin) + _record(PARAMS, pairs) + _record(PARAMS, b'') + _record(STDIN, b''))
        answer = []
        while True:
            head = self._stream.read(8)
            if len(head) < 8:
                raise RuntimeError('PHP hung up in the middle of a page')
            _, kind, _, length, padding = struct.unpack('>BBHHBx', head)
            body = self._stream.read(length + padding)[:length]
            if kind == STDOUT:
                answer.append(body)
            elif kind == STDERR and body:
                raise RuntimeError(f'PHP complains: {body.decode(errors="replace")}')
            elif kind == END_REQUEST:
                return b''.join(answer)

    def close(self):
        self._stream.close()
        self._socket.close()


def _record(kind, body):
    return struct.pack('>BBHHBx', 1, kind, 1, len(body), 0) + body


def _length(text):
    size = len(text.encode())
    return struct.pack('>B', size) if size < 128 else struct.pack('>I', size | 1 << 31)
