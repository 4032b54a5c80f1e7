#!/usr/bin/env python3
"""Writes the memory snapshots of this folder, in the shape of torch.cuda.memory._dump_snapshot.

    tests/trace/data/make_snapshots.py        needs no torch and no GPU

A toy allocator runs two steps of a toy model, so that the file has what a real one has: shared frames,
rounded blocks, reused addresses, blocks from before the recording, and two devices of which one idles.
`snapshot.expected.json` has the figures, computed here from the objects and not from the files.

  snapshot_p2.pickle, _p4, _p5   the same snapshot in three protocols
  snapshot_cpp.pickle            as torch's C++ code pickles it: no batches, 64-bit integers
  snapshot_2_0.pickle            as torch 2.0: `history` in place of frames, no addresses, no times
"""

import json
import pickle
import struct
from pathlib import Path

HERE = Path(__file__).parent
TORCH = "/venv/lib/python3.11/site-packages/torch/nn/modules/"


def frame(filename, line, name):
    return {"name": name, "filename": filename, "line": line}


RECORDING = frame("??", 0, "torch::unwind::unwind()")
LINEAR = frame(TORCH + "linear.py", 125, "forward")
CALL = frame(TORCH + "module.py", 1751, "_call_impl")
MAIN = frame("/home/me/train.py", 90, "<module>")
FORWARD = frame("/home/me/model.py", 41, "forward")
BACKWARD = frame("/home/me/train.py", 77, "step")
SETUP = frame("/home/me/train.py", 12, "setup")
# A call that is made twice is one object twice, as torch gathers it.
STACKS = {
    "setup": [RECORDING, SETUP, MAIN],
    "forward": [RECORDING, LINEAR, CALL, CALL, FORWARD, MAIN],
    "backward": [RECORDING, BACKWARD, MAIN],
}
USEFUL = {"setup": "train.py:12:setup", "forward": "model.py:41:forward", "backward": "train.py:77:step"}


class Allocator:
    """First fit in segments of 2 MiB; a larger request has its own segment."""

    SEGMENT = 2 << 20

    def __init__(self):
        self.segments, self.trace, self.recording, self.time = [], [], False, 1_700_000_000_000_000

    def note(self, action, address, size, stack):
        self.time += 250
        if self.recording:
            self.trace.append(
                {"action": action, "addr": address, "size": size, "stream": 0, "time_us": self.time,
                 "compile_context": "N/A", "user_metadata": "", "frames": list(STACKS[stack])})

    def alloc(self, requested, stack):
        size = -(-requested // 512) * 512
        for segment in self.segments:
            for block in segment["blocks"]:
                if block["state"] == "inactive" and block["size"] >= size:
                    return self.take(segment, block, requested, size, stack)
        total = max(self.SEGMENT, size)
        address = 0x7F0000000000 + (64 << 20) * len(self.segments)
        self.segments.append(
            {"device": 0, "address": address, "total_size": total, "allocated_size": 0, "active_size": 0,
             "requested_size": 0, "stream": 0, "segment_type": "large" if total > self.SEGMENT else "small",
             "segment_pool_id": (0, 0), "is_expandable": False, "frames": list(STACKS[stack]),
             "blocks": [{"address": address, "size": total, "requested_size": 0, "state": "inactive", "frames": []}]})
        self.note("segment_alloc", address, total, stack)
        segment = self.segments[-1]
        return self.take(segment, segment["blocks"][0], requested, size, stack)

    def take(self, segment, block, requested, size, stack):
        blocks, at = segment["blocks"], segment["blocks"].index(block)
        if block["size"] > size:
            rest = {"address": block["address"] + size, "size": block["size"] - size, "requested_size": 0,
                    "state": "inactive", "frames": []}
            blocks.insert(at + 1, rest)
        block.update(size=size, requested_size=requested, state="active_allocated", frames=list(STACKS[stack]),
                     stack=stack)
        self.note("alloc", block["address"], requested, stack)
        return block

    def free(self, block, stack="backward"):
        self.note("free_requested", block["address"], block["requested_size"], stack)
        self.note("free_completed", block["address"], block["requested_size"], stack)
        block.update(state="inactive", requested_size=0, frames=[])
        for segment in self.segments:  # joins free neighbours
            blocks = segment["blocks"]
            for i in range(len(blocks) - 1, 0, -1):
                if blocks[i]["state"] == blocks[i - 1]["state"] == "inactive":
                    blocks[i - 1]["size"] += blocks[i]["size"]
                    del blocks[i]


def run():
    """Returns the allocator, and what was live before the recording: address, size, frame."""
    memory = Allocator()
    weights = [memory.alloc(100_000 + 1000 * i, "setup") for i in range(3)]
    scratch = memory.alloc(700_000, "setup")
    memory.recording = True
    # The snapshot knows the frames of those that are still live at its end.
    before = [(b["address"], b["requested_size"], "" if b is scratch else USEFUL["setup"]) for b in weights + [scratch]]
    memory.free(scratch)
    for _ in range(2):
        live = [memory.alloc(size, "forward") for size in (300_001, 150_000, 3_000_000)]
        gradient = memory.alloc(64_000, "backward")
        for block in reversed(live):
            memory.free(block)
        memory.free(gradient)
    weights.append(memory.alloc(10_000, "backward"))  # a state of the optimizer
    memory.trace.append({"action": "oom", "size": 1 << 40, "stream": 0, "time_us": memory.time, "device_free": 7,
                         "frames": list(STACKS["forward"])})
    return memory, before


def expected(memory, before):
    """Replays the trace with the names of the toy's own stacks."""
    stack_of = {tuple(map(id, frames)): USEFUL[name] for name, frames in STACKS.items()}
    live = {address: (size, name) for address, size, name in before}
    start = sum(size for size, _ in live.values())
    reserved = sum(s["total_size"] for s in memory.segments)
    for entry in memory.trace:
        reserved -= entry["size"] if entry["action"] == "segment_alloc" else 0
    peak, peak_reserved, held = start, reserved, dict(live)
    for entry in memory.trace:
        if entry["action"] == "alloc":
            live[entry["addr"]] = (entry["size"], stack_of[tuple(map(id, entry["frames"]))])
        elif entry["action"] == "free_requested":
            del live[entry["addr"]]
        elif entry["action"] == "segment_alloc":
            reserved += entry["size"]
        peak_reserved = max(peak_reserved, reserved)
        total = sum(size for size, _ in live.values())
        if total > peak:
            peak, held = total, dict(live)
    frames = {}
    for size, name in held.values():
        blocks, total = frames.get(name, (0, 0))
        frames[name] = (blocks + 1, total + size)
    blocks = [(s, b) for s in memory.segments for b in s["blocks"]]
    free = [b["size"] for _, b in blocks if b["state"] == "inactive"]
    return {
        "segments": len(memory.segments), "blocks": len(blocks), "entries": len(memory.trace),
        "at_start": start, "at_end": sum(size for size, _ in live.values()),
        "peak_allocated": peak, "peak_reserved": peak_reserved,
        "held_at_peak": sorted(([name, n, size] for name, (n, size) in frames.items()), key=lambda row: -row[2]),
        "reserved": sum(s["total_size"] for s in memory.segments),
        "allocated": sum(b["size"] for _, b in blocks if b["state"] == "active_allocated"),
        "requested": sum(b["requested_size"] for _, b in blocks),
        "free": sum(free), "largest_free": max(free),
        "unreleasable": sum(b["size"] for s, b in blocks if b["state"] == "inactive"
                            and any(other["state"] != "inactive" for other in s["blocks"])),
    }


def snapshot_of(memory):
    segments = [{**s, "blocks": [{k: v for k, v in b.items() if k != "stack"} for b in s["blocks"]]}
                for s in memory.segments]
    return {
        "segments": segments,
        "device_traces": [memory.trace, []],
        "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": -1,
                               "garbage_collection_threshold": 0.0, "expandable_segments": False,
                               "roundup_power2_divisions": {"1": 0}},
        "external_annotations": [{"stage": "step", "time_us": 1_700_000_000_000_500, "device": 0}],
    }


