#!/usr/bin/env python3
"""The page of `sweepctl report` in a real browser, with the network off.

    browser_test.py BIN WORKER
"""

import base64
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from browser import Browser, program  # noqa: E402

BIN, WORKER = (Path(sys.argv.pop(1)).resolve() for _ in range(2))
HOSTILE = "<script>window.bad = 1</script><img src=x onerror='window.bad = 1'>"
SWEEP = f"""
sweep: paged
description: "{HOSTILE}"
workload: axpy
params: {{warmup: 1, size: 4}}
matrix: {{steps: [10, 2, 3, 30, 4, 5, 6, 7]}}
tables:
  - {{title: "{HOSTILE}", rows: [steps], metric: fact.y.0, cell: "{{mean:.0f}}"}}
plots:
  - {{title: "{HOSTILE}", x: steps, y: max, metric: fact.y.0}}
"""
FAULTS = """
sweep: faulty
workload: fault
passes: [timing, memory]
params: {warmup: 0, steps: 2}
matrix: {kind: [done, oom]}
tables:
  - {title: Time, rows: [kind], cell: "{mean:.2f}", where: {phase: forward}}
"""
MEMORY = """
sweep: held
workload: lm_step
passes: [memory]
params: {model: tiny, context: 64, batch: 4, warmup: 1}
tables:
  - {title: Peak, rows: [model], metric: peak_allocated_bytes, unit: MiB, cell: "{max:.2f}", where: {phase: step}}
"""


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="sweepd-page-"))
        cls.environment = {"SWEEPD_CORES_LOST": "0", **os.environ, "SWEEPD_STATE_DIR": str(cls.folder / "state"), "SWEEPD_WORKER": str(WORKER)}
        cls.page = cls.folder / "report.html"
        cls.ctl("submit", "-", "--wait", text=SWEEP)
        cls.ctl("report", "paged", "-o", cls.page)
        cls.ctl("submit", "-", "--wait", text=FAULTS, fails=4)
        cls.faults = cls.folder / "faults.html"
        cls.ctl("report", "faulty", "-o", cls.faults)

    @classmethod
    def tearDownClass(cls):
        cls.ctl("stop", "--now")
        shutil.rmtree(cls.folder, ignore_errors=True)

    @classmethod
    def ctl(cls, *words, text=None, fails=0):
        ended = subprocess.run([BIN / "sweepctl", *words], env=cls.environment, input=text, text=True, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        assert ended.returncode == fails, (words, ended.returncode)

    def setUp(self):
        self.browser = Browser()
        self.addCleanup(self.browser.close)
        self.browser.open(self.page.as_uri())

    def column(self, number):
        return self.browser.value(f"[...document.querySelector('table.data').tBodies[0].rows].filter(row => !row.hidden)"
                                  f".map(row => row.cells[{number}].textContent)")

    def test_nothing_is_wrong_and_no_text_ran(self):
        self.assertEqual(self.browser.errors, [])
        self.assertIsNone(self.browser.value("window.bad"))
        self.assertEqual(self.browser.value("document.scripts.length"), 1)
        self.assertEqual(self.browser.value("document.images.length"), 0)
        self.assertGreater(self.browser.value("document.querySelector('header svg.plot').getBoundingClientRect().height"), 200)

    def rest_on(self, element):
        x, y = self.browser.value(f"{element}.scrollIntoView({{block: 'center'}}); "
                                  f"(r => [r.x + r.width / 2, r.y + r.height / 2])({element}.getBoundingClientRect())")
        for at in ((1, 1), (x, y)):
            self.browser.ask("Input.dispatchMouseEvent", type="mouseMoved", x=at[0], y=at[1])
        return self.browser.value("document.querySelector('#tip')?.textContent")

    def test_a_plot_tells_more_where_the_mouse_rests(self):
        tip = self.rest_on("document.querySelector('svg.plot .mark')")
        self.assertRegex(tip, r"^steps: 2\ny\.0: 7\nn: 1\nverdict: valid\noutcome: done\nattempt: [0-9a-f]{8}")
        self.browser.ask("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
        self.assertIsNone(self.browser.value("document.querySelector('#tip')"))
        self.assertEqual(self.browser.errors, [])

    def test_a_mark_says_what_it_means_there(self):
        self.browser.open(self.faults.as_uri())
        said = self.rest_on("document.querySelectorAll('td[data-m]')[0]")
        self.assertRegex(said, r"(?s)^n 0, oom, attempt [0-9a-f]{8}.*\nOOM: .*out of memory")
        self.assertEqual(self.browser.errors, [])

    def test_dark_and_light_follow_the_system(self):
        shades = []
        for scheme in ("light", "dark"):
            self.browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            colors = [self.browser.value(f"getComputedStyle({element}).{key}") for element, key in
                      (("document.body", "backgroundColor"), ("document.querySelector('svg.plot text')", "fill"))]
            shades.append([sum(int(part) for part in color[4:-1].split(",")) for color in colors])
        (light, ink), (dark, chalk) = shades
        self.assertGreater(light, ink + 400)
        self.assertGreater(chalk, dark + 400)

    def test_a_click_sorts_by_number_and_another_turns_it_round(self):
        self.assertEqual(self.column(0), ["10", "2", "3", "30", "4", "5", "6", "7"], "as the sweep file orders them")
        click = "document.querySelector('table.data thead').rows[0].cells[1].click()"
        self.browser.value(click)
        self.assertEqual(self.column(0), ["2", "3", "4", "5", "6", "7", "10", "30"])
        self.browser.value(click)
        self.assertEqual(self.column(0), ["30", "10", "7", "6", "5", "4", "3", "2"])
        self.assertEqual(self.browser.value("document.querySelector('th[aria-sort]').getAttribute('aria-sort')"), "descending")

    def test_the_keyboard_sorts_too(self):
        self.browser.value("document.querySelector('th').focus()")
        for kind in ("keyDown", "keyUp"):
            self.browser.ask("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", windowsVirtualKeyCode=13)
        self.assertEqual(self.column(0)[0], "2")

    def test_the_filter_hides_rows(self):
        fill = "const box = document.querySelector('input'); box.value = '{}'; box.dispatchEvent(new Event('input')); 0"
        self.browser.value("{" + fill.format("30 63") + "}")
        self.assertEqual(self.column(0), ["30"])
        self.browser.value("{" + fill.format("") + "}")
        self.assertEqual(len(self.column(0)), 8)

    def test_a_figure_says_where_it_is_from(self):
        title = self.browser.value("document.querySelector('td[title]').title")
        self.assertRegex(title, r"^n 1, valid, done, attempt [0-9a-f]{8}")

    def test_a_click_tells_the_story_of_an_attempt(self):
        self.browser.value("document.querySelector('td.story').click()")
        self.assertTrue(self.browser.value("document.querySelector('dialog').open"))
        self.assertRegex(self.browser.value("document.querySelector('dialog h3').textContent"), r"^Attempt [0-9a-f]{8}: timing, done, valid, took ")
        self.assertIn("steps=10", self.browser.value("document.querySelector('dialog p').textContent"))
        self.assertRegex(self.browser.value("document.querySelector('dialog .dots figcaption').textContent"),
                         r"^axpy time \(ms\): 10 samples from .* to .*, and 1 of warm-up")
        self.assertGreaterEqual(self.browser.value("document.querySelectorAll('dialog line').length"), 10)
        facts = "[...document.querySelectorAll('dialog summary')].map(each => each.textContent)"
        self.assertTrue({"Parameters", "Summary", "Environment"} <= set(self.browser.value(facts)))
        self.browser.value("document.querySelector('dialog button').click()")
        self.assertIsNone(self.browser.value("document.querySelector('dialog[open]')"))
        self.assertEqual(self.browser.errors, [])

    def test_a_story_opens_by_the_keyboard(self):
        self.browser.value("document.querySelector('td.story').focus()")
        for kind in ("keyDown", "keyUp"):
            self.browser.ask("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", windowsVirtualKeyCode=13)
        self.assertTrue(self.browser.value("document.querySelector('dialog').open"))

    def test_a_figure_that_is_none_says_why_and_tells_of_the_trials_other_passes(self):
        self.browser.open(self.faults.as_uri())
        heads = "[...document.querySelectorAll('dialog h3')].map(each => each.textContent)"
        self.browser.value("document.querySelectorAll('td.story')[1].click()")
        (head,) = self.browser.value(heads)
        self.assertRegex(head, "^Attempt [0-9a-f]{8}: timing, oom")
        self.assertIn("out of memory", self.browser.value("document.querySelector('dialog strong').textContent"))
        self.browser.value("document.querySelector('dialog').close(); document.querySelector('dialog').remove()")
        self.browser.value("document.querySelectorAll('td.story')[0].click()")
        timing, memory = self.browser.value(heads)
        self.assertIn(": timing, done", timing)
        self.assertIn(": memory, done", memory)
        self.assertEqual(self.browser.errors, [])

    @unittest.skipUnless((BIN / "sweep-worker").exists(), "a build without LibTorch")
    def test_a_story_draws_what_its_step_held(self):
        page = self.folder / "memory.html"
        with tempfile.TemporaryDirectory() as folder:
            kept = dict(self.environment)
            self.environment.update(SWEEPD_STATE_DIR=folder, SWEEPD_WORKER=str(BIN / "sweep-worker"))
            try:
                self.ctl("submit", "-", "--wait", text=MEMORY)
                self.ctl("report", "held", "-o", page)
            finally:
                self.ctl("stop", "--now")
                self.environment.update(kept)
        self.browser.open(page.as_uri())
        self.browser.value("document.querySelector('td.story').click()")
        words = self.browser.value("[...document.querySelectorAll('dialog svg.plot text')].map(each => each.textContent)")
        self.assertTrue({"weights", "optimizer state", "gradients", "activations"} <= set(words), words)
        # The drawing has a name over each phase that was long enough for it, which no machine promises.
        phases = self.browser.value("[...document.querySelectorAll('dialog svg.plot rect > title')].map(each => each.textContent)")
        self.assertEqual([phase for phase in phases if phase.startswith("phase: ")],
                         ["phase: forward", "phase: backward", "phase: optimizer"])
        self.assertEqual(len([word for word in words if word.startswith("peak ")]), 1)
        self.assertGreater(self.browser.value("document.querySelector('dialog svg.plot').getBoundingClientRect().height"), 300)
        self.assertEqual(self.browser.errors, [])
        if os.environ.get("SWEEPD_PICTURES"):
            picture = base64.b64decode(self.browser.ask("Page.captureScreenshot", format="png")["data"])
            Path(os.environ["SWEEPD_PICTURES"], "memory-story.png").write_bytes(picture)

    def test_it_fits_a_phone_and_a_wide_screen(self):
        for width in (360, 900, 1400, 2560):
            self.browser.resize(width)
            self.assertLessEqual(self.browser.value("document.documentElement.scrollWidth"), width)
            picture = base64.b64decode(self.browser.ask("Page.captureScreenshot", format="png")["data"])
            self.assertTrue(picture.startswith(b"\x89PNG"))
            if os.environ.get("SWEEPD_PICTURES"):
                Path(os.environ["SWEEPD_PICTURES"], f"page-{width}.png").write_bytes(picture)

    def test_it_prints(self):
        pages = base64.b64decode(self.browser.ask("Page.printToPDF")["data"])
        self.assertTrue(pages.startswith(b"%PDF"))


if __name__ == "__main__":
    if program() is None:
        print("skipped: no Chromium; tools/bootstrap test installs it")
        sys.exit(77)
    unittest.main()
