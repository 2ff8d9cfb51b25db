"""Runs the Rust tests as `cargo test --workspace --no-fail-fast` does, its test programs side by side: most of them wait most of the time. The words
behind it are a command that runs more tests of Rust beside them, under the name that comes first.

    python3 tests/rust.py [NAME COMMAND...]

What each program has printed stands in one piece, as of cargo. One that dies counts as a failure, in a line like those of the others.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import lanes

CARGO = ["cargo", "test", "--locked"]
# Targets without a program of their own, which cargo runs. leveret-client with a feature is another build.
OTHERS = {
    "the examples of documentation": [*CARGO, "--workspace", "--no-fail-fast", "--doc"],
    "the codecs with the feature zstd": [*CARGO, "-p", "leveret-client", "--features", "zstd", "--lib", "codec"],
}
# Those that take longest, longest first: they begin first.
LONGEST = (
    "leveret-engine tests/instructions.rs", "leveret-testkit tests/programs.rs", "leveret-client tests/client/main.rs", "leveret-testkit tests/policy.rs", "leveret-engine src/lib.rs",
    "leveret-server tests/sockets_values.rs", "the examples of documentation",
    "the codecs with the feature zstd", "leveret-protocol src/lib.rs", "leveret-protocol tests/fuzz/main.rs", "leveret-server tests/sockets.rs",
    "leveret-strings tests/differential/main.rs", "leveret-strings tests/hostile.rs", "leveret-testkit tests/full.rs",
    "leveret-client tests/redis/main.rs", "leveret-testkit tests/model.rs", "leveret-server src/lib.rs", "leveret-ffi tests/hostile.rs",
)

VERDICT = re.compile(r"^test result: ", re.MULTILINE)


def programs():
    """The test programs, by name, built. None: they could not be."""
    words = [*CARGO, "--workspace", "--no-run", "--message-format=json-render-diagnostics"]
    built = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    if built.returncode:
        return None
    found = {}
    for made in map(json.loads, built.stdout.splitlines()):
        if made["reason"] == "compiler-artifact" and made["profile"]["test"] and made["executable"]:
            folder = Path(made["manifest_path"]).parent
            name = f"{folder.name} {Path(made['target']['src_path']).relative_to(folder)}"
            # In the folder that cargo runs it in.
            found[name] = {"args": [made["executable"]], "cwd": folder}
    return found


def show(job):
    print(f"     Running {job.name}: {job.seconds:.1f} s")
    lanes.show(job)
    if job.code and not VERDICT.search(job.said):
        print(f"test result: FAILED. 0 passed; 1 failed; {job.name} has died")


def main(words):
    jobs = programs()
    if jobs is None:
        return 1
    jobs |= {name: {"args": command} for name, command in OTHERS.items()}
    if words:
        jobs[words[0]] = {"args": words[1:]}
    order = [*words[:1], *LONGEST]
    first = sorted(jobs, key=lambda name: order.index(name) if name in order else len(order))
    return 0 if lanes.run([lanes.Job(name, **jobs[name]) for name in first], show) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
