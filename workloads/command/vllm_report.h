// Reads what the benchmarks of vLLM (`vllm bench latency`, `throughput` and `serve`) print or write
// to their JSON file, and the lines that its engine logs. Pure.
//
//   Avg latency: 1.2345 seconds
//   Throughput: 5.67 requests/s, 1234.56 total tokens/s, 987.60 output tokens/s
//   ============ Serving Benchmark Result ============
//   Request throughput (req/s):              32.42
//   Mean TTFT (ms):                          9626.13
//   .. Engine 000: Avg prompt throughput: 1254.4 tokens/s, .. Running: 10 reqs, ..
//
// Each result is a step. Its `time` (ms) is the latency of an iteration, or how long the benchmark
// took; where it prints only the mean of the latencies, that is the one step, which the fact
// `only_means` says, with `std_time`, `p50_time` ... Rates are `requests_per_second`,
// `tokens_per_second` (all of them) and `output_tokens_per_second`. Latencies of requests are of
// phases: `mean_time`, `median_time`, `std_time`, `p99_time` of `ttft`, `tpot`, `itl` and `e2el`.
// A line of the engine is a step of `engine`. Other values (the model, the server) are facts
// "vllm.NAME". Requests that failed are a warning.
#pragma once

#include <string_view>
#include <vector>

#include "workloads/command/program_report.h"

namespace sweepd::command {

// Throws std::runtime_error that says what is not as expected.
std::vector<Report> read_vllm(std::string_view text);

}  // namespace sweepd::command
