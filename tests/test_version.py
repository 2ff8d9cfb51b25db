"""The version: one place, from which every other form is made, and an order that dpkg, RubyGems, cargo and PHP agree on."""

import functools
import json
import os
import random
import re
import shutil
import subprocess
import unittest
from datetime import datetime, timedelta, timezone

from packages_here import packages_here
from support import COMMAND, EXTENSION, LIBRARY, PHP, ROOT, SystemTest

BUILT = (ROOT / "build" / "version").read_text().strip() if (ROOT / "build" / "version").exists() else ""
# Files about releases, and files that need a number.
MAY_NAME_IT = {"Cargo.toml", "Cargo.lock", "ruby/lib/leveret/version.rb", "CHANGELOG.md", "docs/how-to/upgrade.md"}
PARTS = "for part in say install build package ruby release; do . scripts/$part.sh; done; "


def said(*words, **options):
    return subprocess.run([*map(str, words)], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120, **options).stdout.strip()


def release():
    return re.search(r'\[workspace\.package\][^\[]*?^version = "(.*?)"', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]


class Places(SystemTest):
    def test_built(self):
        """the command, PHP's extension and its modules say the version of the last build, which is one of this release"""
        self.assertRegex(BUILT, rf"^{re.escape(release())}(~git(\d{{14}}\.[0-9a-f]{{7}}(\.dirty)?)?)?$")
        self.assertEqual(f"leveret {BUILT}", said(COMMAND, "--version"))
        self.assertEqual(f"leveret {BUILT} (memcached-compatible 1.6.45)", said(COMMAND, "serve", "-V"))
        php = (PHP, "-n", "-d", f"extension={EXTENSION}", "-d", "leveret.provide=apcu,memcached,memcache,redis")
        versions = json.loads(said(*php, "-r", "echo json_encode(array_map('phpversion', ['leveret', 'apcu', 'memcached', 'memcache', 'redis']));"))
        self.assertEqual(BUILT, versions[0])
        # Applications ask these for the originals' features.
        for version in versions[1:]:
            self.assertRegex(version, r"^[3-8]\.\d+(\.\d+)?$")
        for module in ("leveret", "apcu", "memcached", "memcache", "redis"):
            row = "Version" if module == "leveret" else "Provided by"
            self.assertRegex(said(*php, "--ri", module), rf"(?m)^{row} => (leveret )?{re.escape(BUILT)}$", module)

    def test_packages(self):
        """packages, the library's name, its file for pkg-config and the gem have that version"""
        root = self.folder / "root"
        for package in packages_here():
            self.assertEqual(BUILT, said("dpkg-deb", "-f", package, "Version"), package.name)
            said("dpkg-deb", "-x", package, root)
        self.assertEqual("libleveret" + ".".join(release().split(".")[:2]), LIBRARY)
        self.assertTrue(any(package.name.startswith(LIBRARY + "_") for package in packages_here()))
        (pc,) = root.glob("usr/lib/*/pkgconfig/leveret.pc")
        self.assertIn(f"\nVersion: {BUILT}\n", pc.read_text())
        self.assertEqual(f"leveret {BUILT}", said(root / "usr/bin/leveret", "--version"))
        (extension,) = root.glob("usr/lib/php/*/leveret.so")
        self.assertEqual(BUILT, said(PHP, "-n", "-d", f"extension={extension}", "-r", "echo phpversion('leveret');"))
        gem = said("scripts/version", "gem", env=os.environ | {"LEVERET_VERSION": BUILT})
        of_ruby = ("ruby", "-r", "./leveret/version", "-e", "print Leveret::VERSION")
        folder = root / "usr/lib/ruby/vendor_ruby"
        self.assertEqual(gem, subprocess.run(of_ruby, cwd=folder, capture_output=True, text=True, check=True).stdout)
        said("bash", "-euc", PARTS + 'gem_files "$1"', "-", self.folder / "gem")
        specification = "spec = Gem::Specification.load('leveret.gemspec'); puts spec.version, spec.version.prerelease?"
        lines = subprocess.run(("ruby", "-e", specification), cwd=self.folder / "gem", capture_output=True, text=True, check=True).stdout.split()
        self.assertEqual([gem, "true" if "git" in BUILT else "false"], lines)

    def test_sources(self):
        """no other file has the number, Cargo.lock and the gem follow Cargo.toml, and CHANGELOG.md and upgrade.md have this release"""
        lock = re.findall(r'name = "leveret-[a-z]+"\nversion = "(.*?)"', (ROOT / "Cargo.lock").read_text())
        self.assertEqual({release()}, set(lock))
        self.assertIn(f"VERSION = '{release()}'", (ROOT / "ruby/lib/leveret/version.rb").read_text())
        # An example of a development build may have it.
        number = re.compile(rf"(?<![\d.]){re.escape(release())}(?!\.?\d|[~.-]git)")
        for path in said("git", "ls-files").splitlines():
            if path not in MAY_NAME_IT and (ROOT / path).is_file():
                self.assertNotRegex((ROOT / path).read_text(errors="replace"), number, path)
        headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
        self.assertEqual(release(), headings[0], "the newest part of CHANGELOG.md is of the release in Cargo.toml")
        notes = (ROOT / "docs/how-to/upgrade.md").read_text()
        for version in headings[:-1]:
            self.assertIn(f"\n## To {version}\n", notes)

    def test_after_a_release(self):
        """a commit after a release's has a higher version in Cargo.toml"""
        if release() in said("git", "tag", "--merged", "HEAD").splitlines():
            self.assertIn(release(), said("git", "tag", "--points-at", "HEAD").splitlines(), "raise version in Cargo.toml")


