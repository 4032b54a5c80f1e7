// Reads what llama-bench writes in its formats.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/workloads/command/read_lines.h"

namespace sweepd::command {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> llama(std::string_view text) {
  return report_texts(read_report_file("llama-bench", text));
}

// A line of jsonl. `settings` are more fields.
std::string llama_test(int prompt, int gen, int depth, const std::string& samples,
                       const std::string& settings = "") {
  return fmt::format(
      R"({{"build_commit": "8cf427ff", "build_number": 5163, "backends": "CUDA", )"
      R"("model_filename": "models/q.gguf", "model_type": "qwen2 7B Q4_K - Medium", )"
      R"("cpu_strict": false, "n_batch": 2048, {}"n_prompt": {}, "n_gen": {}, "n_depth": {}, )"
      R"("test_time": "2025-04-24T11:58:50Z", "avg_ns": 1500000, "stddev_ns": 1, "avg_ts": 2.5, )"
      R"("stddev_ts": 0.5, {}}})"
      "\n",
      settings, prompt, gen, depth, samples);
}

constexpr auto kTwoSamples = R"("samples_ns": [ 1000000, 2000000 ],"samples_ts": [ 3.5, 1.5 ])";
constexpr auto kOneSample = R"("samples_ns": [ 4000000 ],"samples_ts": [ 7 ])";

TEST(LlamaBench, EachTestIsAPhaseAndEachRepetitionAStep) {
  EXPECT_THAT(
      llama("ggml_cuda_init: found 1 CUDA devices:\n" + llama_test(512, 0, 0, kTwoSamples) +
            "llama-bench: benchmark 2/3: starting\n" + llama_test(0, 128, 0, kOneSample) +
            llama_test(64, 16, 4096, kOneSample)),
      ElementsAre("fact llama.model_type: qwen2 7B Q4_K - Medium",
                  "fact llama.build_commit: 8cf427ff", "fact llama.build_number: 5163",
                  "fact llama.backends: CUDA", "fact llama.model_filename: models/q.gguf",
                  "fact llama.cpu_strict: 0", "fact llama.n_batch: 2048", "0 pp512 time 1",
                  "0 pp512 tokens_per_second 3.5", "1 pp512 time 2",
                  "1 pp512 tokens_per_second 1.5", "0 tg128 time 4", "0 tg128 tokens_per_second 7",
                  "0 pp64_tg16.d4096 time 4", "0 pp64_tg16.d4096 tokens_per_second 7"));
}

TEST(LlamaBench, OneTestIsTheStep) {
  EXPECT_THAT(llama(llama_test(512, 0, 0, kOneSample)),
              AllOf(Contains("0 step time 4"), Contains("0 step tokens_per_second 7")));
}

TEST(LlamaBench, JsonIsReadHoweverItIsBroken) {
  const std::string one = llama_test(512, 0, 0, kTwoSamples), two = llama_test(0, 8, 0, kOneSample);
  const auto expected = llama(one + two);
  // As `-o json` prints it, with a line of the log amid.
  std::string printed = "main: loading\n[\n  {\n";
  std::string fields = one.substr(1, one.size() - 3);
  for (std::size_t at = fields.find(", \""); at != std::string::npos; at = fields.find(", \"")) {
    printed += "    " + fields.substr(0, at + 1) + "\n";
    fields.erase(0, at + 2);
  }
  printed += "    " + fields + "\nllama-bench: benchmark 2/2: starting\n  },\n  {\n    " +
             two.substr(1, two.size() - 3) + "\n  }\n]\n";
  EXPECT_EQ(llama(printed), expected) << printed;
  // As a program such as jq writes it.
  EXPECT_EQ(llama("[" + one + "," + two + "]"), expected);
}

TEST(LlamaBench, CsvHasOnlyMeans) {
  EXPECT_THAT(
      llama("build_commit,build_number,gpu_info,n_prompt,n_gen,n_depth,test_time,avg_ns,stddev_ns,"
            "avg_ts,stddev_ts\n"
            "\"12345678\",\"5163\",\"A \"\"x\"\", B\",\"512\",\"0\",\"0\",\"2025\",\"70285660\","
            "\"982040\",\"7285.67\",\"100.06\"\n"
            "\"12345678\",\"5163\",\"A \"\"x\"\", B\",\"0\",\"128\",\"0\",\"2025\",\"1000000\","
            "\"0\",\"119.9\",\"0.5\"\n"),
      ElementsAre("fact llama.build_commit: 12345678", "fact llama.build_number: 5163",
                  "fact llama.gpu_info: A \"x\", B", "0 pp512 time 70.2857",
                  "0 pp512 tokens_per_second 7285.67", "0 pp512 std_time 0.98204",
                  "0 pp512 std_tokens_per_second 100.06", "0 tg128 time 1",
                  "0 tg128 tokens_per_second 119.9", "0 tg128 std_time 0",
                  "0 tg128 std_tokens_per_second 0.5", "fact only_means: pp512, tg128"));
}

// A phase has the fewest settings that make the tests distinct; the others are facts.
TEST(LlamaBench, SettingsThatDifferAreInThePhase) {
  const auto batches = llama(llama_test(64, 0, 0, kOneSample, R"("n_ubatch": 128, )") +
                             llama_test(64, 0, 0, kOneSample, R"("n_ubatch": 256, )"));
  EXPECT_THAT(
      batches,
      AllOf(Contains("0 pp64.n_ubatch_128 time 4"), Contains("0 pp64.n_ubatch_256 time 4"),
            Contains("fact llama.n_batch: 2048"), Not(Contains(HasSubstr("llama.n_ubatch")))));
  std::string other = llama_test(64, 0, 0, kOneSample);
  for (const auto& [from, to] :
       {std::pair{"qwen2 7B Q4_K - Medium", "llama 8B"}, {"models/q.gguf", "models/l.gguf"}}) {
    other.replace(other.find(from), std::string(from).size(), to);
  }
  EXPECT_THAT(
      llama(llama_test(64, 0, 0, kOneSample) + other),
      AllOf(Contains("0 pp64.qwen2_7b_q4_k___medium time 4"), Contains("0 pp64.llama_8b time 4")));
  EXPECT_THAT(
      llama(llama_test(64, 0, 0, kOneSample) + llama_test(64, 0, 0, kTwoSamples)),
      AllOf(Contains("0 step time 4"), Contains("1 step time 1"), Contains("2 step time 2")))
      << "the same test again";
}

TEST(LlamaBench, RefusesWhatIsNoTest) {
  const struct {
    std::string text, says;
  } cases[] = {
      {"| model | size | test | t/s |\n",
       "it has no test: it must be written by `-o jsonl`, `-o json` or `-o csv`"},
      {"", "it has no test"},
      {"[1, 2]", "it has no test"},
      {"{\"n_prompt\": 5, \"n_gen\": ", "line 1: it is not a JSON object: column 25: "},
      {"[\n  {\n    \"n_prompt\": 5,\n", "the test that begins in line 2 does not end"},
      {"build_commit,n_prompt\n\"x\"\n", "line 2: a row of 1 cells, and the head has 2"},
      {llama_test(64, 0, 0, R"("samples_ns": [ 1, "fast" ])"),
       "`samples_ns` of `pp64`: number 1 is \"fast\"; expected a time"},
      {llama_test(64, 0, 0, R"("samples_ns": [ -1 ])"), "`time` of step is -1e-06; expected ms"},
      {R"({"n_prompt": 5, "n_gen": 0, "avg_ns": "slow"})",
       "`avg_ns` of `pp5` is \"slow\"; expected a number"},
      {std::string(200'000, '[') + std::string(200'000, ']'),
       "its report is nested more than 100 levels deep"},
      {std::string(200'000, '['), "it has no test"},
      {R"({"n_prompt": 1e999, "n_gen": 0, "avg_ns": 1})", "a number is too large"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(refusal_of_file("llama-bench", c.text),
                AllOf(HasSubstr("reports: llama-bench: "), HasSubstr(c.says)))
        << c.text.substr(0, 80);
  }
  // Names from the file are no names of phases yet.
  EXPECT_THAT(llama(R"({"n_prompt": "é/ü", "n_gen": [], "avg_ns": 1})"
                    "\n" +
                    llama_test(1, 0, 0, kOneSample)),
              Contains(HasSubstr("0 pp1 time 4")));
}

}  // namespace
}  // namespace sweepd::command
