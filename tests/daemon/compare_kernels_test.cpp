// Tests `compare` with `kernels`: from stored profiles to the table.
#include "runner/daemon/handlers/comparing.h"
#include "runner/model/vocabulary/kernel_class.h"
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

struct Launched {
  const char* name;
  std::int64_t calls;
  double total_ns;
  int rank = 0;
  const char* phase = "forward";
};

rpc::Compare::Request two_sweeps(std::string a, std::string b, std::string phase = "step",
                                 std::string metric = "time", std::vector<std::string> where = {}) {
  rpc::Compare::Request request;
  request.a = std::move(a);
  request.b = std::move(b);
  request.phase = std::move(phase);
  request.metric = std::move(metric);
  request.where = std::move(where);
  return request;
}
rpc::Compare::Request two_values(std::string by) {
  rpc::Compare::Request request;
  request.by = std::move(by);
  request.workload = "toy";
  return request;
}

class CompareKernels : public DbTest {
 protected:
  // A sweep of one trial with a profile of these kernels, `steps` added up.
  void profile(const std::string& name, const std::string& context,
               const std::vector<Launched>& kernels, double steps = 1,
               const std::vector<OperatorStats>& operators = {}) {
    AttemptRecord record = done(queue(name, {{"context", context}}), 10, 20);
    record.samples.clear();
    record.summaries.clear();
    for (const Launched& each : kernels) {
      KernelStats kernel;
      kernel.rank = each.rank;
      kernel.phase = each.phase;
      kernel.range = "other";
      kernel.name = each.name;
      kernel.calls = each.calls;
      kernel.total_ns = each.total_ns;
      classify(kernel);
      record.kernels.push_back(kernel);
    }
    record.operators = operators;
    record.facts = {{0, "profile.steps", steps, ""}, {1, "profile.steps", steps, ""}};
    finish(record);
  }
  // The only attempt of a new sweep.
  std::int64_t queue(const std::string& name, const Settings& point, Pass pass = Pass::kProfile) {
    NewSweep request = sweep(name, {point});
    request.sweep.passes = {pass};
    const auto queued = submit(request).queued;
    EXPECT_EQ(queued.size(), 1U);
    return queued.front().row;
  }

  Result<rpc::Compare::Reply> ask(rpc::Compare::Request request) {
    request.kernels = true;
    return answer_compare(*reader_, catalog_, std::move(request));
  }
  std::vector<std::string> rows(const rpc::Compare::Request& request) {
    const auto reply = ask(request);
    EXPECT_TRUE(reply) << reply.error().message;
    std::vector<std::string> texts;
    if (!reply) return texts;
    for (const auto& row : reply->table.rows) {
      std::string& text = texts.emplace_back();
      for (const Cell& cell : row) text += (text.empty() ? "" : " | ") + cell.text;
    }
    return texts;
  }
  std::string error(const rpc::Compare::Request& request) {
    const auto reply = ask(request);
    return reply ? "no error" : reply.error().message;
  }
};

TEST_F(CompareKernels, OfTwoSweepsOrTwoValues) {
  profile("before", "1", {{"sgemm", 2, 4e6}, {"void elementwise_kernel<silu>(int)", 1, 1e6}});
  profile("after", "2", {{"sgemm", 2, 3e6}, {"sgemm", 1, 1e6, 0, "backward"}, {"Memset", 1, 5e5}});
  const std::vector<std::string> differences{
      "elementwise_kernel<silu> | elementwise | 1.000 | 0.000 | -1.000 | 1 -> 0 | 200.0 | vanished",
      "Memset | copy | 0.000 | 0.500 | +0.500 | 0 -> 1 | -100.0 | appeared",
      "sgemm | matmul | 4.000 | 4.000 | 0.000 | 2 -> 3 | 0.0 | same",
      "total |  | 5.000 | 4.500 | -0.500 | 3 -> 4 | 100.0 | faster"};
  EXPECT_EQ(rows(two_sweeps("before", "after")), differences);
  EXPECT_EQ(rows(two_values("context=1,2")), differences);
  const auto reply = ask(two_sweeps("before", "after"));
  EXPECT_EQ(reply->faster, 1);
  EXPECT_EQ(reply->slower, 1);
  EXPECT_EQ(reply->same, 1);
  EXPECT_THAT(reply->table.notes, Contains("the sides differ in context=1 against 2"));
  EXPECT_THAT(reply->table.caption, HasSubstr("Test CPU"));
  EXPECT_THAT(rows(two_sweeps("before", "after", "forward")),
              Contains("sgemm | matmul | 4.000 | 3.000 | -1.000 | 2 | 66.7 | faster"));
}

