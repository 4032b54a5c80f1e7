#include "workloads/command/secrets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "runner/base/ids.h"
#include "workloads/api/failure.h"
#include "workloads/command/variables.h"

namespace sweepd::command {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

class SecretsTest : public testing::Test {
 protected:
  void TearDown() override {
    std::filesystem::remove(file_);
    ::unsetenv("SWEEPD_SECRETS");
    ::unsetenv("TEST_TOKEN");
  }
  void write(const std::string& text, mode_t mode = 0600) const {
    std::ofstream(file_) << text;
    ::chmod(file_.c_str(), mode);
    ::setenv("SWEEPD_SECRETS", file_.c_str(), 1);
  }
  std::string failure(const std::string& names) const {
    try {
      const Secrets secrets(names);
      return "none";
    } catch (const std::exception& e) {
      return e.what();
    }
  }

  const std::filesystem::path file_ =
      std::filesystem::path(testing::TempDir()) / ("secrets-" + random_id());
};

TEST_F(SecretsTest, AreReadFromTheFileThenFromTheEnvironment) {
  write("# mine\n\nHF_TOKEN=hf_abc = 1\nOTHER=x\n");
  ::setenv("TEST_TOKEN", "inherited", 1);
  EXPECT_THAT(Secrets("TEST_TOKEN HF_TOKEN").variables(),
              ElementsAre(Pair("TEST_TOKEN", "inherited"), Pair("HF_TOKEN", "hf_abc = 1")));
  EXPECT_THAT(Secrets("").variables(), IsEmpty());
}

TEST_F(SecretsTest, AreHiddenInWhatIsPrinted) {
  write("LONG=abcd-1234\nPART=abcd\nSHORT=abc\n");
  const Secrets secrets("PART LONG SHORT");
  EXPECT_EQ(secrets.hide("abcd-1234 and abcd, abcdabcd; abc stays"),
            "[LONG] and [PART], [PART][PART]; abc stays");
  EXPECT_EQ(Secrets("").hide("abcd-1234"), "abcd-1234");
  EXPECT_THAT(secrets.not_hidden(), ElementsAre("SHORT"));
}

TEST_F(SecretsTest, ThatOverlapLeaveNothing) {
  write("ONE=abcdef\nTWO=defghi\n");
  EXPECT_EQ(Secrets("ONE TWO").hide("<abcdefghi>"), "<[ONE]>");
}

TEST_F(SecretsTest, OfSeveralLinesAreHiddenLineByLine) {
  ::setenv("TEST_TOKEN", "-----BEGIN KEY-----\r\nMIIE/vQI+BAD=\n  Qg==\n}\n", 1);
  const Secrets secrets("TEST_TOKEN");
  for (const char* line : {"-----BEGIN KEY-----", "MIIE/vQI+BAD=", "Qg==", R"(MIIE\/vQI+BAD=\n)"})
    EXPECT_THAT(secrets.hide(line), testing::StartsWith("[TEST_TOKEN]")) << line;
  EXPECT_EQ(secrets.hide("}"), "}");
  EXPECT_EQ(secrets.hide(R"("-----BEGIN KEY-----\r\nMIIE/vQI+BAD=\n  Qg==\n}\n")"),
            R"("[TEST_TOKEN]")");
}

TEST_F(SecretsTest, AreCoveredWithoutChangingALength) {
  write("TOKEN=abcdefghijkl\nPIN=1234\n");
  const Secrets secrets("TOKEN PIN");
  std::string text = "x abcdefghijkl, 1234\n";
  EXPECT_TRUE(secrets.cover(text));
  EXPECT_EQ(text, "x [TOKEN]*****, ****\n");
  EXPECT_FALSE(secrets.cover(text));
}

// Wherever a text is cut, its parts hide what the whole does.
TEST_F(SecretsTest, ATextIsNotCutWithinOne) {
  write("TOKEN=ab\\\"cd/ef\nPART=cd/e\n");
  const Secrets secrets("TOKEN PART");
  const std::string text = R"(x ab\\\"cd\/ef ab\"cd/ef abab\u005c\"cd\u002fef cd/e y \\)";
  for (std::size_t to = 0; to <= text.size(); ++to) {
    const std::size_t cut = secrets.cut(text.substr(0, to));
    ASSERT_LE(cut, to);
    EXPECT_EQ(secrets.hide(text.substr(0, cut)) + secrets.hide(text.substr(cut)),
              secrets.hide(text))
        << to << " is cut at " << cut;
  }
  EXPECT_EQ(secrets.cut("nothing of it"), 13U);
}

TEST_F(SecretsTest, WhatIsMissingSkipsTheTrial) {
  EXPECT_THROW(Secrets("TEST_TOKEN"), Unavailable);
  write("A=1\n");
  EXPECT_THAT(failure("TEST_TOKEN"),
              HasSubstr("there is no secret TEST_TOKEN: write a line TEST_TOKEN=... into " +
                        file_.string()));
}

TEST_F(SecretsTest, AFileForOtherEyesIsRefused) {
  write("A=1\n", 0640);
  EXPECT_THAT(failure("A"), HasSubstr("others may read " + file_.string()));
  EXPECT_THAT(failure("A"), HasSubstr("chmod 600"));
}

TEST_F(SecretsTest, ALineThatIsNoneIsNamedButNotShown) {
  write("A=1\nhf_abcdef\n");
  EXPECT_THAT(failure("A"), HasSubstr("line 2 of "));
  EXPECT_THAT(failure("A"), testing::Not(HasSubstr("hf_abcdef")));
}

// `submit` accepts exactly those names in a template that the worker can fill in.
TEST(TemplateNames, AreThoseOfTheWorker) {
  std::vector<std::string> names;
  for (const Variable& variable : variables_of(Params(), RunParams(), {})) {
    names.push_back(variable.name);
  }
  EXPECT_EQ(Params::template_names(), names);
}

}  // namespace
}  // namespace sweepd::command
