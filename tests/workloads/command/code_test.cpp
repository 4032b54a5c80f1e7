// Tests what of a program tells trials apart.
#include "workloads/command/code.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "runner/model/sweep/changes.h"

namespace sweepd::command {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

class CodeTest : public testing::Test {
 protected:
  CodeTest() {
    std::string pattern = (fs::temp_directory_path() / "sweepd-code-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    write("mm.py", "print(1)");
  }
  ~CodeTest() override { fs::remove_all(folder_); }

  void write(const fs::path& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
    // A second write of the same size within a clock tick must be seen too.
    static int age = 0;
    fs::last_write_time(folder_ / name,
                        fs::file_time_type::clock::now() + std::chrono::seconds(++age));
  }
  std::string code(std::vector<std::string> argv, std::vector<std::string> watch = {}) const {
    return code_of({std::move(argv), folder_, std::move(watch)});
  }

  fs::path folder_;
};

TEST_F(CodeTest, NamesTheProgramAndEveryArgumentThatIsAFile) {
  EXPECT_THAT(code({"sh", "mm.py", "--steps=3", "no such file"}),
              MatchesRegex("[a-z]*sh:[0-9a-f]{8} mm.py:[0-9a-f]{8}"));
  EXPECT_THAT(code({"sh", "--config=mm.py"}), HasSubstr(" mm.py:"));
  EXPECT_THAT(code({"sh", (folder_ / "mm.py").string()}), HasSubstr(" mm.py:"));
  EXPECT_THAT(code({"./mm.py"}), MatchesRegex("mm.py:[0-9a-f]{8}"));
  EXPECT_EQ(code({"no-such-program", "3"}), "");
}

TEST_F(CodeTest, ChangesWithTheContentAndNotWithTheTime) {
  const std::string before = code({"sh", "mm.py"});
  write("mm.py", "print(1)");
  EXPECT_EQ(code({"sh", "mm.py"}), before);
  write("mm.py", "print(2)");
  EXPECT_NE(code({"sh", "mm.py"}), before);
}

TEST_F(CodeTest, OfALargeFileSizeAndTimeCount) {
  write("tokens.bin", "");
  fs::resize_file(folder_ / "tokens.bin", std::uintmax_t{1} << 40);  // sparse: reading takes hours
  const auto at = [&](int age) {
    fs::last_write_time(folder_ / "tokens.bin",
                        fs::file_time_type{} + std::chrono::seconds(1'000'000 + age));
    return code({"sh", "tokens.bin"});
  };
  const std::string before = at(0);
  EXPECT_THAT(before, HasSubstr(" tokens.bin:"));
  EXPECT_EQ(at(0), before);
  EXPECT_NE(at(1), before);
  fs::resize_file(folder_ / "tokens.bin", std::uintmax_t{2} << 40);
  EXPECT_NE(at(0), before);
}

TEST_F(CodeTest, WhatAScriptImportsFromItsFolderCounts) {
  write("train.py", "import torch\nfrom model.gpt import GPT\n");
  write("model/gpt.py", "class GPT: pass");
  const std::string before = code({"python", "train.py"});
  EXPECT_THAT(before, HasSubstr(" train.py:"));
  EXPECT_THAT(before, HasSubstr(" model/gpt.py:"));
  write("model/gpt.py", "class GPT: wide = True");
  EXPECT_THAT(changed_since(before, {{"python", "train.py"}, folder_, {}}),
              ElementsAre("model/gpt.py"));
  EXPECT_THAT(code({"python", "train.py"}, {"!model"}), Not(HasSubstr("gpt.py")));
}

TEST_F(CodeTest, WatchesFilesAndFolders) {
  write("lib/a.py", "a");
  write("lib/deep/b.py", "b");
  const std::string before = code({"sh", "mm.py"}, {"lib", "mm.py"});
  EXPECT_THAT(before, HasSubstr(" lib:"));
  write("lib/deep/b.py", "c");
  const std::string changed = code({"sh", "mm.py"}, {"lib", "mm.py"});
  EXPECT_THAT(changed_parts(before, changed), ElementsAre("lib"));
  fs::rename(folder_ / "lib/a.py", folder_ / "lib/z.py");
  EXPECT_NE(code({"sh", "mm.py"}, {"lib", "mm.py"}), changed) << "a name is content too";
}

TEST_F(CodeTest, OfAFolderHiddenFoldersAndCachesDoNotCount) {
  write("lib/a.py", "a");
  const std::string before = code({"sh"}, {"."});
  EXPECT_THAT(before, HasSubstr(" " + folder_.filename().string() + ":")) << "`.` has a name";
  EXPECT_THAT(code({"sh"}, {"lib/"}), HasSubstr(" lib:"));
  for (const char* file :
       {"__pycache__/mm.pyc", "lib/__pycache__/a.pyc", ".git/index", ".venv/lib/python3/site.py"}) {
    write(file, "made by running it");
    EXPECT_EQ(code({"sh"}, {"."}), before) << file;
  }
  write(".env", "read by it");
  EXPECT_NE(code({"sh"}, {"."}), before) << "a hidden file is one that somebody wrote";
}

TEST_F(CodeTest, WhatIsLeftOutDoesNotCount) {
  const std::vector<std::string> watch{".", "!*.csv", "!data/", "!lib/b.py"};
  const std::string before = code({"sh", "mm.py"}, watch);
  for (const char* file : {"out.csv", "deep/out.csv", "data/deep/tokens.bin", "lib/b.py"}) {
    write(file, "not code");
    EXPECT_EQ(code({"sh", "mm.py"}, watch), before) << file;
    EXPECT_EQ(code({"sh", "mm.py", file}, {watch.begin() + 1, watch.end()}), code({"sh", "mm.py"}));
  }
  write("b.py", "code");
  EXPECT_NE(code({"sh", "mm.py"}, watch), before) << "`!lib/b.py` is not this one";
}

TEST_F(CodeTest, WhatAnOptionOfOutputNamesDoesNotCount) {
  write("out.json", "{}");
  const std::string alone = code({"sh", "mm.py"});
  for (const std::vector<std::string>& output : {std::vector<std::string>{"--out", "out.json"},
                                                 {"--output=out.json"},
                                                 {"-o", "out.json"},
                                                 {"--benchmark_out=out.json"},
                                                 {"--export-json", "out.json"},
                                                 {"--output_file", "out.json"}}) {
    std::vector<std::string> argv{"sh", "mm.py"};
    argv.insert(argv.end(), output.begin(), output.end());
    EXPECT_EQ(code(argv), alone) << output.front();
  }
  for (const std::vector<std::string>& input : {std::vector<std::string>{"--config", "out.json"},
                                                {"-i", "out.json"},
                                                {"out.json"},
                                                {"size=out.json"},
                                                {"--layout", "out.json"}}) {
    std::vector<std::string> argv{"sh", "mm.py"};
    argv.insert(argv.end(), input.begin(), input.end());
    EXPECT_NE(code(argv), alone) << input.front();
  }
}

TEST_F(CodeTest, SaysWhatChangedSince) {
  write("lib/a.py", "a");
  const Program program{{"sh", "mm.py", "out.json"}, folder_, {"lib", "."}};
  const std::string before = code_of(program);
  EXPECT_THAT(changed_since(before, program), ElementsAre());
  const Program alone{{"sh", "mm.py", "out.json"}, folder_, {}};
  const std::string without = code_of(alone);
  write("out.json", "{}");
  EXPECT_THAT(changed_since(without, alone), ElementsAre()) << "the first trial wrote it";
  const std::string name = folder_.filename().string();
  EXPECT_THAT(changed_since(before, program), ElementsAre(name + " (its newest file: out.json)"));
  const std::string with = code_of(alone);
  write("out.json", "[]");
  EXPECT_THAT(changed_since(with, alone), ElementsAre("out.json"));
  fs::remove(folder_ / "mm.py");
  EXPECT_THAT(changed_since(with, alone), ElementsAre("out.json", "mm.py"));
}

TEST_F(CodeTest, WhatIsWatchedMustBeThere) {
  try {
    code({"sh"}, {"gone.py"});
    FAIL() << "nothing thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("watch: no file or folder `gone.py`"));
  }
}

// Nobody can read the beginning of a process's memory, not even root.
TEST_F(CodeTest, AFileThatCannotBeReadIsNamedWithItsParameterAndWord) {
  const auto mistake = [this](std::vector<std::string> argv, std::vector<std::string> watch) {
    try {
      return code(std::move(argv), std::move(watch));
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(mistake({"sh", "--config=/proc/self/mem"}, {}),
              StartsWith("argv: `--config=/proc/self/mem`: cannot read `/proc/self/mem`: "));
  EXPECT_THAT(mistake({"/proc/self/mem"}, {}), StartsWith("argv: `/proc/self/mem`: cannot read"));
  EXPECT_THAT(mistake({"sh"}, {"/proc/self/mem"}), StartsWith("watch: `/proc/self/mem`: cannot "));
}

TEST_F(CodeTest, WithoutAFolderOnlyAbsolutePathsCount) {
  EXPECT_THAT(code_of({{"sh", "mm.py"}, {}, {}}), Not(HasSubstr("mm.py")));
  EXPECT_THAT(code_of({{"sh", (folder_ / "mm.py").string()}, {}, {}}), HasSubstr(" mm.py:"));
}

}  // namespace
}  // namespace sweepd::command
