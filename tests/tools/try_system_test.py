#!/usr/bin/env python3
"""tools/try_system: wrong usage, and what it does around the build, with scripted debootstrap, unshare and builds."""

import fcntl
import os
import shutil
import subprocess
import threading
import unittest
from pathlib import Path

from tool_sandbox import Sandbox

SYSTEMS = "bookworm trixie jammy noble clang"


class TrySystem(Sandbox):
    def setUp(self):
        super().setUp()
        shutil.rmtree(self.root / "tools" / "__pycache__", ignore_errors=True)
        script = self.root / "tools" / "try_system"
        self.keys = self.root / "bin" / "ubuntu.gpg"
        self.keys.write_text("")
        script.write_text(script.read_text().replace("((EUID == 0))", "((ROOT == 0))").replace(
            "/usr/share/keyrings/ubuntu-archive-keyring.gpg", str(self.keys)))
        # What the tool leaves to other tools only notes that it was called.
        for name in ["bootstrap", "fetch_libtorch"]:
            (self.root / "tools" / name).write_text(f'#!/bin/sh\necho "{name} $*" >>"$CALLS"\n')
        for name in ["build", "test"]:
            (self.root / "tools" / name).write_text(f'#!/bin/sh\necho "{name} $CXX $* in $PWD" >>"$CALLS"\n[ "$1" != fail ]\n')
        # debootstrap makes a system; entering one only shows with what.
        self.command("unshare", """while [ "${1#--}" != "$1" ]; do shift; done
            case $1 in
              debootstrap) echo "$*" >>"$CALLS"; for each; do case $each in *.part) mkdir -p "$each/etc" ;; esac; done ;;
              *) shift 4; echo "enter $*" >>"$CALLS" ;;
            esac""")
        self.command("apt-get", "printf 'Debian|Debian-Security|http://security/debian\\nDebian|Debian|http://near.example/debian/\\n'")
        self.command("ccache", 'case $2 in cache_dir) echo /the/ccache ;; max_size) echo 7.0G ;; esac; :')
        self.command("mkdir", 'case "$*" in *the/ccache*) exit 0 ;; esac; exec /bin/mkdir "$@"')
        self.command("ctest", "printf -- '  -L <regex>   = labels\\n  -R <regex>   = names\\n'")
        subprocess.run(["git", "init", "-q", self.root], check=True)
        (self.root / ".gitignore").write_text("/bin/\n/cache/\n/calls\n/.gitconfig\n")

    def try_system(self, *arguments, **variables):
        return self.run_tool("try_system", *arguments, **{"ROOT": "0", **variables})

    def refused(self, *arguments):
        done = self.try_system(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(self.calls(), [])
        self.assertFalse(self.cache.exists())
        return done.stderr

    def test_wrong_usage(self):
        for arguments, message in [
            ([], f"expected one of: {SYSTEMS}"),
            (["debian"], f"no system `debian`; expected one of: {SYSTEMS}"),
            (["trixie", "noble"], "one system is expected, not `trixie` and `noble`"),
            (["trixie", "-L", "unit"], "no option `-L`; options of ctest follow `--`"),
            (["trixie", "--", "--wrong"], "neither this script nor ctest has an option `--wrong`"),
            (["trixie", "--mirror"], "--mirror needs a URL, not ``"),
            (["trixie", "--mirror", "near"], "--mirror needs a URL, not `near`"),
            (["clang", "--mirror", "http://near"], "--mirror is for systems that are unpacked"),
        ]:
            with self.subTest(arguments):
                self.assertIn(message, self.refused(*arguments))

    def test_other_systems_need_root(self):
        done = self.try_system("trixie", ROOT="1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("sudo SWEEPD_CACHE=", done.stderr)
        self.assertEqual(self.calls(), [])

    def test_unpacks_once_and_enters(self):
        done = self.try_system("trixie", "--", "-L", "unit")
        self.assertEqual(done.returncode, 0, done.stderr)
        root = f"{self.cache}/systems/trixie/root"
        enter = f"enter {root} {self.cache} /the/ccache CCACHE_MAXSIZE=7.0G -- -L unit"
        calls = self.calls()
        self.assertEqual([call.split()[0] for call in calls], ["fetch_libtorch", "bootstrap", "debootstrap", "enter"])
        self.assertIn("--force-check-gpg", calls[2])
        self.assertIn(f" --components=main trixie {root}.part http://near.example/debian /usr/share/debootstrap/scripts/", calls[2])
        self.assertEqual(calls[3], enter)
        self.assertTrue((Path(root) / "sweepd/tools/try_system").exists())
        self.assertFalse((Path(root) / "sweepd/cache").exists())
        self.assertTrue((Path(root) / "etc/resolv.conf").exists())
        (self.root / "calls").unlink()
        self.assertEqual(self.try_system("trixie", "--", "-L", "unit").returncode, 0)
        self.assertEqual([call for call in self.calls() if "fetch" not in call], [enter])

    def test_mirror(self):
        """The other distribution's own, since apt here has none of it, or the one that is named."""
        for arguments, mirror in [([], "http://archive.ubuntu.com/ubuntu"), (["--mirror", "http://x/ubuntu"], "http://x/ubuntu")]:
            with self.subTest(mirror):
                shutil.rmtree(self.cache, ignore_errors=True)
                (self.root / "calls").unlink(missing_ok=True)
                self.assertEqual(self.try_system("noble", *arguments).returncode, 0)
                self.assertIn(f" --components=main,universe noble {self.cache}/systems/noble/root.part {mirror} ", self.calls()[2])

    def test_ubuntu_needs_its_keys(self):
        self.keys.unlink()
        done = self.try_system("noble")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"cannot be checked without {self.keys}: install ubuntu-keyring", done.stderr)
        self.assertEqual(self.calls(), ["fetch_libtorch "])

    def test_failed_unpacking_leaves_no_system(self):
        self.command("unshare", f"mkdir {self.cache}/systems/trixie/root.part; echo 'E: no such suite'; exit 3")
        done = self.try_system("trixie")
        self.assertEqual(done.returncode, 3)
        self.assertIn("E: no such suite", done.stderr)
        self.assertEqual(sorted(os.listdir(self.cache / "systems/trixie")), ["debootstrap.log", "lock"])

    def test_proxy_is_that_of_this_system(self):
        self.assertEqual(self.try_system("trixie", http_proxy="http://proxy:1").returncode, 0)
        self.assertIn(" http_proxy=http://proxy:1 ", self.calls()[-1])

    def test_copy_follows_the_checkout(self):
        self.try_system("trixie")
        copy = self.cache / "systems/trixie/root/sweepd"
        (copy / "build/release").mkdir(parents=True)
        (copy / "build/release/object").write_text("made there")
        same, changed, gone = copy / "tools/lib.sh", copy / "tools/lint", copy / "tools/bundle"
        for path in [same, changed]:
            os.utime(path, (1000, 1000))
        (self.root / "tools/lint").write_text("changed")
        (self.root / "tools/bundle").unlink()
        self.try_system("trixie")
        self.assertEqual(same.stat().st_mtime, 1000, "ninja would compile it again")
        self.assertEqual(changed.read_text(), "changed")
        self.assertGreater(changed.stat().st_mtime, 1000)
        self.assertFalse(gone.exists())
        self.assertTrue((copy / "build/release/object").exists())

    def test_clang_builds_here_in_a_folder_of_its_own(self):
        """With the newest that has both compilers; below 15, with the one that has no version in its name."""
        path = f"{self.root}/bin:{self.real_programs()}"
        for installed, chosen in [(["clang-9", "clang++-9", "clang-14", "clang++-14"], ""),
                                  (["clang-15", "clang++-15", "clang-19", "clang++-19", "clang++-20"], "-19")]:
            with self.subTest(chosen):
                (self.root / "calls").unlink(missing_ok=True)
                for name in installed:
                    self.command(name, "exit 0")
                done = self.try_system("clang", "--", "-R", "sched", PATH=path)
                self.assertEqual(done.returncode, 0, done.stderr)
                tree = f"{self.cache}/systems/clang/clang{chosen}"
                self.assertEqual(self.calls(), ["fetch_libtorch ", "bootstrap build test clang",
                                                f"build clang++{chosen} release in {tree}",
                                                f"test clang++{chosen} -R sched in {tree}"])

    def test_failure_is_the_exit_status(self):
        (self.root / "tools" / "build").write_text("#!/bin/sh\nexit 5\n")
        done = self.try_system("clang")
        self.assertEqual(done.returncode, 5)
        self.assertIn("failed on clang, with status 5", done.stderr)
        self.assertEqual([call for call in self.calls() if call.startswith("test")], [])

    def test_failure_inside_is_the_exit_status(self):
        self.assertEqual(self.try_system("trixie").returncode, 0)
        self.command("unshare", "exit 8")
        done = self.try_system("trixie")
        self.assertEqual(done.returncode, 8)
        self.assertIn("failed on trixie, with status 8", done.stderr)

    def test_two_at_once_take_turns(self):
        self.assertEqual(self.try_system("trixie").returncode, 0)
        with open(self.cache / "systems/trixie/lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            second = threading.Thread(target=lambda: said.append(self.try_system("trixie").stderr))
            said, before = [], len(self.calls())
            second.start()
            second.join(timeout=1)
            self.assertTrue(second.is_alive())
            self.assertEqual(len(self.calls()), before)
        second.join()
        self.assertIn("another run of trixie is going on; waiting for it", said[0])
        self.assertGreater(len(self.calls()), before)

    def real_programs(self):
        """A folder with this system's programs, without its compilers."""
        folder = self.root / "cache.programs"
        folder.mkdir(exist_ok=True)
        for name in ["bash", "sh", "sed", "grep", "dirname", "basename", "sort", "comm", "find", "xargs", "rm", "cmp", "cp", "git",
                     "flock", "mktemp", "cat", "head", "tail", "env", "tr"]:
            (folder / name).symlink_to(shutil.which(name))
        return folder


if __name__ == "__main__":
    unittest.main()
