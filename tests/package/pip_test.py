#!/usr/bin/env python3
"""The story of the wheel in a new environment without a network: installed, used, upgraded, removed. Makes the wheel twice,
the second time with a higher version.

    pip_test.py BUILD     for its LibTorch
"""

import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else ROOT / "build/release"
LIBTORCH = Path(re.search(r"^SWEEPD_LIBTORCH:PATH=(.*)$", (BUILD / "CMakeCache.txt").read_text(), flags=re.M)[1])
LIMIT_S = 60


def package(folder, *options):
    subprocess.run([ROOT / "tools/package", "--wheel", *options, folder], check=True)
    return next(folder.glob("*.whl"))


class Story(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.wheels = [package(Path(folder.name) / "old"), package(Path(folder.name) / "new", "--version", "99.1")]

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        self.venv = self.folder / "venv"
        subprocess.run([sys.executable, "-m", "venv", self.venv], check=True)
        self.before = self.files()
        self.pip("install", "--no-index", self.wheels[0])
        self.site = next(self.venv.glob("lib/python*/site-packages"))
        self.experiments = self.site / "sweepd/programs/share/sweepd/experiments"
        self.addCleanup(self.end_daemon)

    def files(self):
        """Those of pip itself change with its use."""
        return {path for path in self.venv.rglob("*") if not path.is_dir() and "pip" not in path.relative_to(self.venv).parts}

    def pip(self, *arguments):
        subprocess.run([self.venv / "bin/pip", "--quiet", "--disable-pip-version-check", *arguments], check=True)

    def run_in(self, *command, **environment):
        """As a user whose shell has not activated the environment, and who has no LibTorch."""
        return subprocess.run(command, text=True, capture_output=True, check=False, timeout=LIMIT_S, cwd=self.folder, env={
            "PATH": "/usr/bin:/bin", "HOME": str(self.folder), "SWEEPD_CORES_LOST": "0", **environment})

    def sweepctl(self, *arguments, **environment):
        ran = self.run_in(self.venv / "bin/sweepctl", *arguments, **environment)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout

    def daemon(self):
        """Its pid; None if none runs."""
        try:
            pid = int((self.folder / ".local/state/sweepd/lock").read_text())
            return pid if "sweepd" in Path(f"/proc/{pid}/cmdline").read_text() else None
        except (OSError, ValueError):
            return None

    def wait_for_the_end_of(self, pid):
        deadline = time.monotonic() + LIMIT_S
        while Path(f"/proc/{pid}").exists():
            self.assertLess(time.monotonic(), deadline, "the daemon still runs")
            time.sleep(0.1)

    def end_daemon(self):
        if pid := self.daemon():
            os.kill(pid, 9)
            self.wait_for_the_end_of(pid)

    def test_upgrade_and_removal(self):
        file = self.experiments / "command/own_program.yaml"
        self.assertIn("**Time to sort**", self.sweepctl("run", file, "--set", "steps=3"))
        self.assertIn("not run by systemd; same as sweepctl", self.sweepctl("doctor"))
        old = self.daemon()
        self.pip("install", "--no-index", "--upgrade", self.wheels[1])
        self.assertIn("99.1", self.run_in(self.venv / "bin/python", "-c", "import sweepd; print(sweepd.__version__)").stdout)
        self.wait_for_the_end_of(old)
        again = self.run_in(self.venv / "bin/sweepctl", "run", file, "--set", "steps=3")
        self.assertRegex(again.stderr, "6 reused|0 to run")
        new = self.daemon()
        self.assertNotIn(new, (old, None))

        self.pip("uninstall", "--yes", "sweepd")
        self.wait_for_the_end_of(new)
        self.assertEqual({str(path) for path in self.files() - self.before}, set())
        self.assertTrue((self.folder / ".local/state/sweepd/results.db").exists())

    def test_python(self):
        script = self.folder / "mine.py"
        script.write_text("import sweepd_metrics as s\nfor n in s.steps(): s.step(n, {'step': 1.5})\n")
        by_hand = self.run_in(self.venv / "bin/python", script)
        self.assertEqual(by_hand.returncode, 0, by_hand.stderr)
        ran = self.run_in(self.venv / "bin/python", "-c", """
import sweepd
sweep = sweepd.Sweep("mine", program="mine", params={"argv": "mine.py", "warmup": 0, "steps": 2})
sweepd.submit(sweep).wait(check=True)
print(sweepd.table("mine", rows="steps", where={"phase": "step"}, cell="mean", frame=False)["time"])
""")
        self.assertEqual((ran.stdout, ran.stderr), ("[1.5]\n", ""))
        listed = self.run_in(self.venv / "bin/python", "-m", "sweepd", "list")
        self.assertIn("mine", listed.stdout, listed.stderr)

    def test_libtorch(self):
        sweep = ("submit", self.experiments / "quickstart.yaml", "--wait", "--set", "steps=2")
        without = self.run_in(self.venv / "bin/sweepctl", *sweep)
        self.assertRegex(without.stderr + without.stdout, r"`lm_step` needs LibTorch: .* has no torch; pip install 'sweepd\[torch\]'")
        self.sweepctl("stop")
        (self.site / "torch").symlink_to(LIBTORCH)
        done = self.run_in(self.venv / "bin/sweepctl", *sweep, LD_LIBRARY_PATH=self.libraries_of_cuda())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        # The worker that now runs scripts is in another folder than sweepctl.
        (self.folder / "emits.sh").write_text("for n in 0 1; do sweepctl emit step $n time=1.25; done\n")
        (self.folder / "emits.yaml").write_text("sweep: emits\nprogram: emits\nparams: {argv: sh emits.sh, warmup: 0, steps: 2}\n")
        self.sweepctl("submit", "emits.yaml", "--wait")
        self.assertIn("\n2,1.25,", self.sweepctl("query", "--sweep", "emits", "--rows", "steps", "--columns", "phase", "--cell", "{mean}", "--format", "csv"))

    def libraries_of_cuda(self):
        """libcudart and libcupti, which pip installs beside torch."""
        cache = (BUILD / "CMakeCache.txt").read_text()
        return ":".join(str(Path(path).parent) for path in re.findall(r"^SWEEPD_CU(?:DART|PTI):FILEPATH=(.*)$", cache, flags=re.M))


if __name__ == "__main__":
    if subprocess.run([sys.executable, "-c", "import venv, ensurepip"], check=False).returncode != 0:
        print("python3-venv is not installed")
        sys.exit(77)
    unittest.main()
