"""Runs commands side by side, as many at a time as there are lanes, and prints what each has said as one piece when it has ended.

    python3 tests/lanes.py COMMAND... -- WORD...     COMMAND WORD for each WORD
"""

import os
import subprocess
import sys
import threading

LANES = int(os.environ.get("LEVERET_LANES") or max(2, os.cpu_count() or 1))


def run(jobs, lanes=LANES):
    """`jobs` are the arguments of subprocess.run, in the order in which they begin. Whether all have ended with 0."""
    waiting, output, codes = list(jobs), threading.Lock(), []

    def lane():
        while True:
            with output:
                if not waiting:
                    return
                job = waiting.pop(0)
            done = subprocess.run(**job, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            with output:
                codes.append(done.returncode)
                sys.stdout.buffer.write(done.stdout)
                if done.returncode:
                    print(f"{' '.join(map(str, job['args']))}: ended with {done.returncode}")
                sys.stdout.flush()

    threads = [threading.Thread(target=lane) for _ in range(lanes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return not any(codes)


if __name__ == "__main__":
    end = sys.argv.index("--")
    sys.exit(not run({"args": [*sys.argv[1:end], word]} for word in sys.argv[end + 1:]))
