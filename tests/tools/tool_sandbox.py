"""A copy of tools/ in a temporary folder, with scripted programs on the PATH."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def copy_tools(to):
    """Copies tools/. Other tests write their bytecode at the same time, and a file of it may vanish before it is copied."""
    shutil.copytree(ROOT / "tools", to, ignore=shutil.ignore_patterns("__pycache__"))


class Sandbox(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.cache = self.root / "cache"
        copy_tools(self.root / "tools")
        (self.root / "bin").mkdir()

    def command(self, name, script):
        """A program of that name, found before the real one."""
        path = self.root / "bin" / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def run_tool(self, name, *arguments, **variables):
        environment = {
            "PATH": f"{self.root}/bin:{os.environ['PATH']}",
            "HOME": str(self.root),
            "SWEEPD_CACHE": str(self.cache),
            "CALLS": str(self.root / "calls"),
            "TMPDIR": str(self.root),
            **variables,
        }
        return subprocess.run([self.root / "tools" / name, *arguments], env=environment, text=True,
                              capture_output=True, stdin=subprocess.DEVNULL, check=False)

    def calls(self):
        log = self.root / "calls"
        return log.read_text().splitlines() if log.exists() else []
