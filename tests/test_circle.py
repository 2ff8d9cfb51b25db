"""A site comes to Leveret, leaves it, and comes again, by the lines of the pages, while visitors read it."""

import re
import sys
import unittest

from packages_here import packages_here
from roots import in_own_root, why_no_root, why_no_systemd
from support import AM_ROOT, PHP_VERSION, ROOT, SystemTest

SECONDS_MAX = 300


def lines_of(page, heading, language="bash", number=0):
    """A block below a heading, for this machine's PHP and the folder where the root has the packages."""
    section = (ROOT / page).read_text().split(f"## {heading}\n", 1)[1].split("\n## ")[0]
    block = re.findall(rf"^```{language}\n(.*?)^```", section, re.MULTILINE | re.DOTALL)[number]
    return block.replace("8.2", PHP_VERSION).replace("./build/packages/12/", "./").replace("apt ", "apt_quiet ")


@unittest.skipUnless(AM_ROOT, "only root can have a root of its own")
class Circle(SystemTest):
    def inside(self, script):
        missing = why_no_root(self.folder)
        if missing:
            self.skipTest(f"a root of its own cannot be made here: {missing}")
        # Where no systemd can run, a program of systemctl's name starts and stops the units' programs.
        without = why_no_systemd()
        if without:
            print(f"a stand-in for systemctl, since systemd does not run here: {without}", file=sys.stderr)
            script = f"act_as_systemd\n{script}"
        done = in_own_root(self.folder, script, packages_here(), SECONDS_MAX, systemd=not without)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return (done.stdout + done.stderr).splitlines()

    def test_come_and_go(self):
        """twice: installed by the README's lines, removed by docs/how-to/uninstall.md's, under load; no page fails, and nothing is left that the next round would meet"""
        install = lines_of("README.md", "Install", number=0).removeprefix("./x package 12\n") + lines_of("README.md", "Install", number=1)
        server = "systemctl disable --now memcached\nsystemctl enable --now leveret\n"
        self.assertIn(server, (ROOT / "docs" / "how-to" / "replace-memcached.md").read_text())
        lines = self.inside(f"""
            cd /packages
            systemctl enable --now memcached
            start_site
            circle_server 127.0.0.1 11211
            curl -sS http://127.0.0.1/circle.php
            whats_installed >/tests/before
            circle_visitors
            for round in 1 2; do
                {install}
                {server}
                curl -sS http://127.0.0.1/circle.php
                leveret doctor || echo "doctor found a problem after installing"
                circle_server arena:circle 0
                curl -sS http://127.0.0.1/circle.php
                leveret uninstall --apply "$SITE" || cat "$SITE/circle-server.php"
                rm "$SITE/circle-server.php.leveret-backup"
                {lines_of("docs/how-to/uninstall.md", "2. Remove Leveret", "sh")}
                curl -sS http://127.0.0.1/circle.php
                {lines_of("docs/how-to/uninstall.md", "2. Remove Leveret", "bash")}
                module_state
            done
            kill $VISITORS; wait $VISITORS || true
            whats_installed >/tests/after
            diff /tests/before /tests/after && echo nothing is left
            cat /tests/units 2>/dev/null || true
        """)
        said = "\n".join(lines)
        pages = [line for line in lines if line.startswith("page: ")]
        original, ours = (f"page: apcu={who} memcached={who} memcache={who}" for who in ("other", "leveret"))
        self.assertEqual([original, ours, ours, original, ours, ours, original], pages, said)
        self.assertEqual(2, lines.count("return ['127.0.0.1', 11211]; // memcached"), said)
        self.assertRegex(said, r"visits: [1-9]\d*, during restarts: \d+, failed: 0\n")
        self.assertNotIn("doctor found a problem", said)
        self.assertIn("nothing is left", lines, said)
        self.assertNotIn("modules/", said)

    def test_half_way(self):
        """for any omitted step doctor reports a problem if a page would fail, and its own command fixes it"""
        lines = self.inside("""
            cd /packages
            start_site
            circle_server 127.0.0.1 11211
            page() { curl -s -o /dev/null -w "$1: %{http_code}\\n" http://127.0.0.1/circle.php; }
            apt_install leveret php$PHP-leveret
            # All that phpdismod disables stays so, also through a removal.
            phpdismod -v "$PHP" leveret
            phpdismod -v "$PHP" apcu memcached memcache
            systemctl restart "php$PHP-fpm"
            page "all disabled"
            leveret doctor && echo doctor found no problem
            fix problem "nothing provides apcu"
            page "after fix"
            leveret doctor || echo doctor found a problem after the fix
            phpdismod -v "$PHP" leveret
            apt_remove leveret php$PHP-leveret
            apt_install leveret php$PHP-leveret
            systemctl restart "php$PHP-fpm"
            page "installed again"
            leveret doctor && echo doctor found no problem
            fix problem "nothing provides apcu"
            page "after the second fix"
            # The extension alone goes: the originals are there, and disabled.
            apt_purge php$PHP-leveret
            systemctl restart "php$PHP-fpm"
            page "purged"
            leveret doctor && echo doctor found no problem
            fix problem "nothing provides apcu"
            page "after the third fix"
            leveret doctor || echo doctor found a problem after the fix
        """)
        said = "\n".join(lines)
        for line in ("all disabled: 500", "after fix: 200", "installed again: 500", "after the second fix: 200", "purged: 500", "after the third fix: 200"):
            self.assertIn(line, lines, said)
        self.assertNotIn("doctor found", said)
        self.assertIn(f"phpdismod has disabled leveret, so PHP does not load it. To enable it: phpenmod -v {PHP_VERSION} leveret", said)
        self.assertIn(f"nothing provides these modules any more: apcu memcached memcache. To enable the originals: phpenmod -v {PHP_VERSION} apcu memcached memcache", said)

    def test_upgrade_restarts(self):
        """an upgrade restarts the servers and the php-fpm that run, as docs/how-to/upgrade.md says, and starts nothing that does not run"""
        lines = self.inside("""
            older_packages leveret php$PHP-leveret
            start_site
            apt_install_files /older/*.deb
            pid() { unit_pid "$1"; }
            systemctl enable --now leveret
            leveret set kept "through it" --arena default
            server=$(pid leveret) fpm=$(pid "php$PHP-fpm")
            apt_install leveret php$PHP-leveret
            [ "$server" != "$(pid leveret)" ] && is_active leveret && echo the server was restarted
            [ "$fpm" != "$(pid "php$PHP-fpm")" ] && is_active "php$PHP-fpm" && echo php-fpm was restarted
            leveret get kept --arena default
            systemctl stop leveret
            apt_quiet install --reinstall /packages/leveret_*.deb
            is_active leveret || echo a stopped server stays so
            systemctl start leveret
            apt_remove leveret
            is_active leveret || echo a removed server has ended
        """)
        for line in ("the server was restarted", "php-fpm was restarted", "through it", "a stopped server stays so", "a removed server has ended"):
            self.assertTrue(any(line in said for said in lines), f"{line}:\n" + "\n".join(lines))


if __name__ == "__main__":
    unittest.main()
