"""What a Python program tells sweepd: one JSON object a line, see "Other programs" in schemas/sweep.md.

    import sweepd_metrics as sweepd
    torch = sweepd.require("torch", "pip install torch")       # or the trial ends `skipped`
    size = sweepd.params().get("size", 512)                    # what the sweep file declares
    for number in sweepd.steps():                              # warm-up and measured steps
        sweepd.step(number, {"forward": 1.25, "step": 4.0}, gflops=12)
        # or, where it does not measure itself:
        with sweepd.phase("forward"):
            ...
        sweepd.step()                                          # writes the times of the phases and of the step
    sweepd.metrics(joules=2.5)                                 # once, for the whole run
    sweepd.memory("step", peak_allocated=1024)
    sweepd.fact("torch", torch.__version__)

sweepd sets PYTHONPATH, so the import works in any program that it starts. By hand, without sweepd, the
lines go to standard output. Values may be of any type that `float` takes: numpy's, tensors of one element.
"""

import contextlib
import importlib
import json
import math
import os
import re
import sys
import time

EXIT_SKIPPED = 77

_descriptor = os.environ.get("SWEEPD_METRICS_FD")
_lines = os.fdopen(int(_descriptor), "w", buffering=1) if _descriptor else sys.stdout


def _plain(value):
    """The value as JSON has it. JSON has no numbers that are not finite, and knows nothing of numpy."""
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if value is None or isinstance(value, (str, bool, int)):
        return value
    number = float(value)
    if math.isnan(number):
        return "nan"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return number


def _write(**line):
    print(json.dumps(_plain(line)), file=_lines, flush=True)


def params():
    """The parameters that the sweep file declares, by name, each of the type that it declares: texts and choices
    stay texts. By hand, SWEEPD_PARAM_size=512 sets one; what looks like a number is one then."""
    declared = os.environ.get("SWEEPD_PARAMS")
    if declared:
        return json.loads(declared)
    prefix = "SWEEPD_PARAM_"
    return {name[len(prefix):]: _guessed(text) for name, text in os.environ.items() if name.startswith(prefix)}


def _guessed(text):
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"-?(0|[1-9][0-9]*)", text):
        return int(text)
    if re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", text) and math.isfinite(float(text)):
        return float(text)
    return text


def steps(warmup=2, measured=10):
    """The numbers of the steps that the trial asks for; by hand, those of the arguments."""
    return range(int(os.environ.get("SWEEPD_WARMUP", warmup)) + int(os.environ.get("SWEEPD_STEPS", measured)))


class _Clock:
    """The host's times of the phases since the last step."""

    number, begin, times = 0, None, {}
    open_phases = []  # [name, begin]

    @classmethod
    def _add(cls, now):
        if cls.open_phases:
            name, begin = cls.open_phases[-1]
            cls.times[name] = cls.times.get(name, 0) + (now - begin) / 1e6

    @classmethod
    @contextlib.contextmanager
    def phase(cls, name):
        now = time.perf_counter_ns()
        cls.begin = now if cls.begin is None else cls.begin
        cls._add(now)
        cls.open_phases.append([name, now])
        try:
            yield
        finally:
            now = time.perf_counter_ns()
            cls._add(now)
            cls.open_phases.pop()
            if cls.open_phases:
                cls.open_phases[-1][1] = now

    @classmethod
    def step(cls):
        now = time.perf_counter_ns()
        if cls.begin is not None:
            step(cls.number, {**cls.times, "step": (now - cls.begin) / 1e6})
            cls.number += 1
        cls.begin, cls.times = time.perf_counter_ns(), {}


def _clock():
    """The observer's, which has memory and kernels of each phase too, under `observe: torch`."""
    observe = sys.modules.get("sweepd_observe")
    return (observe and observe.by_hand()) or _Clock


def phase(name):
    """`with sweepd.phase("forward"):` is a part of a step; those of one name are added up. Inside another phase it is
    no part of that. Under `observe: torch` it replaces what the observer would find by itself."""
    return _clock().phase(name)


def step(number=None, time_ms=None, warmup=None, **metrics):
    """`time_ms` and each metric: a number, or a number by phase. Without `warmup`, as many steps as the trial
    says are warm-up. `step()` alone ends a step whose phases `phase` timed; a call before the first phase begins it."""
    if number is None:
        _clock().step()
        return
    line = {"step": int(number)}
    if warmup is not None:
        line["warmup"] = bool(warmup)
    if time_ms is not None:
        line["time"] = time_ms
    _write(**line, **metrics)


def metrics(**values):
    """What is known once for the whole run: a number, or a number by phase."""
    _write(metrics=values)


def setup(**metrics_ms):
    """What happened once, before the steps: `compile_time` ..."""
    _write(step=0, warmup=False, **{name: {"setup": value} for name, value in metrics_ms.items()})


def memory(phase, peak_allocated, **others):
    _write(memory=phase, peak_allocated=peak_allocated, **others)


def fact(name, value):
    _write(fact=name, **({"text": value} if isinstance(value, str) else {"number": value}))


def skip(reason):
    """Ends the program: this machine lacks something, and `reason` says how to get it."""
    _write(skipped=reason)
    sys.exit(EXIT_SKIPPED)


def out_of_memory(phase, requested):
    """Ends the program."""
    _write(oom=phase, requested=requested)
    sys.exit(1)


def require(module, how_to_get_it):
    try:
        return importlib.import_module(module)
    except ImportError as error:
        skip(f"{sys.executable} cannot import {module} ({error}): {how_to_get_it}, "
             "or name another Python in SWEEPD_PYTHON before sweepd starts")
