#!/usr/bin/env python3
"""Fails when a source file includes what its layer may not (docs/ARCHITECTURE.md, "Layers").

    tools/check_layers.py [ROOT]        exit 0: clean, 1: violations (one line each), 2: wrong usage

An arrow `a -> b` lets `a` include b's headers and whatever b may include in turn, since the public
headers of b include them anyway. A layer is a folder; the longest matching folder counts. Each family
of third-party headers has a list of layers that may use it, so that a second user of SQLite is noticed
in review and not in the daemon's start-up time.
"""

import argparse
import re
import sys
from pathlib import Path

# Which layers a layer may include directly. `db` means itself and its subfolders, and so on.
ARROWS = {
    "runner/base": [],
    "runner/stats": ["runner/base"],
    # A large layer has rooms: folders with rules between them. An arrow to the layer allows them all,
    # except of db/query, whose rooms are behind its interface.
    "runner/model/vocabulary": ["runner/base"],
    "runner/model/machine": ["runner/model/vocabulary"],
    "runner/model/measurement": ["runner/model/vocabulary"],
    "runner/model/sweep": ["runner/model/machine", "runner/model/measurement"],
    "runner/model/attempt": ["runner/model/sweep"],
    "runner/model/verdict": ["runner/model/attempt"],
    "runner/model": ["runner/model/verdict"],
    "runner/sweepfile/yaml": ["runner/model"],
    "runner/sweepfile/table": ["runner/sweepfile/yaml"],
    "runner/sweepfile/sweep": ["runner/sweepfile/table"],
    "runner/sweepfile/study": ["runner/sweepfile/sweep"],
    "runner/sweepfile/reference": ["runner/sweepfile/sweep"],
    "runner/sweepfile/config": ["runner/sweepfile/sweep"],
    "runner/sweepfile": ["runner/sweepfile/study", "runner/sweepfile/reference", "runner/sweepfile/config"],
    "runner/sched": ["runner/model"],
    "inject": [],
    "runner/trace": ["runner/model", "runner/stats", "inject"],
    "runner/wire": ["runner/model"],
    "runner/exec": ["runner/model", "runner/wire"],
    "runner/exec/pilot": ["runner/exec"],
    "runner/exec/slurm": ["runner/exec/pilot"],
    "runner/worker/journal": ["runner/model", "runner/wire", "workloads/api"],
    "runner/worker/passes": ["runner/worker/journal", "runner/trace"],
    "runner/worker/forks": ["runner/worker/journal"],
    "runner/worker/plugins": ["runner/worker/journal"],
    "runner/worker": ["runner/worker/passes", "runner/worker/forks", "runner/worker/plugins"],
    "runner/report/cell": ["runner/model", "runner/stats"],
    "runner/report/notes": ["runner/report/cell"],
    "runner/report/table": ["runner/report/notes"],
    "runner/report/render": ["runner/report/cell"],
    "runner/report/plot": ["runner/report/render"],
    "runner/report/compare": ["runner/report/cell"],
    "runner/report/explain": ["runner/report/cell"],
    "runner/report": ["runner/report/table", "runner/report/plot", "runner/report/compare", "runner/report/explain"],
    "db/base": ["runner/model"],
    "db/store": ["db/base"],
    "db/query": ["db/base"],
    "db/query/planning": ["db/query"],
    "db/query/details": ["db/query/planning"],
    "db/query/results": ["db/query/details"],
    "db/query/sweeps": ["db/query/planning"],
    "db/merge": ["db/store"],
    "db/upkeep": ["db/base"],
    "db": ["db/store", "db/query", "db/merge", "db/upkeep"],
    # The rooms of the daemon: what lives as long as an attempt, as a request, as the process.
    "runner/daemon/threads": ["db"],
    "runner/daemon/formulas": ["runner/wire"],
    "runner/daemon/attempts": [
        "runner/daemon/threads",
        "runner/daemon/formulas",
        "runner/sched",
        "runner/stats",
        "runner/exec",
    ],
    "runner/daemon/planning": ["runner/daemon/attempts", "runner/sweepfile", "runner/report"],
    "runner/daemon/recovery": ["runner/daemon/planning"],
    "runner/daemon/serving": ["runner/daemon/planning"],
    "runner/daemon/handlers": ["runner/daemon/serving", "runner/daemon/recovery"],
    "runner/daemon": ["runner/daemon/handlers", "runner/daemon/recovery", "runner/exec/slurm"],
    "runner/client/session": ["runner/wire", "runner/report"],
    "runner/client/render": ["runner/client/session"],
    "runner/client/watch": ["runner/client/render"],
    "runner/client/doctor": ["runner/client/render"],
    "runner/client/document": ["runner/client/render"],
    "runner/client/study": ["runner/client/document"],
    "runner/client/completion": ["runner/report"],
    "runner/client/commands": [
        "runner/trace",
        "runner/client/watch",
        "runner/client/doctor",
        "runner/client/study",
        "runner/client/completion",
    ],
    "runner/client": ["runner/client/commands"],
    "workloads/api": ["runner/model"],
    "workloads/torch": ["workloads/api"],
    "workloads/flash": ["workloads/torch"],
    "workloads/fused": ["workloads/flash"],
    "workloads/linear": ["workloads/torch"],
    "workloads/cpu": ["workloads/torch"],
    "workloads/cuda": ["workloads/torch", "workloads/fused", "workloads/linear", "inject"],
    "workloads/nn": ["workloads/fused", "workloads/linear", "workloads/cuda"],
    "workloads/dist/shm": ["workloads/api"],
    "workloads/dist": ["workloads/nn", "workloads/cpu", "workloads/dist/shm"],
    "workloads/command": ["workloads/api", "runner/trace"],
    "workloads/parallelism": ["workloads/nn"],
    "workloads": ["workloads/dist", "workloads/command", "workloads/parallelism"],
}

