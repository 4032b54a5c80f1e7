"""The profile pass: after the warm-up two observed steps that are compared, each after one that is discarded.

Before version 13.1 CUPTI gives the first kernels of each session of torch's profiler no times, and the profiler drops
them. So each session begins with a step that it does not record.
The trace of each of the two is a file in the attempt's folder; the worker makes kernels, operators and ranges of it.
Phases are annotations in it that begin with "sweepd."
"""

import contextlib
import os

from . import report
from .observer import Observer

_MOST_WARMUP = 3  # more changes neither counts nor sizes


def _depth_of_modules(ranges):
    """0: modules are no ranges. `modules` alone is those of the first two levels."""
    words = ranges.split()
    if not words or words[0] != "modules":
        return 0
    return int(words[1]) if len(words) > 1 else 2


class Profile(Observer):
    def __init__(self, torch, warmup, _):
        super().__init__(torch)
        self._first = min(warmup, _MOST_WARMUP)  # the first step that is discarded
        self.steps = self._first + 4
        self._profiler = None
        self._annotation = self._step = None
        self._traces = 0
        self._depth = _depth_of_modules(os.environ.get("SWEEPD_RANGES") or "")
        self._names = {}  # of modules that are ranges, by id
        self.wraps_modules = self._depth > 0

    def saw_module(self, module):
        new = not any(each is module for each in self.roots)
        super().saw_module(module)
        if not new or not self.wraps_modules:
            return
        for path, each in module.named_modules():
            # The layers of a stack are one range: h.0.attn and h.1.attn are h.attn.
            parts = [part for part in path.split(".") if part and not part.isdigit()]
            if parts and len(parts) <= self._depth:
                self._names[id(each)] = ".".join(parts)

    def around(self, module, loop):
        """The module's range."""
        name = self._names.get(id(module)) if self._profiler is not None and loop.here() else None
        return contextlib.nullcontext() if name is None else self.torch.profiler.record_function(name)

    def mark(self, phase):
        if self._annotation is not None:
            self._annotation.__exit__(None, None, None)
            self._annotation = None
        if self._profiler is not None and phase is not None:
            self._annotation = self.torch.profiler.record_function("sweepd." + phase)
            self._annotation.__enter__()
        return 0

    def begin_step(self, number):
        if number < self._first or self._step is not None:
            return
        if self._profiler is None:
            self._start()
        self._step = self.torch.profiler.record_function("sweepd.step")
        self._step.__enter__()

    def _start(self):
        profiler = self.torch.profiler
        activities = [profiler.ProfilerActivity.CPU]
        if self.uses_device:
            self.torch.cuda.synchronize()
            activities.append(profiler.ProfilerActivity.CUDA)
        self._profiler = profiler.profile(activities=activities, record_shapes=True, on_trace_ready=self._write,
                                          schedule=profiler.schedule(wait=0, warmup=1, active=1, repeat=2))
        self._profiler.start()

    def _write(self, profiler):
        profiler.export_chrome_trace(os.path.join(report.folder(), f"observed.{report.rank()}.{self._traces}.json"))
        self._traces += 1

    def end_step(self, _):
        if self._step is None:
            return
        self.mark(None)
        if self.uses_device:
            self.torch.cuda.synchronize()
        self._step.__exit__(None, None, None)
        self._step = None
        self._profiler.step()
