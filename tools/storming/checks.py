"""What must hold after a round, whatever happened in it. Each check returns its complaints as a list of lines, and
looks only at what it is given: a database, a folder of attempts, a list of processes."""

import contextlib
import json
import os
import sqlite3
from collections import Counter

KINDS_OF_CHECK = """at most one `done` attempt per trial, pass and repeat
every finished journal is stored as what it says
nothing is open, and no lease is held, once the sweeps are complete
no process is left
integrity_check and foreign_key_check pass
what nothing happened to ended as it should
nothing that was done and not deleted is lost; a sweep is deleted whole or not at all
what was merged has all its attempts
a backup is sound and has what was done when it began; so has what `recover` makes"""


def connect(database):
    return contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True))


def soundness(database):
    try:
        with connect(database) as db:
            found = [f"integrity_check: {row[0]}" for row in db.execute("PRAGMA integrity_check") if row[0] != "ok"]
            return found + [f"foreign_key_check: {row[0]} row {row[1]} names a missing {row[2]}"
                            for row in db.execute("PRAGMA foreign_key_check")] + wrong_counts(db)
    except sqlite3.DatabaseError as error:
        return [f"integrity_check: {error}"]


def wrong_counts(db):
    """Sweeps whose counts, which triggers keep, are not those of their attempts."""
    counted = ("SELECT s.uid, coalesce(a.outcome, iif(a.started_ns IS NULL, 'queued', 'running')), count(*) FROM sweep s "
               "JOIN sweep_attempt sa ON sa.sweep = s.id JOIN attempt a ON a.row = sa.attempt GROUP BY 1, 2")
    kept = "SELECT s.uid, what, n FROM sweep_count JOIN sweep s ON s.id = sweep WHERE what <> 'trials' AND n <> 0"
    return [f"sweep {uid} has {n} attempts {what}, and counts others"
            for uid, what, n in db.execute(f"{counted} EXCEPT {kept}")]


def counted_twice(database):
    with connect(database) as db:
        rows = db.execute("SELECT trial, pass, repeat, count(*) FROM attempt WHERE outcome = 'done' "
                          "GROUP BY trial, pass, repeat HAVING count(*) > 1").fetchall()
    return [f"trial {trial}, {which} pass, repeat {repeat}: {count} done attempts" for trial, which, repeat, count in rows]


def left_open(database):
    """Complaints about attempts that wait or run although all should have ended."""
    with connect(database) as db:
        rows = db.execute("SELECT uid, started_ns IS NOT NULL FROM attempt WHERE outcome IS NULL").fetchall()
    return [f"attempt {uid} is {'running' if started else 'queued'} in the database" for uid, started in rows]


def last_word(journal):
    """The outcome of a journal's last whole line, or None."""
    try:
        with open(journal, "rb") as file:
            lines = file.read().split(b"\n")
        event = json.loads(lines[-2]) if len(lines) > 1 else {}
    except (OSError, ValueError):
        return None
    return event.get("outcome") if isinstance(event, dict) and event.get("event") == "end" else None


def may_become(said, ranks):
    """The outcomes that an attempt may have by what its ranks wrote last: `said` has a word for each journal, None where
    it has no end. A rank without an end died, or was ended by the daemon; this may be the reason for what others said."""
    silent = None in said or len(said) < ranks
    bad = {word for word in said if word not in (None, "done")}
    if silent:
        return bad | {"crashed", "timeout", "failed", "cancelled"}
    return bad or {"done"}


def journals(database, runs):
    """Complaints about attempts that are stored as something that their ranks' journals do not say."""
    with connect(database) as db:
        stored = dict(db.execute("SELECT uid, outcome FROM attempt"))
        ranks = dict(db.execute("SELECT uid, count(*) FROM lease JOIN attempt ON attempt.row = lease.attempt GROUP BY uid"))
    found = []
    for attempt in sorted(os.listdir(runs)) if runs.is_dir() else []:
        said = [last_word(runs / attempt / name) for name in sorted(os.listdir(runs / attempt))
                if name.startswith("events.") and name.endswith(".ndjson")]
        if attempt not in stored:
            if said and None not in said:
                found.append(f"attempt {attempt} has a finished journal and no row")
            continue
        outcome, count = stored[attempt], ranks.get(attempt, 0)
        if outcome is None or len(said) > count:  # it is open, or somebody made journals of more ranks
            continue
        if outcome not in may_become(said, count):
            words = ", ".join(word or "nothing" for word in said) or "nothing"
            found.append(f"attempt {attempt} is stored as {outcome}, and its {count} rank(s) said: {words}")
    return found


