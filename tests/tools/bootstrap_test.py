#!/usr/bin/env python3
"""tools/bootstrap on each system that it knows and on others, with scripted apt-get, apt-cache and dpkg-query.

Each test is a short story: what the system calls itself, which packages it has and knows, and what is installed or said.
"""

import os
import shutil
import unittest

from tool_sandbox import Sandbox

BOOKWORM = 'ID=debian\nVERSION_ID="12"\n'
TRIXIE = 'ID=debian\nVERSION_ID="13"\n'
SID = "ID=debian\n"
JAMMY = 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="22.04"\n'
NOBLE = 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\n'
MINT = 'ID=linuxmint\nID_LIKE="ubuntu debian"\nVERSION_ID="22"\n'
FEDORA = "ID=fedora\nVERSION_ID=41\n"

# What every known system has under the same name.
COMMON = """g++ cmake ninja-build ccache git python3 python3-pip unzip pkg-config libboost-dev libyaml-cpp-dev libspdlog-dev
    libfmt-dev zlib1g-dev libsqlite3-dev libcli11-dev nlohmann-json3-dev rapidjson-dev libhwloc-dev libjemalloc-dev libcmark-gfm-dev
    libcmark-gfm-extensions-dev libkainjow-mustache-dev libgtest-dev libgmock-dev
    librapidcheck-dev socat sqlite3 procps clang-format-14 shellcheck clang-tidy-14""".split()
NEWER = ["libsqlitecpp-dev", "libvalijson-dev"]
COMMANDS = {"g++": "", "cmake": "cmake version 3.25.1", "ninja": "", "git": "", "python3": "", "pip3": "", "unzip": "", "pkg-config": ""}