def as_torch_2_0(snapshot):
    segments = []
    for segment in snapshot["segments"]:
        blocks = []
        for block in segment["blocks"]:
            old = {"size": block["size"], "state": block["state"]}
            if block["frames"]:
                old["history"] = [{"addr": block["address"], "real_size": block["requested_size"],
                                   "frames": block["frames"]}]
            blocks.append(old)
        segments.append({"address": segment["address"], "total_size": segment["total_size"], "stream": 0,
                         "segment_type": "small", "blocks": blocks})
    traces = [[{k: v for k, v in entry.items() if k not in ("time_us", "user_metadata")} for entry in trace]
              for trace in snapshot["device_traces"]]
    return {"segments": segments, "device_traces": traces}


class CppPickler:
    """torch/csrc/jit/serialization/pickler.cpp without type tags: whole containers between marks."""

    def __init__(self):
        self.out, self.strings, self.numbers = [b"\x80\x02"], {}, 0

    def put(self):
        n = self.numbers
        self.numbers += 1
        self.out.append(b"q" + bytes([n]) if n < 256 else b"r" + struct.pack("<I", n))
        return n

    def push(self, value):
        if value is None or isinstance(value, bool):
            self.out.append({None: b"N", True: b"\x88", False: b"\x89"}[value])
        elif isinstance(value, int):
            if 0 <= value < 256:
                self.out.append(b"K" + bytes([value]))
            elif -(1 << 31) <= value < 1 << 31:
                self.out.append(b"J" + struct.pack("<i", value))
            else:
                self.out.append(b"\x8a\x08" + struct.pack("<q", value))
        elif isinstance(value, float):
            self.out.append(b"G" + struct.pack(">d", value))
        elif isinstance(value, str):
            self.push_text(value)
        elif isinstance(value, dict):
            self.out.append(b"}")
            self.put()
            self.out.append(b"(")
            for pair in value.items():
                self.push(pair[0])
                self.push(pair[1])
            self.out.append(b"u")
        else:
            is_list = isinstance(value, list)
            self.out.append(b"]" if is_list else b"(")
            if is_list:
                self.put()
                self.out.append(b"(")
            for member in value:
                self.push(member)
            self.out.append(b"e" if is_list else b"t")
            if not is_list:
                self.put()

    def push_text(self, text):
        if text in self.strings:
            n = self.strings[text]
            self.out.append(b"h" + bytes([n]) if n < 256 else b"j" + struct.pack("<I", n))
            return
        data = text.encode()
        self.out.append(b"X" + struct.pack("<I", len(data)) + data)
        self.strings[text] = self.put()


def main():
    memory, before = run()
    snapshot = snapshot_of(memory)
    for protocol in (2, 4, 5):
        (HERE / f"snapshot_p{protocol}.pickle").write_bytes(pickle.dumps(snapshot, protocol=protocol))
    (HERE / "snapshot_2_0.pickle").write_bytes(pickle.dumps(as_torch_2_0(snapshot), protocol=4))
    cpp = CppPickler()
    cpp.push(snapshot)
    (HERE / "snapshot_cpp.pickle").write_bytes(b"".join(cpp.out) + b".")
    (HERE / "snapshot.expected.json").write_text(json.dumps(expected(memory, before), indent=1) + "\n")


if __name__ == "__main__":
    main()
