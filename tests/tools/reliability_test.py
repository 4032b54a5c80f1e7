#!/usr/bin/env python3
"""docs/RELIABILITY.md names only tests that exist, and the size of the list of mutations."""

import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def tests_of_the_tree(root):
    """The names as ctest prints them, without what is instantiated: layer.Suite.Name."""
    names = set()
    for path in sorted((root / "tests").rglob("*_test.cpp")):
        for suite, name in re.findall(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", path.read_text(), re.M):
            names.add(f"{path.parent.name}.{suite}.{name}")
    return names


def named_in(page):
    return re.findall(r"`(\w+\.\w+\.\w+)`", page)


def unknown_in(page, root):
    known = tests_of_the_tree(root)
    return [name for name in named_in(page) if name not in known]


class Page(unittest.TestCase):
    def setUp(self):
        self.page = (ROOT / "docs" / "RELIABILITY.md").read_text()

    def test_every_test_exists(self):
        self.assertGreater(len(named_in(self.page)), 60)
        self.assertEqual(unknown_in(self.page, ROOT), [])

    def test_one_that_does_not_exist_is_found(self):
        page = self.page + "| a promise | `db.DbTest.KeepsIt`, `db.DbTest.WhatWasAnsweredSurvivesAKill` |\n"
        self.assertEqual(unknown_in(page, ROOT), ["db.DbTest.KeepsIt"])

    def test_a_promise_has_a_test_or_says_that_it_has_none(self):
        promises = self.page.partition("## Tests that can fail")[0]
        for line in promises.splitlines():
            if line.startswith("| ") and not line.endswith("| proof |"):
                last = line.rstrip("| ").rsplit("|", 1)[-1]
                self.assertTrue(named_in(last) or "*no test*" in last, line)

    def test_the_list_of_mutations_has_the_size_of_the_page(self):
        said = re.search(r"(\d+) mutations", self.page)
        self.assertIsNotNone(said)
        done = subprocess.run([ROOT / "tools" / "mutate", "--check"], capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout.split(" of ")[0], said.group(0), done.stderr)


if __name__ == "__main__":
    unittest.main()