TEST_F(CompareKernels, TimesAreMeansOverRanksAndSteps) {
  profile("before", "1", {{"sgemm", 10, 20e6}, {"sgemm", 10, 40e6, 1}}, 5);
  profile("after", "2", {{"sgemm", 2, 6e6}});
  EXPECT_THAT(rows(two_sweeps("before", "after")),
              ElementsAre("sgemm | matmul | 6.000 | 6.000 | 0.000 | 2 |  | same",
                          "total |  | 6.000 | 6.000 | 0.000 | 2 |  | same"));
  EXPECT_THAT(ask(two_sweeps("before", "after"))->table.notes,
              testing::AllOf(Contains(HasSubstr("ranks: 2 against 1")),
                             Contains(HasSubstr("steps: 5 against 1"))));
}

TEST_F(CompareKernels, WhereASideHasNoGpuOperatorsAreCompared) {
  // On a GPU an operator launched the product, and nothing launched the memset.
  profile("gpu", "1", {{"sgemm", 2, 4e6}, {"Memset", 1, 1e6}}, 1,
          {{0, "forward", "other", "aten::mm", 2, 1e6, 1e6, 4e6, 4e6}});
  profile("cpu", "2", {{"aten::mm", 2, 9e6}}, 1,
          {{0, "forward", "other", "aten::mm", 2, 9e6, 9e6, 0, 0}});
  EXPECT_THAT(rows(two_sweeps("gpu", "cpu")),
              ElementsAre("aten::mm | matmul | 4.000 | 9.000 | +5.000 | 2 | 125.0 | slower",
                          "(no operator) |  | 1.000 | 0.000 | -1.000 | 0 | -25.0 | vanished",
                          "total |  | 5.000 | 9.000 | +4.000 | 2 | 100.0 | slower"));
}

TEST_F(CompareKernels, WhatCannotBeComparedSaysWhy) {
  profile("before", "1", {{"sgemm", 2, 4e6}});
  profile("after", "2", {{"sgemm", 2, 4e6}});
  finish(done(queue("timed", {{"context", "3"}}, Pass::kTiming), 10, 20));
  queue("queued", {{"context", "4"}});
  finish(ended(queue("failed", {{"context", "5"}}), {Failed{"no such file", ""}, 0}));
  profile("empty", "6", {});
  const std::pair<rpc::Compare::Request, const char*> cases[] = {
      {two_sweeps("before", "timed"), "`timed` has no profile: add `profile` to `passes`"},
      {two_sweeps("timed", "after"), "`timed` has no profile"},
      {two_sweeps("before", "queued"),
       "no profile of `queued` can be compared: it is not done yet"},
      {two_sweeps("before", "failed"), "it is failed: no such file"},
      {two_sweeps("before", "empty"), "no profile of `empty` can be compared: it has no kernels"},
      {two_sweeps("before", "after", "optimizer"), "no kernels in phase `optimizer`"},
      {two_sweeps("before", "before"), "both sides count attempt"},
      {two_sweeps("before", "after", "step", "energy"), "metric: `energy` with `kernels`"},
      {two_sweeps("before", "after", "step", "time", {"class=matmul"}),
       "`class=matmul`: all kernels"},
      {two_values("context=1,7"), "`context=7` has no profile"},
      {two_values("model=small,large"), "several points, which differ in context"},
  };
  for (const auto& [request, said] : cases) EXPECT_THAT(error(request), HasSubstr(said));
}

}  // namespace
}  // namespace sweepd
