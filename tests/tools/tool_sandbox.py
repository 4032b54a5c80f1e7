"""A copy of tools/ in a temporary folder, with scripted programs on the PATH."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def copy_tools(to):
    """Copies tools/. Other tests write their bytecode at the same time, and a file of it may vanish before it is copied."""
    shutil.copytree(ROOT / "tools", to, ignore=shutil.ignore_patterns("__pycache__"))


def run_on_tree(tool, files):
    """A check of the sources over a tree of {path: text}: (exit status, lines of output)."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            target = Path(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        done = subprocess.run([sys.executable, ROOT / "tools" / tool, folder], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()


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
