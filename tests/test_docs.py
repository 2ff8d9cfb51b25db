"""What a newcomer copies from the README works as it stands there."""

import os
import re
import subprocess

from support import PATIENCE, ROOT, Provider, SystemTest

README = (ROOT / "README.md").read_text()


class Readme(SystemTest):
    def test_shell_blocks(self):
        """The README's shell blocks run in order, in one shell, and show what they promise"""
        blocks = self.blocks("sh")
        self.assertIn("./x demo", blocks)
        self.assertIn("./x build", blocks)
        # As written, but with the short demo and in a folder of our own.
        environment = {**os.environ, "LEVERET_DEMO": "quick", "LEVERET_DIR": str(self.arenas)}
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", blocks], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=5 * PATIENCE)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertIn('string(5) "hello"\nhello', done.stdout)
        self.assertIn("values right", done.stdout)

    def test_php_blocks(self):
        """The README's PHP example runs without a warning and prints what a reader expects"""
        done = self.run_php(self.blocks("php"), provider=self.ours(error_reporting=-1))
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        self.assertEqual('string(3) "Ada"\nint(1)\nstring(9) "a default"\n', done.stdout)

    def test_links(self):
        """Every file that a page links to, or tells to install, is there"""
        pages = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")]
        for page in (*pages, *(ROOT / "docs").rglob("*.md")):
            for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
                self.assertTrue((page.parent / target).exists(), f"{page} links to {target}, which is not there")
        for words in re.findall(r"^install (.*)", (ROOT / "docs" / "install.md").read_text(), re.MULTILINE):
            for file in re.findall(r"(?:^| )((?:php|packaging)/\S+)", words):
                self.assertTrue((ROOT / file).exists(), f"docs/install.md installs {file}, which is not there")

    def test_settings(self):
        """The README's table of settings names each directive of module leveret with its default"""
        # Not those of the tests' own provider. Of a PHP's version the README says X.Y.
        script = "<?php echo str_replace(PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION, 'X.Y', json_encode(ini_get_all('leveret', false)));"
        defaults = self.php(script, provider=Provider("leveret", {"leveret.dir": ""}))
        written = dict(re.findall(r"^\| `(leveret\.\w+)` \| (?:`([^`]*)`|empty) \|", README, re.MULTILINE))
        self.assertEqual({name: default or "" for name, default in defaults.items()}, written)

    def blocks(self, language):
        return "\n".join(re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL))
