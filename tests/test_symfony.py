"""Symfony's ApcuAdapter, unmodified, under the public PSR suites: ours and the original in the same run."""

import xml.etree.ElementTree as ElementTree

from support import SCRIPTS, SystemTest, original

# What PHPUnit itself needs under `php -n`.
PHPUNIT_EXTENSIONS = ("dom", "mbstring", "xml", "xmlwriter", "tokenizer", "phar", "ctype")


class Symfony(SystemTest):
    def test_psr6(self):
        """Symfony's ApcuAdapter passes on ours each PSR-6 case that it passes on the original APCu"""
        self.compare("SymfonyPsr6Test.php")

    def test_psr16(self):
        """Symfony's PSR-16 cache passes on ours each case that it passes on the original APCu"""
        self.compare("SymfonyPsr16Test.php")

    def compare(self, suite):
        runs = {provider.name: self.start_suite(suite, provider) for provider in (self.ours(), original())}
        passed, said = {}, {}
        for name, process in runs.items():
            said[name] = "".join(process.communicate())
            passed[name], cases = self.passed_cases(name, said[name])
            self.remark(f"{name}: {len(passed[name])} of {cases} cases passed")
        self.assertGreater(len(passed["apcu"]), 30, "the suite hardly ran on the original, so it proves nothing:\n" + said["apcu"])
        self.assertEqual(set(), passed["apcu"] - passed["leveret"], said["leveret"])

    def start_suite(self, suite, provider):
        # The suites sleep while items expire, so the two runs share the wait. The cache result file would land in the checkout.
        words = ("--no-configuration", "--do-not-cache-result", "--log-junit", self.folder / f"{provider.name}.xml", SCRIPTS / suite)
        return self.start_php("/usr/bin/phpunit", *words, provider=provider.with_ini(memory_limit="512M"), extensions=PHPUNIT_EXTENSIONS)

    def passed_cases(self, name, said):
        report = self.folder / f"{name}.xml"
        self.assertTrue(report.exists(), f"PHPUnit wrote no report on {name}:\n{said}")
        cases = list(ElementTree.parse(report).iter("testcase"))
        return {case.get("name") for case in cases if len(case) == 0}, len(cases)