class Order(SystemTest):
    """In a checkout of nothing but the version."""

    def setUp(self):
        super().setUp()
        self.checkout = self.folder / "checkout"
        (self.checkout / "scripts").mkdir(parents=True)
        shutil.copy(ROOT / "scripts" / "version", self.checkout / "scripts")
        (self.checkout / "src").mkdir()
        (self.checkout / "src" / "lib.rs").touch()
        self.write("7.2.0")
        self.git("init", "-q")
        self.git("add", ".")

    def write(self, version):
        (self.checkout / "Cargo.toml").write_text(
            f'[workspace]\n[workspace.package]\nversion = "{version}"\n[package]\nname = "leveret-x"\nversion.workspace = true\n'
        )

    def git(self, *words, time=None):
        environment = {"HOME": str(self.folder), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
        if time:
            environment["GIT_COMMITTER_DATE"] = environment["GIT_AUTHOR_DATE"] = time.isoformat()
        own = ("-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
        return subprocess.run(("git", *own, *words), cwd=self.checkout, env=environment, capture_output=True, text=True, check=True).stdout.strip()

    def version(self, *words, **environment):
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "TZ": "America/Bogota"} | environment
        done = subprocess.run((self.checkout / "scripts" / "version", *words), env=environment, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def forms(self):
        return {form: self.version(form) for form in ("debian", "gem", "cargo")}

    def generated(self):
        """Development builds of commits, oldest first, with dates a second to some years apart, in any time zone."""
        chance = random.Random(38)
        time = datetime(2026, 11, 26, 23, 59, 59, tzinfo=timezone.utc)
        found = []
        for _ in range(12):
            zone = timezone(timedelta(minutes=30 * chance.randint(-24, 24)))
            self.git("commit", "-q", "--allow-empty", "-m", f"commit {chance.random()}", time=time.astimezone(zone))
            found.append(self.forms())
            self.assertEqual(f"7.2.0~git{time:%Y%m%d%H%M%S}.{self.git('rev-parse', 'HEAD')[:7]}", found[-1]["debian"])
            time += timedelta(seconds=chance.choice([1, 59, 3600, 86400, 40 * 86400, 400 * 86400]))
        # Hashes of which digits alone, with a zero in front, are the treacherous ones.
        for digits in ("0123456", "0000000", "9999999", "12e4567"):
            time += timedelta(seconds=1)
            version = f"7.2.0~git{time:%Y%m%d%H%M%S}.{digits}"
            found.append({form: self.version(form, LEVERET_VERSION=version) for form in ("debian", "gem", "cargo")})
        return found

    def test_order(self):
        """dpkg, RubyGems, cargo and PHP order development builds by their time, between the releases"""
        between = self.generated()
        released = [{form: number for form in ("debian", "gem", "cargo")} for number in ("7.1.0", "7.1.99", "7.2.0", "7.3.0")]
        self.git("tag", "7.2.0")
        self.assertEqual(released[2], self.forms())
        ordered = [*released[:2], *between, *released[2:]]
        older = {
            "dpkg": ("debian", lambda a, b: subprocess.run(("dpkg", "--compare-versions", a, "lt", b)).returncode == 0),
            "PHP": ("debian", self.by_program(PHP, "-n", "-r", 'echo version_compare($argv[1], $argv[2], "<") ? "yes" : "no";', "--")),
            "RubyGems": ("gem", self.by_program("ruby", "-e", 'print Gem::Version.new(ARGV[0]) < Gem::Version.new(ARGV[1]) ? "yes" : "no"')),
            "cargo": ("cargo", lambda a, b: semantic(a) < semantic(b)),
        }
        for name, (form, is_older) in older.items():
            for before, after in zip(ordered, ordered[1:]):
                with self.subTest(order=name, before=before[form], after=after[form]):
                    self.assertTrue(is_older(before[form], after[form]))
                    self.assertFalse(is_older(after[form], before[form]))
        for forms in ordered:
            self.write(forms["cargo"])
            self.assertEqual(forms["cargo"], self.in_cargo())

    @staticmethod
    def by_program(*command):
        @functools.cache
        def is_older(a, b):
            return said(*command, a, b) == "yes"

        return is_older

    def in_cargo(self):
        words = ("cargo", "metadata", "--no-deps", "--offline", "--format-version", "1")
        metadata = subprocess.run(words, cwd=self.checkout, capture_output=True, text=True, check=True).stdout
        return json.loads(metadata)["packages"][0]["version"]

    def test_changed(self):
        """with uncommitted changes the version says so, and a later change is newer"""
        self.git("commit", "-q", "-m", "x", time=datetime(2026, 1, 2, tzinfo=timezone.utc))
        versions = [self.version()]
        for seconds in (1, 100_000):
            file = self.checkout / "src" / "lib.rs"
            file.write_text(f"// {seconds}\n")
            stamp = datetime(2027, 3, 4, tzinfo=timezone.utc).timestamp() + seconds
            os.utime(file, (stamp, stamp))
            versions.append(self.version())
            self.assertRegex(versions[-1], r"^7\.2\.0~git2027030[45]\d{6}\.[0-9a-f]{7}\.dirty$")
            self.assertEqual(versions[-1], self.version(), "nothing has changed since")
        for before, after in zip(versions, versions[1:]):
            self.assertEqual(0, subprocess.run(("dpkg", "--compare-versions", before, "lt", after)).returncode, (before, after))

    def test_archive(self):
        """an archive has the version of the commit that it was made of, without git; that of a release has the release's"""
        versions = []
        for name in ("development", "release"):
            self.git("commit", "-q", "--allow-empty", "-m", name)
            if name == "release":
                self.git("tag", "7.2.0")
            versions.append(self.version())
            tree = self.folder / name
            shutil.copytree(self.checkout, tree, ignore=shutil.ignore_patterns(".git"))
            (tree / "Cargo.lock").write_text('[[package]]\nname = "leveret-x"\nversion = "7.2.0"\n[[package]]\nname = "other"\nversion = "7.2.0"\n')
            said("bash", "-euc", PARTS + 'put_version "$1" "$2"', "-", tree, self.version("cargo"))
            self.assertEqual(versions[-1], subprocess.run(tree / "scripts" / "version", capture_output=True, text=True, check=True).stdout.strip())
            numbers = re.findall(r'version = "(.*?)"', (tree / "Cargo.lock").read_text())
            self.assertEqual([self.version("cargo"), "7.2.0"], numbers, "others keep theirs")
        self.assertRegex(versions[0], "^7.2.0~git")
        self.assertEqual("7.2.0", versions[1])

    def test_without_git(self):
        """a checkout whose git cannot be asked is an undated development build, older than the release and than what has a date"""
        self.git("commit", "-q", "-m", "x")
        with_date = self.version()
        tools = self.folder / "bin"
        tools.mkdir()
        for tool in ("bash", "sed", "date", "stat", "sort", "tail", "grep", "dirname"):
            (tools / tool).symlink_to(shutil.which(tool))
        self.assertEqual("7.2.0~git", self.version(PATH=str(tools)))
        for newer in (with_date, "7.2.0"):
            self.assertEqual(0, subprocess.run(("dpkg", "--compare-versions", "7.2.0~git", "lt", newer)).returncode)

    def test_changelog(self):
        """Debian's changelog has the version, the suite and the time of the commit: the same commit makes the same packages"""
        self.git("commit", "-q", "-m", "x", time=datetime(2026, 11, 26, 10, 15, 30, tzinfo=timezone.utc))
        (self.folder / "changelog").write_text(self.version("changelog", "trixie") + "\n")
        fields = said("dpkg-parsechangelog", "-l", self.folder / "changelog")
        self.assertIn(f"\nVersion: {self.version()}\nDistribution: trixie\n", fields)
        self.assertIn("\nDate: Thu, 26 Nov 2026 10:15:30 +0000\n", fields)


def semantic(version):
    """The order of semver.org, which is cargo's: a pre-release is older, numbers are older than words."""
    core, _, pre = version.partition("-")
    words = [(0, int(word), "") if word.isdigit() else (1, 0, word) for word in pre.split(".")] if pre else []
    return [int(number) for number in core.split(".")], not pre, words


if __name__ == "__main__":
    unittest.main()
