"""A short round of kills: a sweep of a few short attempts, one kill at a random moment while something runs, and then
everything must have come to its end. The daemon and its state folder live on from round to round, so each round also
shows that the one before left no lease taken."""

import random
import time
from collections import Counter
from dataclasses import dataclass, field

from storming import checks
from storming.rounds import WATCH_LIMIT_S, calm, probe

DISK = "size=128m,nr_inodes=20000"
ROUNDS_OF_A_FOLDER = 15
# Of a round: a kill that comes too late meets nothing, and there is another sweep, a longer one. Each second one lasts
# twice as long, the last ones seconds: on a machine with a load of 15 a kill may need as much to find its process.
MOST_SWEEPS = 18


@dataclass
class Work:
    """What a worker runs in a round. Half of the attempts have two ranks."""
    worker: str
    sweeps: list  # files without their first line; SEED makes every round's trials new, LENGTH is 4, 8, 16 ...
    lasts_s: float

    def text(self, part, seed, length):
        return self.sweeps[part].replace("SEED", str(seed)).replace("LENGTH", str(length))


SCRIPTED = Work("test-sweep-worker", [
    "workload: fault\nparams: {kind: slow, gang: true, sleep: LENGTHms, warmup: 0, threads: 1, timeout: 60s, seed: SEED}\n"
    "matrix: {world_size: [1, 2], steps: [3, 6]}\n"], 0.1)
REAL = Work("sweep-worker", [
    "workload: lm_step\nparams: {device: cpu, model: custom, d_model: 32, d_ff: 64, layers: 2, heads: 2, vocab: 100, context: 32,"
    " batch: 2, warmup: 1, threads: 1, timeout: 120s, seed: SEED}\nmatrix: {steps: [LENGTH, LENGTH0]}\n",
    "workload: all_reduce\nparams: {device: cpu, world_size: 2, bytes: 100KB, warmup: 1, steps: LENGTH0, threads: 1,"
    " timeout: 120s, seed: SEED}\nmatrix: {backend: [gloo, shm]}\n"], 3.0)
RETRIED = 0.1  # the share of rounds that retry what was killed
MOST_WAIT_S = 10.0
START_S = 0.06  # in which a daemon starts on a folder that is there


@dataclass
class Life:
    """What happened in a state folder since it was made."""
    sweeps: int = 0
    hurt: set = field(default_factory=set)  # ids of attempts of which a process was killed
    expected: dict = field(default_factory=dict)


@dataclass
class Round:
    life: Life
    kind: str
    rng: random.Random
    counts: Counter = field(default_factory=Counter)


def kill_daemon(machine, now):
    return bool(machine.kill_daemons(now.life.hurt)) and any(machine.open_attempts().values())


def kill_starting_daemon(machine, now):
    """Most of its start is adopting what runs."""
    machine.kill_daemons(now.life.hurt)
    machine.ctl_in_background("status")
    time.sleep(now.rng.uniform(0, START_S))
    return kill_daemon(machine, now)


def victims(machine, now, of_a_gang):
    """The pids of one running attempt, or of one rank of an attempt that has several."""
    ranks = machine.ranks()
    sizes = Counter(attempt for attempt, _, _ in ranks)
    if of_a_gang:
        ranks = [place for place in ranks if sizes[place[0]] > 1]
    if not ranks:
        return []
    chosen = now.rng.choice(ranks)
    now.life.hurt.add(chosen[0])
    return [chosen[2]] if of_a_gang else [pid for attempt, _, pid in ranks if attempt == chosen[0]]


def kill_worker(machine, now):
    return any([machine.kill(pid) for pid in victims(machine, now, of_a_gang=False)])


def kill_rank(machine, now):
    return any([machine.kill(pid) for pid in victims(machine, now, of_a_gang=True)])


def kill_both(machine, now, of_a_gang):
    ranks = victims(machine, now, of_a_gang)
    if not ranks or not machine.daemons():
        return False
    met = [False, False]
    for which in now.rng.sample([0, 1], 2):
        met[which] = (any([machine.kill(pid) for pid in ranks]) if which == 0 else
                      bool(machine.kill_daemons(now.life.hurt)))
    return all(met)


