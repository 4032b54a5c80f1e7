#!/usr/bin/env python3
"""check_layers.py on small trees: each case is one file and what must be said of it."""

import unittest

from tool_sandbox import run_on_tree

# Headers that the cases include; every layer has one.
HEADERS = [
    "runner/base/result.h", "runner/model/sweep/trial.h", "runner/sweepfile/sweep/sweepfile.h", "runner/sched/scheduler.h",
    "runner/wire/request.h", "runner/exec/executor.h", "runner/worker/passes/measure.h", "runner/report/cell/report.h",
    "runner/daemon/app.h", "runner/client/session/connection.h", "db/store/store.h", "workloads/api/workload.h",
    "workloads/nn/linear.h", "workloads/cuda/graphs.h", "runner/daemon/attempts/dispatcher.h",
    "runner/daemon/serving/server.h", "db/query/query.h",
]


def run(files):
    return run_on_tree("check_layers.py", {**{path: "#pragma once\n" for path in HEADERS}, **files})


class Arrows(unittest.TestCase):
    def test_allowed(self):
        for path, include in [
            ("runner/model/a.cpp", '"runner/base/result.h"'),
            ("runner/sched/a.cpp", '"runner/base/result.h"'),  # through model
            ("runner/client/a.cpp", '"runner/model/sweep/trial.h"'),  # through wire
            ("runner/daemon/handlers/a.cpp", '"db/store/store.h"'),
            ("runner/worker/a.cpp", '"workloads/api/workload.h"'),
            ("runner/worker/a.cpp", "<ATen/ops/mm.h>"),
            ("workloads/nn/a.cpp", '"workloads/cuda/graphs.h"'),
            ("workloads/dist/a.cpp", '"workloads/cuda/graphs.h"'),  # through nn
            ("runner/daemon/handlers/a.cpp", '"runner/daemon/attempts/dispatcher.h"'),
            ("workloads/cuda/a.cu", "<cuda_runtime.h>"),
            ("runner/sweepfile/a.cpp", "<yaml-cpp/yaml.h>"),
            ("db/migrations/a.cpp", "<SQLiteCpp/Database.h>"),
            ("runner/base/a.cpp", "<fmt/format.h>"),
            ("runner/worker/a.cpp", '"build_info.h"'),
            ("tests/e2e/a_test.cpp", '"runner/daemon/app.h"'),
            ("tests/workloads/a_test.cpp", "<torch/torch.h>"),
        ]:
            with self.subTest(path=path, include=include):
                status, lines = run({path: f"#include {include}\n"})
                self.assertEqual((status, len(lines)), (0, 1), lines)

    def test_forbidden(self):
        for path, include, part in [
            ("runner/base/a.h", '"runner/model/sweep/trial.h"', "runner/base -> runner/model"),
            ("runner/model/machine/a.h", '"runner/model/sweep/trial.h"', "runner/model/machine -> runner/model/sweep"),
            ("runner/sched/a.cpp", '"runner/wire/request.h"', "runner/sched -> runner/wire"),
            ("runner/client/a.cpp", '"runner/sweepfile/sweep/sweepfile.h"', "runner/client -> runner/sweepfile"),
            ("runner/client/a.cpp", '"db/store/store.h"', "runner/client -> db"),
            ("runner/daemon/handlers/a.cpp", '"runner/worker/passes/measure.h"', "runner/daemon/handlers -> runner/worker"),
            ("runner/daemon/attempts/a.cpp", '"runner/daemon/serving/server.h"',
             "runner/daemon/attempts -> runner/daemon/serving"),
            ("workloads/cuda/a.cu", '"workloads/nn/linear.h"', "workloads/cuda -> workloads/nn"),
            ("db/store/a.cpp", '"db/query/query.h"', "db/store -> db/query"),
            ("runner/daemon/a.cpp", '"workloads/api/workload.h"', "runner/daemon -> workloads/api"),
            ("runner/worker/a.cpp", '"db/store/store.h"', "runner/worker -> db"),
            ("runner/worker/a.cpp", '"workloads/nn/linear.h"', "runner/worker -> workloads"),
            ("workloads/api/a.h", '"workloads/nn/linear.h"', "workloads/api -> workloads"),
            ("workloads/a.cpp", '"runner/wire/request.h"', "workloads -> runner/wire"),
            ("runner/daemon/a.cpp", "<torch/torch.h>", "runner/daemon uses LibTorch"),
            ("runner/client/a.cpp", "<c10/core/Device.h>", "runner/client uses LibTorch"),
            ("workloads/api/a.h", "<ATen/ATen.h>", "workloads/api uses LibTorch"),
            ("runner/exec/a.cpp", "<cuda_runtime.h>", "runner/exec uses CUDA"),
            ("runner/daemon/a.cpp", "<yaml-cpp/yaml.h>", "runner/daemon uses yaml-cpp"),
            ("runner/daemon/a.cpp", "<sqlite3.h>", "runner/daemon uses SQLite"),
            ("runner/base/a.cpp", "<spdlog/spdlog.h>", "runner/base uses spdlog"),
            ("db/a.cpp", "<gtest/gtest.h>", "only tests may"),
            ("tests/daemon/a_test.cpp", "<torch/torch.h>", "tests/daemon uses LibTorch"),
        ]:
            with self.subTest(path=path, include=include):
                status, lines = run({path: f"\n#include {include}\n"})
                self.assertEqual(status, 1)
                self.assertEqual(len(lines), 2, lines)
                self.assertTrue(lines[0].startswith(f"{path}:2: "), lines[0])
                self.assertIn(part, lines[0])


class Spelling(unittest.TestCase):
    def test_relative_unknown_and_angled(self):
        for include, part in [
            ('"trial.h"', "write it from the project's root"),
            ('"runner/model/trail.h"', "does not exist"),
            ("<runner/model/sweep/trial.h>", "write it in quotes"),
        ]:
            with self.subTest(include=include):
                status, lines = run({"runner/model/sweep/a.cpp": f"#  include {include}\n"})
                self.assertEqual(status, 1)
                self.assertIn(part, lines[0])

    def test_what_is_allowed_is_named(self):
        _, lines = run({"runner/sched/a.cpp": '#include "db/store/store.h"\n'})
        self.assertIn("runner/sched may include runner/model, runner/base", lines[0])

    def test_every_violation_is_listed(self):
        status, lines = run({"runner/base/a.cpp": '#include "db/store/store.h"\n#include <sqlite3.h>\n'})
        self.assertEqual((status, len(lines)), (1, 3))
        self.assertIn("2 violations", lines[-1])

    def test_an_empty_tree_is_an_error(self):
        self.assertEqual(run_on_tree("check_layers.py", {})[0], 2)


if __name__ == "__main__":
    unittest.main()