# The header families that only some layers may use, by the start of the include. Headers in none of
# them (the standard library, POSIX, fmt) are free to all.
FAMILIES = {
    "LibTorch": (
        re.compile(r"(torch|ATen|c10|c10d|caffe2)/"),
        ["runner/worker", "workloads"],
    ),
    "CUDA": (
        re.compile(r"(cuda|cupti|nccl|nvml|cublas|cudnn|curand|cusparse|nvtx|mma\.h|cute/|cutlass/|cooperative_groups)"),
        ["runner/worker", "workloads"],
    ),
    "yaml-cpp": (re.compile(r"yaml-cpp/"), ["runner/sweepfile"]),
    "SQLite": (re.compile(r"(SQLiteCpp/|sqlite3)"), ["db", "runner/trace"]),
    "RapidJSON": (re.compile(r"rapidjson/"), ["runner/trace"]),
    "zlib": (re.compile(r"zlib\.h"), ["runner/base"]),
    "hwloc": (re.compile(r"hwloc"), ["runner/exec"]),
    "Boost": (re.compile(r"boost/"), ["runner/stats", "runner/daemon", "runner/client"]),
    "cmark-gfm": (re.compile(r"cmark-gfm"), ["runner/client"]),
    "mustache": (re.compile(r"kainjow/"), ["runner/client"]),
    "CLI11": (re.compile(r"CLI/"), ["runner/daemon", "runner/client", "runner/worker"]),
    "spdlog": (re.compile(r"spdlog/"), ["runner/exec", "runner/daemon"]),
    "nlohmann-json": (
        re.compile(r"nlohmann/"),
        ["db/base", "runner/wire", "runner/exec", "runner/report", "runner/daemon", "runner/client", "runner/worker", "workloads"],
    ),
    "test libraries": (re.compile(r"(gtest|gmock|rapidcheck|valijson)"), []),
}

