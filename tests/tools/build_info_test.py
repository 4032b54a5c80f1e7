#!/usr/bin/env python3
"""cmake/build_info/write.cmake, which a build runs to find out what it is made of."""
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "cmake/build_info/write.cmake"


class BuildInfo(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.sources = pathlib.Path(self.folder.name, "sources")
        self.output = pathlib.Path(self.folder.name, "build_info.cpp")
        self.sources.mkdir()

    def git(self, *arguments):
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        command = ["git", *identity, *arguments]
        return subprocess.run(command, cwd=self.sources, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, text):
        (self.sources / "file").write_text(text)
        self.git("add", "file")
        self.git("commit", "-q", "-m", text)
        return self.git("rev-parse", "HEAD")[:12]

    def write(self, git="git"):
        values = {"GIT": git, "SOURCE": self.sources, "VERSION": "1.2.3", "BUILD": "Release, C++", "OUTPUT": self.output}
        subprocess.run(["cmake", *(f"-D{k}={v}" for k, v in values.items()), "-P", SCRIPT], check=True)
        return self.output.read_text()

    def test_it_names_the_commit_of_the_moment(self):
        self.git("init", "-q")
        first = self.commit("one")
        self.assertIn(f'kBuildCommit = "{first}";', self.write())
        second = self.commit("two")
        self.assertIn(f'kVersionText = "1.2.3 ({second}; Release, C++)";', self.write())

    def test_it_says_that_a_file_differs_from_the_commit(self):
        self.git("init", "-q")
        commit = self.commit("one")
        (self.sources / "file").write_text("not committed")
        self.assertIn(f'kBuildCommit = "{commit}-dirty";', self.write())

    def test_a_tag_does_not_stand_for_the_commit(self):
        self.git("init", "-q")
        commit = self.commit("one")
        self.git("tag", "-a", "-m", "a release", "v1")
        self.assertIn(f'kBuildCommit = "{commit}";', self.write())

    def test_nothing_is_written_where_nothing_changed(self):
        self.git("init", "-q")
        self.commit("one")
        self.write()
        before = self.output.stat().st_mtime_ns
        self.write()
        self.assertEqual(self.output.stat().st_mtime_ns, before)

    def test_sources_from_an_archive_and_a_machine_without_git_have_no_commit(self):
        self.assertIn('kBuildCommit = "unknown";', self.write())
        self.git("init", "-q")
        self.commit("one")
        self.assertIn('kBuildCommit = "unknown";', self.write(git=""))


if __name__ == "__main__":
    unittest.main()
