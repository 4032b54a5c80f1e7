#!/usr/bin/env python3
"""experiments/scripts: what they tell sweepd, and how they end where Python has no torch."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "experiments" / "scripts"


def run(*command, **options):
    """Runs Python without its site-packages, so without torch wherever the test runs, with the descriptor that sweepd
    gives; the ended process, and the lines reported."""
    read, write = os.pipe()
    environment = {**os.environ, "SWEEPD_METRICS_FD": str(write), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("PYTHONPATH", None)
    ended = subprocess.run([sys.executable, "-S", *command], env=environment, pass_fds=[write], capture_output=True,
                           text=True, **options)
    os.close(write)
    with os.fdopen(read) as lines:
        return ended, [json.loads(line) for line in lines]


class SkippedWithoutTorch(unittest.TestCase):
    def test_each_script_says_what_to_install(self):
        for script in ("lm_step.py", "attention.py"):
            with self.subTest(script):
                ended, lines = run(str(SCRIPTS / script))
                self.assertEqual(ended.returncode, 77, ended.stderr)
                self.assertEqual(len(lines), 1)
                self.assertIn("cannot import torch", lines[0]["skipped"])
                self.assertIn("pip install torch", lines[0]["skipped"])
                self.assertIn("SWEEPD_PYTHON", lines[0]["skipped"])


class Metrics(unittest.TestCase):
    def test_lines_are_those_of_the_guide(self):
        ended, lines = run("-c", """
import sweepd_metrics as sweepd
sweepd.setup(compile_time=1500.0)
sweepd.step(0, {"forward": 1.25, "step": 4}, warmup=True)
sweepd.step(1, 3.5, warmup=False, loss=2.5)
sweepd.memory("step", 1024, at_end_bytes=512)
sweepd.fact("torch", "2.11.0")
sweepd.fact("parameters", 5)
""", cwd=SCRIPTS)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(lines, [
            {"step": 0, "warmup": False, "compile_time": {"setup": 1500.0}},
            {"step": 0, "warmup": True, "time": {"forward": 1.25, "step": 4}},
            {"step": 1, "warmup": False, "time": 3.5, "loss": 2.5},
            {"memory": "step", "peak_allocated_bytes": 1024, "at_end_bytes": 512},
            {"fact": "torch", "text": "2.11.0"},
            {"fact": "parameters", "number": 5},
        ])


if __name__ == "__main__":
    unittest.main()