KINDS = {
    "of a daemon": kill_daemon,
    "of a daemon that starts": kill_starting_daemon,
    "of a worker": kill_worker,
    "of one rank of two": kill_rank,
    "of daemon and worker": lambda machine, now: kill_both(machine, now, of_a_gang=False),
    "of daemon and one rank": lambda machine, now: kill_both(machine, now, of_a_gang=True),
}


def submit(machine, life, work, length):
    """The names of the sweeps, and complaints."""
    life.sweeps += 1
    names = []
    for part in range(len(work.sweeps)):
        names.append(f"sweep-{life.sweeps}-{part}")
        life.expected[names[-1]] = ("done", None)
        status, said = machine.ctl("submit", "-", text=f"sweep: {names[-1]}\n{work.text(part, life.sweeps, length)}")
        if status != 0:
            return names, [f"`{names[-1]}` cannot be submitted: {said.strip()}"]
    return names, []


def strike(machine, now, work):
    """Kills at random moments until a kill meets what it is for; False: the sweeps ended before."""
    wait_s = work.lasts_s
    next_s = work.lasts_s / 8  # there was nothing of that kind, or the time between two attempts
    while True:
        time.sleep(now.rng.uniform(0, wait_s))
        wait_s = next_s
        if KINDS[now.kind](machine, now):
            return True
        if not machine.open_attempts():
            return False
        if not machine.daemons():
            # It was killed in vain. With the same time again the next one may not start an attempt either, and each
            # leaves a worker that is being loaded, which makes the one after it slower.
            next_s = min(2 * next_s, MOST_WAIT_S)
            machine.reap()
            machine.ctl_in_background("status")


def retry(machine, names):
    """Measures what was killed again; then all must be done."""
    found = []
    for name in names:
        status, said = machine.ctl("retry", name, "--wait", limit_s=WATCH_LIMIT_S)
        if status != 0:
            found.append(f"`{name}` is not done after `retry`: {said.strip()[-500:] or 'no answer'}")
    return found


def look(machine, life):
    """The checks of what is stored; they do without the daemon, and need not wait for its end."""
    database, runs = machine.state / "results.db", machine.state / "runs"
    return (checks.soundness(database) + checks.counted_twice(database) + checks.left_open(database) +
            checks.journals(database, runs) + checks.outcomes(database, life.hurt, life.expected, disk_failed=False))


def look_at_daemon(machine):
    found, status = [], machine.ask("status")
    if status is None or status["queued"] or status["running"]:
        found.append(f"the daemon has something open, or does not answer: {status}")
    machine.eventually(lambda: not machine.orphans())
    return found + [f"{name} is left" for name in machine.orphans()]


def play(machine, life, seed, work):
    """Plays the round of this seed; what it met, and complaints."""
    rng = random.Random(seed)
    now = Round(life, rng.choice(list(KINDS)), rng)
    for tries in range(MOST_SWEEPS):
        names, complaints = submit(machine, life, work, length=4 * 2 ** (tries // 2))
        if complaints:
            return now, complaints
        met = strike(machine, now, work)
        now.counts[f"kills {now.kind}" if met else "sweeps that ended before the kill"] += 1
        complaints = calm(machine, names)
        if met and not complaints and rng.random() < RETRIED:
            now.counts["retries"] += 1
            complaints = retry(machine, names)
        complaints += look(machine, life) + look_at_daemon(machine)
        if met or complaints:
            return now, complaints
    return now, [f"in {MOST_SWEEPS} sweeps there was nothing to kill"]


def end(machine, life):
    """Complaints of the end of a state folder: one more attempt runs, the daemon stops, and leaves nothing behind."""
    complaints = probe(machine)
    status, said = machine.ctl("stop")
    if status != 0:
        complaints.append(f"the daemon does not stop: {said.strip()}")
    machine.eventually(lambda: not machine.processes())
    complaints += checks.processes(name for name, _ in machine.processes().values())
    machine.kill_all()
    return complaints + look(machine, life)
