"""One cache per host: what one process stores, every other sees, also after the first has ended."""

import json

from support import SystemTest


class Sharing(SystemTest):
    def test_outlives_its_writer(self):
        """Items of a PHP process that has ended are there for the next PHP process and for the leveret command"""
        self.php("<?php apcu_store(['word' => 'hello', 'number' => 7, 'list' => [1, 'two', null]]); echo 1;")
        read = self.php("<?php echo json_encode(apcu_fetch(['word', 'number', 'list']));")
        self.assertEqual({"word": "hello", "number": 7, "list": [1, "two", None]}, read)
        self.assertEqual("hello", self.on_apcu("get", "word"))
        self.assertEqual("7", self.on_apcu("get", "number"))
        self.on_apcu("verify")

    def test_at_the_same_time(self):
        """Two PHP processes that live at the same time count on one counter, and no count is lost"""
        count = "<?php for ($i = 0; $i < 50000; $i++) { apcu_inc('visits'); } echo 1;"
        both = [self.start_php(count) for _ in range(2)]
        for process in both:
            said = process.communicate()
            self.assertEqual(0, process.returncode, said)
        self.assertEqual(100000, self.php("<?php echo apcu_fetch('visits');"))

    def test_command_writes(self):
        """What the leveret command sets, deletes and flushes is so for PHP at once"""
        self.php("<?php apcu_store(['a' => 1, 'b' => 2]); echo 1;")
        self.on_apcu("set", "greeting", "from the shell")
        self.on_apcu("delete", "a")
        seen = "<?php echo json_encode([apcu_fetch('greeting'), apcu_exists('a'), apcu_fetch('b')]);"
        self.assertEqual(["from the shell", False, 2], self.php(seen))
        self.on_apcu("flush")
        self.assertEqual([False, False, False], self.php(seen))
        self.on_apcu("get", "b", ends=1)

    def test_keys(self):
        """`leveret keys` and `stats` tell what PHP has stored"""
        self.php("<?php apcu_store(['plain' => 1, 'with space' => 2]); echo 1;")
        self.assertEqual(["key=plain", "key=with%20space"], sorted(line.split()[0] for line in self.on_apcu("keys").splitlines()))
        self.assertEqual(2, json.loads(self.on_apcu("stats", "--json"))["items"])

    def test_native_class(self):
        """Leveret\\Cache and the leveret command share an arena by its name, apart from that of apcu_*"""
        self.php("<?php $cache = new Leveret\\Cache('shop'); $cache->set('title', 'Hats'); apcu_store('title', 'other'); echo 1;")
        self.assertEqual('"Hats"', json.dumps(self.php("<?php echo json_encode((new Leveret\\Cache('shop'))->get('title'));")))
        self.assertEqual("Hats", self.leveret("get", "--dir", self.arenas, "--arena", "shop", "title"))

    def on_apcu(self, *words, ends=0):
        return self.leveret(words[0], "--arena", self.arena(), *words[1:], ends=ends)
