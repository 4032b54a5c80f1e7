#!/usr/bin/env python3
"""`cmake --install` by the rules of cmake/InstallSweepd.cmake, on programs of one line each."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from install_project import FOLDERS, MAIN, PROGRAMS, PROJECT

ROOT = Path(__file__).resolve().parents[2]

class Install(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source, self.build, self.prefix = (Path(folder.name) / name for name in ("source", "build", "prefix"))
        self.source.mkdir()
        for name in FOLDERS:
            (self.source / name).symlink_to(ROOT / name)
        (self.source / "CMakeLists.txt").write_text(PROJECT)
        (self.source / "main.c").write_text(MAIN)
        self.cmake("-G", "Ninja", "-DSWEEPD_TORCH=ON", "-S", self.source, "-B", self.build)

    def cmake(self, *arguments):
        done = subprocess.run(["cmake", *arguments], text=True, capture_output=True, check=False)
        self.output = " ".join((done.stdout + done.stderr).split())
        return done.returncode

    def test_installs_what_quickstart_builds(self):
        self.assertEqual(self.cmake("--build", self.build, "--target", *PROGRAMS), 0, self.output)
        self.assertEqual(self.cmake("--install", self.build, "--prefix", self.prefix), 0, self.output)
        for path in [*(f"bin/{program}" for program in PROGRAMS), "bin/aot_compile", "share/sweepd/experiments/quickstart.yaml",
                     "share/sweepd/python/src/sweepd/client.py",
                     "share/bash-completion/completions/sweepctl", "share/zsh/site-functions/_sweepctl",
                     "share/fish/vendor_completions.d/sweepctl.fish", "lib/systemd/user/sweepd.service",
                     "include/sweepd/workloads/api/plugin.h", "lib/cmake/sweepd/sweepd-config.cmake",
                     "lib/cmake/sweepd/sweepd-config-version.cmake", "lib/pkgconfig/sweepd.pc",
                     "share/doc/sweepd/examples/config.yaml", *(f"share/man/man1/{program}.1" for program in PROGRAMS)]:
            self.assertTrue((self.prefix / path).exists(), path)
        self.assertEqual(str((self.prefix / "lib/libtorch").readlink()), "/somewhere/torch/lib")
        self.assertFalse((self.prefix / "lib/libsweep_cuda.so").exists())
        self.assertTrue((self.prefix / "lib/sweepd/workloads/parallelism.so").exists())
        self.assertFalse((self.prefix / "lib/sweepd/torch").exists(), "the tree of a package")
        self.assertIn("libsweep_cuda.so is not built and left out", self.output)
        self.assertIn("--target sweep_cuda", self.output)

    def test_installs_all_headers_of_plugins(self):
        self.cmake("--build", self.build, "--target", *PROGRAMS)
        self.assertEqual(self.cmake("--install", self.build, "--prefix", self.prefix), 0, self.output)
        frozen = ROOT / "tests/plugins/frozen"
        names = sorted(path.relative_to(frozen) for path in frozen.rglob("*.h"))
        headers = self.prefix / "include/sweepd"
        self.assertEqual(names, sorted(path.relative_to(headers) for path in headers.rglob("*.h")))
        for flags in (["-I", headers], subprocess.run(
                ["pkg-config", "--cflags", "sweepd"], text=True, capture_output=True, check=True,
                env={"PKG_CONFIG_PATH": str(self.prefix / "lib/pkgconfig")}).stdout.split()):
            done = subprocess.run(["c++", "-std=c++20", "-fsyntax-only", *flags, ROOT / "tests/plugins/saxpy.cpp"],
                                  text=True, capture_output=True, check=False)
            self.assertEqual(done.stderr, "")

    def test_installs_the_cuda_half_where_it_is_built(self):
        self.assertEqual(self.cmake("--build", self.build, "--target", "programs"), 0, self.output)
        self.assertEqual(self.cmake("--install", self.build, "--prefix", self.prefix), 0, self.output)
        self.assertTrue((self.prefix / "lib/libsweep_cuda.so").exists())
        self.assertNotIn("left out", self.output)

    def test_installs_nothing_without_a_program(self):
        self.assertEqual(self.cmake("--build", self.build, "--target", "sweepd", "sweepctl"), 0, self.output)
        for component in ([], ["--component", "data"]):
            self.assertNotEqual(self.cmake("--install", self.build, "--prefix", self.prefix, *component), 0)
            self.assertIn("sweep-worker is not built, so nothing is installed", self.output)
            self.assertIn("--target sweep-worker", self.output)
            self.assertFalse(self.prefix.exists())


if __name__ == "__main__":
    if not all(map(shutil.which, ("cmake", "ninja", "cc", "c++", "pkg-config"))):
        sys.exit(77)
    unittest.main()
