// A sweep file that names a plugin: which file is asked for, and what the draft becomes.
#include "runner/model/vocabulary/plugin.h"

#include <gmock/gmock.h>

#include "runner/model/vocabulary/program.h"
#include "tests/sweepfile/parse.h"

namespace sweepd::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct PluginLikeParams {
  std::string plugin_file, code;
  void visit(auto& field) {
    field("plugin_file", plugin_file, "", Scheduling());
    field("code", code, "", Computed());
  }
};

struct SaxpyLikeParams {
  std::int64_t size = 100;
  void visit(auto& field) { field("size", size, "elements", GrowsMemory()); }
};

class PluginOfSweep : public testing::Test {
 protected:
  PluginOfSweep() : catalog_(catalog().without_programs()) {
    WorkloadDef base;
    base.name = kPluginBase;
    base.passes = {"timing", "memory", "profile"};
    base.params = describe_params<PluginLikeParams>();
    for (ParamDef& param : describe_params<RunParams>()) {
      param.run_param = true;
      base.params.push_back(std::move(param));
    }
    catalog_.workloads.push_back(std::move(base));
    described_.name = "saxpy";
    described_.version = 3;
    described_.passes = {"timing"};
    described_.phases = {"add"};
    described_.params = describe_params<SaxpyLikeParams>();
    plugins_.names = {"configured"};
    plugins_.find = [this](const std::string& word) -> Result<FoundPlugin> {
      asked_.push_back(word);
      if (!error_.empty()) return Error{ErrorCode::kInvalidArgument, error_};
      return FoundPlugin{"/x/saxpy.so", "saxpy.so:1", plugin_declaration(described_)};
    };
  }
  Parsed parse(const std::string& text) const {
    return parse_sweeps(text, "f.yaml", catalog_, {}, {}, {}, plugins_);
  }
  std::string rendered(const std::string& text) const { return render(parse(text).errors); }

  Catalog catalog_;
  WorkloadDef described_;
  PluginFinder plugins_;
  std::string error_;
  mutable std::vector<std::string> asked_;
};

TEST_F(PluginOfSweep, HasTheParametersOfItsLibrary) {
  const Parsed parsed =
      parse("sweep: a\nworkload: ./saxpy.so\nmatrix: {size: [1, 2]}\nparams: {steps: 3}\n");
  ASSERT_EQ(render(parsed.errors), "");
  EXPECT_THAT(asked_, ElementsAre("./saxpy.so"));
  const Sweep& sweep = parsed.sweeps.front();
  EXPECT_EQ(sweep.workload, "saxpy");
  const WorkloadDef& def = *sweep.program;
  EXPECT_EQ(def.base, kPluginBase);
  EXPECT_EQ(def.version, 3);
  EXPECT_THAT(def.passes, ElementsAre("timing"));
  EXPECT_TRUE(def.find("size")->grows_memory);
  const auto trials = expand(sweep, def).trials;
  ASSERT_EQ(trials.size(), 2U);
  EXPECT_EQ(trials[0].trial.text(def, kPluginFile), "/x/saxpy.so");
  EXPECT_EQ(label_of(def, trials[1].trial), "steps=3 size=2");
}

TEST_F(PluginOfSweep, IsAskedForByFileOrConfiguredName) {
  for (const char* word : {"a/b.so", "b.so#two", "k.cpp", "k.cu", "configured"}) {
    EXPECT_EQ(rendered(std::string("sweep: a\nworkload: ") + word + "\n"), "") << word;
  }
  EXPECT_EQ(asked_.size(), 5U);
  EXPECT_THAT(rendered("sweep: a\nworkload: saxpi\n"), HasSubstr("saxpi"));
  plugins_.find = nullptr;
  EXPECT_THAT(rendered("sweep: a\nworkload: ./saxpy.so\n"), HasSubstr("2:11: error: workload"));
  EXPECT_EQ(asked_.size(), 5U);
}

TEST_F(PluginOfSweep, ErrorsOfItKeepTheirLines) {
  error_ = "`./k.cu` does not compile:\nk.cu:3: no\tsemicolon\x1b[31m";
  EXPECT_THAT(rendered("sweep: a\nworkload: ./k.cu\n"),
              HasSubstr("f.yaml:2:11: error: workload: `./k.cu` does not compile:\n"
                        "k.cu:3: no\tsemicolon [31m\n"));
}

TEST_F(PluginOfSweep, CannotTakeANameOfAnother) {
  described_.name = "lm_step";
  EXPECT_THAT(rendered("sweep: a\nworkload: ./a.so\n"),
              HasSubstr("`lm_step` is taken: the workload `lm_step` is called so"));
  described_.name = "mm";
  WorkloadDef program = described_;
  program.base = kProgramBase;
  catalog_.programs->set(program);
  EXPECT_THAT(rendered("sweep: a\nworkload: ./a.so\n"),
              HasSubstr("`mm` is taken: the program `mm` is called so"));
  described_.name = "own";
  described_.params.front().name = "code";
  EXPECT_THAT(rendered("sweep: a\nworkload: ./a.so\n"), HasSubstr("`code` is reserved"));
}

TEST_F(PluginOfSweep, GrowsWithItsBuilds) {
  const auto sweep_of = [&] { return parse("sweep: a\nworkload: ./saxpy.so\n").sweeps.front(); };
  const Sweep first = sweep_of();
  catalog_.programs->set(*first.program);
  ParamDef more = described_.params.front();
  more.name = "stride";
  described_.params.insert(described_.params.begin(), more);
  described_.version = 4;
  described_.params.back().default_value = std::int64_t{200};
  const Sweep second = sweep_of();
  const WorkloadDef& def = *second.program;
  EXPECT_EQ(def.version, 4);
  EXPECT_GT(*def.index_of("stride"), *def.index_of("size")) << "older rows keep their places";
  EXPECT_EQ(expand(second, def).trials.front().trial.integer(def, "size"), 200);
  described_.params.back().type = ValueType::kText;
  described_.params.back().default_value = std::string("big");
  EXPECT_THAT(rendered("sweep: a\nworkload: ./saxpy.so\n"),
              HasSubstr("`size` is text here, but program `saxpy` has results in which it is "
                        "integer"));
}

TEST_F(PluginOfSweep, ByNameAloneNeedsItsFile) {
  catalog_.programs->set(*parse("sweep: a\nworkload: ./saxpy.so\n").sweeps.front().program);
  EXPECT_THAT(rendered("sweep: a\nworkload: saxpy\n"),
              HasSubstr("workload: `saxpy` is a plugin's, whose file is needed"));
  EXPECT_THAT(rendered("sweep: a\nworkload: ./saxpy.so\nparams: {plugin_file: /y.so}\n"),
              HasSubstr("plugin_file"));
}

}  // namespace
}  // namespace sweepd::test
