// Tests which programs are said to import modules that nobody watches.
#include "runner/daemon/handlers/unwatched_imports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/daemon/handlers/make_table.h"
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TEST(UnwatchedImports, AreThoseOfPythonWithoutAFolderOrAModule) {
  struct Case {
    RanInSweep::Program program;
    std::string python;  // as the note names it; "": no note
  };
  const std::vector<Case> cases{
      {{"python train.py --batch {batch}", "", ""}, "`train.py`"},
      {{"/opt/venv/bin/python3.11 src/train.py", "", ""}, "`train.py`"},
      {{"train.py", "", ""}, "`train.py`"},
      {{"torchrun --nproc-per-node 2 train.py", "", ""}, "`train.py`"},
      {{"train.py", "python -O", ""}, "`train.py`"},
      {{"{python} -m my.train", "", ""}, "the program"},
      {{"python3 -c 'import numpy'", "", ""}, "the program"},
      {{"train.py", "", "data.csv config.json"}, "`train.py`"},
      {{"train.py", "", "data.csv model.py"}, ""},
      {{"train.py", "", "."}, ""},
      {{"train.py", "", "src"}, ""},
      {{"sh run.sh", "", ""}, ""},
      {{"./train --python 3", "", ""}, ""},
      {{"", "", ""}, ""},
  };
  for (const Case& c : cases) {
    const std::string note = unwatched_imports({c.program});
    if (c.python.empty()) {
      EXPECT_EQ(note, "") << c.program.argv;
    } else {
      EXPECT_THAT(note, HasSubstr("modules that " + c.python + " imports")) << c.program.argv;
    }
  }
  EXPECT_THAT(unwatched_imports({{"sh run.sh", "", ""}, {"a.py", "", ""}, {"b.py", "", ""}}),
              HasSubstr("`a.py`"))
      << "one note";
}

// What the tables of sweeps of `toy` say once it runs programs.
class ImportNotes : public DbTest {
 protected:
  void SetUp() override {
    DbTest::SetUp();
    WorkloadDef& toy = catalog_.workloads.front();
    for (const char* name : {"argv", "interpreter", "watch", "code"}) {
      ParamDef param;
      param.name = name;
      param.type = ValueType::kText;
      param.default_value = std::string();
      toy.params.push_back(param);
    }
    reopen();
  }
  Table table_of(const Settings& settings) {
    const NewSweep request = sweep("s", {settings});
    for (const OpenAttempt& attempt : submit(request).queued) finish(done(attempt.row, 1, 2));
    QuerySpec query;
    query.sweep = request.id;
    query.table.rows = {"context"};
    const auto made = make_table(*reader_, catalog_, query);
    EXPECT_TRUE(made) << made.error().message;
    return made ? *made : Table{};
  }
};

TEST_F(ImportNotes, AreUnderTheTableAndNoWarning) {
  const Table table = table_of({{"argv", "python train.py"}});
  EXPECT_THAT(table.notes, Contains(HasSubstr("modules that `train.py` imports are not watched")));
  EXPECT_EQ(table.warnings, 0U);
  EXPECT_THAT(table_of({{"argv", "python train.py"}, {"watch", "src"}}).notes,
              Not(Contains(HasSubstr("imports"))));
  EXPECT_THAT(table_of({{"argv", "python train.py"}, {"code", "any"}}).notes,
              Not(Contains(HasSubstr("imports"))))
      << "no change counts, which the sweep says";
}

}  // namespace
}  // namespace sweepd
