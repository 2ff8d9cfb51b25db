"""Runs commands side by side, as many at a time as there are lanes, and prints what each has said as one piece when it has ended.

    python3 tests/lanes.py COMMAND... -- WORD...     COMMAND WORD for each WORD
"""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

# Most tests wait for other processes most of the time: one lane more than there are cores keeps these at work.
LANES = int(os.environ.get("LEVERET_LANES") or (os.cpu_count() or 1) + 1)


class Job:
    """`arguments` are those of subprocess.Popen. What the command prints goes into a file, which no process that outlives it keeps open."""

    def __init__(self, name, **arguments):
        self.name, self.arguments = name, arguments
        self.code = None

    def run(self):
        begun = time.monotonic()
        with tempfile.TemporaryFile() as self.output:
            done = subprocess.Popen(**self.arguments, stdin=subprocess.DEVNULL, stdout=self.output, stderr=subprocess.STDOUT)
            self.code = done.wait()
            self.said = self.so_far()
        self.seconds = time.monotonic() - begun

    def so_far(self):
        """Read by its place: the command writes where the file's end is."""
        return os.pread(self.output.fileno(), os.fstat(self.output.fileno()).st_size, 0).decode(errors="replace")


def show(job):
    """Prints what it has said, and how it ended unless that was well."""
    print(job.said, end="")
    if job.code:
        print(f"{job.name}: ended with {job.code}")


def run(jobs, ended=show, lanes=LANES):
    """Begins the jobs in their order. `ended` is called with each that has ended, one at a time. Whether all have ended with 0."""
    waiting, running, turn, codes = list(jobs), [], threading.Lock(), []

    def lane():
        while True:
            with turn:
                if not waiting:
                    return
                job = waiting.pop(0)
                running.append(job)
            job.run()
            with turn:
                running.remove(job)
                codes.append(job.code)
                ended(job)
                sys.stdout.flush()

    def stop(number, frame):
        # A time limit, so that the report names the test that hung.
        for job in running:
            print(f"{job.so_far()}\n{job.name}: had not ended")
        sys.stdout.flush()
        os._exit(128 + number)

    before = signal.signal(signal.SIGTERM, stop)
    threads = [threading.Thread(target=lane, daemon=True) for _ in range(lanes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    signal.signal(signal.SIGTERM, before)
    return not any(codes)


if __name__ == "__main__":
    end = sys.argv.index("--")
    sys.exit(not run(Job(word, args=[*sys.argv[1:end], word]) for word in sys.argv[end + 1:]))
