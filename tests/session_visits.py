"""Visits of sessions whose server, or the way to it, fails."""

import socket
import threading

BEFORE = 'before: [true,[]]\n'
AFTER = 'after: [true,{"n":1}]\n'


def visits(test, handler, path, what, fail, repair, **ini):
    """The output of session_failures.php: a visit, another one while the shell command `fail` is in force, and one after `repair`."""
    provider = test.ours(leveret__provide=handler).with_ini(**ini)
    done = test.run_php("session_failures.php", handler, path, what, fail, repair, provider=provider)
    test.assertEqual((0, ""), (done.returncode, done.stderr), done.stdout)
    return done.stdout


def hang(*servers):
    """Shell commands that stop these servers and let them continue."""
    pids = " ".join(str(server.process.pid) for server in servers)
    return f"kill -STOP {pids}; for pid in {pids}; do until grep -q '^State:.T' /proc/$pid/status; do sleep 0.01; done; done", f"kill -CONT {pids}"


class Way(threading.Thread):
    """A proxy that listens at `listener` and connects by `connect()`. `replace` gets what a side has sent and returns what is forwarded."""

    def __init__(self, test, listener, connect, replace):
        super().__init__(daemon=True)
        self.listener, self.connect, self.replace = listener, connect, replace
        listener.listen()
        test.addCleanup(listener.close)
        self.start()

    def run(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return  # the test has ended
            there = self.connect()
            for source, target in ((client, there), (there, client)):
                threading.Thread(target=self.forward, args=(source, target), daemon=True).start()

    def forward(self, source, target):
        while said := source.recv(65536):
            target.sendall(self.replace(said))
        try:
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the other side has closed
