#!/usr/bin/env python3
"""memcached behind a proxy that changes one byte of every tenth value: it shows that ./x bench server notices. Takes the options of
`leveret serve`; listens on the Unix socket of -s.
"""

import asyncio
import re
import subprocess
import sys

# A value begins with the number of its key.
ENDS_IN_SEVEN = re.compile(rb"(VALUE bench:\d{9}7 \d{4} 100\r\n\d{7})7")


async def forward(reader, writer, change=lambda data: data):
    while data := await reader.read(1 << 16):
        writer.write(change(data))
        await writer.drain()
    writer.close()


async def main(path):
    real = path + ".real"
    # The kernel ends memcached when this process is killed.
    subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "--", "memcached", "-u", "root", "-t", "1", "-s", real])

    async def serve(reader, writer):
        there, back = await asyncio.open_unix_connection(real)
        await asyncio.gather(
            forward(reader, back), forward(there, writer, lambda data: ENDS_IN_SEVEN.sub(rb"\g<1>8", data)), return_exceptions=True
        )

    while True:
        try:
            await asyncio.open_unix_connection(real)
            break
        except OSError:
            await asyncio.sleep(0.01)
    async with await asyncio.start_unix_server(serve, path) as server:
        await server.serve_forever()


if "-s" in sys.argv:
    asyncio.run(main(sys.argv[sys.argv.index("-s") + 1]))
print("liar 1")
