"""A Redis server that misbehaves for each command with the word `lie` in it: it hangs, closes, sends slowly, too little, too much or something else."""

import asyncio
import threading

RIGHT = b"value of "


async def read_request(reader):
    count = int((await reader.readuntil(b"\r\n"))[1:])
    words = []
    for _ in range(count):
        length = int((await reader.readuntil(b"\r\n"))[1:])
        words.append((await reader.readexactly(length + 2))[:-2])
    return words


def bulk(text):
    return b"$%d\r\n%s\r\n" % (len(text), text)


def array(elements):
    return b"*%d\r\n" % len(elements) + b"".join(elements)


def answer(words, value=lambda key: bulk(RIGHT + key)):
    """The right one, of a value that names its key."""
    verb = words[0].upper()
    if verb == b"GET":
        return value(words[1])
    if verb == b"MGET":
        return array([value(key) for key in words[1:]])
    if verb == b"HGETALL":
        return array([bulk(b"field"), value(words[1])])
    if verb == b"HSCAN":
        return array([bulk(b"0"), array([bulk(b"field"), value(words[1])])])
    if verb == b"ZRANGE":
        return array([value(words[1]), bulk(b"1.5")])
    if verb == b"INFO":
        return bulk(b"# Server\r\nredis_version:7.0.15\r\n")
    return {b"INCR": b":7\r\n", b"PING": b"+PONG\r\n", b"LIE": b":1\r\n"}.get(verb, b"+OK\r\n")


class Closing(Exception):
    pass


# Sent instead of the correct answer. None: nothing; a list: piece by piece, slowly; Closing at its end: the connection closes.
LIES = {
    "hangs": lambda right: [None],
    "closes at once": lambda right: [Closing],
    "closes after a byte": lambda right: [right[:1], Closing],
    "closes before the last bytes": lambda right: [right[:-3], Closing],
    "stops in the middle": lambda right: [right[: len(right) // 2], None],
    "drips": lambda right: [right[at : at + 1] for at in range(len(right))],
    "late": lambda right: [0.5, right],
    "twice": lambda right: [right + right],
    "more behind it": lambda right: [right + b":42\r\n"],
    "garbage": lambda right: [b"\0\1\2garbage\r\n"],
    "HTTP": lambda right: [b"HTTP/1.1 400 Bad Request\r\n\r\n"],
    "an endless line": lambda right: [b"+" + b"x" * (4 << 20)],
    "a negative length": lambda right: [b"$-7\r\n"],
    "no length": lambda right: [b"$abc\r\nabc\r\n"],
    "a length of 2^63": lambda right: [b"$9223372036854775808\r\n"],
    "2 GB": lambda right: [b"$2147483648\r\nabc"],
    "a billion elements": lambda right: [b"*1000000000\r\n" + bulk(b"a"), None],
    "elements below 0": lambda right: [b"*-5\r\n"],
    "nesting": lambda right: [b"*1\r\n" * 100_000],
    "no end of a value": lambda right: [b"$3\r\nabcde\r\n"],
    "another type": lambda right: [array([bulk(b"x")]) if right[:1] != b"*" else b":5\r\n"],
    "odd pairs": lambda right: [array([bulk(b"x")] * 3)],
    "nested pairs": lambda right: [array([array([bulk(b"x")] * 2)] * 2)],
    "nil": lambda right: [b"$-1\r\n"],
    "a nil array": lambda right: [b"*-1\r\n"],
    "RESP3": lambda right: [b"%1\r\n" + bulk(b"x") + b"#t\r\n"],
    "a push": lambda right: [b">2\r\n" + bulk(b"invalidate") + b"_\r\n" + right],
    "an error": lambda right: [b"-ERR a lie\r\n"],
    "an error that throws": lambda right: [b"-LOADING Redis is loading the dataset in memory\r\n"],
    "an empty error": lambda right: [b"-\r\n"],
    "an infinite double": lambda right: [b",inf\r\n"],
}


class LyingRedis:
    """Listens at a Unix socket in a thread of its own."""

    def __init__(self, test, path, lie):
        self.path, self.lie = str(path), LIES[lie]
        self.loop = asyncio.new_event_loop()
        started = threading.Event()
        self.thread = threading.Thread(target=self.run, args=(started,), daemon=True)
        self.thread.start()
        started.wait()
        test.addCleanup(self.end)

    def run(self, started):
        asyncio.set_event_loop(self.loop)
        self.server = self.loop.run_until_complete(asyncio.start_unix_server(self.serve, self.path))
        started.set()
        self.loop.run_forever()
        waiting = asyncio.all_tasks(self.loop)
        for task in waiting:
            task.cancel()
        self.server.close()
        self.loop.run_until_complete(asyncio.gather(*waiting, return_exceptions=True))
        self.loop.close()

    def end(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()

    async def serve(self, reader, writer):
        # Replies to requests that arrived together are sent together: a client could not recognize a surplus reply that came later.
        queued, replies = None, b""
        try:
            while True:
                if replies and not reader._buffer:
                    writer.write(replies)
                    replies = b""
                words = await read_request(reader)
                verb = words[0].upper()
                if verb == b"MULTI":
                    queued = []
                    replies += b"+OK\r\n"
                elif verb in (b"EXEC", b"DISCARD") and queued is not None:
                    held, queued = queued, None
                    if verb == b"DISCARD":
                        replies += b"+OK\r\n"
                        continue
                    right = array([answer(words) for words in held])
                    if any(b"lie" in words for words in held):
                        replies = await self.tell(writer, replies, right)
                    else:
                        replies += right
                elif queued is not None:
                    queued.append(words)
                    replies += b"+QUEUED\r\n"
                elif b"lie" in words:
                    replies = await self.tell(writer, replies, answer(words))
                else:
                    replies += answer(words)
        except (asyncio.IncompleteReadError, ConnectionError, Closing, asyncio.CancelledError):
            pass  # the client, the lie or the test has ended
        finally:
            writer.close()

    async def tell(self, writer, before, right):
        """Appends the wrong reply to earlier ones. Returns what is sent with later ones."""
        pieces = self.lie(right)
        if len(pieces) == 1 and isinstance(pieces[0], bytes):
            return before + pieces[0]
        writer.write(before)
        for piece in pieces:
            if piece is Closing:
                raise Closing
            if piece is None:
                # Until the client has had enough.
                await writer.drain()
                await asyncio.sleep(3600)
            elif isinstance(piece, float):
                await asyncio.sleep(piece)
            else:
                writer.write(piece)
                await writer.drain()
                if len(piece) == 1:
                    await asyncio.sleep(0.001)
        return b""