def outcomes(database, hurt, expected, disk_failed):
    """Complaints about ends that nothing explains. `hurt` are the ids of attempts that something was done to, `expected`
    has for each sweep the outcome of its attempts, and which else a disk that failed may make of it."""
    with connect(database) as db:
        rows = db.execute("SELECT sweep.name, attempt.uid, attempt.outcome, attempt.message, attempt.signal FROM attempt "
                          "JOIN sweep_attempt ON sweep_attempt.attempt = attempt.row "
                          "JOIN sweep ON sweep.id = sweep_attempt.sweep WHERE attempt.outcome IS NOT NULL").fetchall()
    found = []
    for sweep, uid, outcome, message, signal in rows:
        wanted, by_disk = expected.get(sweep, (outcome, None))
        if outcome != wanted and uid not in hurt and not (disk_failed and outcome == by_disk):
            found.append(f"attempt {uid} of `{sweep}` is {outcome} ({message or signal}); expected {wanted}")
    return found


def sweeps(database):
    """{id: (name, whether an attempt of it is open)}"""
    with connect(database) as db:
        rows = db.execute("SELECT uid, name, EXISTS (SELECT 1 FROM sweep_attempt JOIN attempt ON attempt.row = attempt "
                          "WHERE sweep = sweep.id AND outcome IS NULL) FROM sweep").fetchall()
    return {uid: (name, bool(is_open)) for uid, name, is_open in rows}


def done(database):
    """[(id of a sweep, id of an attempt of it that is done)]"""
    with connect(database) as db:
        return db.execute("SELECT s.uid, a.uid FROM sweep s JOIN sweep_attempt sa ON sa.sweep = s.id "
                          "JOIN attempt a ON a.row = sa.attempt WHERE a.outcome = 'done'").fetchall()


def lost(database, seen, deleted):
    """Complaints about sweeps that are gone and that nobody wanted to delete, and about parts of sweeps. `seen` has for
    each sweep the attempts that were done once."""
    there, found = sweeps(database), []
    now = set(done(database))
    for sweep, attempts in sorted(seen.items()):
        missing = sorted(attempt for attempt in attempts if (sweep, attempt) not in now)
        if sweep not in there and sweep not in deleted:
            found.append(f"sweep {sweep} with {len(attempts)} done attempts is gone")
        elif sweep in there and missing:
            found.append(f"sweep {sweep} ({there[sweep][0]}) has lost {len(missing)} of {len(attempts)} done attempts: "
                         f"{', '.join(missing[:3])}")
    return found


def not_recovered(database, seen, deleted):
    """Complaints about done attempts that are not in a database that was made of files. What a deletion left may be."""
    with connect(database) as db:
        there = {uid for uid, in db.execute("SELECT uid FROM attempt WHERE outcome = 'done'")}
    missing = {sweep: attempts - there for sweep, attempts in seen.items() if sweep not in deleted}
    return [f"{len(attempts)} done attempts of sweep {sweep} are missing: {', '.join(sorted(attempts)[:3])}"
            for sweep, attempts in sorted(missing.items()) if attempts]


def figures(database):
    """{id of a sweep: {id of an attempt: (outcome, how many samples)}}"""
    with connect(database) as db:
        rows = db.execute("SELECT s.uid, a.uid, a.outcome, (SELECT count(*) FROM sample WHERE attempt = a.row) FROM sweep s "
                          "LEFT JOIN sweep_attempt sa ON sa.sweep = s.id LEFT JOIN attempt a ON a.row = sa.attempt").fetchall()
    found = {}
    for sweep, attempt, outcome, samples in rows:
        found.setdefault(sweep, {})
        if attempt is not None:
            found[sweep][attempt] = outcome, samples
    return found


def torn_merge(database, other):
    """Complaints about sweeps of `other` that are not here as they are there."""
    here = figures(database)
    return [f"merged sweep {sweep} has {len(here.get(sweep, {}))} of {len(attempts)} attempts, or others, or other samples"
            for sweep, attempts in sorted(figures(other).items()) if here.get(sweep) != attempts]


def processes(names):
    """Complaints about what still runs after the daemon was told to stop."""
    return [f"{count} process(es) `{name}` are left" for name, count in sorted(Counter(names).items())]
