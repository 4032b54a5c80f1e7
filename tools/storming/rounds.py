"""One round of a storm: sweeps are submitted, faults happen to whatever runs, then it is calm, and everything must have
come to its end."""

import random
import time
from collections import Counter
from dataclasses import dataclass, field

from storming import checks, faults, upkeep

# What every attempt should be if nothing is done to it, what a disk that fails may make of it, and the file. Each takes a
# second or two. Ranks of the test's gang meet through files; and a full disk may refuse the note that the daemon ended a
# rank because its time was up.
SWEEPS = {
    "quick": ("done", None, "workload: noop\nparams: {warmup: 0}\nmatrix: {steps: [1, 2, 3, 4, 5, 6]}\n"),
    "slow": ("done", None, "workload: fault\nparams: {kind: slow, sleep: 20ms, warmup: 0, timeout: 60s}\n"
                           "matrix: {steps: [5, 10, 15, 20]}\n"),
    "gang": ("done", "failed", "workload: fault\nparams: {world_size: 3, gang: true, kind: slow, sleep: 10ms, warmup: 0, "
                               "threads: 1, timeout: 60s}\nmatrix: {steps: [4, 8, 12]}\n"),
    "hang": ("timeout", "crashed", "workload: fault\nparams: {kind: hang, warmup: 0, timeout: 1s}\n"),
    "memory": ("done", None, "workload: noop\npasses: [memory]\nparams: {warmup: 1}\nmatrix: {steps: [2, 3, 4]}\n"),
}
SHARE_OF_UPKEEP = 0.3
LOST_DATABASES = 0.3
WATCH_LIMIT_S = 120  # starts and storing pause for up to 30 s after failures


@dataclass
class Notes:
    hurt: set = field(default_factory=set)  # ids of attempts that something was done to
    disk_failed: bool = False
    kept: upkeep.Kept = field(default_factory=upkeep.Kept)
    counts: Counter = field(default_factory=Counter)
    done: list = field(default_factory=list)  # what happened, in order


def submit(machine, names):
    """Each until it is known to be there: a client whose daemon died does not know."""
    for name in names:
        for _ in range(20):
            status, said = machine.ctl("submit", "-", text=f"sweep: {name}\n{SWEEPS[name][2]}")
            if status == 0 or machine.ctl("show", name)[0] == 0:
                break
        else:
            return f"`{name}` cannot be submitted: {said.strip()}"
    return None


def storm(machine, rng, notes, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        fault = rng.choice(upkeep.ACTIONS if rng.random() < SHARE_OF_UPKEEP else faults.FAULTS)
        met = fault(machine, random.Random(rng.getrandbits(32)), notes)
        name = fault.__name__
        notes.counts[name] += int(met)
        notes.done.append(name if met else f"({name})")
        time.sleep(rng.uniform(0, 0.25))


def calm(machine, names, deleted=()):
    """Complaints of what does not come to its end. Sweeps of the names `deleted` need not be there."""
    found = [f"{machine.wait_for_clients()} client(s) hung"]
    found = [line for line in found if not line.startswith("0 ")]
    for name in names:
        status, said = machine.ctl("watch", name, limit_s=WATCH_LIMIT_S)
        gone = status == 3 and name in deleted
        if status not in (0, 4) and not gone:  # 4: some are not done
            found.append(f"`{name}` does not complete: {said.strip()[-500:] or 'no answer'}")
    return found


def probe(machine):
    """Whether the cores are free again: one more attempt runs at once."""
    status, said = machine.ctl("submit", "-", "--wait", text="sweep: probe\nworkload: noop\nparams: {steps: 77}\n")
    if status != 0:  # a daemon that finds its lock or its socket gone only now makes room for the next
        status, said = machine.ctl("watch", "probe", limit_s=WATCH_LIMIT_S)
    return [] if status == 0 else [f"another attempt does not run: {said.strip()[-500:]}"]


def look(machine, notes, names):
    database, runs = machine.state / "results.db", machine.state / "runs"
    expected = {name: SWEEPS[name][:2] for name in names}
    return (checks.soundness(database) + checks.counted_twice(database) + checks.left_open(database) +
            checks.journals(database, runs) + checks.outcomes(database, notes.hurt, expected, notes.disk_failed) +
            upkeep.look(machine, notes))


def play(machine, seed, seconds):
    """Plays the round of this seed; its notes and complaints."""
    rng = random.Random(seed)
    notes = Notes()
    names = rng.sample(sorted(SWEEPS), rng.randint(2, 4))
    complaint = submit(machine, names)
    if complaint:
        return notes, [complaint]
    storm(machine, rng, notes, seconds)
    complaints = calm(machine, names, notes.kept.deleted.values()) + probe(machine) + upkeep.merge_at_last(machine, notes)
    status, said = machine.ctl("stop")
    machine.eventually(lambda: not machine.processes())
    if status != 0:
        complaints.append(f"the daemon does not stop: {said.strip()}")
    complaints += checks.processes(name for name, _ in machine.processes().values())
    machine.kill_all()
    complaints += look(machine, notes, names)
    if not complaints and rng.random() < LOST_DATABASES:
        complaints = upkeep.lose_database(machine, rng, notes)
    return notes, complaints
