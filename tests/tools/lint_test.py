#!/usr/bin/env python3
"""Tests that tools/lint says what is wrong in any file of a layer, and in what changed: without .clang-tidy everything
would be clean."""

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

    def test_only_what_differs_from_a_revision_is_checked(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            copy_tools(root / "tools")
            shutil.copy(ROOT / ".clang-tidy", root)
            layer = root / "runner/base"
            layer.mkdir(parents=True)
            (root / "build/release").mkdir(parents=True)
            commands = []
            for name in ("old", "changed", "beside"):
                (layer / f"{name}.cpp").write_text(f"int Bad_{name}() {{\n  return 1;\n}}\n")
                commands.append({"directory": folder, "file": str(layer / f"{name}.cpp"),
                                 "command": f"c++ -std=c++20 -o {name}.o -c {layer}/{name}.cpp"})
            (layer / "beside.h").write_text("#pragma once\n")
            (root / "build/release/compile_commands.json").write_text(json.dumps(commands))
            git = ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b"]
            for command in (["init", "-q"], ["add", "runner"], ["commit", "-qm", "first"]):
                subprocess.run([*git, *command], check=True)
            (layer / "changed.cpp").write_text("int Bad_changed() {\n  return 2;\n}\n")
            (layer / "beside.h").write_text("#pragma once\nint Bad_beside();\n")
            subprocess.run([*git, "commit", "-qam", "second"], check=True)
            done, nothing, unknown = (subprocess.run([root / "tools/lint", "--since", revision], capture_output=True, text=True,
                                                     check=False) for revision in ("HEAD~1", "HEAD", "nix"))
        if "is not installed" in done.stderr:
            self.skipTest("clang-tidy is not installed")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("'Bad_changed'", done.stdout)
        self.assertIn("'Bad_beside'", done.stdout)  # its header changed
        self.assertNotIn("'Bad_old'", done.stdout)
        self.assertEqual(nothing.returncode, 0, nothing.stderr)
        self.assertEqual(unknown.returncode, 2, unknown.stderr)
        self.assertIn("got `nix`", unknown.stderr)


if __name__ == "__main__":
    unittest.main()
