"""Faults of files, mounts and permissions: one clear error each, and never a crash, a hang or a wrong value."""

import json
import os
import subprocess
import unittest

from support import AM_ROOT, PATIENCE, SystemTest

# Tries the cache in every way that an application does, and reports what it got.
TRY = """<?php
$stored = apcu_store('k', 'v');
echo json_encode(['stored' => $stored, 'fetched' => apcu_fetch('k'), 'added' => apcu_add('a', 1), 'counted' => apcu_inc('n'),
    'computed' => apcu_entry('e', fn() => 'computed'), 'deleted' => apcu_delete('zzz')]);
"""
USELESS = {"stored": False, "fetched": False, "added": False, "counted": False, "computed": None, "deleted": False}

# Reads and writes self-describing values until the file `stop` exists; a value that is not what its key says is exit code 3.
LOOP = """<?php
[, $folder] = $argv;
$make = fn(int $i) => "$i:" . str_repeat(md5((string) $i), $i % 40 ? 3 : 3000);
$rounds = $hits = 0;
for (; !file_exists("$folder/stop"); $rounds++) {
    $i = $rounds % 2000;
    $value = apcu_fetch("key-$i", $found);
    if ($found && $value !== $make($i)) { exit(3); }
    $hits += (int) $found;
    apcu_store("key-$i", $make($i));
    if ($rounds === 4000) { touch("$folder/warm"); }
}
echo json_encode(['rounds' => $rounds, 'hits' => $hits]);
"""


class Faults(SystemTest):
    def setUp(self):
        super().setUp()
        self.quiet = self.ours(log_errors=1, error_log="")

    def is_clear_refusal(self, *words, provider=None, user=None):
        """The functions answer as a disabled cache would, and one line says what is wrong."""
        done = self.run_php(TRY, provider=provider or self.quiet, user=user)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(USELESS, json.loads(done.stdout))
        for word in words:
            self.assertIn(word, done.stderr)
        complaints = [line for line in done.stderr.splitlines() if "everet" in line]
        self.assertEqual(1, len(complaints), done.stderr)
        self.remark(complaints[0])


class Files(Faults):
    def test_foreign_file(self):
        """A foreign file in the arena's place is refused with its path, and left as it was"""
        self.arena().write_bytes(b"not an arena\n" * 1000)
        self.is_clear_refusal(str(self.arena()))
        self.assertEqual(b"not an arena\n" * 1000, self.arena().read_bytes())
        self.leveret("get", "--arena", self.arena(), "k", ends=3)

    def test_empty_file(self):
        """An empty file in the arena's place is refused with its path"""
        self.arena().touch(mode=0o600)
        self.is_clear_refusal(str(self.arena()))

    def test_cut_file(self):
        """An arena file that was cut short before the process came is refused with its path"""
        self.php(TRY)
        os.truncate(self.arena(), 5000)
        self.is_clear_refusal(str(self.arena()))

    def test_other_layout(self):
        """An arena of another layout version is refused, with one line that names the two versions"""
        self.php(TRY)
        with open(self.arena(), "r+b") as file:
            head = bytearray(file.read(16))
            head[8] ^= 0x40  # docs/memory-layout.md: the layout version stands after the 8 bytes of the magic
            file.seek(0)
            file.write(head)
        self.is_clear_refusal(str(self.arena()), "layout")

    def test_symlink(self):
        """A symbolic link in the arena's place is not followed"""
        self.php(TRY)
        elsewhere = self.folder / "elsewhere.arena"
        self.arena().rename(elsewhere)
        self.arena().symlink_to(elsewhere)
        before = elsewhere.read_bytes()
        self.is_clear_refusal(str(self.arena()))
        self.assertEqual(before, elsewhere.read_bytes())

    @unittest.skipUnless(AM_ROOT, "needs root, to be another user")
    def test_permissions(self):
        """A folder that the user may not enter: a disabled cache, one line with the path, and `doctor` explains it"""
        self.is_clear_refusal(str(self.arenas), user="www-data")
        self.leveret("doctor", "--dir", self.folder / "not-there", ends=1)

    def test_unlinked(self):
        """An arena that is removed under a running process is noticed: the next processes agree on a new one"""
        loop = self.start_php(LOOP, self.folder)
        self.wait_for("the loop to be warm", (self.folder / "warm").exists)
        self.arena().unlink()
        self.php("<?php apcu_store('fresh', 1); echo 1;")
        self.assertEqual(1, self.php("<?php echo json_encode(apcu_fetch('fresh'));"))
        self.end_loop(loop)
        self.leveret("verify", "--arena", self.arena())

    def test_truncated_while_in_use(self):
        """An arena file truncated under a running PHP loop: no crash by SIGBUS, no wrong value, the loop continues"""
        for length in (0, 4096, 1 << 20):
            loop = self.start_php(LOOP, self.folder)
            self.wait_for("the loop to be warm", (self.folder / "warm").exists)
            os.truncate(self.arena(), length)
            self.remark(f"cut to {length} bytes: {self.end_loop(loop)}")
            self.arena().unlink(missing_ok=True)
            (self.folder / "warm").unlink()
            (self.folder / "stop").unlink()

    def end_loop(self, loop):
        """Lets the loop run on a while after the fault, then ends it; it must end by itself and well."""
        try:
            loop.wait(0.5)
            self.fail(f"the loop ended with {loop.returncode}: {loop.communicate()}")
        except subprocess.TimeoutExpired:
            pass
        (self.folder / "stop").touch()
        out, said = loop.communicate(timeout=PATIENCE)
        self.assertEqual(0, loop.returncode, said)
        return json.loads(out)


