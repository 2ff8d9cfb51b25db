"""One process that is driven over pipes: it reads one JSON command a line, and answers each with one JSON line."""
import json
import subprocess


class Worker:
    def __init__(self, command, folder=None):
        """`folder`: its arena's, if it has that to itself."""
        self.folder = folder
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def send(self, do, **arguments):
        try:
            self._process.stdin.write(json.dumps({'do': do, **arguments}) + '\n')
            self._process.stdin.flush()
        except BrokenPipeError:
            self._ended()

    def receive(self):
        line = self._process.stdout.readline()
        if not line:
            self._ended()
        return json.loads(line)

    def ask(self, do, **arguments):
        self.send(do, **arguments)
        return self.receive()

    def prepare(self, workload, **arguments):
        self.ask('prepare', workload=workload, **arguments)
        return self

    def measure(self, **arguments):
        return self.ask('measure', **arguments)

    def stop(self):
        """Its helpers end when it does."""
        if self._process.poll() is None:
            self._process.stdin.close()
            try:
                self._process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._process.stdout.close()

    def _ended(self):
        raise RuntimeError(f'{self._process.args[0]} ended with code {self._process.wait()}; what it said is above')
