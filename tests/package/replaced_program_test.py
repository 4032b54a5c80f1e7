#!/usr/bin/env python3
"""A daemon whose program a package manager replaces or removes ends by itself.

    replaced_program_test.py BIN
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

BIN = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else Path()
CHECK_S = 2  # how often it looks


class ReplacedProgram(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.bin, self.state = Path(folder.name) / "bin", Path(folder.name) / "state"
        self.bin.mkdir()
        for name in ("sweepctl", "sweepd"):
            shutil.copy(BIN / name, self.bin)
        # The catalog of another one takes a second where LibTorch loads.
        light = BIN / "sweep-worker-light"
        self.worker = light if light.exists() else BIN / "sweep-worker"
        self.environment = {**os.environ, "SWEEPD_WORKER": str(self.worker)}
        self.addCleanup(self.end_daemon)

    def start(self):
        """The daemon's pid."""
        subprocess.run([self.bin / "sweepctl", "--state-dir", self.state, "status"], stdout=subprocess.DEVNULL, check=True,
                       env=self.environment)
        return int((self.state / "lock").read_text())

    def end_daemon(self):
        subprocess.run([BIN / "sweepctl", "--state-dir", self.state, "stop", "--now"], stdout=subprocess.DEVNULL, check=False)

    def replace(self):
        shutil.copy(BIN / "sweepd", self.bin / "new")
        os.rename(self.bin / "new", self.bin / "sweepd")

    def ask(self, lines):
        lines.write(b'{"jsonrpc": "2.0", "id": 1, "method": "list", "params": {}}\n')
        lines.flush()
        return lines.readline()

    def wait_for_the_end_of(self, pid):
        deadline = time.monotonic() + 60
        while Path(f"/proc/{pid}").exists():
            self.assertLess(time.monotonic(), deadline, "the daemon still runs")
            time.sleep(0.02)

    def test_an_idle_daemon_ends_and_the_next_command_starts_the_new_one(self):
        # Of a supervisor, which restarts it.
        supervised = subprocess.Popen([self.bin / "sweepd", "--foreground", "--state-dir", Path(f"{self.state}-2")], env=self.environment,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(supervised.wait)
        self.addCleanup(supervised.kill)
        old = self.start()
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(self.state / "sweepd.sock"))
            with client.makefile("rwb") as lines:
                self.assertIn(b"result", self.ask(lines))
                self.replace()
                time.sleep(1.1 * CHECK_S)
                self.assertIn(b"result", self.ask(lines), "it waits until its client is gone")
        self.wait_for_the_end_of(old)
        new = self.start()
        self.assertNotEqual(new, old)
        shutil.rmtree(self.bin)
        self.wait_for_the_end_of(new)
        self.assertIsNone(supervised.poll())
        self.assertIn("sweepd was replaced or removed", (self.state / "sweepd.log").read_text())


if __name__ == "__main__":
    unittest.main()
