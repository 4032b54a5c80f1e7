#!/usr/bin/env python3
"""tools/slurm_demo shows its table and what Slurm saw, twice in a row, and leaves no process and no file.

    tests/slurm/demo_test.py BIN_FOLDER

Its temporary folder is its own, so that what other programs keep there is not taken for its.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else ROOT / "build/release/bin"
SKIPPED = 77


class Demo(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.folder.chmod(0o755)  # munge requires that all users can reach its socket

    def processes(self):
        """Those that name this test's folder."""
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                line = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
            except OSError:
                continue
            if self.folder.name.encode() in line and int(entry.name) != os.getpid():
                found.append(line)
        return found

    def run_demo(self):
        environment = os.environ | {"TMPDIR": str(self.folder), "SWEEPD_BIN": str(BIN), "SWEEPD_CORES_LOST": "0"}
        done = subprocess.run([ROOT / "tools/slurm_demo"], env=environment, capture_output=True, text=True, timeout=200)
        said = done.stdout + done.stderr
        self.assertEqual(done.returncode, 0, said)
        return said

    def test_it_shows_a_table_and_leaves_nothing(self):
        for _ in range(2):
            said = self.run_demo()
            for sleep in (1, 2, 5, 10, 20, 50):
                row = re.search(rf"(?m)^\| +{sleep}ms \| +(\d+\.\d).? \|$", said)
                self.assertTrue(row, said)
                self.assertGreaterEqual(float(row[1]), sleep)  # other load makes it longer
            self.assertIn("6 of 6 attempts done", said)
            # A job loads one worker, which forks all of its attempts.
            steps = [line for line in said.splitlines() if "StepId=" in line]
            self.assertLessEqual(len(steps), 2, said)
            self.assertTrue(steps, said)
            self.assertNotIn("left in /dev/shm", said)
            end = time.monotonic() + 20
            while self.processes() and time.monotonic() < end:
                time.sleep(0.1)
            self.assertEqual(self.processes(), [])
            self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    if missing := [name for name in ("sweepd", "sweepctl", "sweep-worker") if not (BIN / name).exists()]:
        print(f"skipped: {BIN} has no {', '.join(missing)}")
        sys.exit(SKIPPED)
    if subprocess.run([ROOT / "tools/slurm_cluster", "--", "true"]).returncode == SKIPPED:
        sys.exit(SKIPPED)
    unittest.main()
