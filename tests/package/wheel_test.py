#!/usr/bin/env python3
"""The wheel of packaging/wheel, made of a tree of scripts: its files, its metadata, and its way through pip."""

import base64
import csv
import hashlib
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAME = "sweepd-7.8.9-py3-none-manylinux_2_17_x86_64.whl"
PROGRAM = '#!/bin/sh\necho "$0" "$@"\n'
FILES = {
    "bin/sweepctl": PROGRAM, "bin/sweepd": PROGRAM, "bin/sweep-worker": PROGRAM, "bin/sweep-worker-light": PROGRAM,
    "libexec/sweep-worker": PROGRAM, "lib/libfmt.so.9": "a library", "lib/systemd/user/sweepd.service": "a unit",
    "share/man/man1/sweepctl.1": "a page", "share/bash-completion/completions/sweepctl": "words",
    "share/sweepd/catalog.json": "{}", "share/sweepd/python/pyproject.toml": "a project",
    "share/sweepd/experiments/one.yaml": "sweep: one",
}


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name).resolve()
        for name, text in FILES.items():
            path = cls.folder / "tree" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o755 if text == PROGRAM else 0o644)
        cls.wheel = cls.pack("out")
        with zipfile.ZipFile(cls.wheel) as archive:
            cls.entries = {entry.filename: entry for entry in archive.infolist()}
            cls.texts = {name: archive.read(name) for name in cls.entries}

    @classmethod
    def pack(cls, name):
        (cls.folder / name).mkdir()
        made = subprocess.run([ROOT / "packaging/wheel/make_wheel", cls.folder / "tree", "7.8.9", "2.11.0", "manylinux_2_17_x86_64",
                               cls.folder / name], env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}, text=True, capture_output=True,
                              check=True)
        return Path(made.stdout.strip())

    def test_files(self):
        self.assertEqual(self.wheel.name, NAME)
        expected = {f"sweepd/{path.name}" for path in (ROOT / "packaging/python/src/sweepd").glob("*.*")}
        expected |= {"sweepd_metrics.py", *(f"sweepd-7.8.9.dist-info/{name}" for name in ("METADATA", "WHEEL", "RECORD")),
                     *(f"sweepd-7.8.9.data/scripts/{name}" for name in ("sweepctl", "sweepd"))}
        for name in FILES:
            if name.startswith(("share/man", "share/bash")):
                expected.add(f"sweepd-7.8.9.data/data/{name}")
            elif not name.startswith(("lib/systemd", "share/sweepd/python")):
                expected.add(f"sweepd/programs/{name}")
        self.assertEqual(set(self.entries), expected)
        self.assertEqual(self.texts["sweepd_metrics.py"], (ROOT / "experiments/scripts/metrics/sweepd_metrics.py").read_bytes())

    def test_modes(self):
        for name, entry in self.entries.items():
            program = re.search(r"/(bin|libexec|scripts)/[^/]+$", name)
            self.assertEqual(oct(entry.external_attr >> 16), "0o100755" if program else "0o100644", name)

    def test_the_record_has_the_hash_of_each_file(self):
        rows = {name: (digest, size) for name, digest, size in csv.reader(io.StringIO(self.texts["sweepd-7.8.9.dist-info/RECORD"].decode()))}
        self.assertEqual(rows.pop("sweepd-7.8.9.dist-info/RECORD"), ("", ""))
        for name, (digest, size) in rows.items():
            found = base64.urlsafe_b64encode(hashlib.sha256(self.texts[name]).digest()).decode().rstrip("=")
            self.assertEqual((digest, size), (f"sha256={found}", str(len(self.texts[name]))), name)
        self.assertEqual(len(rows), len(self.entries) - 1)

    def test_metadata(self):
        metadata = self.texts["sweepd-7.8.9.dist-info/METADATA"].decode().partition("\n\n")[0].split("\n")
        for line in ["Name: sweepd", "Version: 7.8.9", "Requires-Python: >=3.9", "Provides-Extra: torch",
                     'Requires-Dist: torch==2.11.0; extra == "torch"', 'Requires-Dist: pandas; extra == "notebook"']:
            self.assertIn(line, metadata)
        self.assertIn(b"\nTag: py3-none-manylinux_2_17_x86_64\n", self.texts["sweepd-7.8.9.dist-info/WHEEL"])
        self.assertIn(b'\n__version__ = "7.8.9"\n', self.texts["sweepd/__init__.py"])

    def test_the_same_tree_gives_the_same_wheel(self):
        self.assertEqual(self.wheel.read_bytes(), self.pack("again").read_bytes())

    def test_pip_installs_commands_that_are_the_programs(self):
        venv = self.folder / "venv"
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([venv / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", self.wheel], check=True)
        for command in [[venv / "bin/sweepctl"], [venv / "bin/python", "-m", "sweepd"]]:
            ran = subprocess.run([*command, "run", "a b"], text=True, capture_output=True, check=False, cwd="/", env={"PATH": os.environ["PATH"]})
            self.assertRegex(ran.stdout, rf"^{venv}/lib/.*/sweepd/programs/bin/sweepctl run a b\n$", ran.stderr)
        (venv / "bin/sweepd").rename(venv / "bin/nothing")
        ran = subprocess.run([venv / "bin/nothing"], text=True, capture_output=True, check=False)
        self.assertEqual((ran.returncode, ran.stderr.partition(" of ")[0]), (1, "nothing: the package sweepd"))


class Platform(unittest.TestCase):
    def test_is_the_oldest_glibc_that_has_the_symbols(self):
        for glibc, libstdcxx, platform in [
            ("GLIBC_2.34", "GLIBCXX_3.4.30", "2_35"), ("GLIBC_2.38", "GLIBCXX_3.4.29", "2_38"), ("GLIBC_2.2.5", "GLIBCXX_3.4.9", "2_31"),
            ("GLIBC_2.34", "GLIBCXX_3.4.29", "2_34"), ("GLIBC_2.36", "GLIBCXX_3.4.33", "2_39"),
        ]:
            script = (f'repo={ROOT}; source "$repo/packaging/tree.sh"; needed() {{ [[ $2 == GLIBC ]] && echo {glibc} || echo {libstdcxx}; }}\n'
                      "platform_of tree")
            found = subprocess.run(["bash", "-c", script], text=True, capture_output=True, check=True).stdout
            self.assertEqual(found, f"manylinux_{platform}_{os.uname().machine}\n", (glibc, libstdcxx))


if __name__ == "__main__":
    if subprocess.run([sys.executable, "-c", "import venv, ensurepip"], check=False).returncode != 0:
        print("python3-venv is not installed")
        sys.exit(77)
    unittest.main()
