"""The memory pass: the peaks of each phase of one step, and every block that the step allocates.

On a CPU the blocks are those of torch.profiler's memory events; what was allocated before is counted by looking for
all tensors. On a GPU they are those of the allocator's history. The step before the observed one is recorded too, so
that blocks of it that are freed in the observed step are known.
"""

import gc
import json
import os
import time

from . import report
from .observer import Observer

_MOST_WARMUP = 3  # more changes neither counts nor sizes
_MOST_BLOCKS, _LARGE_BLOCK, _MOST_POINTS = 1000, 1 << 20, 2000


def tensors_alive(torch):
    """The tensors that Python knows, and their gradients; each storage once: {address: bytes}."""
    sizes = {}
    gc.collect()
    for each in gc.get_objects():
        if not issubclass(type(each), torch.Tensor):
            continue
        for tensor in (each, each.grad if each.is_leaf else None):
            if tensor is not None and not tensor.is_cuda and tensor.layout == torch.strided:
                storage = tensor.untyped_storage()
                if storage.nbytes() > 0:
                    sizes[storage.data_ptr()] = storage.nbytes()
    return sizes


def held_tensors(roots, optimizers):
    """(kind, name, tensor) of what outlives a step."""
    for root in roots:
        for name, parameter in root.named_parameters():
            yield "weights", name, parameter
            if parameter.grad is not None:
                yield "gradients", name, parameter.grad
        for name, buffer in root.named_buffers():
            yield "other", name, buffer
    names = {id(parameter): name for root in roots for name, parameter in root.named_parameters()}
    for optimizer in optimizers:
        for parameter, state in optimizer.state.items():
            for key, value in state.items():
                if hasattr(value, "untyped_storage"):
                    yield "optimizer_state", f"{names.get(id(parameter), 'parameter')}.{key}", value


class Changes:
    """Allocations and releases in order, from a moment at which the blocks `before` were allocated."""

    def __init__(self, before, names):
        self.allocated = sum(before.values())
        self.live = {}      # address: index in blocks
        self.blocks = []    # [bytes, allocated ns, freed ns or None, phase, origin]
        self.points = []    # [ns, action, address, bytes, allocated after it, phase]
        self.phases = {}    # phase: [at start, peak, at end]
        self.phase = "step"
        for address, size in before.items():
            self._add_block(address, size, 0, "before", "")
        self.name(names)
        self._touch("step")

    def _add_block(self, address, size, ns, phase, origin):
        self.live[address] = len(self.blocks)
        self.blocks.append([size, ns, None, phase, origin])

    def name(self, names):
        """Blocks that are live now, by address."""
        for address, name in names.items():
            if address in self.live:
                self.blocks[self.live[address]][4] = name

    def _touch(self, phase):
        one = self.phases.setdefault(phase, [self.allocated, self.allocated, self.allocated])
        one[1] = max(one[1], self.allocated)
        one[2] = self.allocated

    def enter(self, ns, phase):
        self.phase = phase
        self._touch(phase)
        self.points.append([ns, "phase", 0, 0, self.allocated, phase])

    def allocate(self, ns, address, size, origin):
        if address in self.live:  # its release was not seen
            self.free(ns, address)
        self._add_block(address, size, ns, self.phase, origin)
        self._change(ns, "allocate", address, size, size)

    def free(self, ns, address):
        index = self.live.pop(address, None)
        if index is not None:
            self.blocks[index][2] = ns
            self._change(ns, "free", address, self.blocks[index][0], -self.blocks[index][0])

    def _change(self, ns, action, address, size, by):
        self.allocated += by
        self.points.append([ns, action, address, size, self.allocated, self.phase])
        self._touch("step")
        if self.phase != "step":
            self._touch(self.phase)


