#!/usr/bin/env python3
"""Runs all of tools/gpu_check through a real daemon, with a scripted GPU: a fake NVML, and a worker whose steps take the time that an
H200 could need.

    dry_run_test.py BIN WORKER DRIVER      folder of sweepd and sweepctl; the scripted worker; folder of the fake libnvidia-ml.so.1
"""

import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN, WORKER, DRIVER = (Path(word).resolve() for word in sys.argv[1:4])

SMI = """#!/bin/sh
if [ "$1" = -L ]; then echo 'GPU 0: NVIDIA H200 (UUID: GPU-5c0e0000-0000-4000-8000-000000000001)'; exit 0; fi
echo '580.65.06, 143771 MiB, Enabled'
"""


class DryRun(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = Path(cls.folder.name)
        cls.bundle = cls.root / "sweepd"
        (cls.bundle / "bin").mkdir(parents=True)
        (cls.root / "path").mkdir()
        shutil.copy(ROOT / "tools/gpu_check", cls.bundle / "bin/gpu_check")
        shutil.copytree(ROOT / "experiments", cls.bundle / "share/sweepd/experiments")
        (cls.bundle / "bin/sweepctl").symlink_to(BIN / "sweepctl")
        # Packages are not made; the scripted worker needs none.
        (cls.bundle / "bin/aot_compile").write_text("")
        cls.script("path/nvidia-smi", SMI)
        cls.script("sweepd/bin/test_gpu", "#!/bin/sh\necho '[  PASSED  ] 1 test.'\n")
        cls.script("sweepd/bin/gpu_smoke", "#!/bin/sh\necho '[  PASSED  ] d 64'\n")
        cls.environment = {**os.environ, "PATH": f"{cls.root}/path:{os.environ['PATH']}", "SWEEPD_WORKER": str(WORKER),
                           "LD_LIBRARY_PATH": str(DRIVER), "TMPDIR": str(cls.root)}
        cls.plan = cls.run_check("--plan")
        # All of it in one run, which a machine with a GPU does in several. This machine may be slow, so no share of the time is to end
        # anything: only a hang would.
        cls.done = cls.run_check("--minutes", "600", "--stretch", "20", "--out", str(cls.root / "out"))
        cls.report = (cls.root / "out/report.md").read_text() if (cls.root / "out/report.md").exists() else ""

    @classmethod
    def script(cls, path, text):
        target = cls.root / path
        target.write_text(text)
        target.chmod(0o755)

    @classmethod
    def run_check(cls, *arguments):
        return subprocess.run([cls.bundle / "bin/gpu_check", *arguments], env=cls.environment, text=True, capture_output=True, check=False)

    def planned(self):
        return re.findall(r"table (\S+)$", self.plan.stdout, re.MULTILINE)

    def test_everything_passes(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr[-3000:] + self.report[-3000:])
        self.assertNotIn("not run, the time was over", self.done.stderr)
        self.assertNotIn("Stopped", self.report)

    def test_every_planned_table_is_there(self):
        self.assertGreater(len(self.planned()), 10)
        for name in self.planned():
            part = self.report.split(f"\n## {name}\n")
            self.assertEqual(len(part), 2, name)
            self.assertRegex(part[1].split("\n## ")[0], r"\n\|.*\|\n\|[-:| ]+\|\n\|", f"{name} has no table")

    def test_results_are_the_scripted_gpus(self):
        database = sqlite3.connect(self.root / "out/results.db")
        self.addCleanup(database.close)
        devices = {name for (name,) in database.execute("SELECT DISTINCT d.name FROM attempt_device a JOIN device d ON d.id = a.device")}
        self.assertEqual(devices, {"NVIDIA H200"})
        # This machine may be busy; the scripted GPU is not.
        wrong = database.execute("SELECT a.verdict, r.reason, count(*) FROM attempt a LEFT JOIN attempt_reason r ON r.attempt = a.row "
                                 "WHERE a.pass = 'timing' AND a.outcome = 'done' AND a.verdict <> 'valid' AND r.reason NOT LIKE "
                                 "'%leased core%busy%' AND r.reason NOT LIKE 'the hypervisor%' GROUP BY 1, 2").fetchall()
        self.assertEqual(wrong, [])
        outcomes = dict(database.execute("SELECT outcome, count(*) FROM attempt GROUP BY 1").fetchall())
        self.assertLessEqual(set(outcomes), {"done", "skipped"}, outcomes)

    def test_the_leaderboard_reaches_what_was_scripted(self):
        table = self.report.split("\n## flash-leaderboard\n")[1].split("\n## ")[0]
        header = next(line for line in table.splitlines() if line.startswith("| Implementation"))
        row = next(line for line in table.splitlines() if line.startswith("| flash "))
        cells = dict(zip((cell.strip() for cell in header.split("|")), (cell.strip() for cell in row.split("|"))))
        # ‡ marks a suspect result: this machine may be busy.
        self.assertAlmostEqual(float(cells["Share of the roofline"].rstrip("%‡")), 60, delta=1)

    def test_no_process_is_left(self):
        for process in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                self.assertNotIn(str(self.root).encode(), process.read_bytes())
            except OSError:
                pass


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
