"""What people do with a database while a storm is on: they merge another one, delete sweeps, back up and recover. Each is a
function like the faults; what must hold of it afterwards is noted in `notes.kept`."""

import contextlib
import shutil
import sqlite3
from dataclasses import dataclass, field

from storming import checks
from storming.machine import Machine

# What another state folder has. Its seeds are its own, so that no trial is measured on both sides.
THEIRS = {
    "their-quick": "workload: noop\nparams: {warmup: 0, seed: 900}\nmatrix: {steps: [1, 2, 3, 4]}\n",
    "their-slow": "workload: fault\nparams: {kind: slow, sleep: 5ms, warmup: 0, seed: 901}\nmatrix: {steps: [3, 6]}\n",
    "their-memory": "workload: noop\npasses: [memory]\nparams: {warmup: 1, seed: 902}\nmatrix: {steps: [2, 3]}\n",
}
RECOVERIES = 2  # that are killed before the one that completes


@dataclass
class Backup:
    file: object
    seen: dict  # what was done when it began
    client: object


@dataclass
class Kept:
    """What must still be there."""
    seen: dict = field(default_factory=dict)  # {id of a sweep: ids of its attempts that were seen as done}
    deleted: dict = field(default_factory=dict)  # {id: name} of the sweeps that somebody wanted to delete
    backups: list = field(default_factory=list)
    complaints: list = field(default_factory=list)

    def look(self, database):
        """Notes what is done by now; whether the database could be read."""
        try:
            for sweep, attempt in checks.done(database):
                self.seen.setdefault(sweep, set()).add(attempt)
            return True
        except sqlite3.Error:
            return False

    def now(self):
        return {sweep: set(attempts) for sweep, attempts in self.seen.items()}


def make_other(build, folder):
    """Another state folder, whose daemon has stopped."""
    other = Machine(build, folder)
    other.disk.mkdir(parents=True)
    for name, text in THEIRS.items():
        status, said = other.ctl("submit", "-", "--wait", text=f"sweep: {name}\n{text}")
        if status != 0:
            raise OSError(f"`{name}` cannot be measured: {said}")
    other.ctl("stop")
    other.eventually(lambda: not other.processes())
    return other.state


def merge(machine, random, notes):
    """With the folders of its attempts, or only its database."""
    machine.ctl_in_background("merge", random.choice([machine.other, machine.other / "results.db"]))
    return True


def delete_sweep(machine, random, notes):
    """One that has ended; now and then one that may not have."""
    if not notes.kept.look(machine.state / "results.db"):
        return False
    try:
        sweeps = checks.sweeps(machine.state / "results.db")
    except sqlite3.Error:
        return False
    ended = {uid: name for uid, (name, is_open) in sweeps.items() if not is_open or random.random() < 0.1}
    if not ended:
        return False
    # Rather one that was merged: those of the round have more to do.
    theirs = [uid for uid, name in ended.items() if name in THEIRS]
    uid = random.choice(sorted(theirs if theirs and random.random() < 0.7 else ended))
    notes.kept.deleted[uid] = ended[uid]
    machine.ctl_in_background("delete", uid, "--yes")
    return True


def back_up(machine, random, notes):
    """To a new file, or in place of an earlier copy, which may then be either of the two."""
    if not notes.kept.look(machine.state / "results.db"):
        return False
    if notes.kept.backups and random.random() < 0.3:
        machine.ctl_in_background("backup", random.choice(notes.kept.backups).file, "--force")
        return True
    machine.aside.mkdir(exist_ok=True)
    file = machine.aside / f"backup{len(notes.kept.backups)}.db"
    notes.kept.backups.append(Backup(file, notes.kept.now(), machine.ctl_in_background("backup", file)))
    return True


def recover_in_place(machine, random, notes):
    """A database that is sound is left alone, with and without a daemon."""
    dry_run = random.random() < 0.5
    status, said = machine.ctl("recover", *(["--dry-run"] if dry_run else []))
    if status is None or (status == 0 and not dry_run):
        notes.kept.complaints.append(f"`recover` of a sound database: {said.strip() or 'no answer'}")
    return True


def recover_copy(machine, random, notes):
    """From a copy of the folder as it is at this moment, without its database."""
    if not notes.kept.look(machine.state / "results.db"):
        return False
    seen, copy = notes.kept.now(), machine.aside / "copy"
    running = bool(machine.ranks())
    shutil.rmtree(copy, ignore_errors=True)
    for folder in ("sweeps", "runs"):
        with contextlib.suppress(shutil.Error, OSError):  # what is removed meanwhile
            shutil.copytree(machine.state / folder, copy / folder, symlinks=True)
    status, said = machine.ctl("--state-dir", copy, "recover")
    if status == 0:
        notes.kept.complaints += [f"recovered from a copy: {line}" for line in
                                  recovered(copy / "results.db", machine, notes, seen)]
    elif not running and not machine.ranks():
        notes.kept.complaints.append(f"nothing is recovered from a copy: {said.strip() or 'no answer'}")
    return True


def recovered(database, machine, notes, seen):
    """Complaints about a database that was made of files: not of what was merged, or whose files somebody changed."""
    merged = checks.sweeps(machine.other / "results.db")
    wanted = {sweep: attempts - notes.hurt for sweep, attempts in seen.items() if sweep not in merged}
    return checks.soundness(database) + checks.not_recovered(database, wanted, notes.kept.deleted)


def merge_at_last(machine, notes):
    """Once it is calm a merge succeeds, and brings what was deleted."""
    status, said = machine.ctl("merge", machine.other)
    return [] if status == 0 else [f"the last merge fails: {said.strip() or 'no answer'}"]


def look(machine, notes):
    """Complaints, once the daemon has stopped."""
    database = machine.state / "results.db"
    found = notes.kept.complaints + checks.lost(database, notes.kept.seen, notes.kept.deleted)
    found += checks.torn_merge(database, machine.other / "results.db")
    for backup in notes.kept.backups:
        if backup.file.exists():
            wrong = checks.soundness(backup.file) + checks.lost(backup.file, backup.seen, notes.kept.deleted)
            found += [f"{backup.file.name}: {line}" for line in wrong]
        elif backup.client.returncode == 0:
            found.append(f"{backup.file.name}: it was made, and is not there")
    return found


def lose_database(machine, rng, notes):
    """The last of a round: the database is lost, and recoveries are killed before one completes. Complaints."""
    notes.kept.look(machine.state / "results.db")
    for file in machine.state.glob("results.db*"):
        file.unlink()
    for _ in range(rng.randint(0, RECOVERIES)):
        client = machine.ctl_in_background("recover")
        machine.eventually(lambda: client.poll() is not None, rng.uniform(0, 0.2))
        machine.kill_all()
        machine.wait_for_clients()
        if (machine.state / "results.db").exists():
            break
    else:
        status, said = machine.ctl("recover")
        if status != 0:
            return [f"a lost database is not recovered: {said.strip() or 'no answer'}"]
    notes.counts["lose_database"] += 1
    found = recovered(machine.state / "results.db", machine, notes, notes.kept.seen)
    return [f"after the loss of the database: {line}" for line in found]


ACTIONS = [merge, merge, delete_sweep, delete_sweep, back_up, back_up, recover_in_place, recover_copy]
