"""What a storm does. Each fault is a function of the machine, its own random numbers and the round's notes; it returns
whether it met anything to do it to."""

import fcntl
import os
import signal
import sqlite3
import time

# Pieces of messages and requests, put in at random.
WORDS = [b'"', b"{", b"}", b"[" * 150, b"]", b":", b",", b"null", b"-1", b"1e999", b"9" * 25, b"\xff\xfe", b"\x00", b"\n",
         b'"jsonrpc":"2.0"', b'"method":"submit"', b'"params":{}', b'"id":1', b'"lease":[]', b'"rank":', b'"..\\/.."']

MESSAGES = [b'{"jsonrpc":"2.0","id":1,"method":"status"}\n', b'{"jsonrpc":"2.0","id":2,"method":"list","params":{"limit":5}}\n',
            b'{"jsonrpc":"2.0","id":3,"method":"show","params":{"what":"quick","steps":true}}\n',
            b'{"jsonrpc":"2.0","id":4,"method":"watch","params":{"sweep":"quick"}}\n',
            b'{"jsonrpc":"2.0","id":5,"method":"query","params":{"workload":"noop","rows":["steps"]}}\n',
            b'{"jsonrpc":"2.0","id":6,"method":"plan","params":{"text":"sweep: x\\nworkload: noop\\n"}}\n']


def mutated(data, random):
    for _ in range(random.randint(1, 4)):
        at = random.randint(0, len(data))
        kind = random.randint(0, 3)
        if kind == 0:
            data = data[:at]
        elif kind == 1:
            data = data[:at] + random.choice(WORDS) + data[at:]
        elif kind == 2:
            data = data[:at] + data[at + random.randint(1, 20):]
        else:
            data = data[:at] + bytes([random.randint(0, 255)]) + data[at + 1:]
    return data


def kill_daemon(machine, random, notes):
    """At some moment of the next 400 ms. A client may start the next one at once."""
    time.sleep(random.uniform(0, 0.4))
    met = machine.kill_daemons(notes.hurt)
    if random.random() < 0.7:
        machine.ctl_in_background("status")
    return bool(met)


def kill_starting_daemon(machine, random, notes):
    machine.kill_daemons(notes.hurt)
    machine.ctl_in_background("status")
    time.sleep(random.uniform(0, 0.4))
    return bool(machine.kill_daemons(notes.hurt))


def kill_worker(machine, random, notes):
    """All ranks of an attempt."""
    ranks = machine.ranks()
    if not ranks:
        return False
    attempt = random.choice(ranks)[0]
    notes.hurt.add(attempt)
    return any([machine.kill(pid) for each, _, pid in ranks if each == attempt])


def kill_rank(machine, random, notes):
    ranks = machine.ranks()
    if not ranks:
        return False
    attempt, _, pid = random.choice(ranks)
    notes.hurt.add(attempt)
    return machine.kill(pid)


def race_clients(machine, random, notes):
    if random.random() < 0.5:
        machine.kill_daemons(notes.hurt)
    for _ in range(random.randint(2, 4)):
        machine.ctl_in_background("status")
    return True


def pause_daemon(machine, random, notes):
    pids = [pid for pid in machine.daemons() if machine.kill(pid, signal.SIGSTOP)]
    time.sleep(random.uniform(0, 0.3))
    for pid in pids:
        machine.kill(pid, signal.SIGCONT)
    return bool(pids)


def change_request(machine, random, notes):
    requests = list((machine.state / "runs").glob("*/request.json"))
    if not requests:
        return False
    request = random.choice(sorted(requests))
    notes.hurt.add(request.parent.name)
    try:
        request.write_bytes(mutated(request.read_bytes(), random))
        return True
    except OSError:
        return False


def change_message(machine, random, notes):
    for _ in range(random.randint(1, 5)):
        machine.say(mutated(random.choice(MESSAGES), random))
    return True


def fill_disk(machine, random, notes):
    notes.disk_failed = True
    filler = machine.disk / "filler"
    try:
        with open(filler, "wb", buffering=0) as file:
            while file.write(b"x" * 65536) == 65536:
                pass
            while True:
                file.write(b"x" * 4096)
    except OSError:
        pass
    if random.random() < 0.4:
        kill_daemon(machine, random, notes)
    time.sleep(random.uniform(0.02, 0.5))
    filler.unlink(missing_ok=True)
    return True


def use_up_inodes(machine, random, notes):
    notes.disk_failed = True
    made = []
    try:
        while True:
            path = machine.disk / f"inode{len(made)}"
            path.touch()
            made.append(path)
    except OSError:
        pass
    if random.random() < 0.4:
        kill_daemon(machine, random, notes)
    time.sleep(random.uniform(0.02, 0.4))
    for path in made:
        path.unlink()
    return True


def lock_database(machine, random, notes):
    try:
        with sqlite3.connect(f"file:{machine.state}/results.db?mode=rw", uri=True, timeout=0, isolation_level=None) as db:
            db.execute("BEGIN IMMEDIATE")
            time.sleep(random.uniform(0, 0.6))
            db.execute("ROLLBACK")
        return True
    except sqlite3.Error:
        return False


def take_lock(machine, random, notes):
    """The daemon's own lock, where no daemon has it."""
    machine.kill_daemons(notes.hurt)
    try:
        with open(machine.state / "lock", "r+b") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            machine.ctl_in_background("status")
            time.sleep(random.uniform(0, 0.4))
        return True
    except OSError:
        return False


def remove_file(machine, random, notes):
    """Those that the daemon can do without."""
    try:
        os.unlink(machine.state / random.choice(["sweepd.sock", "lock", "catalog.json", "sweepd.log"]))
        return True
    except OSError:
        return False


FAULTS = [kill_daemon, kill_daemon, kill_daemon, kill_starting_daemon, kill_starting_daemon, kill_worker, kill_rank,
          race_clients, pause_daemon, change_request, change_message, fill_disk, use_up_inodes,
          lock_database, take_lock, remove_file]
