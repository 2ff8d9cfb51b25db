"""A memcached server that misbehaves: it hangs, closes, sends slowly, confuses keys, announces 2 GB. For tests of clients."""

import asyncio
import struct
import threading

# Magic, opcode, length of the key, of the extras, type, status, length of all that follows, opaque, cas.
HEADER = struct.Struct(">BBHBBHIIQ")
GET, INCREMENT, GETK = 0x00, 0x05, 0x0C
QUIET_GETS = {0x09: GET, 0x0D: GETK}
QUIET_WRITES = (0x11, 0x14, 0x15)
HUGE = 1 << 31


def value_of(key):
    return b"value of " + key


async def text_request(reader, first):
    """A request of the text protocol, whose first byte is read: its verb and its keys."""
    words = (first + await reader.readuntil(b"\r\n")).split()
    if words[0] == b"set":
        await reader.readexactly(int(words[4]) + 2)
    return words[0], words[1:] if words[0] in (b"get", b"gets") else words[1:2]


class Text:
    """Correct answers in the text protocol, and nearly correct ones: `mistake` changes keys, `length` is the announced length."""

    @staticmethod
    def answer(request, mistake=lambda key: key, length=len):
        verb, keys = request
        if verb in (b"get", b"gets"):
            cas = b" 7" if verb == b"gets" else b""
            values = [(mistake(key), value_of(mistake(key))) for key in keys]
            return b"".join(b"VALUE %s 0 %d%s\r\n%s\r\n" % (key, length(value), cas, value) for key, value in values) + b"END\r\n"
        return {b"set": b"STORED\r\n", b"incr": b"7\r\n", b"delete": b"DELETED\r\n"}.get(verb, b"VERSION 1.6.18\r\n")


async def binary_request(reader, first):
    """A request of the binary protocol, whose first byte is read: its opcode, key and opaque."""
    _, opcode, key, extras, _, _, total, opaque, _ = HEADER.unpack(first + await reader.readexactly(HEADER.size - 1))
    body = await reader.readexactly(total)
    return opcode, body[extras : extras + key], opaque


class Binary:
    @staticmethod
    def answer(request, mistake=lambda key: key, length=len):
        opcode, key, opaque = request
        loud = QUIET_GETS.get(opcode, opcode)
        if opcode in QUIET_WRITES:  # that went well
            return b""
        if mistake(key) != key:  # Most answers carry no key: the number of the request stands for it.
            key, opaque = mistake(key), opaque + 1000
        told = key if loud == GETK else b""
        body = {GET: value_of(key), GETK: value_of(key), INCREMENT: bytes(7) + b"\7"}.get(loud, b"")
        extras = 4 if loud in (GET, GETK) else 0
        total = extras + len(told) + length(body)
        return HEADER.pack(0x81, opcode, len(told), extras, 0, 0, total & 0xFFFFFFFF, opaque, 7) + bytes(extras) + told + body


def cut(at):
    """Closes after this many bytes of the correct answer; negative: counted from its end."""

    async def lie(connection, request):
        await connection.send(connection.right(request)[:at])
        connection.close()

    return lie


def says(words):
    async def lie(connection, request):
        await connection.send(words(connection, request))

    return lie


async def hang(connection, request):
    pass


async def slow(connection, request):
    """A correct answer after any time-out of a socket."""
    await asyncio.sleep(0.2)
    await connection.send(connection.right(request))


async def half(connection, request):
    """Nothing more is sent on this connection."""
    answer = connection.right(request)
    await connection.send(answer[: len(answer) // 2])
    while await connection.reader.read(65536):
        pass


async def drip(connection, request):
    for byte in connection.right(request):
        await connection.send(bytes([byte]))
        await asyncio.sleep(0)


async def drip_for_ever(connection, request):
    while True:
        await connection.send(b"7")
        await asyncio.sleep(0.02)


async def endless(connection, request):
    while True:
        await connection.send(b"7" * 65536)


async def late(connection, request):
    """The answer is sent just before that to the next request, on any connection."""
    connection.server.owed.append((connection, connection.right(request)))


LIES = {
    "hangs": hang,
    "closes at once": cut(0),
    "closes after a byte": cut(1),
    "closes before the last bytes": cut(-3),
    "stops in the middle": half,
    "garbage": says(lambda connection, request: b"\0\xffEND STORED 7 \x80\x81 rubbish of a server\r\n"),
    "late": late,
    "another key": says(lambda connection, request: connection.protocol.answer(request, mistake=lambda key: key[:-1] + b"X")),
    "twice": says(lambda connection, request: connection.right(request) * 2),
    "2 GB": says(lambda connection, request: connection.protocol.answer(request, length=lambda value: HUGE)),
    "a negative length": says(lambda connection, request: connection.protocol.answer(request, length=lambda value: -9)),
    "an endless line": endless,
    "slow": slow,
    "drips": drip,
    "drips for ever": drip_for_ever,
}


class Connection:
    def __init__(self, server, reader, writer):
        self.server, self.reader, self.writer = server, reader, writer

    def right(self, request):
        return self.protocol.answer(request)

    async def send(self, data):
        self.writer.write(data)
        await self.writer.drain()

    def close(self):
        self.writer.close()

    async def serve(self, lie):
        while not self.writer.is_closing():
            first = await self.reader.readexactly(1)
            read, self.protocol = (binary_request, Binary) if first == b"\x80" else (text_request, Text)
            request = await read(self.reader, first)
            await self.server.pay()
            if self.server.is_honest():
                await self.send(self.right(request))
            else:
                await lie(self, request)


class LyingServer(threading.Thread):
    """Misbehaves once for each request, on a Unix socket, until a file named honest exists beside it."""

    def __init__(self, test, socket, lie):
        super().__init__(daemon=True)
        self.socket, self.lie, self.owed = socket, LIES[lie], []
        self.writers = []
        self.loop, self.is_ready = asyncio.new_event_loop(), threading.Event()
        self.start()
        self.is_ready.wait()
        test.addCleanup(self.stop)

    def is_honest(self):
        return self.socket.with_suffix(".honest").exists()

    async def pay(self):
        """Sends delayed answers."""
        owed, self.owed = self.owed, []
        for connection, answer in owed:
            try:
                await connection.send(answer)
            except OSError:
                pass  # has been hung up

    def run(self):
        self.loop.create_task(self.listen())
        self.loop.run_forever()

    async def listen(self):
        self.server = await asyncio.start_unix_server(self.serve, self.socket)
        self.is_ready.set()

    async def serve(self, reader, writer):
        self.writers.append(writer)
        try:
            await Connection(self, reader, writer).serve(self.lie)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client has hung up, or the test is over
        finally:
            writer.close()

    def stop(self):
        asyncio.run_coroutine_threadsafe(self.end(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.join()
        self.loop.close()

    async def end(self):
        self.server.close()
        tasks = asyncio.all_tasks(self.loop) - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for writer in self.writers:
            writer.transport.abort()
        await asyncio.sleep(0)
