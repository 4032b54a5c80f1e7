#!/usr/bin/env python3
"""docs/RELIABILITY.md states the size of the list of mutations."""

import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Page(unittest.TestCase):
    def test_the_list_of_mutations_has_the_size_of_the_page(self):
        stated = re.search(r"\d+ mutations", (ROOT / "docs" / "RELIABILITY.md").read_text())
        self.assertIsNotNone(stated)
        done = subprocess.run([ROOT / "tools" / "mutate", "--check"], capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout.split(" of ")[0], stated.group(0), done.stderr)


if __name__ == "__main__":
    unittest.main()
