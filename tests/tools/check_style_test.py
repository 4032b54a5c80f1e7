#!/usr/bin/env python3
"""tools/check_style on files of its own: ways to check a property, and whether its answer is read; long and empty files."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tool_sandbox import copy_tools

ROOT = Path(__file__).resolve().parents[2]

DROPPED = ["rc::check([] {});", "(void)rc::check([] {});", "static_cast<void>(rc::check([] {}));", "std::ignore = rc::check([] {});",
           "if (x)\n    rc::check([] {});", "// why\n  rc::check([] {});"]
READ = ["EXPECT_TRUE(rc::check([] {}));", "ASSERT_TRUE(\n      rc::check([] {}));", "return rc::check([] {});",
        "const bool holds =\n      rc::check([] {});", "EXPECT_TRUE(first &&\n              rc::check([] {}));"]


def check_style(files):
    """Runs check_style in a tree of these files, by name and text."""
    with tempfile.TemporaryDirectory() as folder:
        copy_tools(Path(folder, "tools"))
        shutil.copy(ROOT / ".clang-format", folder)
        for name, text in files.items():
            file = Path(folder, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return subprocess.run([Path(folder, "tools", "check_style")], capture_output=True, text=True, check=False)


class Length(unittest.TestCase):
    def test_a_file_of_351_lines_is_an_error_and_one_of_350_a_warning(self):
        done = check_style({"long.cpp": "int a;\n" * 351})
        self.assertEqual(done.returncode, 1)
        self.assertIn("check_style: error: long.cpp has 351 lines; split it", done.stderr)
        done = check_style({"long.cpp": "int a;\n" * 350})
        self.assertIn(done.returncode, [0, 77])  # 77: no clang-format 14
        self.assertIn("check_style: warning: long.cpp has 350 lines; look again", done.stderr)


class Empty(unittest.TestCase):
    def test_an_empty_file_is_an_error(self):
        done = check_style({"kept.h": "#pragma once\n", "left.h": ""})
        self.assertEqual(done.returncode, 1)
        self.assertIn("check_style: error: left.h is empty; remove it", done.stderr)
        self.assertNotIn("kept.h", done.stderr)


class Properties(unittest.TestCase):
    def check(self, statements):
        """Exit status, and what check_style says of rc::check in a tree with a file for each statement."""
        files = {f"{i}_test.cpp": f"TEST(A, B) {{\n  {statement}\n}}\n" for i, statement in enumerate(statements)}
        done = check_style(files)
        return done.returncode, [line for line in done.stderr.splitlines() if "rc::check" in line]

    def test_an_answer_that_nobody_reads(self):
        status, lines = self.check(DROPPED)
        self.assertEqual(status, 1)
        self.assertCountEqual(lines, [
            f"{i}_test.cpp:{2 + statement.count(chr(10))}: the result of rc::check is ignored; write EXPECT_TRUE(rc::check(...))"
            for i, statement in enumerate(DROPPED)])

    def test_an_answer_that_is_read(self):
        self.assertEqual(self.check(READ)[1], [])


if __name__ == "__main__":
    sys.exit(unittest.main())
