// Completion in bash, zsh and fish.
#include <gmock/gmock.h>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr auto kFew = "sweep: quick\nworkload: noop\nparams: {steps: 1, warmup: 0}\n";

std::string complete(const Sandbox& box, const std::string& words) {
  const Ran ran = box.run(
      "/bin/bash",
      {"-c", "source <(" SWEEPCTL " completion bash); complete -p sweepctl; COMP_WORDS=(" SWEEPCTL
             " " +
                 words +
                 "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _sweepctl; echo \"${COMPREPLY[*]}\""});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, HasSubstr("-F _sweepctl sweepctl"));
  return ran.out.substr(ran.out.find('\n') + 1);
}

TEST(Completion, KnowsVerbsOptionsAndNames) {
  const Sandbox box;
  EXPECT_EQ(complete(box, "re"), "report resume retry reread recover reference\n");
  EXPECT_EQ(complete(box, "report --fo"), "--format\n");
  EXPECT_EQ(complete(box, "query --format j"), "json\n");
  EXPECT_EQ(complete(box, "--no-start st"), "study status stop\n");
  EXPECT_EQ(complete(box, "watch q"), "\n");
  EXPECT_FALSE(std::filesystem::exists(box.state())) << "completing must not start a daemon";
  box.ctl({"submit", "-", "--wait"}, kFew);
  EXPECT_EQ(complete(box, "watch q"), "quick\n");
  EXPECT_EQ(complete(box, "pause q"), "quick\n");
  EXPECT_EQ(complete(box, "query --sweep qu"), "quick\n");
  EXPECT_EQ(complete(box, "workloads no"), "noop\n");
  EXPECT_EQ(complete(box, "submit fi"), "\n") << "a file: bash's own completion";
}

