"""A daemon's world: a small disk of its own, its processes, and its clients. Everything lives in the pid and mount
namespace of this process, so nothing outside can be met."""

import contextlib
import ctypes
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import time
from pathlib import Path

SMALL_DISK = "size=24m,nr_inodes=3000"
CLIENT_LIMIT_S = 60  # a client that takes longer hangs


class Machine:
    def __init__(self, build, folder, worker="test-sweep-worker"):
        self.worker = worker
        self.bin = Path(build) / "bin"
        self.folder = Path(folder)
        self.disk = self.folder / "disk"
        self.state = self.disk / "state"
        self.aside = self.folder / "aside"  # copies, which need no place on the small disk
        self.other = None  # another state folder, to merge
        self.clients = []  # in the background
        self.environment = {**os.environ, "SWEEPD_STATE_DIR": str(self.state),
                            "SWEEPD_WORKER": str(self.bin / worker), "SWEEPD_CORES_LOST": "0",
                            "XDG_CONFIG_HOME": str(self.folder / "config")}
        self.environment.pop("SWEEPD_CONFIG", None)

    def mount(self, disk=SMALL_DISK):
        self.disk.mkdir(parents=True, exist_ok=True)
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.mount(b"none", str(self.disk).encode(), b"tmpfs", 0, disk.encode()) != 0:
            raise OSError(ctypes.get_errno(), "cannot mount a small disk")

    def clear(self):
        shutil.rmtree(self.aside, ignore_errors=True)
        for entry in self.disk.iterdir():
            shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()

    # Clients.

    def ctl(self, *arguments, text="", limit_s=CLIENT_LIMIT_S):
        """Runs a client; its exit status and what it printed. None: it was still there after its limit."""
        child = subprocess.Popen([self.bin / "sweepctl", *arguments], env=self.environment, text=True, stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            printed, _ = child.communicate(text, limit_s)
        except subprocess.TimeoutExpired:
            child.kill()
            return None, child.communicate()[0]
        return child.returncode, printed

    def ctl_in_background(self, *arguments):
        self.clients.append(subprocess.Popen([self.bin / "sweepctl", *arguments], env=self.environment,
                                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                             stderr=subprocess.DEVNULL))
        return self.clients[-1]

    def reap(self):
        """Forgets the clients that have ended."""
        self.clients = [client for client in self.clients if client.poll() is None]

    def wait_for_clients(self):
        """How many clients hung. They are gone then, too."""
        hung = 0
        for client in self.clients:
            try:
                client.wait(CLIENT_LIMIT_S)
            except subprocess.TimeoutExpired:
                hung += 1
                client.kill()
                client.wait()
        self.clients = []
        return hung

    def say(self, data):
        """Sends bytes to the daemon as a client that is gone a moment later."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(0.1)
            try:
                connection.connect(str(self.state / "sweepd.sock"))
                connection.sendall(data)
                connection.recv(4096)
            except OSError:
                pass

    def ask(self, method):
        """The daemon's answer to a question without parameters, or None."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(10)
            try:
                connection.connect(str(self.state / "sweepd.sock"))
                connection.sendall(b'{"jsonrpc":"2.0","id":1,"method":"%s"}\n' % method.encode())
                with connection.makefile("rb") as answer:
                    return json.loads(answer.readline()).get("result")
            except (OSError, ValueError):
                return None

    def open_attempts(self):
        """{id: whether it was started} by the database. While no daemon lives nothing changes that."""
        try:
            with contextlib.closing(sqlite3.connect(f"file:{self.state}/results.db?mode=ro", uri=True)) as db:
                return dict(db.execute("SELECT uid, started_ns IS NOT NULL FROM attempt WHERE outcome IS NULL"))
        except sqlite3.Error:
            return {}

    # Processes.

    def processes(self):
        """{pid: (name, parent)} of what is of ours and alive."""
        found = {}
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                    stat = file.read()
            except OSError:
                continue
            name, rest = stat[stat.index("(") + 1:stat.rindex(")")], stat[stat.rindex(")") + 2:]
            if rest[0] not in "ZX" and name.startswith(("sweepd", "sweepctl", self.worker[:15])):
                found[int(entry)] = name, int(rest.split()[1])
        return found

    def daemons(self):
        """Not a fork of one that is about to become a rank."""
        named = {pid: parent for pid, (name, parent) in self.processes().items() if name == "sweepd"}
        taken = {pid for _, _, pid in self.places()}
        return [pid for pid, parent in named.items() if parent not in named and pid not in taken]

    def places(self):
        """[(attempt, rank, pid)] as the ranks wrote it, whether or not they live."""
        found, runs = [], str(self.state / "runs")
        for attempt in sorted(os.listdir(runs)) if os.path.isdir(runs) else []:
            try:
                for name in sorted(os.listdir(f"{runs}/{attempt}")):
                    if name.startswith("pid."):
                        with open(f"{runs}/{attempt}/{name}", encoding="ascii") as place:
                            found.append((attempt, int(name[4:]), int(place.read().split(" ")[0])))
            except (OSError, ValueError):
                continue
        return found

    def ranks(self):
        """Those of `places` that live."""
        alive = self.processes()
        return [place for place in self.places() if alive.get(place[2], ("",))[0].startswith(self.worker[:15])]

    def orphans(self):
        """Names of what lives and should not once all attempts have ended: ranks, and what no daemon is a parent of. A
        worker that a daemon has loaded to fork from is its child and no rank."""
        alive, found = self.processes(), []
        daemons, taken = set(self.daemons()), {pid for _, _, pid in self.places()}
        for pid, (name, parent) in alive.items():
            if pid in taken or (pid not in daemons and parent not in daemons):
                found.append(f"{name} ({'a rank' if pid in taken else 'nobody is its parent'})")
        return found + ["sweepd (a second one)"] * (len(daemons) - 1)

    @staticmethod
    def kill(pid, what=signal.SIGKILL):
        try:
            os.kill(pid, what)
            return True
        except ProcessLookupError:
            return False

    def kill_all(self):
        for pid in self.processes():
            self.kill(pid)

    def kill_daemons(self, hurt):
        """The pids of those killed. One may turn out to be a fork that became a rank at that moment: its attempt is noted
        in `hurt`."""
        killed = {pid for pid in self.daemons() if self.kill(pid)}
        self.eventually(lambda: killed.isdisjoint(self.processes()))
        ranks = {pid: attempt for attempt, _, pid in self.places() if pid in killed}
        hurt.update(ranks.values())
        return killed - ranks.keys()

    def eventually(self, holds, limit_s=20):
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            if holds():
                return True
            time.sleep(0.005)
        return holds()
