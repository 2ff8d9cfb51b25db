"""Commands of the README and the pages work as written, and their tables are true."""

import os
import re
import subprocess

from redis_servers import RedisServer
from support import COMMAND, PATIENCE, PHP, ROOT, Provider, SystemTest, run

DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text().replace("php8.2", PHP)


class Readme(SystemTest):
    def test_shell_blocks(self):
        """The README's shell blocks run in order, in one shell, and show what they promise"""
        script = "\n".join(blocks("sh"))
        self.assertIn("./x demo", script)
        self.assertIn("./x build", script)
        # As written, but with the short demo and in a folder of our own.
        environment = {**os.environ, "LEVERET_DEMO": "quick", "LEVERET_DIR": str(self.arenas)}
        # If a line fails, its server must end.
        script = f"trap 'jobs -p | xargs -r kill || true' EXIT\n{script}"
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=5 * PATIENCE)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertIn('string(5) "hello"\nhello', done.stdout)
        self.assertIn("values right", done.stdout)

    def test_php_blocks(self):
        """The README's PHP example runs without a warning and prints what a reader expects"""
        done = self.run_php("\n".join(blocks("php")), provider=self.ours(error_reporting=-1))
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        self.assertEqual('string(3) "Ada"\nint(1)\nstring(9) "a default"\n', done.stdout)

    def test_links(self):
        """Every file that a page links to or installs exists"""
        pages = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")]
        for page in (*pages, *(ROOT / "docs").rglob("*.md")):
            for target, heading in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", page.read_text()):
                self.assertTrue((page.parent / target).exists(), f"{page} links to {target}, which is not there")
                if heading and (found := page.parent / target if target else page).suffix == ".md":
                    self.assertIn(heading, headings(found.read_text()), f"{page} links to {target}#{heading}, which is not there")
        for words in re.findall(r"^install (.*)", (ROOT / "docs" / "how-to" / "install-from-source.md").read_text(), re.MULTILINE):
            for file in re.findall(r"(?:^| )((?:php|packaging)/\S+)", words):
                self.assertTrue((ROOT / file).exists(), f"docs/how-to/install-from-source.md installs {file}, which is not there")

    def test_contributing(self):
        """CONTRIBUTING.md names files and folders that are there"""
        named = re.findall(r"`((?:crates|docs|php|scripts|tests)/[a-z_/.-]+)`", (ROOT / "CONTRIBUTING.md").read_text())
        self.assertGreater(len(named), 15)
        self.assertEqual([], [path for path in named if not (ROOT / path).exists() and not path.endswith("/name.phpt")])

    def test_settings(self):
        """docs/reference/settings.md names each directive of the five modules with its default"""
        # Not those of the tests' own provider. Of a PHP's version the page says X.Y.
        script = "<?php echo str_replace(PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION, 'X.Y', json_encode(array_merge(...array_map(fn ($name) => ini_get_all($name, false), ['leveret', 'apcu', 'memcached', 'memcache']))));"
        defaults = self.php(script, provider=Provider("leveret", {"leveret.dir": ""}))
        defaults |= self.php("<?php echo json_encode(ini_get_all('redis', false));", provider=self.ours(leveret__provide="redis"))
        written = dict(re.findall(r"^\| `((?:leveret|apc|memcached|memcache|redis)\.[\w.]+)` \| (?:`([^`]*)`|empty) \|", (DOCS / "reference" / "settings.md").read_text(), re.MULTILINE))
        self.assertEqual({name: default or "" for name, default in defaults.items()}, written)


