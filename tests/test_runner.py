"""The runner of these tests: what it prints is what people and CI believe."""

import contextlib
import io
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from run import LONGEST, Printer
from support import PATIENCE, SystemTest

HERE = Path(__file__).resolve().parent


class Planted(unittest.TestCase):
    """Each ends in its own way; none is named as a test, so none is found as one."""

    def passes(self):
        pass

    def fails(self):
        self.fail("on purpose")

    def skips(self):
        self.skipTest("on purpose")

    def fails_in_parts(self):
        for part in range(3):
            with self.subTest(part=part):
                self.assertEqual(1, part)

    def passes_in_parts(self):
        for part in range(3):
            with self.subTest(part=part):
                self.assertLess(part, 3)

    def fails_and_cannot_clean_up(self):
        self.addCleanup(self.fail, "again")
        self.fail("on purpose")


# Modules of planted classes. Each notes in the folder that it runs and that it has ended.
START = """
import os, time, unittest
from pathlib import Path
class Noted(unittest.TestCase):
    def setUp(self):
        (Path(RAN) / f"{type(self).__name__}.begun").touch()
        self.addCleanup((Path(RAN) / f"{type(self).__name__}.ended").touch)
    def wait_for(self, name):
        while not (Path(RAN) / name).exists():
            time.sleep(0.01)
"""
PLANTED = {
    # Each of the two waits for the other: in one process they would never end.
    "meeting": """
class First(Noted):
    def test_it(self):
        self.wait_for("Second.begun")
class Second(Noted):
    def test_it(self):
        self.wait_for("First.begun")
    def test_other(self):
        self.skipTest("on purpose")
""",
    "failing": """
class Failing(Noted):
    def test_it(self):
        self.fail("on purpose")
    def test_parts(self):
        for part in range(3):
            with self.subTest(part=part):
                self.fail("on purpose")
    def test_well(self):
        pass
""",
    "dying": """
class Dying(Noted):
    def test_a(self):
        pass
    def test_b(self):
        os.kill(os.getpid(), 9)
    def test_c(self):
        pass
""",
    # A process that continues and keeps the test's output open.
    "leaving": """
class Leaving(Noted):
    def test_it(self):
        os.fork() or (time.sleep(600), os._exit(0))
        print("1 passed, 0 failed, 5 skipped")
""",
    "alone": """
ALONE = "it counts who runs beside it"
class Alone(Noted):
    def test_it(self):
        names = [path.stem for path in Path(RAN).glob("*.begun")]
        self.assertEqual(sorted(names), sorted([path.stem for path in Path(RAN).glob("*.ended")] + ["Alone"]))
        self.assertGreater(len(names), 4)
""",
    "hanging": """
class Hanging(Noted):
    def test_it(self):
        print("what it said before")
        (Path(RAN) / "Hanging.said").touch()
        self.wait_for("nothing")
""",
    "unloadable": "import nothing_of_this_name\n",
}


class Runner(SystemTest):
    def test_counts(self):
        """a test is counted once, for any number of failed parts, and each failed part is reported"""
        names = ["passes", "fails", "skips", "fails_in_parts", "passes_in_parts", "fails_and_cannot_clean_up"]
        printed, result = io.StringIO(), Printer()
        with contextlib.redirect_stdout(printed):
            unittest.TestSuite(map(Planted, names)).run(result)
        self.assertEqual((2, 3, 1), tuple(map(result.count, ("ok", "not ok", "skip"))), printed.getvalue())
        self.assertIn("(part=0)", printed.getvalue())
        self.assertIn("(part=2)", printed.getvalue())
        self.assertEqual(5, printed.getvalue().count("not ok - "))

    def planted(self, *words, names=tuple(name for name in PLANTED if name != "hanging")):
        """What the runner says of planted modules, and the process."""
        folder = self.folder / "planted" / "tests"
        (folder / "php").mkdir(parents=True)
        for name in ("run.py", "lanes.py", "support.py"):
            shutil.copy(HERE / name, folder)
        shutil.copy(HERE.parent / "Cargo.toml", folder.parent)
        ran = self.folder / "ran"
        ran.mkdir()
        for name in names:
            (folder / f"test_{name}.py").write_text(f"RAN = {str(ran)!r}\n{START}{PLANTED[name]}")
        started = subprocess.Popen([sys.executable, "-B", folder / "run.py", *words], env={**os.environ, "LEVERET_LANES": "3"},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
        self.addCleanup(end_session, started)
        return started, ran

    def test_lanes(self):
        """in parallel each test is counted once, also for a process that died, one that leaves another behind, and a module that cannot be loaded"""
        runner, _ = self.planted()
        said = runner.communicate(timeout=PATIENCE)[0]
        self.assertEqual(1, runner.returncode, said)
        self.assertEqual("5 passed, 6 failed, 1 skipped", said.splitlines()[-1], said)
        self.assertIn("not ok - test_dying.Dying: its process ended with -9: all of its 3 tests count as failed", said)
        self.assertIn("No module named 'nothing_of_this_name'", said)
        self.assertTrue(said.splitlines()[-2].startswith("ok - test_it (test_alone.Alone"), "it does not run last:\n" + said)

    def test_words(self):
        """only tests whose name has one of the words run, and none is a failure"""
        for words, last, code in ((["FIRST", "second.test_it"], "2 passed, 0 failed, 0 skipped", 0), (["failing.test_well"], "1 passed, 0 failed, 0 skipped", 0),
                                  (["nowhere"], "0 passed, 0 failed, 0 skipped", 1)):
            with self.subTest(words=words):
                runner, _ = self.planted(*words, names=["meeting", "failing"])
                said = runner.communicate(timeout=PATIENCE)[0]
                self.assertEqual((last, code), (said.splitlines()[-1], runner.returncode), said)
                shutil.rmtree(self.folder / "planted")
                shutil.rmtree(self.folder / "ran")

    def test_time_limit(self):
        """where a time limit ends the runner, it prints what the classes at work have said, and names them"""
        runner, ran = self.planted("meeting.Second", "failing", "hanging", names=["meeting", "failing", "hanging"])
        self.wait_for("what can end to have ended", lambda: (ran / "Failing.ended").exists() and (ran / "Hanging.said").exists()
                      and (ran / "Second.begun").exists())
        runner.terminate()
        said = runner.communicate(timeout=PATIENCE)[0]
        self.assertNotEqual(0, runner.returncode)
        self.assertIn("not ok - test_it (test_failing.Failing", said)
        for part in ("what it said before", "test_hanging.Hanging: had not ended", "test_meeting.Second: had not ended"):
            self.assertIn(part, said)

    def test_longest_are_there(self):
        """the classes that begin first are there"""
        for name in LONGEST:
            module, _, own = name.rpartition(".")
            self.assertRegex((HERE / f"{module}.py").read_text(), rf"(?m)^class {own}\b", name)


def end_session(runner):
    """Ends the runner and what it has left behind."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(runner.pid, 9)
    runner.wait()
    runner.stdout.close()


if __name__ == "__main__":
    unittest.main()