FROZEN = "tests/plugins/frozen/"  # copies of headers, as they were
GENERATED = {"build_info.h"}  # of cmake/build_info; CMake writes its values at every build
SOURCES = {".h", ".hpp", ".cpp", ".cc", ".cu", ".cuh", ".inl"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')


def reachable(layer):
    """Every layer whose headers `layer` may include, itself first."""
    seen = [layer]
    for current in seen:
        seen.extend(target for target in ARROWS[current] if target not in seen)
    return seen


def layer_of(path):
    """The layer of a project-relative path, or None (tests, generated files)."""
    owners = [layer for layer in ARROWS if path.startswith(layer + "/")]
    return max(owners, key=len, default=None)


def inside(layer, names):
    """Is the layer one of the names, or a folder below one?"""
    return any(layer == name or layer.startswith(name + "/") for name in names)


def check_third_party(layer, header):
    for family, (pattern, users) in FAMILIES.items():
        if not pattern.match(header):
            continue
        # workloads/api is below workloads, but its headers must build without LibTorch.
        if layer == "workloads/api" or not inside(layer, users):
            return f"{layer} uses {family} (<{header}>); only {', '.join(users) or 'tests'} may"
    return None


def check_project(root, path, layer, header):
    if header in GENERATED:
        return None
    if not (root / header).is_file():
        if (root / path).parent.joinpath(header).is_file():
            return f'"{header}" is relative to the file; write it from the project\'s root'
        return f'"{header}" does not exist; quotes are for headers of this project, from its root'
    target = layer_of(header)
    allowed = reachable(layer)
    named = [each for each in allowed[1:] if not inside(each, [other for other in allowed[1:] if other != each])]
    if target is None:
        return f'{layer} -> "{header}", which is in no layer'
    if target in allowed:
        return None
    return f'{layer} -> {target} ("{header}"); {layer} may include {", ".join(named) or "no other layer"}'


def check_test(path, header):
    """Tests may include any layer, but only those of the worker and the workloads link LibTorch."""
    folder = path.split("/")[1]
    for family in ("LibTorch", "CUDA"):
        if FAMILIES[family][0].match(header) and not folder.startswith(("worker", "workloads", "gpu", "compiled", "inject")):
            return f"tests/{folder} uses {family} (<{header}>); only tests of the worker and the workloads may"
    return None


def check_file(root, path):
    """Yields (line number, message) of one file."""
    layer = layer_of(path)
    in_tests = path.startswith("tests/")
    if layer is None and not in_tests:
        return
    text = (root / path).read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quote, header = match.groups()
        if in_tests:
            message = check_test(path, header)
        elif quote == '"':
            message = check_project(root, path, layer, header)
        elif layer_of(header):
            message = f"<{header}> is a header of this project; write it in quotes"
        else:
            message = check_third_party(layer, header)
        if message:
            yield number, message


def source_files(root):
    for top in ("runner", "inject", "workloads", "db", "tests"):
        for file in sorted((root / top).rglob("*")):
            path = file.relative_to(root).as_posix()
            if file.suffix in SOURCES and file.is_file() and not path.startswith(FROZEN):
                yield path


def check_tree(root):
    """Every violation as a line of text, in file order; and the number of files read."""
    files = list(source_files(root))
    lines = [
        f"{path}:{number}: {message}"
        for path in files
        for number, message in check_file(root, path)
    ]
    return lines, len(files)


def check_some_tree(root):
    violations, count = check_tree(root)
    if count == 0:
        print(f"{root}: no source files found; expected folders runner, workloads, db", file=sys.stderr)
        sys.exit(2)
    return violations, count


def run_check(name, description, unit, check):
    """The program of a check: `check(root)` returns violations and how much was read, in `unit`."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", metavar="ROOT", type=Path, default=Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root
    violations, count = check(root)
    for line in violations:
        print(line)
    print(f"{name}: {count} {unit}, {len(violations)} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(run_check("check_layers", __doc__, "files", check_some_tree))
