#!/usr/bin/env python3
"""tools/mutate: whether its list fits the sources, and, with scripted compilers, what it says of a mutation."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Stand for what builds. A "program" is a script that looks at the source that was linked in front of it.
CMAKE = """
while [ "$1" != -B ]; do shift; done
mkdir -p $2/bin
touch $2/build.ninja
echo '[{"file": "'$2'/../../runner/base/files.cpp", "command": "c++ -O3 -MF x.d -o base/CMakeFiles/sweepd_base.dir/x.o -c x.cpp"}]' |
  sed 's#/build/release/../..##' >$2/compile_commands.json
"""
NINJA = """
folder=$2
shift 2
if [ "$1" = -t ]; then
  echo ": && c++ -O3 -o $3 main.o base/libsweepd_base.a && :"
else
  shift 2
  for name; do cp "$(dirname "$0")/test_program" $folder/bin/$name; done
fi
"""
COMPILER = """
object=$1
for word; do
  [ "$before" = -o ] && output=$word
  [ "$before" = -c ] && source=$word
  before=$word
done
if [ -n "$source" ]; then
  grep -q BROKEN_SYNTAX $source && echo 'mutant.cpp:1: error: no such thing' >&2 && exit 1
  cp $source $output
else
  cp "$(dirname "$0")/test_program" $output
  cp $object $output.source
fi
"""
TEST_PROGRAM = """#!/bin/sh
echo '[==========] Running 1 test'
echo '[ RUN      ] FilesTest.Reads'
[ -e $0.source ] || exit 0
grep -q ABORTS $0.source && kill -ABRT $$
grep -q WRONG $0.source && echo '[  FAILED  ] FilesTest.Reads (1 ms)' && exit 1
exit 0
"""
OLD = '- path fresh = file.string() + ".new"'
NEW = "+ path& fresh = file"


class Mutate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "project"
        (self.root / "tools").mkdir(parents=True)
        shutil.copy(ROOT / "tools" / "mutate", self.root / "tools")
        shutil.copytree(ROOT / "tools" / "mutations", self.root / "tools" / "mutations")
        for name in ("runner", "db", "workloads", "tests"):
            (self.root / name).symlink_to(ROOT / name)
        self.bin = self.root / "bin"
        self.bin.mkdir()
        self.command("git", "printf 'runner/base/files.cpp\\0'")
        self.command("cmake", CMAKE)
        self.command("ninja", NINJA)
        self.command("c++", COMPILER)
        self.command("unshare", 'while [ "$1" != sh ]; do shift; done; exec "$@"')
        (self.bin / "test_program").write_text(TEST_PROGRAM)
        (self.bin / "test_program").chmod(0o755)

    def command(self, name, script):
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def mutate(self, *arguments):
        environment = {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}", "TMPDIR": str(self.root)}
        return subprocess.run([self.root / "tools" / "mutate", *arguments], env=environment, text=True,
                              capture_output=True, check=False)

    def change(self, layer, old, new):
        path = self.root / "tools" / "mutations" / f"{layer}.txt"
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1))

    def try_one(self, new):
        """What is said of a mutation of one line of files.cpp."""
        self.change("base", NEW, f"+ {new}")
        done = self.mutate("--only", "base.replaced_in_place")
        left = [path.name for path in self.root.iterdir() if path.name.startswith("sweepd-mutate")]
        self.assertEqual(left, [], "the folder is removed")
        return done

    def test_the_list_fits_the_sources(self):
        done = self.mutate("--check")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def check_with(self, old, new):
        """What --check says of a list in which one text is another."""
        path = self.root / "tools" / "mutations" / "base.txt"
        before = path.read_text()
        self.change("base", old, new)
        done = self.mutate("--check")
        path.write_text(before)
        return done

    def test_what_does_not_fit_is_named(self):
        for old, new, message in [
            (OLD, "- a line that was changed", "stale: runner/base/files.cpp has `a line that was changed` 0 times"),
            (OLD, "- return {};", "times, expected once"),
            ("files.cpp", "files.h", "is not compiled by itself"),
            ("base.FilesTest.*", "base.FilleTest.*", "no test of tests/base is called `FilleTest.*`"),
            ("base.FilesTest.*", "", "it lacks why or tests"),
            (NEW, OLD.replace("-", "+"), "it changes nothing"),
            ("[replaced_in_place]", "[link_followed]", "the name is there twice"),
        ]:
            with self.subTest(new=new):
                done = self.check_with(old, new)
                self.assertEqual(done.returncode, 1)
                self.assertIn(message, done.stderr)

    def test_too_few_of_a_layer_and_too_many_in_all_are_said(self):
        folder = self.root / "tools" / "mutations"
        (folder / "sched.txt").unlink()
        (folder / "base.txt").write_text((folder / "base.txt").read_text() * 20)
        done = self.mutate("--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("0 mutations of sched; expected at least 3", done.stderr)
        self.assertIn("expected at most 100; remove one that breaks a lesser promise", done.stderr)

    def test_a_line_too_many_or_outside_an_entry_is_an_error(self):
        for old, new, line in [(NEW, f"{NEW}\n{NEW}", 5), ("[replaced_in_place]", "replaced_in_place", 1)]:
            with self.subTest(new=new):
                done = self.check_with(old, new)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(f"base.txt:{line}: expected `[NAME] FILE TESTS`", done.stderr)

    def test_what_has_no_new_text_is_left_out(self):
        (self.bin / "test_program").write_text(TEST_PROGRAM.replace("WRONG", "'= file.string() ;'"))
        self.change("base", f"{OLD}\n{NEW}", '- + ".new"')
        done = self.mutate("--only", "base.replaced_in_place")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 killed", done.stdout)

    def test_killed_and_by_whom(self):
        done = self.try_one("WRONG")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"killed +base\.replaced_in_place .*base\.FilesTest\.Reads")
        self.assertIn("1 mutations: 1 killed, 0 timed out, 0 did not compile, 0 survived; 0.0 % survived", done.stdout)

    def test_a_crash_is_of_the_test_that_ran(self):
        self.assertRegex(self.try_one("ABORTS").stdout, r"killed .*base\.FilesTest\.Reads")

    def test_a_survivor_is_an_error(self):
        done = self.try_one("harmless")
        self.assertEqual(done.returncode, 1)
        self.assertIn("1 survived; 100.0 % survived", done.stdout)

    def test_what_does_not_compile_is_an_error(self):
        done = self.try_one("BROKEN_SYNTAX")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"did not compile .*mutant.cpp:1: error: no such thing")

    def test_tests_that_fail_without_a_mutation_prove_nothing(self):
        (self.bin / "test_program").write_text("#!/bin/sh\nexit 1\n")
        done = self.mutate("--only", "base.replaced_in_place")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("without any mutation test_base", done.stderr)

    def test_nothing_to_do_is_an_error(self):
        done = self.mutate("--only", "no such mutation")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no mutation matches", done.stderr)


if __name__ == "__main__":
    unittest.main()
