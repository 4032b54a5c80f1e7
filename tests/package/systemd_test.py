#!/usr/bin/env python3
"""The user unit under a real `systemd --user`, in namespaces of its own: enable, find, crash, journal, stop.

    systemd_test.py BIN

The manager gets a home folder, a /run and a journal of its own, and a control group below the one of this test.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INSIDE = "--inside"
JOURNALD = Path("/lib/systemd/systemd-journald")
MANAGER = Path("/lib/systemd/systemd")


def run(*command):
    return subprocess.run(command, text=True, capture_output=True, check=False, timeout=60)


def until(condition, what):
    for _ in range(300):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError(f"{what} did not happen within 30 s")


class Unit(unittest.TestCase):
    """One story, in the order of its parts."""

    def control(self, *arguments):
        done = run("systemctl", "--user", *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout.strip()

    def state(self, name):
        return run("systemctl", "--user", "show", "sweepd", "--value", f"--property={name}").stdout.strip()

    def sweepctl(self, *arguments):
        return run(BIN / "sweepctl", *arguments)

    def story(self):
        with self.subTest("systemd has nothing to say about the unit"):
            done = run("systemd-analyze", "--user", "verify", UNIT)
            self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

        with self.subTest("enable --now starts it, and sweepctl finds it"):
            self.control("enable", "--now", "sweepd")
            self.assertTrue((Path(os.environ["HOME"]) / ".config/systemd/user/default.target.wants/sweepd.service").is_symlink())
            until(lambda: self.sweepctl("--no-start", "status").returncode == 0, "an answer of the daemon")
            said = self.sweepctl("doctor").stdout
            self.assertIn("run by systemd as sweepd.service", said)

        with self.subTest("its log is in the journal, and doctor names the command"):
            self.assertIn("the journal (journalctl --user-unit sweepd.service) and ", said)
            until(lambda: "sweepd" in run("journalctl", "-q", "--user-unit", "sweepd.service").stdout, "a line in the journal")

        with self.subTest("a crash starts it again"):
            first = int(self.state("MainPID"))
            os.kill(first, signal.SIGKILL)
            until(lambda: self.state("MainPID") not in ("0", str(first)), "a new start")
            until(lambda: self.sweepctl("--no-start", "status").returncode == 0, "an answer of the new daemon")
            self.assertEqual(self.state("NRestarts"), "1")

        with self.subTest("sweepctl stop does not start it again, and it is no failure"):
            self.assertEqual(self.sweepctl("stop").returncode, 0)
            until(lambda: self.state("ActiveState") == "inactive", "the end of the daemon")
            time.sleep(3)  # longer than RestartSec
            self.assertEqual(self.state("ActiveState"), "inactive")

        with self.subTest("systemctl stop ends it"):
            self.control("start", "sweepd")
            until(lambda: self.sweepctl("--no-start", "status").returncode == 0, "an answer of the daemon")
            self.control("stop", "sweepd")
            self.assertEqual(self.sweepctl("--no-start", "status").returncode, 5)

    runTest = story


def own_groups():
    """The folders of this process in the hierarchies that systemd uses."""
    mounts = {}
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        if kind == "cgroup2" or (kind == "cgroup" and "name=systemd" in options):
            mounts[kind] = Path(before.split()[4])
    groups = []
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, name, path = line.split(":", 2)
        kind = {"": "cgroup2", "name=systemd": "cgroup"}.get(name)
        if kind in mounts:
            groups.append(mounts[kind] / path.lstrip("/"))
    return groups


def groups_below(folder):
    return sorted((path for path in folder.rglob("*") if path.is_dir()), key=lambda path: -len(path.parts))


# Enters the groups that its arguments name, up to `--`, and runs the rest.
ENTER = 'while [ "$1" != -- ]; do echo $$ >"$1/cgroup.procs" || exit 77; shift; done; shift; exec "$@"'


def enter(groups, *command):
    return ["bash", "-c", ENTER, "bash", *groups, "--", *command]


def inside(folder):
    """Process 1 of the namespaces."""
    for mounted in ["/run", *(["/var/log/journal"] if Path("/var/log/journal").is_dir() else [])]:
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", mounted], check=True)
    runtime = Path(f"/run/user/{os.getuid()}")
    for path in (runtime, Path("/run/systemd/system")):  # sd_booted() looks for the second
        path.mkdir(parents=True)
    os.environ.update(HOME=str(folder), XDG_RUNTIME_DIR=str(runtime))
    for name in ("DBUS_SESSION_BUS_ADDRESS", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "SWEEPD_STATE_DIR"):
        os.environ.pop(name, None)
    UNIT.parent.mkdir(parents=True)
    UNIT.write_text((ROOT / "packaging/sweepd.service").read_text().replace("@prefix@", str(BIN.parent)))
    with open(folder / "log", "w", encoding="utf-8") as log:
        subprocess.Popen([JOURNALD], stdout=log, stderr=log)
        until(Path("/run/systemd/journal/stdout").exists, "the journal's socket")
        # systemd uses its current group as its root; the journal recognizes it as a user's by its
        # name, below the group of process 1.
        below = [group / "user@0.service" for group in own_groups()]
        subprocess.Popen(enter(below, MANAGER, "--user", "--log-target=console"), stdout=log, stderr=log)
    try:
        until(lambda: run("systemctl", "--user", "is-system-running").stdout.strip() in ("running", "degraded"), "the start of systemd")
    except AssertionError:
        print("no user manager of systemd can run here:", (folder / "log").read_text())
        return 77
    result = unittest.TextTestRunner().run(Unit())
    return 0 if result.wasSuccessful() else 1


def main():
    missing = [name for name in ("systemctl", "systemd-analyze", "journalctl", "unshare") if not shutil.which(name)]
    missing += [str(path) for path in (JOURNALD, MANAGER) if not path.exists()]
    groups = own_groups()
    if missing or os.getuid() != 0 or not groups:
        print("this needs root, systemd and its control groups; missing:", missing)
        return 77
    name = f"sweepd-test-{os.getpid()}"
    made = [group / name for group in groups]
    before = {path for mount in Path("/sys/fs/cgroup").iterdir() if mount.is_dir() for path in mount.iterdir() if path.is_dir()}
    with tempfile.TemporaryDirectory() as folder:
        try:
            for group in made:
                (group / "user@0.service").mkdir(parents=True)
            command = enter(made, "unshare", "--fork", "--pid", "--kill-child", "--mount", "--mount-proc", sys.executable,
                            __file__, INSIDE, folder, BIN)
            return subprocess.run(command, check=False).returncode
        except OSError as error:
            print("no control group can be made:", error)
            return 77
        finally:
            for group in made:
                for path in [*groups_below(group), group]:
                    until(lambda path=path: not path.exists() or run("rmdir", path).returncode == 0, f"the end of {path}")
            # With the older hierarchies systemd makes some for controllers too, outside of its
            # root.
            for mount in Path("/sys/fs/cgroup").iterdir():
                for path in mount.iterdir() if mount.is_dir() else []:
                    if path.is_dir() and path not in before and path.name in ("app.slice", "init.scope"):
                        for each in [*groups_below(path), path]:
                            run("rmdir", each)


if __name__ == "__main__":
    if sys.argv[1:2] == [INSIDE]:
        BIN, UNIT = Path(sys.argv[3]), Path(sys.argv[2]) / ".config/systemd/user/sweepd.service"
        sys.exit(inside(Path(sys.argv[2])))
    BIN = Path(sys.argv[1])
    sys.exit(main())
