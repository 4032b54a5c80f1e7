// Tests that a query can separate results of one trial by different code and builds.
#include "tests/db/results_fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class IdentityTest : public ResultsTest {
 protected:
  // Measures the one trial again: `forward` ms, by this build with this code.
  AttemptId measure(const std::string& build, const std::string& code, double forward,
                    const std::string& driver = "", const std::string& device = "") {
    NewSweep request = sweep("s", {{{"context", "1"}}});
    request.reuse = Reuse::kNone;
    const OpenAttempt attempt = submit(request).queued.at(0);
    AttemptRecord record = done(attempt.row, forward, 0, WallTime{seconds(++at_s_).ns});
    record.environment->build_commit = build;
    record.environment->code = code;
    record.environment->devices[0].driver = driver;
    if (!device.empty()) {
      record.environment->devices[0].name = device;
      record.environment->devices[0].uuid = device;
    }
    finish(record);
    return attempt.id;
  }
  std::vector<std::string> rows(QuerySpec query) {
    query.table.where.push_back({"phase", {"forward"}});
    return lines(ask(std::move(query)));
  }

 private:
  std::int64_t at_s_ = 100;
};

TEST_F(IdentityTest, TheNewestCountsWhereNothingIsSaid) {
  measure("b1", "aaaa", 10);
  measure("b2", "bbbb", 20);
  EXPECT_THAT(rows(by({"context"})), ElementsAre("1 done 20"));
}

TEST_F(IdentityTest, OfAGangTheDeviceIsThatOfItsFirstRank) {
  const OpenAttempt attempt = submit(sweep("s", {{{"context", "1"}}})).queued.at(0);
  AttemptRecord record = done(attempt.row, 10, 0);
  record.environment->devices.push_back(cpu());
  record.environment->devices[1].name = record.environment->devices[1].uuid = "another";
  finish(record);
  EXPECT_THAT(rows(by({"device_name"})), ElementsAre("Test CPU done 10"));
}

TEST_F(IdentityTest, EachHasItsOwnNewest) {
  measure("b1", "aaaa", 10);
  measure("b1", "aaaa", 11);
  measure("b2", "aaaa", 20);
  measure("b3", "bbbb", 30);
  EXPECT_THAT(rows(by({"build"})),
              testing::UnorderedElementsAre("b1 done 11", "b2 done 20", "b3 done 30"));
  EXPECT_THAT(rows(by({"code"})), testing::UnorderedElementsAre("aaaa done 20", "bbbb done 30"));
  EXPECT_THAT(
      rows(by({"code"}, {"build"})),
      testing::UnorderedElementsAre("aaaa b1 done 11", "aaaa b2 done 20", "bbbb b3 done 30"));
}

TEST_F(IdentityTest, OneCanBeFixed) {
  measure("b1", "aaaa", 10);
  measure("b2", "bbbb", 20);
  EXPECT_THAT(rows(by({"context"}, {}, {{"build", {"b1"}}})), ElementsAre("1 done 10"));
  EXPECT_THAT(rows(by({"context"}, {}, {{"code", {"bbbb"}}})), ElementsAre("1 done 20"));
  EXPECT_THAT(rows(by({"context"}, {}, {{"torch", {"2.11.0"}}})), ElementsAre("1 done 20"));
}

TEST_F(IdentityTest, ADriverIsOne) {
  measure("b1", "aaaa", 10, "580.1");
  measure("b1", "aaaa", 20, "590.2");
  EXPECT_THAT(rows(by({"driver"})),
              testing::UnorderedElementsAre("580.1 done 10", "590.2 done 20"));
  EXPECT_THAT(refusal(by({"context"}, {}, {{"driver", {"580"}}})),
              HasSubstr("driver: no result has `580`"))
      << "no prefix so short";
}

// A trial may run on either GPU of a host.
TEST_F(IdentityTest, ADeviceThatIsAskedForHasItsOwnNewest) {
  measure("b1", "aaaa", 10, "", "A100");
  measure("b1", "aaaa", 11, "", "A100");
  measure("b1", "aaaa", 20, "", "H200");
  EXPECT_THAT(rows(by({"context"}, {}, {{"device_name", {"A100"}}})), ElementsAre("1 done 11"));
  EXPECT_THAT(rows(by({"context"}, {}, {{"device_name", {"H200"}}})), ElementsAre("1 done 20"));
  EXPECT_THAT(rows(by({"context"}, {"device_name"})), ElementsAre("1 H200 done 20"))
      << "elsewhere the newest counts";
}

