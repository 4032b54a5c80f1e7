#!/usr/bin/env python3
"""What is in the Debian packages, by the rules of packaging/debian, on programs of one line each."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/tools"))
from install_project import FOLDERS, MAIN, PROJECT  # noqa: E402

SETTINGS = """
set(source "{root}")
set(version 7.8.9)
set(release 3)
set(maintainer "A Person <person@somewhere.org>")
set(date "Tue, 24 Nov 2026 12:00:00 +0000")
set(torch_free_build "{folder}/free")
set(torch_build "{folder}/torch")
set(libtorch /somewhere/torch)
set(CPACK_PACKAGE_DIRECTORY "{out}")
include("{root}/packaging/debian/packages.cmake")
"""
SWEEPD = [
    "bin/sweepd", "bin/sweepctl", "bin/sweep-worker", "lib/systemd/user/sweepd.service",
    "share/bash-completion/completions/sweepctl", "share/zsh/vendor-completions/_sweepctl",
    "share/fish/vendor_completions.d/sweepctl.fish",
    "share/man/man1/sweepd.1.gz", "share/man/man1/sweepctl.1.gz", "share/man/man1/sweep-worker.1.gz",
    "share/doc/sweepd/copyright", "share/doc/sweepd/changelog.gz", "share/doc/sweepd/changelog.Debian.gz",
    "share/doc/sweepd/examples/config.yaml", "lib/pkgconfig/sweepd.pc",
    "lib/sweepd/workloads/parallelism.so", "lib/cmake/sweepd/sweepd-config.cmake", "lib/cmake/sweepd/sweepd-config-version.cmake",
]
TREES = ["share/sweepd/experiments/", "share/sweepd/schemas/", "share/sweepd/docs/", "share/sweepd/python/", "include/sweepd/"]
TORCH = [
    "lib/sweepd/torch/bin/sweep-worker", "lib/sweepd/torch/bin/sweep-worker-light", "lib/sweepd/torch/lib/sweepd/workloads/parallelism.so", "lib/sweepd/torch/bin/aot_compile", "lib/sweepd/torch/lib/libsweep_cuda.so",
    "lib/sweepd/torch/libexec/sweep-worker", "lib/sweepd/torch/libexec/fetch_libtorch", "lib/sweepd/torch/libexec/lib.sh",
    "share/doc/sweepd-torch/copyright", "share/doc/sweepd-torch/changelog.gz", "share/doc/sweepd-torch/changelog.Debian.gz",
]


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, check=False, **options)
    assert done.returncode == 0, (done.stdout + done.stderr).decode()
    return done.stdout.decode()


class Contents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        source = cls.folder / "source"
        source.mkdir()
        for name in FOLDERS:
            shutil.copytree(ROOT / name, source / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        (source / "CMakeLists.txt").write_text(PROJECT)
        (source / "main.c").write_text(MAIN)
        for build, torch in [("free", "OFF"), ("torch", "ON")]:
            run("cmake", "-G", "Ninja", "-S", source, "-B", cls.folder / build, f"-DSWEEPD_TORCH={torch}")
            run("cmake", "--build", cls.folder / build, "--target", "programs")
        cls.packages = cls.pack("out")

    @classmethod
    def pack(cls, name):
        out = cls.folder / name
        out.mkdir()
        config = out / "cpack.cmake"
        config.write_text(SETTINGS.format(root=ROOT, folder=cls.folder, out=out))
        run("cpack", "--config", config, cwd=out, env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})
        return {path.name.partition("_")[0]: path for path in out.glob("*.deb")}

    def listed(self, package):
        """path below /usr: (mode, owner)"""
        lines = run("dpkg-deb", "-c", self.packages[package]).splitlines()
        rows = [re.match(r"(\S+) (\S+) +\d+ \S+ \S+ \./usr/(.*)", line).groups() for line in lines]
        return {path.partition(" -> ")[0]: (mode, owner) for mode, owner, path in rows}

    def unpacked(self, package):
        target = self.folder / f"unpacked-{package}"
        run("dpkg-deb", "-x", self.packages[package], target)
        return target / "usr"

    def field(self, package, name):
        return run("dpkg-deb", "-f", self.packages[package], name).strip()

    def test_names(self):
        self.assertEqual(sorted(path.name for path in self.packages.values()),
                         ["sweepd-torch_7.8.9-3_amd64.deb", "sweepd_7.8.9-3_amd64.deb"])

    def test_files(self):
        for package, files, trees in [("sweepd", SWEEPD, TREES), ("sweepd-torch", TORCH, [])]:
            with self.subTest(package):
                there = {path for path in self.listed(package) if path and not path.endswith("/")}
                self.assertEqual(sorted(path for path in there if not path.startswith(tuple(trees) or "none")), sorted(files))
                for tree in trees:
                    self.assertTrue(any(path.startswith(tree) for path in there), tree)

    def test_modes(self):
        for package in self.packages:
            for path, (mode, owner) in self.listed(package).items():
                program = re.search(r"(^|/)(bin|libexec)/[^/]+$", path) and not path.endswith(".sh")
                expected = "-rwxr-xr-x" if program else "drwxr-xr-x" if not path or path.endswith("/") else "-rw.r-.r-.|l"
                with self.subTest(path):
                    self.assertEqual(owner, "root/root")
                    self.assertRegex(mode, expected)

    def test_the_unit_starts_the_installed_daemon(self):
        unit = (self.unpacked("sweepd") / "lib/systemd/user/sweepd.service").read_text()
        self.assertIn("ExecStart=/usr/bin/sweepd --foreground\n", unit)
        self.assertNotIn(str(self.folder), unit)

    def test_the_launcher_knows_its_version_of_torch(self):
        launcher = (self.unpacked("sweepd-torch") / "lib/sweepd/torch/bin/sweep-worker").read_text()
        self.assertIn("wanted=2.11.0\n", launcher)

    def test_fields(self):
        for package, name, value in [
            ("sweepd", "Maintainer", r"A Person <person@somewhere.org>"),
            ("sweepd", "Section", r"science"),
            ("sweepd", "Depends", r"libc6 \(>= .*\)"),
            ("sweepd-torch", "Depends", r"sweepd \(= 7.8.9-3\), python3, libc6 .*"),
        ]:
            with self.subTest(package, name=name):
                self.assertRegex(self.field(package, name), f"^{value}$")
        lines = self.field("sweepd", "Description").split("\n")
        self.assertGreater(len(lines), 4)
        for line in lines[1:]:
            self.assertRegex(line, r"^ (\.|\S.{0,77})$")

    def test_the_same_tree_gives_the_same_package(self):
        again = self.pack("again")
        for name, path in self.packages.items():
            self.assertEqual(path.read_bytes(), again[name].read_bytes(), name)


if __name__ == "__main__":
    if not all(map(shutil.which, ("cmake", "cpack", "ninja", "cc", "dpkg-deb", "dpkg-shlibdeps"))):
        print("cmake, ninja, a compiler or dpkg-dev is not installed")
        sys.exit(77)
    unittest.main()
