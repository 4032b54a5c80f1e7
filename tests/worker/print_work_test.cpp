// Tests the work by formula, one line per trial.
#include "runner/worker/print_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <algorithm>

#include "runner/wire/event.h"

namespace sweepd {
namespace {

using testing::HasSubstr;

struct CubeParams {
  std::int64_t side = 2;
  void visit(auto& field) { field("side", side, "length"); }
};

class Cube final : public Workload {
 public:
  using Params = CubeParams;
  static constexpr std::string_view kHelp = "for this test";
  static WorkPerStep work(const Params& params, const RunParams& run) {
    if (params.side == 13) return {"bf16", 0, {{"step", -1, 0}}, {}};
    if (params.side == 14) return {"bf16", 0, {{"step", 0, std::nan("")}}, {}};
    if (params.side < 0) throw std::invalid_argument("side: -1 is no length");
    const auto side = static_cast<double>(params.side);
    return {"bf16", 0, {{"step", side * side * side, static_cast<double>(run.seed)}}, {}};
  }
  Cube(const Params&, Context&) {}
  void step(Phases&) override {}
};

Registry registry() {
  Registry registry;
  WorkloadEntry entry;
  entry.def = detail::describe_workload<Cube>("cube");
  entry.work = [](const auto& values, const RunParams& run) {
    return Cube::work(read_params<CubeParams>(values), run);
  };
  registry.add(std::move(entry));
  return registry;
}

TEST(WorkLine, IsTheWorkEventOfTheTrial) {
  const auto event = event_from_line(
      work_line(registry(), R"({"workload":"cube","params":{"side":"3","seed":"7"}})"), 0);
  ASSERT_TRUE(event) << event.error().message;
  const WorkPerStep work = std::get<WorkEvent>(*event).work;
  EXPECT_EQ(work.arithmetic, "bf16");
  ASSERT_EQ(work.phases.size(), 1U);
  EXPECT_EQ(work.phases[0].flops, 27);
  EXPECT_EQ(work.phases[0].bytes, 7);
}

TEST(WorkLine, SaysWhatIsWrongWithARequest) {
  struct Case {
    const char* request;
    const char* error;
  };
  for (const Case& c : {
           Case{"side 3", "not a JSON object"},
           Case{"[]", "not a JSON object"},
           Case{"{}", "workload"},
           Case{R"({"workload":"cube"})", "params"},
           Case{R"({"workload":"cube","params":3})", "params"},
           Case{R"({"workload":"cube","params":{"side":3}})", "side"},
           Case{R"({"workload":"cub","params":{}})", "did you mean `cube`?"},
           Case{R"({"workload":"cube","params":{"sied":"3"}})", "did you mean `side`?"},
           Case{R"({"workload":"cube","params":{"side":"-1"}})", "-1 is no length"},
           Case{R"({"workload":"cube","params":{"side":"13"}})",
                "work() of `cube` gives -1 FLOPs in phase `step`; expected a finite number from 0"},
           Case{R"({"workload":"cube","params":{"side":"14"}})", "gives nan bytes in phase `step`"},
       }) {
    const std::string line = work_line(registry(), c.request);
    EXPECT_THAT(line, testing::StartsWith("{\"error\":")) << c.request;
    EXPECT_THAT(line, HasSubstr(c.error)) << c.request;
  }
}

TEST(PrintWork, AnswersEveryLineInOrderAndSkipsEmptyOnes) {
  std::FILE* in = std::tmpfile();
  std::fputs(
      "{\"workload\":\"cube\",\"params\":{\"side\":\"1\"}}\n\n  \nx\n"
      "{\"workload\":\"cube\",\"params\":{\"side\":\"2\"}}",
      in);
  std::rewind(in);
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* out = ::open_memstream(&text, &size);
  EXPECT_TRUE(print_work(registry(), in, out));
  std::fclose(out);
  std::fclose(in);
  const std::string answers(text, size);
  std::free(text);
  EXPECT_EQ(std::count(answers.begin(), answers.end(), '\n'), 3);
  EXPECT_LT(answers.find("\"flops\":1"), answers.find("error"));
  EXPECT_LT(answers.find("error"), answers.find("\"flops\":8"));
}

}  // namespace
}  // namespace sweepd
