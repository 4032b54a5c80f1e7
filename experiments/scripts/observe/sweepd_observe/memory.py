"""The memory pass: the peaks of each phase of one step, and every block that the step allocates.

On a CPU the blocks are those of torch.profiler's memory events; what was allocated before is counted by looking for
all tensors. On a GPU they are those of the allocator's history. The step before the observed one is recorded too, so
that blocks of it that are freed in the observed step are known.
"""

import gc
import json
import os

from . import report
from .blocks import Changes, kept_blocks, kept_points
from .device_memory import DeviceRecorder
from .observer import Observer

_MOST_WARMUP = 3  # more changes neither counts nor sizes


def storage_of(tensor):
    """(address, bytes) of what a tensor holds on this rank; None of one without memory, such as those of torch.compile."""
    try:
        storage = getattr(tensor, "_local_tensor", tensor).untyped_storage()  # the shard of a DTensor
        return storage.data_ptr(), storage.nbytes()
    except (RuntimeError, NotImplementedError):
        return None


def tensors_alive(torch):
    """The tensors that Python knows, and their gradients; each storage once: {address: bytes}."""
    sizes = {}
    gc.collect()
    for each in gc.get_objects():
        if not issubclass(type(each), torch.Tensor):
            continue
        for tensor in (each, each.grad if each.is_leaf else None):
            if tensor is not None and not tensor.is_cuda and tensor.layout == torch.strided:
                address, size = storage_of(tensor) or (0, 0)
                if size > 0:
                    sizes[address] = size
    return sizes


def _model_names(roots):
    """The first model of a class has its name, the next ones are `Net#2` and so on."""
    counts, names = {}, []
    for root in roots:
        name = type(root).__name__
        counts[name] = counts.get(name, 0) + 1
        names.append(name if counts[name] == 1 else f"{name}#{counts[name]}")
    return names


def _named(roots, optimizers):
    """[(name, parameter)] and [(name, buffer)], each tensor and each name once.

    A name that an earlier model has already given to another tensor begins with the name of the model.
    """
    seen, taken = set(), set()

    def add(rows, name, long_name, tensor):
        if id(tensor) not in seen:
            seen.add(id(tensor))
            name = long_name if name in taken else name
            taken.add(name)
            rows.append((name, tensor))

    parameters, buffers = [], []
    for root, model in zip(roots, _model_names(roots)):
        for rows, tensors in ((parameters, root.named_parameters()), (buffers, root.named_buffers())):
            for name, tensor in tensors:
                add(rows, name, f"{model}.{name}", tensor)
    alone = [each for optimizer in optimizers for group in getattr(optimizer, "param_groups", []) for each in group["params"]]
    for number, parameter in enumerate(alone):  # of no module that is called
        add(parameters, f"parameter{number}", f"parameter#{number}", parameter)
    return parameters, buffers


def held_tensors(roots, optimizers):
    """(kind, name, tensor) of what outlives a step."""
    parameters, buffers = _named(roots, optimizers)
    for name, parameter in parameters:
        yield "weights", name, parameter
    for name, parameter in parameters:
        if parameter.grad is not None:
            yield "gradients", f"{name}.grad", parameter.grad
    for name, buffer in buffers:
        yield "other", name, buffer
    names = {id(parameter): name for name, parameter in parameters}
    for optimizer in optimizers:
        for parameter, state in optimizer.state.items():
            for key, value in state.items():
                if hasattr(value, "untyped_storage"):
                    yield "optimizer_state", f"{names.get(id(parameter), 'parameter')}.{key}", value


class Memory(Observer):
    def __init__(self, torch, warmup, _):
        super().__init__(torch)
        self._observed = min(warmup, _MOST_WARMUP)
        self.steps = self._observed + 1
        self._recorder = None
        self._held = {}  # kind: {name: bytes}, of the moment when most of it was held

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
        """Notes the tensors that are held now, each storage once; returns their names by address."""
        names, now = {}, {}
        for kind, name, tensor in held_tensors(self.roots, self.optimizers):
            address, size = storage_of(tensor) or (0, 0)
            if kind in kinds and address != 0 and address not in names:
                names[address] = name
                now.setdefault(kind, {})[name] = size
        for kind, sizes in now.items():
            if sum(sizes.values()) >= sum(self._held.get(kind, {}).values()):
                self._held[kind] = sizes
        return names

    def _start(self):
        self._recorder = DeviceRecorder(self.torch) if self.uses_device else HostRecorder(self.torch)

    def end_step(self, _):
        if self._recorder is None or not self._recorder.begun:
            return
        changes, memory = self._recorder.end()
        for phase, sizes in memory.items():
            report.write(memory=phase, **sizes)
        report.write(held=[[kind, name, size] for kind, sizes in self._held.items() for name, size in sizes.items()])
        report.write(blocks=[[i, size, begin, end, phase, "", origin]
                             for i, (size, begin, end, phase, origin) in kept_blocks(changes.blocks, changes.named)])
        report.write(timeline=[[i, ns, action, address, size, allocated, allocated, phase]
                               for i, (ns, action, address, size, allocated, phase) in kept_points(changes.points)])


class HostRecorder:
    """torch.profiler's memory events. Boundaries of phases are annotations in the same trace."""

    def __init__(self, torch):
        self._torch = torch
        self.begun = False
        self._names = []  # at "begin" and at each "names"
        self._before = tensors_alive(torch)  # the profiler does not see when these are freed
        self._still_alive = {}
        self._profiler = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True)
        self._profiler.start()

    def enter(self, phase):
        with self._torch.profiler.record_function("sweepd." + phase):
            pass

    def begin(self, names):
        self.begun = True
        self._names.append(names)
        self._still_alive = tensors_alive(self._torch)
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
        before, unseen = dict(self._before), set(self._before)
        began, changes, stack, index, names = None, None, {}, 0, iter(self._names)
        for each in wanted:
            ts = each["ts"]
            while index < len(operators) and operators[index]["ts"] <= ts:
                stack.setdefault(operators[index].get("tid"), []).append(operators[index])
                index += 1
            if each["name"] != "[memory]":
                phase = each["name"][len("sweepd."):]
                if phase == "begin":
                    for address in unseen - self._still_alive.keys():
                        before.pop(address, None)
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
                unseen.discard(address)
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
