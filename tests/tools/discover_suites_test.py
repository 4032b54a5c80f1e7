#!/usr/bin/env python3
"""Tests that ctest gets each suite of a gtest program with its labels (cmake/DiscoverSuites.cmake)."""

import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LISTED = """Cancel.
  EndsWhatRuns
  EndsWhatWaits
NightlyStorm.
  Lasts
Each/NightlyDisk.
  Fails/0  # GetParam() = "full"
"""


class DiscoverSuites(unittest.TestCase):
    def discover(self, listed):
        """The ctest file of a program that lists these tests, or None where the script refuses it."""
        with tempfile.TemporaryDirectory() as folder:
            program, out = Path(folder, "test_sched"), Path(folder, "suites.cmake")
            program.write_text(f"#!/bin/sh\ncat <<'LISTED'\n{listed}LISTED\n")
            program.chmod(0o755)
            done = subprocess.run(["cmake", "-D", f"PROGRAM={program}", "-D", "FILTER=*", "-D", "PREFIX=sched.", "-D", "SUFFIX=",
                                   "-D", "LABELS=unit,fault", "-D", "TIMEOUT=60", "-D", "ENV=", "-D", f"OUT={out}", "-P",
                                   ROOT / "cmake/DiscoverSuites.cmake"], capture_output=True, text=True, check=False)
            return out.read_text() if done.returncode == 0 else None

    def test_a_suite_is_one_test_that_runs_all_of_its_tests(self):
        text = self.discover(LISTED)
        self.assertEqual(text.count("add_test("), 3)
        self.assertIn("[==[--gtest_filter=Cancel.EndsWhatRuns:Cancel.EndsWhatWaits]==]", text)
        self.assertIn("[==[--gtest_filter=Each/NightlyDisk.Fails/0]==]", text)

    def test_a_suite_whose_name_begins_with_nightly_has_that_label(self):
        lines = self.discover(LISTED).splitlines()
        labels = {line.split("[==[")[1].split("]==]")[0]: line.split('LABELS "')[1].split('"')[0]
                  for line in lines if line.startswith("set_tests_properties")}
        self.assertEqual(labels, {"sched.Cancel": "unit;fault", "sched.NightlyStorm": "unit;fault;nightly",
                                  "sched.Each/NightlyDisk": "unit;fault;nightly"})

    def test_a_program_without_tests_is_refused(self):
        self.assertIsNone(self.discover(""))


if __name__ == "__main__":
    unittest.main()
