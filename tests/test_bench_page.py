"""The page of `leveret bench --html` on a telephone: 400 pixels wide, as Chromium draws it."""

import re
import shutil
import unittest

from servers import tool
from support import COMMAND, EXTENSION, SystemTest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"))), None)

# Chromium's own window is never narrower than 500 pixels: so the page is drawn in a frame, and says itself what reaches beyond it.
MEASURE = """
<script>
const width = document.documentElement.clientWidth, cut = [];
for (const part of document.querySelectorAll("body *"))
    if ((!part.closest("svg") || ["text", "svg"].includes(part.tagName)) && part.getBoundingClientRect().right > width + 1)
        cut.push(part.tagName + " " + (part.textContent || "").slice(0, 60));
parent.postMessage(`measured ${width}, cut ${cut.length}: ${cut.join(" | ")}`, "*");
</script></html>
"""
FRAME = """<p id="said"></p><script>onmessage = event => said.textContent = event.data</script>
<iframe src="page.html" style="border: 0" width="400" height="3000"></iframe>"""


@unittest.skipUnless(CHROMIUM, "no Chromium is here")
class Page(SystemTest):
    def test_narrow(self):
        """nothing is cut at 400 pixels, and a run of one round says that it must not be quoted"""
        report, page = self.folder / "report.json", self.folder / "page.html"
        words = ("--rounds", "1", "--keys", "200", "--extension", EXTENSION, "--json", "write", "types")
        report.write_text(tool(COMMAND, "bench", *words).stdout)
        tool(COMMAND, "bench", "--from", report, "--html", page)
        text = page.read_text()
        self.assertIn("do not quote", text)
        page.write_text(text.replace("</html>", MEASURE))
        frame = self.folder / "frame.html"
        frame.write_text(FRAME)
        drawn = tool(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000", "--dump-dom", f"file://{frame}").stdout
        said = re.search(r"measured (\d+), (cut \d+:[^<]*)", drawn)
        self.assertIsNotNone(said, drawn[:2000])
        # A scroll bar takes a part of the width.
        self.assertTrue(350 <= int(said[1]) <= 400, said[1])
        self.assertEqual("cut 0: ", said[2])


if __name__ == "__main__":
    unittest.main()
