// Tests which declarations of a plugin are refused.
#include "runner/model/vocabulary/plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace sweepd {
namespace {

using testing::HasSubstr;

WorkloadDef whole() {
  WorkloadDef def;
  def.name = "saxpy";
  def.base = kPluginBase;
  def.passes = {"timing", "memory"};
  def.phases = {"add", "sort.8"};
  def.params.resize(2);
  def.params[0].name = "size";
  def.params[1].name = "factor";
  return def;
}

TEST(MistakeInPlugin, NamesTheThingAndWhatWasExpected) {
  EXPECT_EQ(mistake_in_plugin(whole()), "");
  struct Row {
    std::function<void(WorkloadDef&)> change;
    std::string said;
  };
  const Row rows[] = {
      {[](auto& def) { def.version = -7; }, "version -7 is below 0"},
      {[](auto& def) { def.params[1].name = "size"; }, "parameter `size` is there twice"},
      {[](auto& def) { def.params[1].role = ParamRole::kPlace; }, "parameter `factor` is a Place"},
      {[](auto& def) {
         def.phases = {"a", "b", "a"};
       },
       "phase `a` is there twice"},
      {[](auto& def) { def.phases = {"step"}; }, "phase `step` is not a name"},
      {[](auto& def) { def.phases = {""}; }, "phase `` is not a name"},
      {[](auto& def) { def.phases = {"a b"}; }, "phase `a b` is not a name"},
      {[](auto& def) { def.passes = {"dance"}; }, "pass `dance` is unknown; expected timing"},
  };
  for (const auto& [change, said] : rows) {
    WorkloadDef def = whole();
    change(def);
    EXPECT_THAT(mistake_in_plugin(def), HasSubstr(said));
  }
}

}  // namespace
}  // namespace sweepd
