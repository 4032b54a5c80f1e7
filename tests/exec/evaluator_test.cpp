#include "runner/exec/evaluator.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <string>

#include "runner/base/host.h"
#include "tests/exec/scratch.h"

namespace sweepd {
namespace {

using testing::HasSubstr;

std::string ask(const Evaluator& evaluator, const std::string& question) {
  if (::write(evaluator.socket(), question.data(), question.size()) < 0) return "closed";
  std::string answer;
  for (char byte = 0; ::read(evaluator.socket(), &byte, 1) == 1 && byte != '\n';) answer += byte;
  return answer;
}

TEST(Evaluator, AnswersALineForALineAndIsGoneWhenItIsLetGo) {
  auto evaluator = Evaluator::start(TEST_SWEEP_WORKER, usable_cores());
  ASSERT_TRUE(evaluator) << evaluator.error().message;
  EXPECT_THAT(ask(*evaluator, "{\"workload\":\"noop\",\"params\":{}}\n"),
              HasSubstr("\"event\":\"work\""));
  EXPECT_THAT(ask(*evaluator, "{\"workload\":\"none\",\"params\":{}}\n"),
              HasSubstr("no workload `none`"));
  EXPECT_THAT(ask(*evaluator, "what\n"), HasSubstr("not a JSON object"));
  EXPECT_EQ(evaluator->end().signal, SIGKILL);
  EXPECT_FALSE(evaluator->end().signal) << "once";
}

TEST(Evaluator, ThatCannotStartNamesTheProgram) {
  const auto evaluator = Evaluator::start("/nowhere/sweep-worker", {});
  ASSERT_FALSE(evaluator);
  EXPECT_THAT(evaluator.error().message, HasSubstr("/nowhere/sweep-worker"));
}

}  // namespace
}  // namespace sweepd
