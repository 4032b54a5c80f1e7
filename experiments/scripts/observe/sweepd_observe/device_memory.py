"""The memory of a GPU: the history of PyTorch's allocator, and its counters at each boundary."""

import os
import time

from . import report
from .blocks import Changes


class DeviceRecorder:
    def __init__(self, torch):
        self._cuda = torch.cuda
        self.begun = False
        self._boundaries = []  # (us since the epoch, phase)
        self._memory, self._open = {}, None
        self._names = []
        self._cuda.memory._record_memory_history(max_entries=2_000_000)

    def enter(self, phase):
        if not self.begun:
            return
        self._close()
        self._boundaries.append((self._now_us(), phase))
        self._open = (phase, self._cuda.memory_allocated())

    @staticmethod
    def _now_us():
        return time.time_ns() // 1000

    def _close(self):
        cuda = self._cuda
        cuda.synchronize()
        if self._open is not None:
            phase, at_start = self._open
            free, total = cuda.mem_get_info()
            for name in {phase, "step"}:
                one = self._memory.setdefault(name, {"at_start": at_start, "peak_allocated": 0, "peak_reserved": 0,
                                                     "device_in_use": 0})
                one["peak_allocated"] = max(one["peak_allocated"], cuda.max_memory_allocated())
                one["peak_reserved"] = max(one["peak_reserved"], cuda.max_memory_reserved())
                one["device_in_use"] = max(one["device_in_use"], total - free)
                one["at_end"] = cuda.memory_allocated()
        cuda.reset_peak_memory_stats()

    def name(self, names):
        self._boundaries.append((self._now_us(), names))

    def begin(self, names):
        self.begun = True
        self._names = names
        self._close()
        self._began = self._now_us()
        self._open = ("step", self._cuda.memory_allocated())

    def end(self):
        self._close()
        memory = self._cuda.memory
        snapshot = memory._snapshot()
        memory._dump_snapshot(os.path.join(report.folder(), f"memory_snapshot.{report.rank()}.pickle"))
        memory._record_memory_history(enabled=None)
        return self._replay(snapshot), self._memory

    def _replay(self, snapshot):
        trace = snapshot["device_traces"][self._cuda.current_device()]
        live = {block.get("address", 0): block["size"] for segment in snapshot["segments"]
                for block in segment["blocks"] if block["state"] == "active_allocated"}
        inside = [each for each in trace
                  if each["action"] in ("alloc", "free_completed") and each["time_us"] >= self._began]
        before = dict(live)  # what is live now, without what the step allocated, with what it freed
        for each in reversed(inside):
            if each["action"] == "alloc":
                before.pop(each["addr"], None)
            else:
                before[each["addr"]] = each["size"]
        changes, boundaries = Changes(before, self._names), list(self._boundaries)


        def pass_boundaries(until_us):
            while boundaries and boundaries[0][0] <= until_us:
                at, what = boundaries.pop(0)
                if isinstance(what, dict):
                    changes.name(what)
                else:
                    changes.enter((at - self._began) * 1000, what)

        for each in inside:
            pass_boundaries(each["time_us"])
            ns = (each["time_us"] - self._began) * 1000
            if each["action"] == "alloc":
                changes.allocate(ns, each["addr"], each["size"], self._frame(each))
            else:
                changes.free(ns, each["addr"])
        pass_boundaries(self._now_us())
        return changes

    @staticmethod
    def _frame(entry):
        for frame in entry.get("frames", []):
            if frame["filename"].endswith(".py") and f"{os.sep}torch{os.sep}" not in frame["filename"]:
                return f"{os.path.basename(frame['filename'])}:{frame['line']} {frame['name']}"
        return ""
