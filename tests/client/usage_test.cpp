#include "runner/client/session/usage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace sweepd {
namespace {

using testing::HasSubstr;

// Returns the output for a command line of an app that is built like sweepctl.
std::string said(std::vector<std::string> words) {
  CLI::App app{"Does things"};
  app.name("ctl");
  std::string state, file, set;
  bool wait = false;
  app.add_option("--state-dir", state);
  app.require_subcommand(1);
  app.fallthrough();
  CLI::App* submit = app.add_subcommand("submit", "Queue");
  submit->add_option("FILE", file)->required();
  submit->add_flag("--wait", wait);
  submit->add_option("--set", set);
  app.add_subcommand("list", "Show");
  std::reverse(words.begin(), words.end());  // CLI11 wants them in reverse order
  try {
    app.parse(std::move(words));
  } catch (const CLI::Error& error) {
    return explain_usage(&app, error);
  }
  return "accepted";
}

TEST(Usage, NamesTheWordAndTheNearest) {
  EXPECT_EQ(said({"submit", "f", "--wait"}), "accepted");
  EXPECT_EQ(said({"sumbit", "f"}),
            "ctl: no command `sumbit` (did you mean `submit`?); `ctl --help` lists them\n");
  EXPECT_EQ(said({"frobnicate"}), "ctl: no command `frobnicate`; `ctl --help` lists them\n");
  EXPECT_EQ(said({"--sate-dir=x"}),
            "ctl: no option `--sate-dir` (did you mean `--state-dir`?); `ctl --help` lists them\n");
  EXPECT_EQ(said({"submit", "f", "--wiat"}),
            "ctl: `ctl submit` has no option `--wiat` (did you mean `--wait`?); `ctl submit "
            "--help` lists them\n");
  EXPECT_EQ(said({"submit", "f", "--state_dir=x"}),
            "ctl: `ctl submit` has no option `--state_dir` (did you mean `--state-dir`?); `ctl "
            "submit --help` lists them\n");
  EXPECT_EQ(said({"list", "all"}), "ctl: `all` is one word too many; see `ctl list --help`\n");
  EXPECT_EQ(said({"list", "a=b"}), "ctl: `a=b` is one word too many; see `ctl list --help`\n");
  EXPECT_EQ(said({"submit", "f", "a=b"}),
            "ctl: `a=b` is one word too many; did you mean `--set a=b`? Each such word needs its "
            "own --set\n");
  EXPECT_EQ(said({"submit"}), "ctl: FILE is required; see `ctl submit --help`\n");
}

TEST(Usage, WithoutACommandTheHelp) {
  EXPECT_THAT(said({}), HasSubstr("Does things"));
  EXPECT_THAT(said({}), HasSubstr("submit"));
}

}  // namespace
}  // namespace sweepd
