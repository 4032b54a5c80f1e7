// What the daemon learns of a plugin's file, and the error for each file that is none.
#include "runner/daemon/formulas/ask_plugin.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "build_info.h"
#include "runner/base/ids.h"
#include "runner/daemon/formulas/catalog_source.h"
#include "runner/daemon/formulas/run_worker.h"
#include "workloads/api/plugin_abi.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class AskPlugin : public testing::Test {
 protected:
  AskPlugin() { ::setenv("SWEEPD_CACHE", (folder_ / "cache").c_str(), 1); }
  ~AskPlugin() override {
    ::unsetenv("SWEEPD_CACHE");
    fs::remove_all(folder_);
  }

  Result<FoundPlugin> ask(const std::string& word) const {
    return ask_for_plugin(TEST_SWEEP_WORKER, word, PLUGINS, {seconds(60), limit_});
  }
  std::string error_of(const std::string& word) const {
    const auto found = ask(word);
    return found ? "" : found.error().message;
  }

  Duration limit_ = seconds(60);
  fs::path folder_ = fs::temp_directory_path() / ("sweepd-plugins-" + random_id());
};

TEST_F(AskPlugin, IsAWorkloadLikeTheWorkersOwn) {
  const auto found = ask("./saxpy.so");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->file, std::string(PLUGINS) + "/saxpy.so");
  EXPECT_THAT(found->code, testing::MatchesRegex("saxpy[.]so:[0-9a-f]{12}"));
  const WorkloadDef& def = found->declaration;
  EXPECT_EQ(def.name, "saxpy");
  EXPECT_EQ(def.base, "plugin");
  EXPECT_EQ(def.version, 3);
  EXPECT_EQ(def.help, "y = a x + y");
  EXPECT_THAT(def.phases, ElementsAre("add"));
  EXPECT_THAT(def.passes, ElementsAre("timing", "memory"));
  EXPECT_THAT(def.param_names(), ElementsAre("size", "factor", "end", "sleep"));
  EXPECT_TRUE(def.find("size")->grows_memory);
}

TEST_F(AskPlugin, OfTheFirstHeadersStillLoads) {
  const auto found = ask("frozen.so");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->declaration.name, "frozen_saxpy");
}

TEST_F(AskPlugin, TheHeadersHaveThisVersion) {
  EXPECT_STREQ(SWEEPD_PLUGIN_VERSION, kVersion);
}

TEST_F(AskPlugin, AFileWithSeveralNeedsTheName) {
  EXPECT_THAT(error_of("two.so"), HasSubstr("`two.so` has several workloads: broken, other; name "
                                            "one, as in `two.so#broken`"));
  EXPECT_THAT(error_of("two.so#third"),
              HasSubstr("`two.so` has no workload `third`; it has broken, other"));
  const auto found = ask("two.so#other");  // whose constructor prints to stdout
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->declaration.name, "other");
}

TEST_F(AskPlugin, WhatDoesNotLoadIsRefusedWithBothSides) {
  std::ofstream(folder_.string() + ".txt") << "no library";
  const std::string text = folder_.string() + ".txt";
  const std::string here = "ABI " SWEEPD_PLUGIN_ABI ", sweepd " SWEEPD_PLUGIN_VERSION;
  struct Row {
    std::string word;
    std::vector<std::string> parts;
  };
  const std::vector<Row> rows{
      {"gone.so", {"gone.so", "No such file"}},
      {text + "#a", {"is no shared library"}},
      {"no_entry.so", {"`no_entry.so` lacks the entry point `sweepd_plugin_v1`", "plugin.h"}},
      {"old_abi.so",
       {"`old_abi.so` has another plugin ABI (ABI 0, sweepd 0.0.9, ",
        "than this sweep-worker (" + here}},
      {"old_torch.so",
       {"`old_torch.so` needs another LibTorch (",
        "LibTorch 2.10.0) than this sweep-worker has (" + here, "no LibTorch)"}},
      {"symbol.so", {"`symbol.so` (" + here, "undefined symbol", "gone_since_then"}},
      {"empty.so", {"it registers no workload"}},
      {"crash.so",
       {"`crash.so`: the worker that had to describe it ended before it answered: it ended with "
        "signal 6: no such table"}},
      {"exit.so", {"`exit.so`: the worker", "exit code 3"}},
  };
  EXPECT_THAT(error_of("symbol.so"), testing::Not(HasSubstr(folder_.string())))
      << "the user's name, not the copy's";
  for (const auto& [word, parts] : rows) {
    const std::string error = error_of(word);
    for (const std::string& part : parts) EXPECT_THAT(error, HasSubstr(part)) << word;
  }
  fs::remove(text);
}

