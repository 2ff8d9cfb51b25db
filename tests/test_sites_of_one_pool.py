"""Sites that share the workers of one php-fpm or one Apache, each with INI settings of its own, as shared hosting has them."""

import json
import shutil

from apache import Apache
from support import PATIENCE, SystemTest
from webserver import WORKER_USER, Client, Fpm, Nginx

NOTHING = {"apcu": False, "cache": None, "session": None, "pool": False, "kept": False}


class SitesOfOnePool(SystemTest):
    def ask(self, site):
        status, text = Client(self.web, PATIENCE).ask(site=site)
        self.assertEqual(200, status, text)
        return json.loads(text)

    def each_has_its_own(self, serve):
        """`serve` makes the web server of a provider and sites, with one worker."""
        sites = {}
        for site, allowed in ("one", "One"), ("two", "Two"):
            folder = self.folder / site
            folder.mkdir()
            if WORKER_USER:
                shutil.chown(folder, WORKER_USER, WORKER_USER)
            sites[site] = {"leveret.dir": folder, "leveret.allowed_classes": allowed}
        provider = self.ours(session__save_handler="memcached", session__save_path="arena:sessions", memcached__sess_persistent=1)
        self.web = serve(provider, sites)
        classes = {"one": ["One", "__PHP_Incomplete_Class"], "two": ["__PHP_Incomplete_Class", "Two"]}
        for site in "one", "two":
            self.assertEqual({**NOTHING, "classes": classes[site]}, self.ask(site))
        for site in "one", "two", "one":
            own = dict.fromkeys(NOTHING, site)
            self.assertEqual({**own, "classes": classes[site]}, self.ask(site))

    def test_under_php_fpm(self):
        """leveret.dir and leveret.allowed_classes of PHP_ADMIN_VALUE hold for their request, not for the first one of the worker"""
        self.each_has_its_own(lambda provider, sites: Nginx(self, Fpm(self, provider, workers=1), "own_settings.php", sites))

    def test_under_mod_php(self):
        """The same with php_admin_value of Apache's configuration"""
        self.each_has_its_own(lambda provider, sites: Apache(self, provider, "own_settings.php", workers=1, sites=sites))
