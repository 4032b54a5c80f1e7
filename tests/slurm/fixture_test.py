#!/usr/bin/env python3
"""The cluster of tools/slurm_cluster starts, answers, and is gone afterwards, however it ends."""

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools/slurm_cluster"


class Fixture(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.folder.chmod(0o755)  # munge requires that all users can reach its socket
        self.environment = os.environ | {"TMPDIR": scratch.name}

    def run_in_cluster(self, *command):
        return subprocess.run([TOOL, "--", *command], env=self.environment, capture_output=True, text=True, timeout=120)

    def processes(self):
        """Those that name this test's folder."""
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                line = (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if self.folder.name.encode() in line and int(entry.name) != os.getpid():
                found.append(entry.name)
        return found

    def is_gone(self):
        end = time.monotonic() + 20
        while self.processes() and time.monotonic() < end:
            time.sleep(0.1)
        return not self.processes()

    def interrupted_by(self, number):
        cluster = subprocess.Popen([TOOL, "--", "sh", "-c", "echo here; sleep 1000"], env=self.environment,
                                   stdout=subprocess.PIPE, text=True)
        self.assertEqual(cluster.stdout.readline(), "here\n")
        self.assertTrue(self.processes())
        cluster.send_signal(number)
        cluster.wait(60)
        cluster.stdout.close()
        self.assertTrue(self.is_gone(), self.processes())

    def test_it_has_four_idle_nodes_and_runs_a_job(self):
        done = self.run_in_cluster("sh", "-c", "sinfo -h -N -p main -o %t; srun -N2 sh -c 'echo $SLURMD_NODENAME'; exit 3")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(sorted(done.stdout.split()), ["idle"] * 4 + ["node1", "node2"])
        self.assertTrue(self.is_gone(), self.processes())
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_its_shared_memory_is_its_own_and_what_is_left_there_is_named(self):
        own = Path("/dev/shm") / self.folder.name
        own.touch()
        self.addCleanup(own.unlink)
        done = self.run_in_cluster("sh", "-c", "ls -A /dev/shm; srun sh -c 'echo page > /dev/shm/left.1'")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertIn("slurm_cluster: left in /dev/shm: left.1\n", done.stderr)
        self.assertFalse(Path("/dev/shm/left.1").exists())

    def test_nothing_is_left_after_a_signal(self):
        self.interrupted_by(signal.SIGTERM)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_no_process_is_left_after_a_kill(self):
        self.interrupted_by(signal.SIGKILL)


if __name__ == "__main__":
    if subprocess.run([TOOL, "--", "true"], stderr=subprocess.DEVNULL).returncode == 77:
        sys.exit(77)
    unittest.main()