TEST_F(AskPlugin, WhatNoLinkerMadeIsRefusedBeforeItIsLoaded) {
  std::ifstream file(fs::path(PLUGINS) / "saxpy.so", std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  fs::create_directories(folder_);
  const auto error_with = [&](const std::string& bytes) {
    std::ofstream(folder_ / "a.so", std::ios::binary) << bytes;
    return error_of((folder_ / "a.so").string());
  };
  EXPECT_THAT(error_with(whole.substr(0, whole.size() / 2)), HasSubstr("a.so` is cut off"));
  EXPECT_THAT(error_with(whole.substr(0, 10)), HasSubstr("is no shared library"));
  std::string other = whole;
  other[offsetof(Elf64_Ehdr, e_machine)] = static_cast<char>(EM_S390);
  EXPECT_THAT(error_with(other), HasSubstr("is a library for another processor"));
  other = whole;
  other[offsetof(Elf64_Ehdr, e_type)] = ET_EXEC;
  EXPECT_THAT(error_with(other), HasSubstr("expected a shared library"));
}

TEST_F(AskPlugin, WhatALibraryForksDoesNotKeepTheWorker) {
  limit_ = seconds(10);
  const auto found = ask("fork.so");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->declaration.name, "broken");
}

TEST_F(AskPlugin, EndsAtOnceWithTheDaemon) {
  std::thread stops([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    kill_asked_workers();
  });
  EXPECT_THAT(error_of("endless.so"), HasSubstr("it ended with signal 9"));
  stops.join();
}

TEST_F(AskPlugin, OneThatHangsWhileItLoadsIsAnErrorToo) {
  limit_ = milliseconds(300);
  for (const std::string name : {"endless.so", "closed.so"}) {
    EXPECT_EQ(error_of(name), "`" + name +
                                  "`: the worker took longer than 300ms to describe it, and was "
                                  "killed");
  }
}

TEST_F(AskPlugin, AWorkerLoadsTheLibrariesThatItWasShippedWith) {
  const fs::path worker = folder_ / "bin/sweep-worker";
  const fs::path shipped = folder_ / "lib/sweepd/workloads";
  fs::create_directories(worker.parent_path());
  fs::create_directories(shipped);
  fs::copy_file(SWEEP_WORKER, worker);
  for (const std::string name : {"saxpy.so", "old_abi.so", "old_torch.so", "symbol.so"}) {
    fs::copy_file(fs::path(PLUGINS) / name, shipped / name);
  }
  std::ofstream(shipped / "text.so") << "no library";
  const auto catalog = describe_worker(worker);
  ASSERT_TRUE(catalog) << catalog.error().message;
  const WorkloadDef* saxpy = catalog->find("saxpy");
  ASSERT_NE(saxpy, nullptr) << "beside libraries that do not load";
  EXPECT_EQ(saxpy->base, "");
  EXPECT_EQ(catalog->find("broken"), nullptr) << "of old_abi.so, old_torch.so and symbol.so";

  const fs::path cache = folder_ / "catalog.json";
  ASSERT_TRUE(load_catalog(worker, cache));
  std::ofstream(shipped / "saxpy.so") << "damaged in place, which leaves the folder's time";
  const auto later = load_catalog(worker, cache);
  ASSERT_TRUE(later) << later.error().message;
  EXPECT_EQ(later->find("saxpy"), nullptr) << "a file changed, so the cache is old";
}

TEST_F(AskPlugin, ARelativePathNeedsTheFolder) {
  const auto found = ask_for_plugin(TEST_SWEEP_WORKER, "./saxpy.so", "");
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("`./saxpy.so` is relative"));
}

}  // namespace
}  // namespace sweepd