def kept_points(points):
    """At most about _MOST_POINTS: every phase, and of each stretch the highest and the lowest."""
    if len(points) <= _MOST_POINTS:
        return list(enumerate(points))
    stretch = -(-len(points) * 2 // _MOST_POINTS)
    kept = {i for i, point in enumerate(points) if point[1] == "phase"} | {0, len(points) - 1}
    for begin in range(0, len(points), stretch):
        part = range(begin, min(begin + stretch, len(points)))
        kept |= {min(part, key=lambda i: points[i][4]), max(part, key=lambda i: points[i][4])}
    return [(i, points[i]) for i in sorted(kept)]


def kept_blocks(blocks):
    order = sorted(range(len(blocks)), key=lambda i: -blocks[i][0])
    kept = {i for place, i in enumerate(order) if place < _MOST_BLOCKS or blocks[i][0] >= _LARGE_BLOCK}
    return [(i, blocks[i]) for i in sorted(kept)][:5 * _MOST_BLOCKS]


class Memory(Observer):
    def __init__(self, torch, warmup, _):
        super().__init__(torch)
        self._observed = min(warmup, _MOST_WARMUP)
        self.steps = self._observed + 1
        self._recorder = None
        self._held = {}  # (kind, name): (address, bytes)

    def begin_program(self):
        if self._observed == 0:
            self._start()

    def saw_optimizer(self, optimizer):
        super().saw_optimizer(optimizer)
        if self._recorder is not None and self._recorder.begun:
            self._recorder.name(self._hold("gradients"))  # perhaps the only moment when they exist

    def mark(self, phase):
        if self._recorder is not None:
            self._recorder.enter(phase or "step")
        return 0

    def begin_step(self, number):
        if number == self._observed - 1:
            self._start()
        if number == self._observed:
            self._recorder.begin(self._hold("weights", "other", "optimizer_state", "gradients"))

    def _hold(self, *kinds):
        """Notes the tensors that are held now; returns their names by address."""
        names = {}
        for kind, name, tensor in held_tensors(self.roots, self.optimizers):
            if kind in kinds:
                storage = tensor.untyped_storage()
                self._held[kind, name] = (storage.data_ptr(), storage.nbytes())
                names[storage.data_ptr()] = name
        return names

    def _start(self):
        self._recorder = DeviceRecorder(self.torch) if self.uses_device else HostRecorder(self.torch)

    def end_step(self, _):
        if self._recorder is None or not self._recorder.begun:
            return
        changes, memory = self._recorder.end()
        for phase, sizes in memory.items():
            report.write(memory=phase, **sizes)
        report.write(held=[[kind, name, size] for (kind, name), (_, size) in self._held.items()])
        report.write(blocks=[[i, size, begin, end, phase, "", origin]
                             for i, (size, begin, end, phase, origin) in kept_blocks(changes.blocks)])
        report.write(timeline=[[i, ns, action, address, size, allocated, allocated, phase]
                               for i, (ns, action, address, size, allocated, phase) in kept_points(changes.points)])


class HostRecorder:
    """torch.profiler's memory events. Boundaries of phases are annotations in the same trace."""

    def __init__(self, torch):
        self._torch = torch
        self.begun = False
        self._names = []  # at "begin" and at each "names"
        self._before = tensors_alive(torch)
        self._profiler = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True)
        self._profiler.start()

    def enter(self, phase):
        with self._torch.profiler.record_function("sweepd." + phase):
            pass

    def begin(self, names):
        self.begun = True
        self._names.append(names)
        self.enter("begin")

    def name(self, names):
        self._names.append(names)
        self.enter("names")

    def end(self):
        self.enter("end")
        self._profiler.stop()
        path = os.path.join(report.folder(), f"observed_memory.{report.rank()}.json")
        self._profiler.export_chrome_trace(path)
        with open(path, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        os.remove(path)
        changes = self._replay(events)
        resident = int(open("/proc/self/statm", encoding="ascii").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        return changes, {phase: {"at_start": start, "peak_allocated": peak, "at_end": end, "peak_reserved": peak,
                                 "device_in_use": resident}
                         for phase, (start, peak, end) in changes.phases.items()}

    def _replay(self, events):
        operators = sorted((each for each in events if each.get("cat") == "cpu_op"), key=lambda each: each["ts"])
        wanted = [each for each in events
                  if each.get("name") == "[memory]" or str(each.get("name")).startswith("sweepd.")]
        wanted.sort(key=lambda each: each["ts"])
        before, began, changes, stack, index, names = dict(self._before), None, None, {}, 0, iter(self._names)
        for each in wanted:
            ts = each["ts"]
            while index < len(operators) and operators[index]["ts"] <= ts:
                stack.setdefault(operators[index].get("tid"), []).append(operators[index])
                index += 1
            if each["name"] != "[memory]":
                phase = each["name"][len("sweepd."):]
                if phase == "begin":
                    began, changes = ts, Changes(before, next(names))
                elif phase == "names" and changes is not None:
                    changes.name(next(names))
                elif phase == "end":
                    break
                elif changes is not None:
                    changes.enter(round((ts - began) * 1000), phase)
                continue
            arguments = each["args"]
            if arguments.get("Device Type") != 0:
                continue
            size, address = arguments["Bytes"], arguments["Addr"]
            if changes is None:
                if size > 0:
                    before[address] = size
                else:
                    before.pop(address, None)
                continue
            ns = round((ts - began) * 1000)
            if size > 0:
                changes.allocate(ns, address, size, self._operator_at(stack.get(each.get("tid"), []), ts))
            else:
                changes.free(ns, address)
        return changes

    @staticmethod
    def _operator_at(stack, ts):
        """The innermost operator of the thread that runs at `ts`."""
        while stack and stack[-1]["ts"] + stack[-1]["dur"] < ts:
            stack.pop()
        return stack[-1]["name"] if stack else ""


class DeviceRecorder:
    """The history of PyTorch's allocator on the current GPU, and its counters at each boundary."""

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
        for each in inside:
            while boundaries and boundaries[0][0] <= each["time_us"]:
                at, what = boundaries.pop(0)
                if isinstance(what, dict):
                    changes.name(what)
                else:
                    changes.enter((at - self._began) * 1000, what)
            ns = (each["time_us"] - self._began) * 1000
            if each["action"] == "alloc":
                changes.allocate(ns, each["addr"], each["size"], self._frame(each))
            else:
                changes.free(ns, each["addr"])
        return changes

    @staticmethod
    def _frame(entry):
        for frame in entry.get("frames", []):
            if frame["filename"].endswith(".py") and f"{os.sep}torch{os.sep}" not in frame["filename"]:
                return f"{os.path.basename(frame['filename'])}:{frame['line']} {frame['name']}"
        return ""
