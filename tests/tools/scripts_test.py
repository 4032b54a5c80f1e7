#!/usr/bin/env python3
"""tools/fetch_libtorch in a temporary tree, with a scripted pip.

Each test is a short story: what is there, what the script is called with, what it says and leaves.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import unittest
import zipfile
from pathlib import Path

from tool_sandbox import ROOT, Sandbox


class FetchLibtorch(Sandbox):
    def setUp(self):
        super().setUp()
        # Two small wheels replace the real ones; the rest of the script is unchanged.
        self.wheels = self.root / "index"
        self.wheels.mkdir()
        lines = []
        for name, member in [("torch", "torch/lib/libtorch_cpu.so"), ("nvidia-cuda-runtime", "nvidia/cu13/lib/libcudart.so.13")]:
            file = self.wheels / f"{name.replace('-', '_')}-1.0-py3-none-any.whl"
            with zipfile.ZipFile(file, "w") as archive:
                archive.writestr(member, "library")
                archive.writestr("torch/__init__.py", "not wanted")
            sha = hashlib.sha256(file.read_bytes()).hexdigest()
            lines.append(f'  "{name}==1.0 {sha} {member}"\n')
        script = self.root / "tools" / "fetch_libtorch"
        text = script.read_text()
        text = re.sub(r"wheels=\(\n.*?\n\)\n", lambda _: f"wheels=(\n{''.join(lines)})\n", text, count=1, flags=re.S)
        script.write_text(text.replace("version=2.11.0", "version=1.0", 1))
        self.pip("cp \"$INDEX\"/\"$(echo \"$requirement\" | sed 's/==.*//; s/-/_/g')\"-*.whl \"$dest\"")

    def pip(self, download):
        """python3 -m pip: `download` runs with $dest and $requirement set."""
        self.command("python3", f"""
            [ "$3" = --version ] && exit 0
            echo "pip $3" >>"$CALLS"
            INDEX={self.wheels}
            while [ $# -gt 1 ]; do if [ "$1" = --dest ]; then dest=$2; fi; shift; done
            requirement=$1
            mkdir -p "$dest"
            {download}""")

    def leftovers(self):
        return sorted(path.name for path in self.cache.iterdir() if ".part." in path.name)

    def test_downloads_once(self):
        done = self.run_tool("fetch_libtorch")
        self.assertEqual(done.returncode, 0, done.stderr)
        tree = self.cache / "libtorch-1.0"
        self.assertEqual((tree / "torch/lib/libtorch_cpu.so").read_text(), "library")
        self.assertEqual((tree / "nvidia/cu13/lib/libcudart.so.13").read_text(), "library")
        self.assertFalse((tree / "torch/__init__.py").exists())
        self.assertEqual(self.leftovers(), [])
        again = self.run_tool("fetch_libtorch")
        self.assertEqual((again.returncode, again.stdout, again.stderr), (0, "", ""))
        self.assertEqual(self.calls(), ["pip download", "pip download"])

    def test_two_at_once_download_once(self):
        environment = {**os.environ, "PATH": f"{self.root}/bin:{os.environ['PATH']}", "SWEEPD_CACHE": str(self.cache),
                       "CALLS": str(self.root / "calls")}
        both = [subprocess.Popen([self.root / "tools/fetch_libtorch"], env=environment, stderr=subprocess.DEVNULL)
                for _ in range(2)]
        self.assertEqual([process.wait() for process in both], [0, 0])
        self.assertEqual(self.calls(), ["pip download", "pip download"])

    def test_wheel_in_the_cache_needs_no_network(self):
        shutil.copytree(self.wheels, self.cache / "wheels")
        self.pip("exit 1")
        done = self.run_tool("fetch_libtorch")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.calls(), [])
        self.assertTrue(any((self.cache / "wheels").iterdir()), "a wheel put there by hand is kept")

    def test_failed_download_can_be_repeated(self):
        self.pip('echo "ERROR: connection broken" >&2; exit 1')
        done = self.run_tool("fetch_libtorch")
        self.assertEqual(done.returncode, 1)
        self.assertIn("connection broken", done.stderr)
        self.assertIn("could not download torch==1.0", done.stderr)
        self.assertFalse((self.cache / "libtorch-1.0").exists())
        self.assertEqual(self.leftovers(), [])

    def test_wrong_checksum_is_refused(self):
        self.pip('echo truncated >"$dest/torch-1.0-py3-none-any.whl"')
        done = self.run_tool("fetch_libtorch")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"has SHA-256 [0-9a-f]{64}, expected [0-9a-f]{64}")
        self.assertFalse((self.cache / "libtorch-1.0").exists())

    def test_incomplete_tree_is_replaced(self):
        stale = self.cache / "libtorch-1.0" / "torch" / "half"
        stale.parent.mkdir(parents=True)
        stale.write_text("of an unpacking that was interrupted")
        (self.cache / "libtorch-1.0.part.1").mkdir()
        done = self.run_tool("fetch_libtorch")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(stale.exists())
        self.assertTrue((self.cache / "libtorch-1.0/torch/lib/libtorch_cpu.so").exists())
        self.assertEqual(self.leftovers(), [])


class Shell(unittest.TestCase):
    """Every shell script parses, and shellcheck, where installed, has nothing to say."""

    def scripts(self):
        for folder in ("tools", ".ci", "packaging"):
            for path in sorted((ROOT / folder).iterdir()):
                if path.is_file() and (path.suffix == ".sh" or re.match(r"#!.*\b(ba)?sh\b", path.read_text().split("\n", 1)[0])):
                    yield path

    def test_parse(self):
        paths = list(self.scripts())
        self.assertGreater(len(paths), 5)
        for path in paths:
            with self.subTest(path=path.name):
                subprocess.run(["bash", "-n", path], check=True)

    @unittest.skipUnless(shutil.which("shellcheck"), "shellcheck is not installed")
    def test_shellcheck(self):
        done = subprocess.run(["shellcheck", "-x", *self.scripts()], cwd=ROOT, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)


class SanitizerRun(unittest.TestCase):
    def test_every_test_program_is_in_a_build(self):
        """`tools/test --sanitizers` names the programs of each build. One that is in none is never run by CI."""
        text = (ROOT / "tools/test").read_text()
        named = "|".join(re.findall(r"\[(?:asan|release)\]='([a-z0-9|]+)'", text)).split("|")
        programs = {name for lists in (ROOT / "tests").rglob("CMakeLists.txt")
                    for name in re.findall(r"sweepd_test\((\w+)", lists.read_text())}
        self.assertGreater(len(programs), 20)
        self.assertLessEqual(programs, set(named))


if __name__ == "__main__":
    sys.exit(unittest.main())
