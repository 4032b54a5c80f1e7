#!/usr/bin/env python3
"""tools/check_style on small files: each is a way to check a property, and whether its answer is read."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

DROPPED = ["rc::check([] {});", "(void)rc::check([] {});", "static_cast<void>(rc::check([] {}));", "std::ignore = rc::check([] {});",
           "if (x)\n    rc::check([] {});", "// why\n  rc::check([] {});"]
READ = ["EXPECT_TRUE(rc::check([] {}));", "ASSERT_TRUE(\n      rc::check([] {}));", "return rc::check([] {});",
        "const bool holds =\n      rc::check([] {});", "EXPECT_TRUE(first &&\n              rc::check([] {}));"]


class Properties(unittest.TestCase):
    def check(self, statements):
        """Exit status, and what check_style says of rc::check in a tree with a file for each statement."""
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(ROOT / "tools", Path(folder, "tools"))
            shutil.copy(ROOT / ".clang-format", folder)
            for i, statement in enumerate(statements):
                Path(folder, f"{i}_test.cpp").write_text(f"TEST(A, B) {{\n  {statement}\n}}\n")
            done = subprocess.run([Path(folder, "tools", "check_style")], capture_output=True, text=True, check=False)
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
