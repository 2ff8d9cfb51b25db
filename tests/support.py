"""Shared by the system tests: a scratch folder, the providers of modules, running PHP and the command."""

import atexit
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PHP_VERSION = os.environ.get("LEVERET_PHP", "8.2")  # ./x sets it
PHP = f"php{PHP_VERSION}"
COMMAND = ROOT / "build" / "leveret"

# The package of the C library has X.Y in its name.
LIBRARY = "libleveret" + re.search(r'^version = "(\d+\.\d+)', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]


def scratch_place():
    """Shared memory, where arenas belong; a disk where a container has too little of it for these tests."""
    return "/dev/shm" if shutil.disk_usage("/dev/shm").free > 512 << 20 else tempfile.gettempdir()


def stage():
    """Files that www-data must read, copied to where it may: the checkout may be in a private home folder."""
    folder = Path(tempfile.mkdtemp(prefix="leveret-stage-", dir=scratch_place()))
    atexit.register(shutil.rmtree, folder)
    shutil.copytree(ROOT / "tests" / "php", folder / "php")
    if (ROOT / "build" / "leveret.so").exists():
        shutil.copy(ROOT / "build" / "leveret.so", folder)
    for path in [folder, *folder.rglob("*")]:  # whatever the umask of the checkout was
        path.chmod(0o755 if path.is_dir() else 0o644)
    return folder


STAGE = stage()
SCRIPTS = STAGE / "php"
EXTENSION = STAGE / "leveret.so"

# A hung process must end as a failed test. No test takes as long, and no test measures time.
PATIENCE = 300

AM_ROOT = os.geteuid() == 0


# Extensions that the originals need under `php -n`. Ours needs none, and uses these serializers if they are loaded.
SERIALIZERS = {"memcached": ("igbinary", "msgpack"), "redis": ("igbinary",)}


class Provider:
    """The provider of the modules: our extension or an original. Each run asserts it, by the file that PHP prepends."""

    def __init__(self, name, ini):
        self.name, self.ini = name, ini

    def with_ini(self, **more):
        return Provider(self.name, {**self.ini, **{key.replace("__", "."): value for key, value in more.items()}})

    def settings(self, extensions=()):
        """The lines of a php.ini."""
        library = EXTENSION if self.name == "leveret" else f"{self.name}.so"
        settings = [*(f"extension={name}.so" for name in (*extensions, *SERIALIZERS.get(self.name, ()))), f"extension={library}"]
        settings += [f"{key}={value}" for key, value in self.ini.items()]
        return [*settings, f"auto_prepend_file={SCRIPTS / ('provider_' + self.name + '.php')}", "display_errors=stderr", "log_errors=0"]

    def arguments(self, extensions=()):
        return ["-n", *(part for setting in self.settings(extensions) for part in ("-d", setting))]


def original(**ini):
    return original_of("apcu", apc__enable_cli=1, **ini)


def original_of(name, **ini):
    """Debian's extension of that name."""
    return Provider(name, {}).with_ini(**ini)


class SystemTest(unittest.TestCase):
    """A test with a scratch folder in shared memory that other users may enter; what it starts ends with it."""

    def setUp(self):
        self.remarks = []
        self.folder = Path(tempfile.mkdtemp(prefix="leveret-test-", dir=scratch_place()))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.folder.chmod(0o755)
        self.arenas = self.folder / "arenas"
        self.arenas.mkdir(mode=0o700)

    def remark(self, text):
        """A figure worth reading beside the verdict."""
        self.remarks.append(text)

    def ours(self, **ini):
        self.assertTrue(EXTENSION.exists(), "build/leveret.so is missing: run ./x build")
        apcu = {"apc.enable_cli": 1, "leveret.apcu_cli": "shared", "leveret.apcu_arena": "apcu"}
        return Provider("leveret", {**apcu, "leveret.dir": self.arenas}).with_ini(**ini)

    def php_command(self, script, *words, provider=None, extensions=(), user=None, groups=()):
        """`script` is a file of tests/php, or code when it starts with `<?php`. `user` needs root."""
        run = ["-r", script[len("<?php"):]] if script.startswith("<?php") else [str(SCRIPTS / script)]
        become = ["setpriv", f"--reuid={user}", f"--regid={user}", f"--groups={','.join([user, *groups])}"] if user else []
        # After -r, "--" keeps PHP from reading the script's own words as options.
        end = ["--"] if script.startswith("<?php") else []
        return [*become, PHP, *(provider or self.ours()).arguments(extensions), *run, *end, *map(str, words)]

    def run_php(self, script, *words, **options):
        """Runs to the end; returns the completed process, with any exit code."""
        return run(self.php_command(script, *words, **options))

    def php(self, script, *words, **options):
        """Runs a script that must succeed and print JSON; returns what it printed."""
        done = self.run_php(script, *words, **options)
        self.assertEqual(0, done.returncode, f"PHP ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return json.loads(done.stdout)

    def start_php(self, script, *words, **options):
        return self.start(self.php_command(script, *words, **options), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def start(self, command, **options):
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, **options)
        self.addCleanup(end, process)
        return process

    def arena(self, name="apcu"):
        return self.arenas / f"{name}.arena"

    def leveret(self, *words, ends=0):
        """Runs the command in this test's folder of arenas; returns its standard output. `ends` is the exit code that it must have."""
        self.assertTrue(COMMAND.exists(), "build/leveret is missing: run ./x build")
        done = run([str(COMMAND), *map(str, words)], env={**os.environ, "LEVERET_DIR": str(self.arenas)})
        self.assertEqual(ends, done.returncode, f"leveret {words} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def wait_for(self, what, happened):
        """Polls until `happened()` is true and returns what it answered."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            answer = happened()
            if answer:
                return answer
            time.sleep(0.02)
        self.fail(f"waited {PATIENCE} s in vain for {what}")


def run(command, **options):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=PATIENCE, **options)


def end(process):
    """Ends a process that a test started, and closes its pipes."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe:
            pipe.close()
