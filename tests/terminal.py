"""A terminal for programs that draw on one: a pty, and the text on its screen."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading

# Where the cursor goes, what is wiped, and all other sequences, which change no letter.
SEQUENCE = re.compile(r"\x1b\[(\d*);?(\d*)H|\x1b\[(\d*)J|\x1b\[(\d*)K|\x1b[\[\]][?\d;]*[ -/]*[@-~]|\x1b[78=>]")


class Terminal:
    """`command`, on a terminal of this size. It must be ended by `close`."""

    def __init__(self, command, columns, lines, env=None):
        self.columns, self.lines = columns, lines
        self.cells = [[" "] * columns for _ in range(lines)]
        self.row = self.column = 0
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        environment = {**os.environ, "TERM": "xterm-256color", **(env or {})}
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True, close_fds=True)
        os.close(slave)
        self.raw = ""
        self.written = 0
        self.lock = threading.Lock()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        """Until the program has ended."""
        left = b""
        while True:
            try:
                piece = os.read(self.master, 65536)
            except OSError:
                return
            if not piece:
                return
            self.written += len(piece)
            text, left = whole(left + piece)
            with self.lock:
                self.draw(text)

    def draw(self, text):
        self.raw = (self.raw + text)[-100_000:]
        while text:
            found = SEQUENCE.search(text)
            for letter in text[: found.start()] if found else text:
                self.put(letter)
            if not found:
                return
            sequence, text = found.group(0), text[found.end() :]
            if sequence.endswith("H"):
                self.row = min(int(found.group(1) or 1), self.lines) - 1
                self.column = min(int(found.group(2) or 1), self.columns) - 1
            elif sequence.endswith("J"):
                self.cells = [[" "] * self.columns for _ in range(self.lines)]
            elif sequence.endswith("K"):
                self.cells[self.row][self.column :] = [" "] * (self.columns - self.column)

    def put(self, letter):
        if letter == "\r":
            self.column = 0
        elif letter == "\n":
            self.row = min(self.row + 1, self.lines - 1)
        elif letter >= " " and self.column < self.columns:
            self.cells[self.row][self.column] = letter
            self.column += 1

    def screen(self):
        """Its lines."""
        with self.lock:
            return ["".join(line).rstrip() for line in self.cells]

    def type(self, text):
        os.write(self.master, text.encode())

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(60)
        os.close(self.master)


def whole(data):
    """The text of `data`, and the bytes of a letter or sequence at its end that are not all there yet."""
    for cut in range(len(data), max(len(data) - 40, 0), -1):
        head = data[:cut]
        if b"\x1b" in head[-20:] and not SEQUENCE.search(head[head.rindex(b"\x1b") :].decode(errors="ignore")):
            continue
        try:
            return head.decode(), data[cut:]
        except UnicodeDecodeError:
            continue
    return data.decode(errors="replace"), b""
