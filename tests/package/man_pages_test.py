#!/usr/bin/env python3
"""The man pages have everything that the programs' help says, and groff has nothing to say about them.

    man_pages_test.py BIN
"""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else Path()
PROGRAMS = ["sweepctl", "sweepd", "sweep-worker"]


def run(*command):
    return subprocess.run(command, text=True, capture_output=True, check=False)


def words(text):
    """As one line. A page may break a line behind each comma."""
    return re.sub(r"(?<=,)\s+|\s+(?=[^\w])", "", " ".join(text.split()))


class ManPages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        made = run(ROOT / "tools/make_man_pages", BIN, cls.folder.name)
        assert made.returncode == 0, made.stderr
        cls.pages = {name: Path(cls.folder.name) / f"{name}.1" for name in PROGRAMS}
        cls.texts = {name: run("groff", "-man", "-Tutf8", "-P-cbou", page).stdout for name, page in cls.pages.items()}

    def test_groff_warns_of_nothing(self):
        for width in (80, 120):
            for name, page in self.pages.items():
                with self.subTest(name, width=width):
                    done = run("groff", "-man", "-Tutf8", "-ww", "-z", f"-rLL={width}n", page)
                    self.assertEqual(done.stderr, "")
                    self.assertEqual(done.returncode, 0)

    def test_sections(self):
        for name, text in self.texts.items():
            with self.subTest(name):
                self.assertRegex(text, rf"NAME\n +{name} - \w")
                for section in ["DESCRIPTION", "SEE ALSO"]:
                    self.assertIn(f"\n{section}\n", text)
        for section in ["SYNOPSIS", "COMMANDS", "OPTIONS", "EXIT STATUS", "ENVIRONMENT"]:
            self.assertIn(f"\n{section}\n", self.texts["sweepctl"])

    def test_all_of_help_is_there(self):
        """Every word of it, in the order of each entry."""
        verbs = re.findall(r"^  ([a-z]+) ", run(BIN / "sweepctl", "--help").stdout.partition("Subcommands:")[2], re.M)
        self.assertGreater(len(verbs), 20)
        for program, *arguments in [("sweepd",), ("sweep-worker",), *(("sweepctl", verb) for verb in verbs)]:
            page = words(self.texts[program])
            for line in run(BIN / program, *arguments, "--help").stdout.splitlines():
                for part in re.split(r" {2,}", line.replace("Usage: ", "").replace(f"{BIN}/", "")):
                    if part.strip() and not re.fullmatch(r"[A-Z][a-z]+:", part):
                        with self.subTest(f"{program} {' '.join(arguments)}", part=part):
                            self.assertIn(words(part), page)


if __name__ == "__main__":
    if not shutil.which("groff"):
        print("groff is not installed")
        sys.exit(77)
    unittest.main()
