// Reads what llama-bench of llama.cpp writes with `-o jsonl`, `-o json` or `-o csv`, amid the lines
// that it logs. Pure.
//
//   {"build_commit": "8cf427ff", .. "n_batch": 2048, .. "n_prompt": 512, "n_gen": 0, "n_depth": 0,
//    .. "avg_ns": 72135640, "stddev_ns": 1453752, "avg_ts": 7100.0, "stddev_ts": 140.3,
//    "samples_ns": [ 74601900, .. ], "samples_ts": [ 6863.1, .. ]}
//
// A test is a phase ("pp512", "tg128", "pp512_tg128.d4096"), each of its repetitions a step with
// `time` (ms) and `tokens_per_second`. Where tests differ by a setting, it is in the phase, too:
// "pp512.n_batch_256". Settings that all tests share are facts ("llama.model_type"). csv has only
// means: each is the one step of its phase, with `std_time` and `std_tokens_per_second`, and the
// fact `only_means` says so.
#pragma once

#include <string_view>
#include <vector>

#include "workloads/command/program_report.h"

namespace sweepd::command {

// Throws std::runtime_error that says what is not as expected.
std::vector<Report> read_llama_bench(std::string_view text);

}  // namespace sweepd::command
