// Tests that every place that names a point of a sweep names its axes, also at their defaults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// The default of `steps` is 10.
constexpr auto kFails =
    "sweep: fails\nworkload: fault\nparams: {kind: oom}\nmatrix: {steps: [10, 20]}\n";

std::string log_of(const Sandbox& box) {
  std::ifstream file(box.state() / "sweepd.log");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Labels, NameTheAxesWhereverAPointIsNamed) {
  const Sandbox box;
  const Ran submitted = box.ctl({"submit", "-", "--wait"}, kFails);
  EXPECT_THAT(submitted.err,
              AllOf(HasSubstr("oom steps=10 kind=oom "), HasSubstr("oom steps=20 kind=oom ")));
  EXPECT_THAT(box.ctl({"watch"}).err, HasSubstr("oom steps=10 kind=oom "))
      << "what failed before somebody watched";
  EXPECT_THAT(box.ctl({"show", "fails"}).out, HasSubstr("steps=10 kind=oom"));
  EXPECT_THAT(log_of(box), HasSubstr("fault timing steps=10 kind=oom"));
  box.ctl({"retry", "fails"});
  EXPECT_THAT(box.ctl({"watch"}).err, HasSubstr("oom steps=10 kind=oom "));

  box.ctl({"submit", "-", "--set", "warmup=5,6", "--wait"}, "sweep: s\nworkload: noop\n");
  EXPECT_THAT(box.ctl({"show", "s"}).out, AllOf(HasSubstr("warmup=5"), HasSubstr("warmup=6")))
      << "a list on the command line is an axis";
  box.ctl({"submit", "-"},
          "sweep: hangs\nworkload: fault\nparams: {kind: hang}\nmatrix: {steps: [10]}\n");
  EXPECT_TRUE(eventually(
      [&] { return box.ctl({"status"}).out.find("steps=10 kind=hang") != std::string::npos; }));
}

}  // namespace
}  // namespace sweepd::e2e
