"""Sites that share the workers of one php-fpm, each with INI settings of its own, as shared hosting has them."""

import json
import shutil

from support import PATIENCE, SystemTest
from webserver import WORKER_USER, Client, Fpm, Nginx

NOTHING = {"apcu": False, "cache": None, "session": None, "pool": False, "kept": False}


class SitesOfOnePool(SystemTest):
    def ask(self, site):
        status, text = Client(self.nginx, PATIENCE).ask(site=site)
        self.assertEqual(200, status, text)
        return json.loads(text)

    def test_own_folder_and_classes(self):
        """leveret.dir and leveret.allowed_classes hold for the request they were set for, not for the first one of the worker"""
        sites = {}
        for site, allowed in ("one", "One"), ("two", "Two"):
            folder = self.folder / site
            folder.mkdir()
            if WORKER_USER:
                shutil.chown(folder, WORKER_USER, WORKER_USER)
            sites[site] = {"leveret.dir": folder, "leveret.allowed_classes": allowed}
        provider = self.ours(session__save_handler="memcached", session__save_path="arena:sessions", memcached__sess_persistent=1)
        self.nginx = Nginx(self, Fpm(self, provider, workers=1), "own_settings.php", sites)
        classes = {"one": ["One", "__PHP_Incomplete_Class"], "two": ["__PHP_Incomplete_Class", "Two"]}
        for site in "one", "two":
            self.assertEqual({**NOTHING, "classes": classes[site]}, self.ask(site))
        for site in "one", "two", "one":
            own = dict.fromkeys(NOTHING, site)
            self.assertEqual({**own, "classes": classes[site]}, self.ask(site))
