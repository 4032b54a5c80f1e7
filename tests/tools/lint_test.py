#!/usr/bin/env python3
"""Tests that tools/lint --layer says what is wrong in any file of a batch: without .clang-tidy everything would be clean."""

import json
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from tool_sandbox import copy_tools

ROOT = Path(__file__).resolve().parents[2]


class Lint(unittest.TestCase):
    def lint(self, *texts):
        """Lints a layer whose only batch has files with these texts."""
        with tempfile.TemporaryDirectory() as folder:
            root, batches = Path(folder), Path(folder, "build/release/runner/x/CMakeFiles/x.dir/Unity")
            copy_tools(root / "tools")
            shutil.copy(ROOT / ".clang-tidy", root)
            layer = root / "runner/x"
            layer.mkdir(parents=True)
            batches.mkdir(parents=True)
            batch = batches / "unity_0_cxx.cxx"
            for number, text in enumerate(texts):
                (layer / f"file{number}.cpp").write_text(text)
            batch.write_text("".join(f'#include "{layer}/file{number}.cpp"\n' for number in range(len(texts))))
            command = {"directory": folder, "file": str(batch), "command": f"c++ -std=c++20 -o x.o -c {batch}"}
            (root / "build/release/compile_commands.json").write_text(json.dumps([command]))
            done = subprocess.run([root / "tools/lint", "--layer", "runner/x"], capture_output=True, text=True, check=False)
        if done.returncode == 77:
            self.skipTest("clang-tidy is not installed")
        return done

    def test_a_layer_without_a_mistake_is_clean(self):
        done = self.lint("int first() {\n  return 1;\n}\n", "int second() {\n  return first();\n}\n")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("clean", done.stderr)

    def test_a_mistake_in_any_file_of_the_batch_is_named(self):
        done = self.lint("int first() {\n  return 1;\n}\n", "int Second() {\n  return 1;\n}\n")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("file1.cpp:1:5: error: invalid case style for function 'Second'", done.stdout)


if __name__ == "__main__":
    unittest.main()
