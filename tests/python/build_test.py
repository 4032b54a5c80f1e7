#!/usr/bin/env python3
"""The package `sweepd` as it is installed: a wheel, its version, and its types by mypy.

    build_test.py BIN
"""

import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "packaging/python"
MISSING = [name for name in ("mypy", "setuptools") if importlib.util.find_spec(name) is None]


class Package(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_a_wheel_installs_and_works_without_the_source(self):
        copy = self.folder / "source"
        shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))  # the build writes beside it
        subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-build-isolation", "--no-deps",
                        "--no-index", "-w", self.folder, copy], check=True)
        wheels = list(self.folder.glob("sweepd-*-py3-none-any.whl"))
        self.assertEqual(len(wheels), 1)
        with zipfile.ZipFile(wheels[0]) as wheel:
            names = wheel.namelist()
        for file in (SOURCE / "src/sweepd").glob("*.py*"):
            if file.suffix in (".py", ".typed"):
                self.assertIn(f"sweepd/{file.name}", names)
        shown = subprocess.run([sys.executable, "-c", "import sweepd; print(sweepd.__version__)"], cwd=self.folder, text=True,
                               env={"PYTHONPATH": str(wheels[0])}, capture_output=True, check=True)
        self.assertEqual(shown.stdout.strip(), self.version())

    def version(self):
        return re.search(r"^project\(sweepd VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), flags=re.M)[1]

    def test_one_version(self):
        self.assertIn(f'version = "{self.version()}"', (SOURCE / "pyproject.toml").read_text())

    def test_types(self):
        done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--python-version", "3.9", "--cache-dir", self.folder, SOURCE / "src/sweepd"],
                              text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_program_names_of_the_client_are_those_of_sweepctl(self):
        source = (ROOT / "runner/model/vocabulary/program.h").read_text()
        listed = re.search(r"kSubmitterVariables\{(.*?)\}", source, flags=re.S)[1]
        sys.path.insert(0, str(SOURCE / "src"))
        from sweepd import client
        self.assertEqual(re.findall(r'"(\w+)"', listed), list(client._VARIABLES))


if __name__ == "__main__":
    if MISSING:
        print(f"skipped: no {', '.join(MISSING)}; tools/fetch_python_packages installs it")
        sys.exit(77)
    sys.argv = sys.argv[:1]
    unittest.main()
