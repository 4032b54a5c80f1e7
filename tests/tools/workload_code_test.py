#!/usr/bin/env python3
"""Tests which changes of the sources change a workload's code, and so which results run again."""

import re
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "cmake/workload_code.cmake"


class WorkloadCode(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name in ("matmul.cpp", "noop.cpp", "nn/layer.h", "cuda/kernel.cu"):
            self.write("workloads/" + name, "// " + name)
        self.write("runner/daemon.cpp", "int main() {}")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def codes(self, salt="gcc 12 -O3"):
        out = self.root / "code.cpp"
        subprocess.run(["cmake", f"-DROOT={self.root}", f"-DSALT={salt}", f"-DOUT={out}", "-P", SCRIPT], check=True)
        return dict(re.findall(r'\{"(\w+)", "([0-9a-f]{12})"\}', out.read_text()))

    def changed(self, change):
        before = self.codes()
        change()
        after = self.codes()
        return {name for name in before if before[name] != after[name]}

    def test_each_workload_has_a_code_of_its_own(self):
        codes = self.codes()
        self.assertEqual(set(codes), {"matmul", "noop"})
        self.assertNotEqual(codes["matmul"], codes["noop"])

    def test_a_file_outside_changes_none(self):
        self.assertEqual(self.changed(lambda: self.write("runner/daemon.cpp", "int main() { return 1; }")), set())

    def test_its_own_file_changes_one(self):
        self.assertEqual(self.changed(lambda: self.write("workloads/noop.cpp", "// slower")), {"noop"})

    def test_a_shared_file_changes_all(self):
        for name in ("nn/layer.h", "cuda/kernel.cu"):
            with self.subTest(name):
                self.assertEqual(self.changed(lambda: self.write("workloads/" + name, "// other " + name)), {"matmul", "noop"})

    def test_a_renamed_shared_file_changes_all(self):
        rename = lambda: (self.root / "workloads/nn/layer.h").rename(self.root / "workloads/nn/block.h")
        self.assertEqual(self.changed(rename), {"matmul", "noop"})

    def test_flags_change_all(self):
        self.assertTrue(set(self.codes().values()).isdisjoint(self.codes("gcc 12 -O2").values()))

    def test_the_file_is_not_touched_without_a_change(self):
        self.codes()
        before = (self.root / "code.cpp").stat().st_mtime_ns
        self.codes()
        self.assertEqual((self.root / "code.cpp").stat().st_mtime_ns, before)


if __name__ == "__main__":
    unittest.main()