TEST_F(IdentityTest, WhatAnAttemptRanIsRead) {
  const AttemptId first = measure("b1", "aaaa", 10, "580.1", "A100");
  const AttemptId second = measure("b2", "bbbb", 10, "590.2", "H200");
  const auto ran = reader_->what_ran({second, "none", first});
  ASSERT_TRUE(ran) << ran.error().message;
  EXPECT_EQ(ran->size(), 2U);
  EXPECT_EQ(ran->at(first), (WhatRan{"A100", "aaaa", "b1", "2.11.0", "580.1"}));
  EXPECT_EQ(ran->at(second), (WhatRan{"H200", "bbbb", "b2", "2.11.0", "590.2"}));
}

TEST_F(IdentityTest, SeveralInACellAreRefused) {
  measure("b1", "aaaa", 10);
  measure("b2", "bbbb", 20);
  EXPECT_THAT(refusal(by({"context"}, {}, {{"build", {"b1", "b2"}}})),
              HasSubstr("2 values of `build` would be pooled in each cell; name `build` in rows"));
  EXPECT_THAT(rows(by({"context"}, {"build"}, {{"build", {"b2", "b1"}}})),
              testing::UnorderedElementsAre("1 b1 done 10", "1 b2 done 20"));
}

TEST_F(IdentityTest, ACommitMayBeAbbreviated) {
  measure("5d8c4dfe11de", "aaaa", 10);
  measure("5d8caaaa11de-dirty", "bbbb", 20);
  EXPECT_THAT(rows(by({"context"}, {}, {{"build", {"5d8c4"}}})), ElementsAre("1 done 10"));
  EXPECT_THAT(refusal(by({"context"}, {}, {{"build", {"5d8c"}}})),
              HasSubstr("several results begin with `5d8c`; there are 5d8c4dfe11de"));
  EXPECT_THAT(refusal(by({"context"}, {}, {{"build", {"ffff"}}})),
              HasSubstr("build: no result has `ffff`; there are 5d8c4dfe11de, 5d8caaaa11de-dirty"));
}

// "small", "large" and "xl" stand for the content of programs.
TEST_F(IdentityTest, AProgramMayBeAbbreviated) {
  catalog_.workloads.front().params[*def().index_of("model")].computed = true;
  reopen();
  double forward = 0;
  for (const char* model : {"small", "large"}) {
    for (const OpenAttempt& attempt : submit(sweep("s", {{{"model", model}}})).queued) {
      finish(done(attempt.row, forward += 10, 0));
    }
  }
  EXPECT_THAT(rows(by({"model"}, {}, {{"model", {"smal"}}})), ElementsAre("small done 10"));
  EXPECT_THAT(rows(by({"model"}, {}, {{"model", {"large"}}})), ElementsAre("large done 20"));
  EXPECT_THAT(refusal(by({"model"}, {}, {{"model", {"arge"}}})), HasSubstr("`arge`"));
}

TEST_F(IdentityTest, ThePartsOfAProgramAreItsNamesAndTheirHashes) {
  WorkloadDef& toy = catalog_.workloads.front();
  ParamDef code = toy.params[*def().index_of("model")];
  code.name = "content";
  code.type = ValueType::kText;
  code.default_value = std::string();
  code.choices.clear();
  code.grows_memory = false;
  code.computed = true;
  toy.params.push_back(code);
  reopen();
  double forward = 0;
  for (const char* content : {"sh:1f00aa mm.sh:9ab1c2", "sh:1f00aa mm.sh:9abffe"}) {
    for (const OpenAttempt& attempt : submit(sweep("s", {{{"content", content}}})).queued) {
      finish(done(attempt.row, forward += 10, 0));
    }
  }
  const auto of = [&](const char* text) {
    return rows(by({"context"}, {}, {{"content", {text}}}));
  };
  EXPECT_THAT(of("9ab1"), ElementsAre("128 done 10"));
  EXPECT_THAT(of("mm.sh:9abf"), ElementsAre("128 done 20"));
  EXPECT_THAT(of("sh:1f00aa mm.sh:9ab1c2"), ElementsAre("128 done 10"));
  EXPECT_THAT(of("9ab"), testing::IsEmpty()) << "too short";
  EXPECT_THAT(of("b1c2"), testing::IsEmpty()) << "not the beginning";
  EXPECT_THAT(
      refusal(by({"context"}, {}, {{"content", {"1f00"}}})),
      HasSubstr("content: several programs have `1f00`: sh:1f00aa mm.sh:9ab1c2, sh:1f00aa"));
}

}  // namespace
}  // namespace sweepd
