// Reads what the benchmarks of vLLM print and write.
#include <gmock/gmock.h>

#include "tests/workloads/command/read_lines.h"

namespace sweepd::command {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> vllm(std::string_view text) {
  return report_texts(read_report_file("vllm", text));
}

TEST(VllmReport, LatencyHasItsIterationsInJsonAndTheirMeanInPrint) {
  EXPECT_THAT(vllm(R"({
    "avg_latency": 1.5,
    "std_latency": 0.5,
    "latencies": [
        1.0,
        2.0
    ],
    "percentiles": {"10": 1.1, "99": 1.99}
})"),
              ElementsAre("0 step time 1000", "1 step time 2000"));
  EXPECT_THAT(vllm("Warming up...\n"
                   "Bench iterations: 100%|##########| 30/30 [00:36<00:00,  1.21s/it]\n"
                   "Avg latency: 1.5 seconds\n"
                   "Std latency: 0.25 seconds\n"
                   "10% percentile latency: 1.25 seconds\n"
                   "99% percentile latency: 1.75 seconds\n"),
              ElementsAre("0 step time 1500", "0 step std_time 250", "0 step p10_time 1250",
                          "0 step p99_time 1750", "fact only_means: step"));
}

TEST(VllmReport, ThroughputIsRates) {
  EXPECT_THAT(vllm("Throughput: 5.67 requests/s, 1234.56 total tokens/s, 987.6 output tokens/s\n"
                   "Total num prompt tokens:  1000\nTotal num output tokens:  4000\n"),
              ElementsAre("0 step requests_per_second 5.67", "0 step tokens_per_second 1234.56",
                          "0 step output_tokens_per_second 987.6", "0 step total_input_tokens 1000",
                          "0 step total_output_tokens 4000"));
  EXPECT_THAT(vllm("Throughput: 5.67 requests/s, 1234.56 tokens/s\n"),
              ElementsAre("0 step requests_per_second 5.67", "0 step tokens_per_second 1234.56"));
  EXPECT_THAT(
      vllm(R"({"elapsed_time": 2.5, "num_requests": 10, "total_num_tokens": 5000,
              "requests_per_second": 4.0, "tokens_per_second": 2000.0})"),
      ElementsAre("0 step time 2500", "0 step num_requests 10", "0 step total_num_tokens 5000",
                  "0 step requests_per_second 4", "0 step tokens_per_second 2000"));
}

constexpr auto kServing =
    "\rtip: 128/128 [00:09<00:00, 13.97it/s]============ Serving Benchmark Result ============\n"
    "Successful requests:                     100       \n"
    "Failed requests:                         0         \n"
    "Maximum request concurrency:             8         \n"
    "Benchmark duration (s):                  30.85     \n"
    "Total input tokens:                      229711    \n"
    "Total generated tokens:                  203068    \n"
    "Request throughput (req/s):              32.42     \n"
    "Output token throughput (tok/s):         6582.87   \n"
    "Peak output token throughput (tok/s):    7000.00   \n"
    "Total Token throughput (tok/s):          14029.44  \n"
    "---------------Time to First Token----------------\n"
    "Mean TTFT (ms):                          9626.13   \n"
    "Median TTFT (ms):                        9459.70   \n"
    "P99 TTFT (ms):                           12666.73  \n"
    "---------------Speculative Decoding---------------\n"
    "Acceptance rate (%):                     40.50     \n"
    "==================================================\n"
    "Other figure: 5\n";

TEST(VllmReport, ServingHasRatesAndAPhaseForEachLatency) {
  EXPECT_THAT(
      vllm(kServing),
      ElementsAre("fact vllm.maximum_request_concurrency: 8", "0 step successful_requests 100",
                  "0 step failed_requests 0", "0 step time 30850",
                  "0 step total_input_tokens 229711", "0 step total_output_tokens 203068",
                  "0 step requests_per_second 32.42", "0 step output_tokens_per_second 6582.87",
                  "0 step peak_output_tokens_per_second 7000", "0 step tokens_per_second 14029.4",
                  "0 ttft mean_time 9626.13", "0 ttft median_time 9459.7",
                  "0 ttft p99_time 12666.7", "0 step acceptance_rate 40.5"));
  EXPECT_THAT(vllm(std::string(kServing) + kServing),
              AllOf(Contains("0 step time 30850"), Contains("1 step time 30850")));
  // What `--save-result` writes.
  EXPECT_THAT(
      vllm(R"({"date": "20250828-224128", "backend": "vllm", "model_id": "Qwen/Qwen3-0.6B",
               "num_prompts": 100, "request_rate": "inf", "burstiness": 1.0,
               "max_concurrency": null, "duration": 30.85, "completed": 100, "failed": 0,
               "request_throughput": 32.42, "request_goodput": null, "output_throughput": 6582.87,
               "total_token_throughput": 14029.44, "input_lens": [1, 2], "mean_ttft_ms": 9626.13,
               "std_ttft_ms": 5.5, "p99_itl_ms": NaN, "rtfx": 0.0})"),
      ElementsAre("fact vllm.backend: vllm", "fact vllm.model_id: Qwen/Qwen3-0.6B",
                  "fact vllm.num_prompts: 100", "fact vllm.request_rate: inf",
                  "fact vllm.burstiness: 1", "0 step time 30850", "0 step successful_requests 100",
                  "0 step failed_requests 0", "0 step requests_per_second 32.42",
                  "0 step output_tokens_per_second 6582.87", "0 step tokens_per_second 14029.4",
                  "0 ttft mean_time 9626.13", "0 ttft std_time 5.5", "0 itl p99_time nan",
                  "0 step rtfx 0"));
  // `--append-result` writes a document a line.
  EXPECT_THAT(vllm("{\"duration\": 1.0}\n{\"duration\": 2.0}\n"),
              ElementsAre("0 step time 1000", "1 step time 2000"));
}

