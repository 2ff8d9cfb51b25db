"""The calls of the apc.php status page: the same fields under the same names as the original, and right figures."""

from support import SystemTest, original


class ApcPage(SystemTest):
    maxDiff = None

    def test_show(self):
        """A status page like apc.php finds every field that the original has, under its name and of its type"""
        ours, theirs = self.both("show")
        self.assertEqual(theirs, ours)
        self.assertEqual(5, ours["entries"])

    def test_delete(self):
        """The page's delete link removes that one entry"""
        ours, theirs = self.both("delete", "text")
        self.assertEqual(theirs, ours)
        self.assertEqual(["list", "number", "user:1", "user:2"], ours["names"])

    def test_clear(self):
        """The page's clear button empties the cache"""
        ours, theirs = self.both("clear")
        self.assertEqual([], ours["names"])
        self.assertEqual(theirs["names"], ours["names"])
        self.assertIs(True, ours["cleared"])

    def both(self, *words):
        return [self.php("apc_page.php", *words, provider=provider) for provider in (self.ours(), original())]
