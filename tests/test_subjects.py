"""The subjects of commits, as `./x test lint` checks them."""

import os
import subprocess
import unittest

from support import ROOT, SystemTest

CHECK = '. scripts/say.sh; . scripts/lint.sh; "$@"'

GOOD = [
    "client: reset failure state on quit()",
    "php, ruby: untie the circles of files",
    "docs: say that the class Redis does not read the arena yet",
    "engine: pass over segments: the shard may be growing",
    "x: a",
    "tests: embed the original's answers",
    "server: address each listener",
    "docs/how-to: add " + "a" * 54,
]

BAD = {
    "": "not 'area: imperative'",
    "Mend what a newcomer met": "not 'area: imperative'",
    "client reset failure state": "not 'area: imperative'",
    "client:reset failure state": "not 'area: imperative'",
    "client: Reset failure state": "not 'area: imperative'",
    "Client: reset failure state": "not 'area: imperative'",
    "client,: reset": "not 'area: imperative'",
    ": reset": "not 'area: imperative'",
    "client: ": "not 'area: imperative'",
    "client: reset failure state.": "a full stop",
    "client: resets failure state": "'resets' is not the imperative",
    "client: added a case": "'added' is not the imperative",
    "client: adding a case": "'adding' is not the imperative",
    "docs: name the café": "not ASCII",
    "docs: one\ttab": "not ASCII",
    "docs/how-to: add " + "a" * 56: "73 characters",
    "engine: " + "ä" * 40: "not ASCII",
}


def check(*words, text="", cwd=ROOT):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(cwd)}
    script = CHECK if cwd == ROOT else f"cd {cwd}; " + CHECK.replace("scripts/", f"{ROOT}/scripts/")
    return subprocess.run(["bash", "-euc", script, "-", *words], cwd=cwd, input=text, capture_output=True, text=True, env=environment, timeout=60)


class Subjects(SystemTest):
    def test_good(self):
        """subjects of the form area: imperative pass, alone and together"""
        for subject in GOOD:
            with self.subTest(subject=subject):
                done = check("subjects_are_right", text=f"abc1234 {subject}\n")
                self.assertEqual((0, "    1 subjects\n"), (done.returncode, done.stdout), done.stderr)
        done = check("subjects_are_right", text="".join(f"abc1234 {subject}\n" for subject in GOOD))
        self.assertEqual((0, f"    {len(GOOD)} subjects\n"), (done.returncode, done.stdout))

    def test_bad(self):
        """any other subject fails among good ones, and is named with its reason"""
        for subject, reason in BAD.items():
            with self.subTest(subject=subject):
                lines = [*GOOD[:2], subject, *GOOD[2:4]]
                done = check("subjects_are_right", text="".join(f"abc{n}234 {line}\n" for n, line in enumerate(lines)))
                self.assertEqual(1, done.returncode, done.stdout)
                told = [line for line in done.stdout.splitlines() if "abc" in line]
                self.assertEqual(1, len(told), done.stdout)
                self.assertIn(f"abc2234 {subject.strip()}", told[0])
                self.assertIn(f": {reason}", told[0])

    def test_which(self):
        """commits that main lacks are checked, merges and what main has are not; without another main those since the rule"""

        def git(*words):
            own = ("-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main")
            subprocess.run(("git", *own, *words), cwd=self.folder, env={"PATH": os.environ["PATH"], "HOME": str(self.folder)}, check=True, capture_output=True)

        def commit(subject):
            git("commit", "-q", "--allow-empty", "-m", subject)

        def checked():
            done = check("lint_subjects", cwd=self.folder)
            return done.returncode, done.stdout.split("\n")[-2].strip() if done.stdout else done.stderr

        self.assertEqual((0, "No history here."), checked())
        git("init", "-q")
        self.assertEqual((0, "No history here."), checked())
        commit("Before the rule")
        (self.folder / "scripts").mkdir()
        (self.folder / "scripts" / "lint.sh").write_text("subjects_are_right() { :; }\n")
        git("add", ".")
        commit("The rule itself")
        commit("lint: check more")
        self.assertEqual((0, "1 subjects"), checked())
        commit("Wrong on main")
        self.assertEqual((1, "2 subjects"), checked())
        git("checkout", "-q", "-b", "topic")
        self.assertEqual((1, "2 subjects"), checked(), "where main is the same commit")
        commit("topic: add a")
        self.assertEqual((0, "1 subjects"), checked())
        git("checkout", "-q", "main")
        commit("Wrong on main, later")
        git("checkout", "-q", "topic")
        git("merge", "-q", "--no-ff", "-m", "Merge main", "main")
        commit("topic: add b")
        self.assertEqual((0, "2 subjects"), checked())
        commit("topic: added c")
        self.assertEqual((1, "3 subjects"), checked())


if __name__ == "__main__":
    unittest.main()