TEST(VllmReport, RequestsThatFailedAreAWarning) {
  EXPECT_THAT(vllm(R"({"duration": 1.0, "completed": 97, "failed": 3})"),
              Contains("fact warning.vllm: 3 of 100 requests failed"));
  EXPECT_EQ(refusal_of_file("vllm", R"({"duration": 1.0, "completed": 0, "failed": 3})"),
            "reports: vllm: all 3 requests failed");
}

TEST(VllmReport, ALineOfTheEngineIsAStep) {
  EXPECT_THAT(
      vllm("(EngineCore_DP0 pid=7) INFO 07-17 00:07:07 [core.py:69] Initializing a V1 LLM engine "
           "(v0.9.2) with config: model='meta-llama/Llama-3.1-8B', speculative_config=None\n"
           "(APIServer pid=1) INFO 05-12 08:01:39 [loggers.py:271] Engine 000: Avg prompt "
           "throughput: 6335.3 tokens/s, Avg generation throughput: 4.8 tokens/s, Running: 9 reqs, "
           "Waiting: 0 reqs, GPU KV cache usage: 62.8%, Prefix cache hit rate: 0.0%\n"
           "INFO 05-12 08:01:49 [loggers.py:271] Engine 001: Avg prompt throughput: 0.0 tokens/s\n"
           "INFO 05-12 08:01:59 metrics.py:455] Avg prompt throughput: 12.5 tokens/s, Avg "
           "generation throughput: 45.6 tokens/s, Running: 5 reqs, Swapped: 0 reqs, Pending: 1 "
           "reqs, GPU KV cache usage: 3.1%, CPU KV cache usage: 0.5%.\n"),
      ElementsAre(
          "fact vllm.version: 0.9.2", "fact vllm.model: meta-llama/Llama-3.1-8B",
          "0 engine prompt_tokens_per_second 6335.3", "0 engine generation_tokens_per_second 4.8",
          "0 engine running_requests 9", "0 engine waiting_requests 0",
          "0 engine gpu_kv_cache_usage_share 0.628", "0 engine prefix_cache_hit_rate_share 0",
          "0 engine_001 prompt_tokens_per_second 0", "1 engine prompt_tokens_per_second 12.5",
          "1 engine generation_tokens_per_second 45.6", "1 engine running_requests 5",
          "1 engine swapped_requests 0", "1 engine pending_requests 1",
          "1 engine gpu_kv_cache_usage_share 0.031", "1 engine cpu_kv_cache_usage_share 0.005"));
}

TEST(VllmReport, RefusesWhatIsNoResult) {
  const struct {
    std::string text, says;
  } cases[] = {
      {"", "there is no result of `vllm bench` and no line of the engine's throughput"},
      {"Throughput: high\nINFO all is well\n", "there is no result"},
      {"{\"duration\": 1.0, ", "its report is not JSON: column 18: unexpected end of input"},
      {"{\"duration\": 1.0}\n[]\n", "its report is not JSON: column 19: "},
      {"{\"duration\": -1.0}", "`time` of step is -1000; expected ms, from 0"},
      {"{\"duration\": 1e999}", "its report is not JSON"},
      {"{\"a\":" + std::string(200'000, '['), "its report is nested more than 100 levels deep"},
      {R"({"kernel_time": 5})", "metric `kernel_time`: sweepd has another figure"},
      {R"({"avg_latency": 1, "latencies": [1, "x"]})", "number 1 is \"x\"; expected seconds"},
      {R"({"text": "only"})", "there is no result"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(refusal_of_file("vllm", c.text),
                AllOf(HasSubstr("reports: vllm: "), HasSubstr(c.says)))
        << c.text.substr(0, 80);
  }
}

}  // namespace
}  // namespace sweepd::command
