"""Rounds of kills side by side. Each lane is a process with a namespace, a disk and a daemon of its own, so that a lane
sees no other's processes; it prints a line of JSON for each round."""

import json
import random
import subprocess
import tempfile
import threading
from collections import Counter
from queue import Queue

from storming import kills
from storming.machine import Machine


def seeds_of(seed, lane, rounds, lanes):
    """The seeds of those of all rounds that this lane plays."""
    rng = random.Random(seed)
    return [rng.randrange(10**9) for _ in range(rounds)][lane::lanes]


def drive(build, work, seeds, keep):
    """A lane's own process: plays the rounds of these seeds, and says how each went."""
    with tempfile.TemporaryDirectory(prefix="sweepd-kills-", ignore_cleanup_errors=True) as folder:
        machine = Machine(build, folder, work.worker)
        machine.mount(kills.DISK)
        life = kills.Life()
        for number, seed in enumerate(seeds, 1):
            now, complaints = kills.play(machine, life, seed, work)
            if complaints:
                keep(machine, [f"round {seed}, kill {now.kind}", *complaints])
            # What is wrong in a folder stays so, and would be told of each later round.
            last = complaints or number % kills.ROUNDS_OF_A_FOLDER == 0 or number == len(seeds)
            if last:
                complaints += [line for line in kills.end(machine, life) if line not in complaints]
            print(json.dumps({"seed": seed, "kind": now.kind, "counts": now.counts, "complaints": complaints}), flush=True)
            if last:
                machine.clear()
                life = kills.Life()
        subprocess.run(["umount", "-l", machine.disk], check=False)


def read(lane, queue):
    with lane.stdout:
        for line in lane.stdout:
            queue.put(json.loads(line))
    queue.put(lane.wait())


def run(commands):
    """Runs the lanes, each with its command, and prints complaints as they come. How many rounds there were, how many of
    them had complaints, and what they met."""
    queue = Queue()
    for command in commands:
        lane = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        threading.Thread(target=read, args=(lane, queue), daemon=True).start()
    rounds, failed, counts, left = 0, 0, Counter(), len(commands)
    while left > 0:
        said = queue.get()
        if isinstance(said, int):
            left -= 1
            if said != 0:
                failed += 1
                print(f"a lane ended with exit status {said}", flush=True)
            continue
        rounds += 1
        counts.update(said["counts"])
        if said["complaints"]:
            failed += 1
            print(f"round {said['seed']}, kill {said['kind']}:", *said["complaints"], sep="\n  ", flush=True)
    return rounds, failed, counts