class Mounts(Faults):
    def test_smaller_than_an_arena(self):
        """A 1 MB tmpfs is too small for an arena: one line says so, no crash, and nothing is left behind"""
        self.mount("1m")
        self.is_clear_refusal(str(self.arenas))
        self.assertEqual([], [name for name in os.listdir(self.arenas) if name.endswith(".arena")])

    def test_fills_up(self):
        """A tmpfs smaller than apc.shm_size: the cache uses what there is, evicts, and every value read is right"""
        self.mount("16m")
        fill = """<?php
            $value = fn(int $i) => md5((string) $i) . str_repeat('x', 2000);
            $stored = $wrong = $hits = 0;
            for ($i = 0; $i < 30000; $i++) { $stored += (int) @apcu_store("k$i", $value($i)); }
            for ($i = 0; $i < 30000; $i++) {
                $got = apcu_fetch("k$i", $found);
                $hits += (int) $found;
                $wrong += (int) ($found && $got !== $value($i));
            }
            echo json_encode(['stored' => $stored, 'hits' => $hits, 'wrong' => $wrong, 'last' => apcu_exists('k29999')]);"""
        got = self.php(fill, provider=self.ours(apc__shm_size="64M"))
        self.remark(f"16 MB of tmpfs, apc.shm_size=64M: {got}")
        self.assertEqual(0, got["wrong"])
        self.assertEqual(30000, got["stored"])
        self.assertTrue(got["last"])
        self.assertGreater(got["hits"], 3000)

    def test_no_memory(self):
        """A value for which nothing can make room: each way of storing it says no, and the log says so once, in each of them"""
        self.mount("6m")
        path, log = self.arenas / "shop.arena", self.folder / "log"
        cache = "$cache = new Leveret\\Cache($path);"
        memcached = """$memcached = new Memcached();
            $memcached->setOption(Memcached::OPT_COMPRESSION, false);
            $memcached->addServer($path, 0);
            $memcached->set('key', 'small');"""
        ways = {
            "apcu_store": ("", "apcu_store('key', $value)", "apcu", "8000000 bytes"),
            "Cache::set": (cache, "$cache->set('key', $value)", "shop", "8000000 bytes"),
            "Cache::remember": (cache, "strlen($cache->remember('key', 60, fn() => $value)) !== 8000000", "shop", "8000000 bytes"),
            "Memcached::set": (memcached, "$memcached->set('key', $value)", "shop", "8000000 bytes"),
            "Memcached::setMulti": (memcached, "$memcached->setMulti(['key' => $value])", "shop", "a value"),
            "Memcached::append": (memcached, "$memcached->append('key', $value)", "shop", "a value"),
            "Memcache::set": ("$memcache = new Memcache(); $memcache->addServer($path, 0);", "@$memcache->set('key', $value)", "shop", "a value"),
        }
        for way, (begin, call, arena, size) in ways.items():
            script = f"""<?php
                [, $path] = $argv;
                $value = random_bytes(8000000);
                {begin}
                for ($i = 0; $i < 3; $i++) {{
                    try {{
                        $told[] = {call};
                    }} catch (Leveret\\NoMemoryException) {{
                        $told[] = false;
                    }}
                }}
                echo json_encode($told);"""
            done = self.run_php(script, path, provider=self.ours(leveret__memory="64M", apc__shm_size="64M", error_log=log))
            said = [line for line in log.read_text().splitlines() if "leveret:" in line]
            self.assertEqual("[false,false,false]", done.stdout, f"{way}: {done.stderr}")
            self.assertEqual(1, len(said), f"{way}: {said} {done.stderr}")
            for part in (size, f"{arena}.arena", "Give it more memory"):
                self.assertIn(part, said[0], way)
            log.unlink(missing_ok=True)
            for left in self.arenas.glob("*.arena"):
                left.unlink()

    def mount(self, size):
        """A tmpfs over the arenas' folder. Not every container lets root mount: then the test is skipped and says so."""
        if not AM_ROOT:
            self.skipTest("needs root, to mount a tmpfs")
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", self.arenas], capture_output=True, text=True)
        if done.returncode != 0:
            self.skipTest(f"this machine refuses mount: {done.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "-l", self.arenas], check=True)


class Settings(Faults):
    def test_out_of_range(self):
        """An INI value out of range gets one warning that names it and what is allowed, and the default is used"""
        for name, value in (("apc.shm_size", "nonsense"), ("leveret.lock_timeout", "-1"),
                            ("leveret.memory", "99999999999999999999"), ("leveret.serializer", "cobol"), ("leveret.decoded_cache", "-1")):
            done = self.run_php(TRY, provider=self.quiet.with_ini(**{name.replace(".", "__"): value}))
            self.assertEqual(0, done.returncode, f"{name}={value}: {done.stderr}")
            self.assertEqual("v", json.loads(done.stdout)["fetched"])
            self.assertIn(f"{name} must be", done.stderr)
            self.assertIn(f'"{value}" is not; the default is used', done.stderr)
            self.arena().unlink(missing_ok=True)
