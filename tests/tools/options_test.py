#!/usr/bin/env python3
"""No tool acts on an option that it does not know, and `--help` only prints.

Every tool runs in a copy of the tree, with programs on the PATH that note that they were called: what
installs, downloads, builds, formats or runs tests must not be.
"""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Programs with which a tool could do harm or spend an hour.
ACTORS = ["apt-get", "sudo", "cmake", "ninja", "g++", "nvcc", "nvidia-smi", "clang-format", "clang-tidy", "unzip", "docker",
          "debootstrap", "unshare", "chroot"]


def tools_of(root):
    """The programs in tools/ and .ci/; lib.sh and packages.txt are none."""
    files = [*(root / "tools").iterdir(), root / "tools/bench/run", root / ".ci/run"]
    return sorted(path for path in files if path.is_file() and path.stat().st_mode & stat.S_IXUSR)


class Options(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "tree"
        self.bin = Path(folder.name) / "bin"
        self.log = Path(folder.name) / "calls"
        def left_out(folder, names):
            return [name for name in names if name == "__pycache__" or (Path(folder) == ROOT and name in ("build", ".git"))]
        shutil.copytree(ROOT, self.root, symlinks=True, ignore=left_out)
        self.bin.mkdir()
        for name in ACTORS:
            self.program(self.bin / name, f'echo "{name} $*" >>"{self.log}"; exit 1')
        # pip is called as a module of Python; all other uses of Python are allowed.
        self.program(self.bin / "python3", f'if [ "$1" = -m ]; then echo "python3 $*" >>"{self.log}"; exit 1; fi\n'
                                           f'exec {sys.executable} "$@"')
        ctest = shutil.which("ctest") or "false"
        self.program(self.bin / "ctest", f'if [ "$*" = --help ]; then exec {ctest} --help; fi\n'
                                         f'echo "ctest $*" >>"{self.log}"; exit 1')

    def program(self, path, script):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def contents(self):
        def state(path):
            status = path.lstat()
            return status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns
        return {str(path.relative_to(self.root)): state(path) for path in self.root.rglob("*")}

    def run_tool(self, tool, *arguments):
        environment = {"PATH": f"{self.bin}:{os.environ['PATH']}", "HOME": str(self.bin), "PYTHONDONTWRITEBYTECODE": "1",
                       "SWEEPD_CACHE": str(self.bin / "cache")}
        return subprocess.run([tool, *arguments], cwd=self.root, env=environment, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=60, check=False)

    def check(self, arguments, judge):
        tools = tools_of(self.root)
        self.assertGreater(len(tools), 12)
        before = self.contents()
        for tool in tools:
            name = str(tool.relative_to(self.root))
            with self.subTest(f"{name} {' '.join(arguments)}"):
                ended = self.run_tool(tool, *arguments)
                judge(name, ended)
                called = self.log.read_text() if self.log.exists() else ""
                self.log.unlink(missing_ok=True)
                self.assertEqual(called, "")
                now = self.contents()
                self.assertEqual(sorted(path for path in {*before, *now} if before.get(path, 0) != now.get(path, 0)), [])

    def test_help_only_prints(self):
        def judge(name, ended):
            self.assertEqual(ended.returncode, 0, ended.stderr)
            self.assertIn(name, ended.stdout)
            self.assertEqual(ended.stderr, "")
        self.check(["--help"], judge)

    def test_unknown_option_is_refused(self):
        def judge(name, ended):
            self.assertEqual(ended.returncode, 2, ended.stdout + ended.stderr)
            self.assertIn("--no-such-option", ended.stderr)
            self.assertIn(name.rsplit("/", 1)[-1], ended.stderr)
            self.assertEqual(ended.stdout, "")
        self.check(["--no-such-option"], judge)
        self.check(["--no-such-option=1"], judge)

    def test_unknown_option_behind_what_is_known_is_refused(self):
        for tool, *known in [("build", "release"), ("check_style", "--fix"), ("lint", "--all"),
                             ("test", "--sanitizers", "none"), ("test", "-R", "sched"), ("bootstrap", "build"),
                             ("bundle", "out.tar.gz"), ("gpu_check", "--minutes", "1"),
                             ("try_system", "trixie"), ("try_system", "trixie", "--"), ("package", "--without-torch"),
                             ("package", "--release", "2"), ("package", "--wheel"), ("make_man_pages", "bin")]:
            with self.subTest(tool):
                ended = self.run_tool(self.root / "tools" / tool, *known, "--no-such-option")
                self.assertEqual(ended.returncode, 2, ended.stdout + ended.stderr)
                self.assertIn("--no-such-option", ended.stderr)
                self.assertFalse(self.log.exists())

    def test_what_only_debian_packages_have_is_refused_for_a_wheel(self):
        for option in (["--without-torch"], ["--release", "2"]):
            for line in (["--wheel", *option], [*option, "--wheel"]):
                ended = self.run_tool(self.root / "tools/package", *line)
                self.assertEqual(ended.returncode, 2, ended.stdout + ended.stderr)
                self.assertIn(f"--wheel and {option[0]} exclude each other", ended.stderr)
                self.assertFalse(self.log.exists())


if __name__ == "__main__":
    unittest.main()