class Bootstrap(Sandbox):
    def setUp(self):
        super().setUp()
        self.command("apt-get", 'echo "apt-get $*" >>"$CALLS"')
        self.command("sudo", 'if [ "$1" = -n ]; then shift; fi; exec "$@"')
        self.packages("# set package purpose", "build g++ g++", "build cmake cmake", "test socat socat")
        self.system(BOOKWORM)
        self.installed()
        self.known("g++", "cmake", "socat")

    def packages(self, *lines):
        (self.root / "tools" / "packages.txt").write_text("\n".join(lines) + "\n")

    def real_packages(self):
        here = self.root / "tools" / "packages.txt"
        here.unlink()
        shutil.copy(os.path.join(os.path.dirname(__file__), "../../tools/packages.txt"), here)

    def system(self, os_release):
        (self.root / "os-release").write_text(os_release)

    def installed(self, *packages):
        lines = "".join(f"installed {package}\\n" for package in packages)
        self.command("dpkg-query", f"printf '{lines}config-files socat\\n'")

    def known(self, *packages):
        """apt-cache policy, which is silent about names that apt never heard of."""
        known = " ".join(packages)
        self.command("apt-cache", f"""shift
            for name; do case " {known} $name" in
              *" $name "*) printf '%s:\\n  Installed: (none)\\n  Candidate: 1.0\\n  Version table:\\n     1.0 500\\n' "$name" ;;
              *" virtual-dev") printf '%s:\\n  Installed: (none)\\n  Candidate: (none)\\n' "$name" ;;
            esac; done""")

    def bootstrap(self, *sets, **variables):
        return self.run_tool("bootstrap", *sets, SWEEPD_OS_RELEASE=str(self.root / "os-release"), **variables)

    def chosen(self):
        """The packages of the one installation."""
        installs = [call for call in self.calls() if " install " in call]
        self.assertEqual(len(installs), 1, self.calls())
        return installs[0].removeprefix("apt-get install -y --no-install-recommends ").split()

    # What is missing is installed, and nothing else happens.

    def test_nothing_to_do_is_silent(self):
        self.installed("g++", "cmake")
        self.command("apt-cache", 'echo "apt-cache" >>"$CALLS"')
        done = self.bootstrap("build")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(self.calls(), [])

    def test_installs_what_is_missing_and_no_more(self):
        self.installed("g++")
        done = self.bootstrap("build", "test")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.calls(), ["apt-get update", "apt-get install -y --no-install-recommends cmake socat"])
        self.assertIn("installing 2 packages: cmake socat", done.stderr)

    def test_failure_shows_what_apt_said(self):
        for step in ["update", "install"]:
            with self.subTest(step):
                self.command("apt-get", f'if [ "$1" = {step} ]; then echo "E: no space left"; exit 100; fi')
                done = self.bootstrap("build")
                self.assertEqual(done.returncode, 100)
                self.assertIn("E: no space left", done.stderr)

    def test_unknown_set(self):
        done = self.bootstrap("tests")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no package set `tests`; expected build, test, sanitize, lint, fuzz, clang, system or package", done.stderr)

    # Of several names the first that apt knows is taken.

    def test_first_known_name_is_taken(self):
        self.packages("build libboost1.81-dev|libboost-dev <boost/asio.hpp>")
        for known, expected in [(["libboost-dev", "libboost1.81-dev"], "libboost1.81-dev"), (["libboost-dev"], "libboost-dev")]:
            with self.subTest(expected):
                (self.root / "calls").unlink(missing_ok=True)
                self.known(*known)
                self.assertEqual(self.bootstrap("build").returncode, 0)
                self.assertEqual(self.chosen(), [expected])

    def test_name_without_a_version_to_install_is_not_taken(self):
        self.packages("build virtual-dev|libboost-dev <boost/asio.hpp>")
        self.known("libboost-dev")
        self.assertEqual(self.bootstrap("build").returncode, 0)
        self.assertEqual(self.chosen(), ["libboost-dev"])

    def test_installed_alternative_counts(self):
        self.packages("build libboost1.*-dev|libboost1.81-dev|libboost-dev <boost/asio.hpp>")
        self.known("libboost1.81-dev", "libboost-dev")
        for installed in ["libboost-dev", "libboost1.74-dev", "libboost1.83-dev"]:
            with self.subTest(installed):
                self.installed("g++", installed)
                done = self.bootstrap("build")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(self.calls(), [])
        self.installed("libboost-atomic1.81-dev")
        self.assertEqual(self.bootstrap("build").returncode, 0)
        self.assertEqual(self.chosen(), ["libboost1.81-dev"])

    def test_fresh_container_has_no_lists_before_the_update(self):
        self.known()
        known = self.root / "bin" / "apt-cache"
        empty = known.read_text()
        self.known("g++", "cmake")
        known.rename(self.root / "after")
        known.write_text(empty)
        known.chmod(0o755)
        self.command("apt-get", f'echo "apt-get $*" >>"$CALLS"; if [ "$1" = update ]; then cp {self.root}/after {known}; fi')
        done = self.bootstrap("build")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.chosen(), ["g++", "cmake"])

    def test_package_that_apt_does_not_know_is_named(self):
        self.known("g++")
        done = self.bootstrap("build")
        self.assertEqual(done.returncode, 1)
        self.assertIn("apt knows no package cmake on debian 12", done.stderr)
        self.assertIn("universe", done.stderr)

    def test_what_the_build_can_do_without(self):
        self.packages("build g++ g++", "build libvalijson-dev <valijson.hpp> else some tests are left out")
        self.known("g++")
        done = self.bootstrap("build")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("debian 12 has no package libvalijson-dev: some tests are left out", done.stderr)
        self.assertEqual(self.chosen(), ["g++"])
        # It was said once; the next run is silent.
        self.installed("g++")
        (self.root / "calls").unlink()
        done = self.bootstrap("build")
        self.assertEqual((done.returncode, done.stdout, done.stderr, self.calls()), (0, "", "", []))

    def test_neither_root_nor_sudo_names_the_command(self):
        if os.geteuid() == 0:
            script = self.root / "tools" / "bootstrap"
            script.write_text(script.read_text().replace("EUID != 0", "1 != 0"))
        self.command("sudo", "exit 1")
        self.known("g++")
        self.packages("build g++ g++", "build new|cmake cmake", "build rare rare else nothing")
        done = self.bootstrap("build")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Run: sudo apt-get update && sudo apt-get install -y --no-install-recommends g++ cmake\n", done.stderr)
        self.assertEqual(self.calls(), [])

    # The real list on each system: what apt knows there, and what is chosen of it.

    def test_each_known_system(self):
        without_14 = [package.replace("-14", "") for package in COMMON]
        for name, os_release, archive, boost, missing in [
            ("Debian 12", BOOKWORM, [*COMMON, *NEWER, "libboost1.74-dev", "libboost1.81-dev"], "libboost1.81-dev", []),
            ("Debian 13", TRIXIE, [*without_14, *NEWER, "libboost1.83-dev"], "libboost-dev", []),
            ("Debian testing", SID, [*without_14, *NEWER, "libboost1.90-dev"], "libboost-dev", []),
            ("Ubuntu 22.04", JAMMY, [*COMMON, "libboost1.74-dev"], "libboost-dev", NEWER),
            ("Ubuntu 24.04", NOBLE, [*COMMON, *NEWER, "libboost1.74-dev", "libboost1.83-dev"], "libboost-dev", []),
            ("Linux Mint 22", MINT, [*COMMON, *NEWER, "libboost1.83-dev"], "libboost-dev", []),
        ]:
            with self.subTest(name):
                (self.root / "calls").unlink(missing_ok=True)
                self.real_packages()
                self.system(os_release)
                self.known(*archive)
                done = self.bootstrap()
                self.assertEqual(done.returncode, 0, done.stderr)
                common = without_14 if set(without_14) <= set(archive) else COMMON
                expected = {*common, *NEWER} - {"libboost-dev", *missing} | {boost}
                self.assertEqual(set(self.chosen()), expected)
                self.assertEqual("CMake fetches its source" in done.stderr, "libsqlitecpp-dev" in missing, done.stderr)
                self.assertEqual("sweep file's schema are left out" in done.stderr, "libvalijson-dev" in missing)

    # On other systems nothing is installed, and what is missing is named.

    def other_system(self, os_release, commands, absent_headers=(), compiler_says=""):
        """Only these commands exist, and the compiler lacks these headers."""
        self.system(os_release)
        folder = self.root / "only"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for tool in ["bash", "sed", "grep", "dirname", "basename", "cat", "sort", "head", "env"]:
            (folder / tool).symlink_to(shutil.which(tool))
        for name, says in commands.items():
            self.command(name, f"echo '{says}'")
            (self.root / "bin" / name).rename(folder / name)
        if "g++" in commands:
            lines = [f"echo '\"missing: <{header}>\"'" for header in absent_headers]
            cases = "\n".join(f"case $probe in *'<{header}>'*) {line} ;; esac" for header, line in zip(absent_headers, lines))
            (folder / "g++").write_text(f"#!/bin/bash\nprobe=$(cat)\n{cases}\n{compiler_says}\n")
        return self.bootstrap(PATH=str(folder))

    def test_other_system_with_everything_is_silent(self):
        self.real_packages()
        done = self.other_system(FEDORA, {**COMMANDS, "socat": "", "sqlite3": "", "pgrep": ""})
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_other_system_names_exactly_what_is_missing(self):
        self.real_packages()
        there = {**COMMANDS, "socat": "", "pgrep": "", "cmake": "cmake version 3.20.4"}
        del there["unzip"]
        done = self.other_system(FEDORA, there, ["boost/asio.hpp", "hwloc.h", "valijson/validator.hpp"])
        self.assertEqual(done.returncode, 1)
        named = [line.strip() for line in done.stderr.splitlines() if line.startswith("  ")]
        self.assertEqual(named, ["cmake 3.22 or newer (found 3.20.4)", "unzip", "sqlite3", "<boost/asio.hpp>", "<hwloc.h>"])
        self.assertIn("this is fedora 41", done.stderr)

    def test_other_system_without_a_compiler(self):
        self.real_packages()
        there = {**COMMANDS, "socat": "", "sqlite3": "", "pgrep": ""}
        del there["g++"]
        done = self.other_system("", there)
        self.assertEqual(done.returncode, 1)
        named = [line.strip() for line in done.stderr.splitlines() if line.startswith("  ")]
        self.assertEqual(named, ["g++ or clang++ or c++", "headers (they are looked for once there is a compiler)"])
        self.assertIn("this is unknown", done.stderr)

    def test_compiler_that_does_not_work(self):
        self.real_packages()
        done = self.other_system(FEDORA, {**COMMANDS, "socat": "", "sqlite3": "", "pgrep": ""}, compiler_says="exit 1")
        self.assertIn("  a compiler for C++20 (g++ is none)\n", done.stderr)
        self.assertEqual(done.returncode, 1)

    def test_too_old_a_release_is_another_system(self):
        for os_release in ['ID=debian\nVERSION_ID="11"\n', 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="20.04"\n']:
            with self.subTest(os_release):
                self.real_packages()
                done = self.other_system(os_release, {"apt-get": "it is there", "apt-cache": "", "dpkg-query": "", "mktemp": ""})
                self.assertEqual(done.returncode, 1)
                self.assertIn("  ninja\n", done.stderr)
                self.assertEqual(self.calls(), [])

    @unittest.skipUnless(shutil.which("g++"), "g++ is not installed")
    def test_real_compiler_finds_headers(self):
        self.packages("build g++ g++", "build a <here.h>", "build b <vector>", "build c <nowhere.h>")
        self.system(FEDORA)
        (self.root / "prefix" / "include").mkdir(parents=True)
        (self.root / "prefix" / "include" / "here.h").write_text("")
        done = self.bootstrap("build", CMAKE_PREFIX_PATH=f"/none:{self.root}/prefix")
        named = [line.strip() for line in done.stderr.splitlines() if line.startswith("  ")]
        self.assertEqual(named, ["<nowhere.h>"], done.stderr)


if __name__ == "__main__":
    unittest.main()
