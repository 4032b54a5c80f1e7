// Tests that every workload's results differ in code from those of its older code.
#include "workloads/api/code.h"

#include <gmock/gmock.h>

#include <set>

#include "workloads/api/workload.h"

namespace sweepd {
namespace {

TEST(WorkloadCode, EveryWorkloadHasOneOfItsOwn) {
  std::set<std::string> codes;
  for (const WorkloadDef& def : Registry::instance().catalog().workloads) {
    if (def.computed_param()) {
      EXPECT_EQ(def.code, "") << def.name << " says more by its parameter";
    } else if (def.code.empty()) {
      // A test's own workload.
      EXPECT_THAT(def.name, testing::HasSubstr("test"))
          << "there is no workloads/" << def.name << ".cpp";
    } else {
      EXPECT_THAT(def.code, testing::MatchesRegex("[0-9a-f]{12}"));
      EXPECT_TRUE(codes.insert(def.code).second) << def.name;
    }
  }
  EXPECT_GE(codes.size(), 10u);
}

TEST(WorkloadCode, OfNoWorkloadIsEmpty) {
  EXPECT_EQ(code_of_workload("no_such_workload"), "");
}

}  // namespace
}  // namespace sweepd
