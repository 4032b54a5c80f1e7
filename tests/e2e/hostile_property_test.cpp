// With any foreign texts from any source (a sweep file, a program's output, another machine's
// database, the files that a recovery reads), no verb prints a command for a terminal, runs one, or
// touches files outside of the state folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "runner/base/text.h"
#include "tests/e2e/hostile_verbs.h"
#include "tests/e2e/lost_database.h"
#include "tests/fault_seed.h"

namespace sweepd::e2e {
namespace {

namespace fs = std::filesystem;

// Programs that a test starts begin in this folder, where nothing may appear.
class WorkingFolder {
 public:
  explicit WorkingFolder(const fs::path& folder) : before_(fs::current_path()) {
    fs::create_directories(folder);
    fs::current_path(folder);
  }
  ~WorkingFolder() { fs::current_path(before_); }
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;

 private:
  fs::path before_;
};

// A state folder, and the files beside it.
class Attacked {
 public:
  // Runs one in `one_in` of the questions that change nothing.
  Attacked(HostileTexts& texts, std::size_t one_in)
      : texts_(texts), one_in_(one_in), here_(box.folder() / "cwd") {
    texts_.aim_at(box.folder());
    fs::create_directories(precious_ / "folder");
    fs::create_directories(out_);
    for (const char* name : {"kept", "kept.json", "folder/kept"}) {
      std::ofstream(precious_ / name) << "precious";
    }
    before_ = content_below(precious_);
    given = write_given_files(box, texts_);
  }

  const Sandbox box;
  GivenFiles given;

  Ran expect_harmless(const Asked& asked) {
    Ran ran = ask(box, asked);
    EXPECT_EQ(mistake_in_output(asked, ran), "") << testing::PrintToString(asked.words);
    reached_ += has_hostile_text(ran.out + ran.err);
    return ran;
  }
  // With `--db` those verbs that read a file.
  void expect_verbs_harmless(const Known& known, const fs::path& database = {}) {
    for (Asked& asked : ask_every_verb(known, given, out_, texts_)) {
      if (changes_nothing(asked) && texts_.below(one_in_) != 0) continue;
      if (!database.empty()) {
        if (!of_files_.contains(asked.words.front())) continue;
        asked.words.insert(asked.words.begin(), {"--db", database});
      }
      expect_harmless(asked);
    }
    for (const auto& entry : fs::recursive_directory_iterator(out_)) {
      if (!entry.is_regular_file()) continue;
      EXPECT_EQ(mistake_in_file(entry.path()), "") << entry.path();
    }
  }
  void expect_completion_harmless();

  void expect_nothing_outside() const {
    EXPECT_EQ(content_below(precious_), before_);
    EXPECT_TRUE(fs::is_empty(fs::current_path())) << fs::directory_iterator(".")->path();
    std::error_code gone;  // a daemon may be about to end
    for (const auto& entry : fs::recursive_directory_iterator(box.folder(), gone)) {
      EXPECT_NE(entry.path().filename(), "PWNED") << entry.path();
    }
    for (const auto& entry : fs::directory_iterator(box.folder())) {
      const std::string name = entry.path().filename();
      const bool own = name.starts_with("ctl") || name.starts_with("io");
      EXPECT_TRUE(own || kOwn.contains(name)) << entry.path();
    }
  }
  int reached() const { return reached_; }

 private:
  const std::set<std::string> kOwn{"state", "config", "aot",      "cwd",
                                   "given", "out",    "precious", "theirs"};

  bool changes_nothing(const Asked& asked) const {
    const std::string& verb = asked.words.front();
    return of_files_.contains(verb) || verb == "doctor" || verb == "watch" || verb == "study";
  }