class Glossary(SystemTest):
    def test_stats(self):
        """the glossary explains each word that leveret stats shows in front of a number"""
        words = re.findall(r"\*\*([a-z ]+)\*\*", (DOCS / "reference" / "glossary.md").read_text().split("## Standard terms")[0])
        environment = {**os.environ, "LEVERET_DIR": str(self.arenas)}
        for command in (("set", "key", "value"), ("stats", "--color", "never")):
            done = subprocess.run([str(COMMAND), *command], env=environment, capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual((0, ""), (done.returncode, done.stderr))
        labels = [re.match(r"[a-z]+( [a-z]+)?(?=  )", line)[0] for line in done.stdout.splitlines()]
        self.assertGreater(len(labels), 10)
        for label in labels:
            self.assertIn(label.rstrip("s"), [word.rstrip("s") for word in words])


class Redis(SystemTest):
    """docs/redis.md"""

    page = (DOCS / "redis.md").read_text()

    def test_shell_blocks(self):
        """The page for users of Redis: its commands run in order at its server, and show what the page promises"""
        start, *rest = blocks("sh", self.page)
        self.assertEqual("leveret serve --redis\n", start)
        # As there, but on a free port, in a folder of our own.
        server = RedisServer(self, "leveret", arena=self.arena("redis"))
        tools = f'redis-cli() {{ command redis-cli -p {server.port} "$@"; }}; leveret() {{ {COMMAND} "$@"; }}'
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", "\n".join([tools, *rest])], env={**os.environ, "LEVERET_DIR": str(self.arenas)},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((0, ""), (done.returncode, done.stderr), done.stdout)
        said = done.stdout.replace("\r", "")
        self.assertTrue(said.startswith("OK\n<p>hello</p>\n<p>hello</p>OK\n"), said)
        self.assertIn("keyspace_hits:2\n", said)
        self.assertIn("db0:keys=1,", said)

    def test_configuration(self):
        """The page for users of Redis: the server takes its configuration"""
        file = self.folder / "leveret.toml"
        for block in blocks("toml", self.page):
            file.write_text(block)
            done = run([str(COMMAND), "serve", "--config", str(file), "-V"])
            self.assertEqual((0, ""), (done.returncode, done.stderr), block)


class Applications(SystemTest):
    """docs/apps"""

    pages = sorted((DOCS / "apps").glob("*.md"))

    def test_found(self):
        """Each application's page is linked from the README and the list of pages, and begins by saying whether it was tried"""
        self.assertGreater(len(self.pages), 10)
        for page in self.pages:
            self.assertIn(f"(docs/apps/{page.name})", README)
            self.assertIn(f"(apps/{page.name})", (DOCS / "README.md").read_text())
            self.assertRegex(page.read_text().splitlines()[1], "^(Tried|Not tried) with ", page.name)

    def test_one_server_or_several(self):
        """Each page asks first on how many hosts the site is, and none says without that condition that no server is needed"""
        for page in self.pages:
            text = page.read_text()
            self.assertEqual("One web server or several?", re.search(r"^## (.*)", text, re.MULTILINE)[1], page.name)
            self.assertIn("](../tutorial/several-web-servers.md)", text, page.name)
        for page in (ROOT / "README.md", *DOCS.rglob("*.md")):
            for sentence in re.findall(r"[^.:]*\bno server is needed", page.read_text(), re.IGNORECASE):
                if page.name not in ("metrics.md", "protocol.md"):
                    self.assertIn("one host", sentence, page.name)

    def test_several_servers(self):
        """The page for several hosts: the server takes its configurations, PHP its lines, and the command says where a key is"""
        text = (DOCS / "tutorial" / "several-web-servers.md").read_text()
        for number, block in enumerate(blocks("toml", text)):
            file = self.folder / f"{number}.toml"
            file.write_text(block)
            done = run([str(COMMAND), "serve", "--config", str(file), "-V"])
            self.assertEqual(0, done.returncode, done.stderr)
        php, tls = blocks("php", text)
        lines = php.replace("'site'", "") + tls + "echo count($cache->getServerList()), $cache->getOption(Memcached::OPT_LIBKETAMA_COMPATIBLE);"
        done = self.run_php("<?php " + lines)
        self.assertEqual(("41", ""), (done.stdout, done.stderr), done.stderr)
        for line in "\n".join(blocks("bash", text)).splitlines():
            done = run([str(COMMAND), *line.split()[1:]])
            self.assertEqual(0, done.returncode, done.stderr)
            self.assertRegex(done.stdout, "10.0.0.1[12]")

    def test_code(self):
        """What one copies from an application's page is PHP, Python or a command that is there"""
        commands = set()
        for page in self.pages:
            text = page.read_text()
            for block in blocks("php", text):
                done = subprocess.run([PHP, "-n", "-l"], input=f"<?php\n{block}", capture_output=True, text=True)
                self.assertEqual(0, done.returncode, f"{page.name}: {done.stdout}{done.stderr}")
            for block in blocks("python", text):
                compile(block, page.name, "exec")
            commands |= set(re.findall(r"^leveret (\w+)", "\n".join(blocks("bash", text)), re.MULTILINE))
        self.assertLessEqual({"stats", "watch", "doctor", "keys"}, commands)
        for command in commands:
            self.assertEqual(0, run([str(COMMAND), command, "--help"]).returncode, command)


def headings(text):
    """Anchors, as GitHub makes them from headings."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in re.findall(r"^#+ (.*)", text, re.MULTILINE)}


def blocks(language, text=README):
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
