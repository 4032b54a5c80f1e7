"""Writes what the program's observer found, as lines of JSON for the worker (workloads/command/program_report.h)."""

import json
import os
import sys

_out = os.fdopen(os.dup(int(os.environ["SWEEPD_METRICS_FD"])), "w", buffering=1)


def write(**line):
    print(json.dumps(line), file=_out, flush=True)


def fact(name, value):
    write(fact=name, **({"text": value} if isinstance(value, str) else {"number": value}))


def failed(where, error):
    """The observer must never end the program: what went wrong is told and the program goes on."""
    fact("observe.failed", f"{where}: {type(error).__name__}: {error}"[:500])


def phase(name):
    """Where a failed ending was."""
    fact("observe.phase", name)


def folder():
    return os.environ["SWEEPD_FOLDER"]


def rank():
    return int(os.environ.get("RANK") or 0)


def end_program():
    """Ends the program after its steps. It does not run its exit handlers (uploads, a last checkpoint)."""
    sys.stdout.flush()
    sys.stderr.flush()
    _out.flush()
    os._exit(0)