  HostileTexts& texts_;
  std::size_t one_in_;
  WorkingFolder here_;
  const std::set<std::string> of_files_ = verbs_of_files(box);
  const fs::path precious_ = box.folder() / "precious", out_ = box.folder() / "out";
  std::map<std::string, std::string> before_;
  int reached_ = 0;  // how many outputs had a text of a stranger
};

// A TAB behind each of these lines, and then the line with each word that is offered.
void Attacked::expect_completion_harmless() {
  const std::string typed = shell_word(texts_.argument());
  const std::vector<std::string> lines{std::string("show ''"), "show " + typed, "query --sweep ''",
                                       "workloads ''", "--state-dir " + typed + " show ''"};
  for (const std::string& line : lines) {
    if (texts_.below(one_in_) != 0) continue;
    const Ran bash =
        box.run("/bin/bash",
                {"-c", "source <(" SWEEPCTL " completion bash); COMP_WORDS=(" SWEEPCTL " " + line +
                           "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _sweepctl; for word in "
                           "\"${COMPREPLY[@]}\"; do eval \"printf '%s\\n' $word\"; done"});
    EXPECT_EQ(bash.exit_code, 0) << line << bash.err;
    if (fs::exists("/usr/bin/zsh")) {
      const Ran zsh = box.run(
          "/usr/bin/zsh",
          {"-f", "-c",
           "compadd() { print -rl -- ${(P)2} }; compdef() { : }; _files() { : }; "
           "_describe() { : }; source <(" SWEEPCTL " completion zsh); words=(" SWEEPCTL " " +
               line + "); CURRENT=${#words}; PREFIX=${words[-1]}; _sweepctl"});
      EXPECT_EQ(zsh.err, "") << line;
    }
    if (fs::exists("/usr/bin/fish")) {
      const std::string folder = fs::path(SWEEPCTL).parent_path();
      const Ran fish = box.run("/usr/bin/fish", {"--no-config", "-c",
                                                 SWEEPCTL " completion fish | source; set PATH " +
                                                     folder + " $PATH; complete -C $argv[1]",
                                                 "sweepctl " + line});
      EXPECT_EQ(fish.err, "") << line;
    }
  }
}

TEST(HostileVerbs, NoneIsLeftOut) {
  HostileTexts texts(1);
  const Sandbox box;
  std::set<std::string> asked;
  for (const Asked& each : ask_every_verb(Known{}, write_given_files(box, texts), "out", texts)) {
    asked.insert(each.words.front());
  }
  std::set<std::string> forgotten;
  const std::set<std::string> verbs = verbs_of_program(box);
  std::set_difference(verbs.begin(), verbs.end(), asked.begin(), asked.end(),
                      std::inserter(forgotten, forgotten.end()));
  EXPECT_THAT(forgotten, testing::IsEmpty());
  EXPECT_THAT(verbs, testing::IsSupersetOf({"run", "merge", "completion"}));
  EXPECT_THAT(verbs_of_files(box), testing::IsSupersetOf({"list", "workloads"}));
}

class HostileProperty : public testing::Test {
 protected:
  void SetUp() override { seed_ = fault_seed(); }

  // Merged databases may have any texts for people; others are refused with clean messages.
  void merge_and_ask(HostileTexts& texts, std::size_t one_in) const {
    Attacked attacked(texts, one_in);
    const fs::path printed = attacked.box.folder() / "theirs" / "printed";
    const fs::path anywhere = attacked.box.folder() / "theirs" / "anywhere";
    fs::create_directories(printed.parent_path());
    theirs_.copy_to(printed);
    theirs_.copy_to(anywhere);
    rewrite_texts(printed / "results.db", texts, 2, {printed_columns(), {}});
    rewrite_texts(anywhere / "results.db", texts, 6, {});
    attacked.expect_harmless({{"merge", anywhere}});
    const Ran merged = attacked.expect_harmless({{"merge", printed}});
    EXPECT_EQ(merged.exit_code, 0) << merged.out << merged.err;
    attacked.expect_verbs_harmless(theirs_.known(), printed);
    attacked.expect_verbs_harmless(theirs_.known(), anywhere / "results.db");
    attacked.expect_completion_harmless();
    attacked.expect_verbs_harmless(theirs_.known());
    ask_own(attacked, texts);
    attacked.expect_nothing_outside();
    EXPECT_GT(attacked.reached(), 5) << "no text reached an output";
  }

  // `recover` of a folder with any texts in its files, and the verbs after it.
  void recover_and_ask(HostileTexts& texts, std::size_t one_in) const {
    Attacked attacked(texts, one_in);
    theirs_.copy_to(attacked.box.state());
    lose_database(attacked.box);
    rewrite_files(attacked.box.state(), texts, 12);
    attacked.expect_harmless({{"recover", "--dry-run"}});
    attacked.expect_harmless({{"recover"}});
    attacked.expect_completion_harmless();
    attacked.expect_verbs_harmless(theirs_.known());
    attacked.expect_nothing_outside();
  }

  void attack(std::uint64_t seed, std::size_t one_in) const {
    SCOPED_TRACE("SWEEPD_FAULT_SEED=" + std::to_string(seed) + " repeats it");
    HostileTexts texts(seed);
    merge_and_ask(texts, one_in);
    recover_and_ask(texts, one_in);
  }

  std::uint64_t seed_ = 0;
  const TheirState theirs_;

 private:
  // A daemon on a database that no `merge` has checked: an older version's, or a whole foreign
  // folder.
  void ask_own(Attacked& attacked, HostileTexts& texts) const {
    fs::remove_all(attacked.box.state());
    theirs_.copy_to(attacked.box.state());
    rewrite_texts(attacked.box.state() / "results.db", texts, 3, {});
    attacked.expect_completion_harmless();
    for (const char* verb : {"list", "usage", "status", "show", "report"}) {
      attacked.expect_harmless({{verb}});
    }
    attacked.expect_completion_harmless();
    attacked.expect_harmless({{"compact", "--older", "0s"}});
    attacked.expect_harmless({{"delete", "--older", "1ns", "--yes"}});
    attacked.expect_harmless({{"stop"}});
  }
};

TEST_F(HostileProperty, NoTextBecomesACommandOrAPath) {
  attack(seed_, /*one_in=*/4);
}

class NightlyHostileProperty : public HostileProperty {};

TEST_F(NightlyHostileProperty, NoTextBecomesACommandOrAPath) {
  constexpr std::uint64_t kSeeds = 8;
  for (std::uint64_t more = 0; more < kSeeds && !HasFailure(); ++more)
    attack(seed_ + more, /*one_in=*/1);
}

}  // namespace
}  // namespace sweepd::e2e