// zsh's suggestions for the last of the words: its functions are replaced by ones that print.
std::string complete_in_zsh(const Sandbox& box, const std::string& words) {
  const Ran ran = box.run(
      "/usr/bin/zsh", {"-f", "-c",
                       "_describe() { print -rl -- ${(P)@[-1]} }; _files() { print files };"
                       "compadd() { [[ $1 == -a ]] && print -rl -- ${(P)2} || print -rl -- $@ };"
                       "compdef() { print -r -- $@ }; source <(" SWEEPCTL " completion zsh);"
                       "words=(" SWEEPCTL " " +
                           words + "); CURRENT=${#words}; PREFIX=${words[-1]}; _sweepctl"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, StartsWith("_sweepctl sweepctl\n"));
  return ran.out.substr(ran.out.find('\n') + 1);
}

TEST(Completion, Zsh) {
  const Sandbox box;
  if (!std::filesystem::exists("/usr/bin/zsh")) GTEST_SKIP() << "no zsh; tools/bootstrap test";
  EXPECT_THAT(complete_in_zsh(box, "re"), AllOf(HasSubstr("\nreport:Print the tables that"),
                                                HasSubstr("\nretry:"), Not(HasSubstr("--"))));
  EXPECT_THAT(complete_in_zsh(box, "report --fo"),
              AllOf(HasSubstr("--format:md, csv"), HasSubstr("--state-dir:the daemon's state"),
                    Not(HasSubstr("--cell"))));
  EXPECT_EQ(complete_in_zsh(box, "query --format j"), "md\ncsv\njson\ntext\nlatex\nhtml\n");
  EXPECT_EQ(complete_in_zsh(box, "submit fi"), "files\n");
  EXPECT_EQ(complete_in_zsh(box, "watch q"), "\n");
  EXPECT_FALSE(std::filesystem::exists(box.state())) << "completing must not start a daemon";
  box.ctl({"submit", "-", "--wait"}, kFew);
  EXPECT_EQ(complete_in_zsh(box, "watch q"), "quick\n");
  EXPECT_EQ(complete_in_zsh(box, "query --sweep qu"), "quick\n");
  EXPECT_THAT(complete_in_zsh(box, "workloads no"), HasSubstr("noop\n"));
}

std::string complete_in_fish(const Sandbox& box, const std::string& line) {
  const Ran ran =
      box.run("/usr/bin/fish",
              {"--no-config", "-c",
               "set PATH " + std::filesystem::path(SWEEPCTL).parent_path().string() +
                   " $PATH; sweepctl completion fish | source; complete -C '" + line + "'"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  return ran.out;
}

TEST(Completion, Fish) {
  const Sandbox box;
  if (!std::filesystem::exists("/usr/bin/fish")) GTEST_SKIP() << "no fish; tools/bootstrap test";
  EXPECT_THAT(complete_in_fish(box, "sweepctl rep"), StartsWith("report\tPrint the tables that"));
  EXPECT_THAT(complete_in_fish(box, "sweepctl report --fo"), StartsWith("--format\tmd, csv"));
  EXPECT_THAT(complete_in_fish(box, "sweepctl query --format j"), StartsWith("json\t"));
  EXPECT_THAT(complete_in_fish(box, "sweepctl submit --state-"), HasSubstr("--state-dir"));
  EXPECT_EQ(complete_in_fish(box, "sweepctl watch q"), "");
  EXPECT_FALSE(std::filesystem::exists(box.state())) << "completing must not start a daemon";
  box.ctl({"submit", "-", "--wait"}, kFew);
  EXPECT_EQ(complete_in_fish(box, "sweepctl watch q"), "quick\n");
  EXPECT_THAT(complete_in_fish(box, "sweepctl query --sweep qu"), StartsWith("quick\t"));
  EXPECT_EQ(complete_in_fish(box, "sweepctl workloads noo"), "noop\n");
}

// For any name, a TAB runs no part of it, neither at once nor when the line is run.
// `sweepctl` itself offers no such name; the scripts do not rely on it.
TEST(Completion, AHostileNameRunsNothing) {
  const Sandbox box;
  const std::string trap = (box.folder() / "trap").string();
  const std::string fake =
      box.write("sweepctl", "#!/bin/sh\ncat <<'END'\na$(touch " + trap + ")\na`touch " + trap +
                                "`\na;touch " + trap + "\na\\$x\nafine\nbother\nEND\n");
  std::filesystem::permissions(fake, std::filesystem::perms::owner_all);
  const std::string names =
      "a$(touch " + trap + ")\na`touch " + trap + "`\na;touch " + trap + "\na\\$x\nafine\n";

  // Each word is run as part of a line, as after a TAB and a return.
  const Ran bash = box.run(
      "/bin/bash", {"-c", "source <(" SWEEPCTL " completion bash); COMP_WORDS=(" + fake +
                              " show a); COMP_CWORD=2; _sweepctl; for word in \"${COMPREPLY[@]}\"; "
                              "do eval \"printf '%s\\n' $word\"; done"});
  EXPECT_EQ(bash.out, names) << bash.err;
  if (std::filesystem::exists("/usr/bin/zsh")) {
    const Ran zsh =
        box.run("/usr/bin/zsh", {"-f", "-c",
                                 "compadd() { print -rl -- ${(P)2} }; compdef() { : }; "
                                 "source <(" SWEEPCTL " completion zsh); words=(" +
                                     fake + " show a); CURRENT=3; PREFIX=a; _sweepctl"});
    EXPECT_EQ(zsh.out, names + "bother\n") << zsh.err;
  }
  if (std::filesystem::exists("/usr/bin/fish")) {
    const Ran fish =
        box.run("/usr/bin/fish",
                {"--no-config", "-c",
                 SWEEPCTL " completion fish | source; set PATH " + box.folder().string() +
                     " $PATH; complete -C \"sweepctl show a\"; complete -C 'sweepctl --state-dir "
                     "\"(touch " +
                     trap + ")\" show a' >/dev/null"});
    EXPECT_THAT(fish.out, AllOf(HasSubstr("$(touch"), HasSubstr("afine"))) << fish.err;
  }
  EXPECT_FALSE(std::filesystem::exists(trap));
}

}  // namespace
}  // namespace sweepd::e2e
