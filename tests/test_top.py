"""`leveret top` on a terminal: what it shows of arenas and servers, what keys do, and targets that go and come back."""

import json
import os
import pty
import signal
import subprocess
import time
from xml.etree import ElementTree

from servers import Server, tool
from support import COMMAND, ROOT, SystemTest, end
from terminal import Terminal


class Top(SystemTest):
    def top(self, *words, columns=80, lines=24, env=None):
        terminal = Terminal([str(COMMAND), "top", "--interval", "200ms", "--timeout", "2s", *map(str, words)], columns, lines, env)
        self.addCleanup(terminal.close)
        return terminal

    def shows(self, terminal, *parts):
        """Waits for a line that has all of these in it, and gives it."""

        def line():
            return next((line for line in terminal.screen() if all(part in line for part in parts)), None)

        try:
            self.wait_for(f"{parts} on the screen", lambda: line() or terminal.process.poll() is not None)
        finally:
            if not line():
                self.remark("\n".join(terminal.screen()))
        return line()

    def ends(self, terminal):
        """The terminal is as it was: the other screen is left, and the cursor is there again."""
        self.assertEqual(0, terminal.process.wait(60))
        terminal.reader.join(60)
        self.assertIn("\x1b[?1049l", terminal.raw)
        self.assertIn("\x1b[?25h", terminal.raw)

    def test_targets_of_all_kinds(self):
        """an arena, leveret serve and memcached side by side; one that ends is named in the status line, and comes back"""
        arena = self.arenas / "shown.arena"
        served = Server(self, "leveret", arena=arena)
        original = Server(self, "memcached", unix=True)
        served.talk(b"set user:1 0 0 5\r\nhello\r\n", end=b"STORED\r\n")
        for columns, lines in ((80, 24), (200, 60)):
            terminal = self.top(arena, served.address, original.socket, columns=columns, lines=lines)
            self.assertIn("1", self.shows(terminal, "shown.arena", "%").split())
            self.shows(terminal, served.address, "%")
            self.shows(terminal, "3 targets")
            self.assertTrue(all(len(line) <= columns for line in terminal.screen()))
            terminal.type("q")
            self.ends(terminal)
        terminal = self.top(original.socket, served.address)
        self.shows(terminal, served.address, "%")
        original.kill(signal.SIGKILL)
        self.shows(terminal, "2 targets", "1 down")
        terminal.type("s\x1b[A\x1b[A\x1b[B")
        self.shows(terminal, "socket")
        original.revive()
        self.wait_for("nobody down", lambda: "down" not in terminal.screen()[0])
        terminal.process.send_signal(signal.SIGTERM)
        self.ends(terminal)

    def test_terminal_goes(self):
        """it ends when its terminal has hung up, also where no signal says so"""
        master, slave = pty.openpty()
        # A session without a controlling terminal gets no SIGHUP.
        process = subprocess.Popen([str(COMMAND), "top", str(self.arenas / "shown.arena")], stdin=slave, stdout=slave, stderr=slave,
                                   env={**os.environ, "TERM": "xterm-256color"}, start_new_session=True)
        self.addCleanup(end, process)
        os.close(slave)
        drawn = b""
        while b"\x1b[?1049h" not in drawn:
            drawn += os.read(master, 65536)
        os.close(master)
        self.wait_for("the end", lambda: process.poll() is not None)

    def test_a_closer_look(self):
        """Enter shows a target, k its keys that are read most, Enter there the item"""
        arena = self.arenas / "keys.arena"
        served = Server(self, "leveret", arena=arena)
        served.talk(b"set user:1 7 0 5\r\nhello\r\nset page 0 0 1\r\nx\r\n" + 9 * b"get user:1\r\n", end=9 * b"VALUE user:1 7 5\r\nhello\r\nEND\r\n")
        terminal = self.top(arena)
        self.shows(terminal, "keys.arena", "%")
        terminal.type("\r")
        self.shows(terminal, "file", str(arena)[:40])
        self.shows(terminal, "served at")
        terminal.type("k")
        self.assertRegex(self.shows(terminal, "user:1"), r"^ +9 user:1$")
        terminal.type("p")
        self.shows(terminal, "prefixes by")
        self.assertRegex(self.shows(terminal, " user:"), r"^ +9 user:$")
        terminal.type("p")
        self.shows(terminal, "keys by")
        terminal.type("\r")
        self.assertRegex(self.shows(terminal, "value"), r"^value +hello$")
        self.shows(terminal, "encoding", "raw")
        terminal.type("?")
        self.shows(terminal, "Ctrl-C")
        terminal.type("?")
        self.wait_for("the help to be gone", lambda: not any("Ctrl-C" in line for line in terminal.screen()))
        terminal.type("\x03")
        self.ends(terminal)

    def test_a_choice_stays_with_what_was_chosen(self):
        """a target stays chosen when others do more, and when one comes back from its keys; a pause shows what is asked for after it began"""
        arenas = [self.arenas / f"{name}.arena" for name in ("calm", "idle", "wild")]
        servers = [Server(self, "leveret", arena=arena) for arena in arenas]
        for server in servers:
            server.talk(b"set user:1 0 0 5\r\nhello\r\nset user:2 0 0 5\r\nworld\r\n", end=2 * b"STORED\r\n")
        terminal = self.top(*arenas, columns=160)
        for arena in arenas:
            self.shows(terminal, arena.name, "%")
        # The third by name, then the first or so by gets.
        terminal.type("\x1b[B\x1b[Bs")
        servers[2].talk(2000 * b"get user:1\r\n", end=b"END\r\n")
        time.sleep(0.5)
        terminal.type("\r")
        self.shows(terminal, "file", "wild.arena")
        terminal.type("\x1b[B\x1b[B")
        terminal.type("\x1b")
        self.shows(terminal, "3 targets")
        terminal.type(" k")
        # Each item is counted once, however few there are.
        self.shows(terminal, "of 2 items")
        self.shows(terminal, "user:1")
        terminal.type("\r")
        self.assertRegex(self.shows(terminal, "value"), r"^value +hello$")
        terminal.type("\x1b[D\x1b[D")
        self.shows(terminal, "idle.arena", "%")
        terminal.type("\r")
        self.shows(terminal, "file", "wild.arena")
        terminal.process.send_signal(signal.SIGINT)
        self.ends(terminal)

    def test_arenas_come_and_go(self):
        """without a target it shows the folder's arenas, those as well that come while it runs"""
        folder = self.folder / "caches"
        folder.mkdir(mode=0o700)
        terminal = self.top("--dir", folder)
        self.shows(terminal, "No arenas in the folder yet")
        self.assertEqual(0, tool(COMMAND, "set", "--dir", folder, "--arena", "one", "k", "v").returncode)
        self.shows(terminal, "arena:one", "%")
        self.assertEqual(0, tool(COMMAND, "set", "--dir", folder, "--arena", "two", "k", "v").returncode)
        self.shows(terminal, "arena:two", "%")
        terminal.type("/tw\r")
        self.wait_for("one to be hidden", lambda: not any("arena:one" in line for line in terminal.screen()))
        self.shows(terminal, "filter: tw")
        terminal.type("\x1b")
        self.shows(terminal, "arena:one")
        self.assertEqual(0, tool(COMMAND, "rm", "--dir", folder, "--force", "one").returncode)
        self.wait_for("one to be gone", lambda: not any("arena:one" in line for line in terminal.screen()))
        terminal.type("q")
        self.ends(terminal)

    def test_without_a_terminal(self):
        """--once and --json are for scripts; without them and without a terminal it says so; NO_COLOR draws without colours"""
        arena = self.arenas / "script.arena"
        served = Server(self, "leveret", arena=arena)
        once = tool(COMMAND, "top", "--once", "--interval", "200ms", arena, served.address)
        self.assertEqual(0, once.returncode, once.stderr)
        self.assertEqual(3, len(once.stdout.splitlines()), once.stdout)
        told = tool(COMMAND, "top", "--once", "--json", "--interval", "200ms", served.address, "127.0.0.1:1")
        self.assertEqual(0, told.returncode, told.stderr)
        one, other = json.loads(told.stdout)["targets"]
        self.assertEqual((None, 0, 64 << 20), (one["error"], one["items"], one["limit"]))
        self.assertGreater(one["latency_us"], 0)
        self.assertIn("127.0.0.1:1", other["error"])
        self.assertEqual(1, tool(COMMAND, "top", "--once", "--interval", "200ms", "127.0.0.1:1").returncode)
        running = self.start([str(COMMAND), "top", "--json", "--interval", "100ms", str(arena)], stdout=subprocess.PIPE)
        self.assertEqual([1, 1, 1], [len(json.loads(running.stdout.readline())["targets"]) for _ in range(3)])
        running.stdout.close()
        self.assertEqual(0, running.wait(60), "who has read enough may go")
        refused = tool(COMMAND, "top", arena)
        self.assertEqual(2, refused.returncode)
        self.assertIn("--once", refused.stderr)
        dumb = self.top(arena, env={"TERM": "dumb"})
        self.assertEqual(2, dumb.process.wait(60))
        dumb.reader.join(60)
        self.assertIn("TERM=dumb", dumb.raw)
        plain = self.top(arena, env={"NO_COLOR": "1"})
        self.shows(plain, "script.arena", "%")
        self.assertNotRegex(plain.raw, "\x1b\\[3[1-7]m|\x1b\\[38;")
        plain.type("q")
        self.ends(plain)

    def test_the_picture(self):
        """the README's picture can be drawn again, from a running site"""
        picture = self.folder / "top.svg"
        drawn = tool(ROOT / "docs/top-picture", picture, "4")
        self.assertEqual(0, drawn.returncode, drawn.stderr)
        committed = (ROOT / "docs/top.svg").read_text()
        for text in (picture.read_text(), committed):
            told = "".join(ElementTree.fromstring(text).itertext())
            for part in ("arena:apcu", "arena:shop", "localhost:", "GETS/s", "gets a second", "hit ratio"):
                self.assertIn(part, told)
            self.assertNotIn("down", told)
