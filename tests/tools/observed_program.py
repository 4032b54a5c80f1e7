"""Runs a program under `observe: torch`. Torch is tests/fake_torch, whose clock counts."""


import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
OBSERVE = REPO / "experiments/scripts/observe"


class Observed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_program(self, program, steps=2, warmup=0, code=0, step_ends="", own=None, which="timing", path="", **variables):
        """The reports of the program, as a list of objects."""
        if own is not None:
            (self.folder / "sitecustomize.py").write_text(own, encoding="utf-8")
        (self.folder / "program.py").write_text("import torch\nfrom torch import work\n" + textwrap.dedent(program), encoding="utf-8")
        reports = self.folder / "reports"
        with open(reports, "wb") as file:
            env = dict(os.environ, PYTHONPATH=f"{OBSERVE}:{path}:{self.folder}:{REPO}/tests/fake_torch", SWEEPD_METRICS_FD=str(file.fileno()), SWEEPD_PASS=which,
                       SWEEPD_WARMUP=str(warmup), SWEEPD_STEPS=str(steps), SWEEPD_STEP_ENDS=step_ends, SWEEPD_FOLDER=str(self.folder),
                       PYTHONDONTWRITEBYTECODE="1", **variables)
            done = subprocess.run([sys.executable, "program.py"], cwd=self.folder, env=env, pass_fds=[file.fileno()], text=True,
                                  capture_output=True, check=False, timeout=60)
        self.output = done.stdout + done.stderr
        self.assertEqual(done.returncode, code, self.output)
        return [json.loads(line) for line in reports.read_text(encoding="utf-8").splitlines()]

    def times(self, *args, **kwargs):
        return [each["time"] for each in self.run_program(*args, **kwargs) if "step" in each]

    def facts(self, reports):
        return {each["fact"]: each.get("text", each.get("number")) for each in reports if "fact" in each}

    LOOP = """
        model, optimizer = torch.nn.Module(), torch.Optimizer()
        for step in range(100):
            model().backward()
            optimizer.step()
    """
