#!/usr/bin/env python3
"""tools/aot_compile without torch: the packages of a sweep, and what it refuses. With torch: tests/compiled."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "aot_compile"


class AotCompile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "make").write_text('touch "$2"\n')
        (self.folder / "break").write_text("exit 1\n")

    def run_tool(self, *arguments, python=()):
        return subprocess.run([sys.executable, *python, TOOL, *arguments], text=True, capture_output=True, check=False)

    def reason(self, package, program="make"):
        """The command stands for the tool: what follows --out is what it makes."""
        command = f"sh {self.folder / program} --out {self.folder / package}"
        return f"no package of this compiled step; make it with `{command}` and retry"

    def sweepctl(self, why):
        """One that shows a sweep whose attempts ended for these reasons."""
        shown = {"title": "attempts", "columns": [{"name": "outcome"}, {"name": "why"}],
                 "rows": [["skipped", reason] for reason in why]}
        program = self.folder / "sweepctl"
        program.write_text(f"#!/bin/sh\ncat <<'END'\n{json.dumps({'attempts': [shown]})}\nEND\n")
        program.chmod(0o755)
        return program

    def made(self):
        return sorted(path.name for path in self.folder.glob("*.pt2"))

    def test_makes_each_package_that_a_sweep_lacks_once(self):
        ctl = self.sweepctl([self.reason("a.pt2"), "cuda_graph needs a CUDA device", self.reason("b.pt2"),
                             self.reason("a.pt2")])
        (self.folder / "b.pt2").touch()
        ended = self.run_tool("--for", "mine", "--sweepctl", ctl)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("1 of 2: sh", ended.stderr)
        self.assertNotIn("2 of 2", ended.stderr)
        self.assertIn("sweepctl retry mine --only skipped --wait", ended.stderr)
        self.assertEqual(self.made(), ["a.pt2", "b.pt2"])

    def test_names_what_was_not_made(self):
        ended = self.run_tool("--for", "mine", "--sweepctl", self.sweepctl([self.reason("a.pt2", "break")]))
        self.assertEqual(ended.returncode, 1)
        self.assertIn("1 of 1 packages were not made", ended.stderr)

    def test_nothing_lacks(self):
        ended = self.run_tool("--for", "mine", "--sweepctl", self.sweepctl(["out of memory"]))
        self.assertEqual((ended.returncode, ended.stderr), (0, "aot_compile: no attempt of mine lacks a package\n"))

    def test_a_sweep_that_is_not_there(self):
        program = self.folder / "sweepctl"
        program.write_text("#!/bin/sh\necho 'no sweep `mine`' >&2\nexit 3\n")
        program.chmod(0o755)
        ended = self.run_tool("--for", "mine", "--sweepctl", program)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("no sweep `mine`", ended.stderr)

    def test_python_without_torch_says_what_to_install(self):
        ended = self.run_tool("--out", self.folder / "a.pt2", "--torch", "2.11.0", python=["-S"])
        self.assertEqual(ended.returncode, 77)
        for part in ["cannot import torch", "pip install torch==2.11.0", "SWEEPD_PYTHON"]:
            self.assertIn(part, ended.stderr)
        self.assertEqual(self.made(), [])

    def test_wrong_usage(self):
        for arguments, part in [([], "one of --for and --out"), (["--out", "a", "--mode", "both"], "not `both`"),
                                (["--out", "a", "--workload", "attention", "--mode", "train_step"], "forward, both")]:
            ended = self.run_tool(*arguments)
            self.assertEqual(ended.returncode, 2)
            self.assertIn(part, ended.stderr)


if __name__ == "__main__":
    unittest.main()
