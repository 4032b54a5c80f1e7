#!/usr/bin/env python3
"""packaging/sweep-worker: how the worker of a bundle, a package or a wheel finds LibTorch. The worker prints its library
path."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Started(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        launcher = (ROOT / "packaging/sweep-worker").read_text().replace("@torch_version@", "2.11.0")
        self.program("bundle/bin/sweep-worker", launcher)
        self.program("bundle/libexec/sweep-worker", '#!/bin/sh\necho "$LD_LIBRARY_PATH"\necho "$*"\n')

    def program(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        target.chmod(0o755)

    def torch(self, site, version="2.11.0+cu130"):
        """A torch package whose import would fail: finding it must not import it."""
        package = self.root / site / "torch"
        (package / "lib").mkdir(parents=True)
        (package / "lib/libtorch_cpu.so").touch()
        (package / "__init__.py").write_text("raise ImportError('imported')\n")
        (package / "version.py").write_text(f"from typing import Optional\n__version__ = '{version}'\n")
        (self.root / site / "nvidia/cu13/lib").mkdir(parents=True)
        return package

    def start(self, verb="--describe", cwd=None, **environment):
        return subprocess.run([self.root / "bundle/bin/sweep-worker", verb, "a b"], text=True, capture_output=True,
                              cwd=cwd or self.root, env={"PATH": os.environ["PATH"], **environment}, check=False)

    def without_torch(self):
        """A Python that finds none: the one that runs this test may have it."""
        self.program("bare/python", '#!/bin/sh\nexec python3 -S -E "$@"\n')
        return {"SWEEPD_PYTHON": str(self.root / "bare/python"), "SWEEPD_CACHE": str(self.root / "cache")}


class Launcher(Started):
    def test_finds_torch_of_python(self):
        package = self.torch("site")
        done = self.start(PYTHONPATH=str(self.root / "site"))
        self.assertEqual(done.returncode, 0, done.stderr)
        libraries, arguments = done.stdout.splitlines()
        self.assertEqual(libraries, f"{package}/lib:{package}/../nvidia/cu13/lib")
        self.assertEqual(arguments, "--describe a b")

    def test_environment_overrides(self):
        self.torch("site")
        other = self.torch("other")
        done = self.start(PYTHONPATH=str(self.root / "site"), SWEEPD_LIBTORCH=str(other), LD_LIBRARY_PATH="/mine")
        self.assertEqual(done.stdout.splitlines()[0], f"{other}/lib:{other}/../nvidia/cu13/lib:/mine")

    def test_a_folder_named_torch_here_is_not_taken(self):
        package = self.torch("site")
        (self.root / "cwd/torch").mkdir(parents=True)
        (self.root / "cwd/torch/__init__.py").touch()
        done = self.start(cwd=self.root / "cwd", PYTHONPATH=str(self.root / "site"))
        self.assertIn(str(package), done.stdout, done.stderr)

    def test_takes_the_one_in_the_cache_where_python_has_none(self):
        cached = self.torch("cache/libtorch-2.11.0")
        done = self.start(**self.without_torch())
        self.assertEqual(done.stdout.splitlines()[0], f"{cached}/lib:{cached}/../nvidia/cu13/lib", done.stderr)

    def test_a_package_fetches_it_on_first_use(self):
        self.program("bundle/libexec/fetch_libtorch", '#!/bin/sh\necho fetched >>"$SWEEPD_CACHE/calls"\n'
                     'mkdir -p "$SWEEPD_CACHE/libtorch-2.11.0/torch/lib" && touch "$SWEEPD_CACHE/libtorch-2.11.0/torch/lib/libtorch_cpu.so"\n')
        environment = self.without_torch()
        for _ in range(2):
            done = self.start(**environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.splitlines()[0], f"{self.root}/cache/libtorch-2.11.0/torch/lib")
        self.assertEqual((self.root / "cache/calls").read_text(), "fetched\n")

    def test_a_package_says_why_it_cannot_fetch(self):
        self.program("bundle/libexec/fetch_libtorch", '#!/bin/sh\necho "no route to host" >&2\nexit 1\n')
        done = self.start(**self.without_torch())
        self.assertEqual(done.returncode, 127)
        self.assertIn("could not fetch LibTorch 2.11.0 (no route to host)", done.stderr)

    def test_messages(self):
        empty = self.root / "empty"
        empty.mkdir()
        old = self.torch("old", "2.10.0+cu128")
        bare = self.without_torch()
        for environment, part in [
            ({"SWEEPD_LIBTORCH": str(empty)}, "expected lib/libtorch_cpu.so there"),
            ({"SWEEPD_LIBTORCH": str(old)}, "is 2.10.0; this worker was built for 2.11.0"),
            (bare, "has no torch; install torch 2.11.0 or set SWEEPD_LIBTORCH"),
            ({"SWEEPD_PYTHON": "/no/such/python"}, "could not ask /no/such/python for torch"),
        ]:
            with self.subTest(part=part):
                done = self.start(**environment)
                self.assertEqual(done.returncode, 127)
                self.assertIn(part, done.stderr)


class Wheel(Started):
    """Its programs are in the environment of a Python. Without LibTorch another worker stands in."""

    PLACE = "env/lib/python3.9/site-packages/sweepd/programs"

    def setUp(self):
        super().setUp()
        (self.root / self.PLACE).parent.mkdir(parents=True)
        (self.root / "bundle").rename(self.root / self.PLACE)
        (self.root / "bundle").symlink_to(self.root / self.PLACE)
        self.program("bundle/bin/sweep-worker-light", '#!/bin/sh\necho "light $*"\necho "$SWEEPD_WITHOUT_TORCH"\n')
        self.program("bundle/share/sweepd/catalog.json", '{"workloads": []}\n')
        self.program("env/bin/python3", f'#!/bin/sh\nPYTHONPATH={self.root}/env/site exec python3 -S "$@"\n')

    def test_finds_torch_of_its_own_environment(self):
        package = self.torch("env/site")
        done = self.start(SWEEPD_CACHE=str(self.root / "cache"))
        self.assertEqual(done.stdout.splitlines()[0], f"{package}/lib:{package}/../nvidia/cu13/lib", done.stderr)

    def test_without_torch_it_describes_all_workloads(self):
        done = self.start(SWEEPD_CACHE=str(self.root / "cache"))
        self.assertEqual((done.returncode, done.stdout), (0, '{"workloads": []}\n'), done.stderr)

    def test_without_torch_its_version_names_what_is_missing(self):
        self.program("bundle/bin/sweep-worker-light", "#!/bin/sh\necho 'sweep-worker 0.1.0 (abc; with LibTorch)'\n")
        done = self.start("--version", SWEEPD_CACHE=str(self.root / "cache"))
        self.assertEqual(done.stdout, "sweep-worker 0.1.0 (abc; without LibTorch: pip install 'sweepd[torch]')\n", done.stderr)

    def test_messages(self):
        old, broken = self.torch("env/site", "2.10.0+cu128"), self.root / "empty"
        broken.mkdir()
        for environment, why in [
            ({}, f"torch in {old} is 2.10.0; this worker was built for 2.11.0; pip install 'sweepd[torch]'"),
            ({"SWEEPD_PYTHON": self.without_torch()["SWEEPD_PYTHON"]}, f"{self.root}/bare/python has no torch; pip install 'sweepd[torch]'"),
        ]:
            done = self.start("--run", SWEEPD_CACHE=str(self.root / "cache"), **environment)
            self.assertEqual(done.stdout, f"light --run a b\n{why}\n", done.stderr)
        named = self.start(SWEEPD_LIBTORCH=str(broken))
        self.assertEqual((named.returncode, named.stdout), (127, ""), "a folder that is named is not replaced by nothing")


if __name__ == "__main__":
    unittest.main()
