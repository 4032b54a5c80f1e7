"""The profile pass: after the warm-up one observed step that is discarded, then two that are compared.

The trace of each of the two is a file in the attempt's folder; the worker makes kernels, operators and ranges of it.
Phases are annotations in it that begin with "sweepd."
"""

import os

from . import report
from .observer import Observer

_MOST_WARMUP = 3  # more changes neither counts nor sizes


class Profile(Observer):
    def __init__(self, torch, warmup, _):
        super().__init__(torch)
        self._first = min(warmup, _MOST_WARMUP)  # the step that is discarded
        self.steps = self._first + 3
        self._profiler = None
        self._annotation = self._step = None
        self._number = 0

    def mark(self, phase):
        if self._annotation is not None:
            self._annotation.__exit__(None, None, None)
            self._annotation = None
        if self._profiler is not None and phase is not None:
            self._annotation = self.torch.profiler.record_function("sweepd." + phase)
            self._annotation.__enter__()
        return 0

    def begin_step(self, number):
        if number < self._first or self._profiler is not None:
            return
        activities = [self.torch.profiler.ProfilerActivity.CPU]
        if self.uses_device:
            self.torch.cuda.synchronize()
            activities.append(self.torch.profiler.ProfilerActivity.CUDA)
        self._profiler = self.torch.profiler.profile(activities=activities, record_shapes=True)
        self._profiler.start()
        self._step = self.torch.profiler.record_function("sweepd.step")
        self._step.__enter__()

    def end_step(self, _):
        number, self._number = self._number, self._number + 1
        if self._profiler is None:
            return
        self.mark(None)
        if self.uses_device:
            self.torch.cuda.synchronize()
        self._step.__exit__(None, None, None)
        profiler, self._profiler = self._profiler, None
        profiler.stop()
        if number > self._first:
            path = os.path.join(report.folder(), f"observed.{report.rank()}.{number - self._first - 1}.json")
            profiler.export_chrome_trace(path)
