#include "runner/daemon/light_worker.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "build_info.h"
#include "runner/wire/catalog_json.h"
#include "runner/wire/json_text.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class LightWorkerTest : public testing::Test {
 protected:
  LightWorkerTest() {
    char name[] = "/tmp/sweepd-light-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~LightWorkerTest() override { fs::remove_all(folder_); }

  static Catalog catalog(const std::string& code_of_second) {
    WorkloadDef first, second;
    first.name = "first";
    first.code = "1111";
    second.name = "second";
    second.code = code_of_second;
    return {{first, second}};
  }
  // A light worker of this commit, with this catalog.
  void make(const std::string& commit, const Catalog& catalog) const {
    const fs::path program = folder_ / "sweep-worker-light";
    std::ofstream(program) << fmt::format(
        "#!/bin/sh\ncase $1 in\n--version) echo 'sweep-worker 0.1.0 ({}; Release)' ;;\n"
        "--describe) cat <<'END'\n{}\nEND\n;;\nesac\n",
        commit, to_json_line(to_json(catalog)));
    fs::permissions(program, fs::perms::owner_all);
  }
  LightWorker find(const Catalog& own) const {
    return find_light_worker(folder_ / "sweep-worker", own);
  }

  fs::path folder_;
};

TEST_F(LightWorkerTest, HasTheWorkloadsOfTheSameCode) {
  make(kBuildCommit, catalog("2222"));
  const LightWorker all = find(catalog("2222"));
  EXPECT_EQ(all.program, folder_ / "sweep-worker-light");
  EXPECT_THAT(all.workloads, ElementsAre("first", "second"));
  EXPECT_THAT(find(catalog("3333")).workloads, ElementsAre("first"));
}

TEST_F(LightWorkerTest, OfAnotherCommitIsNotUsed) {
  make("another", catalog("2222"));
  EXPECT_EQ(find(catalog("2222")).program, "");
}

TEST_F(LightWorkerTest, ThatDoesNotAnswerIsNotUsed) {
  std::ofstream(folder_ / "sweep-worker-light") << "#!/bin/sh\nexit 127\n";
  EXPECT_EQ(find(catalog("2222")).program, "");
  EXPECT_THAT(find(catalog("2222")).workloads, IsEmpty());
}

TEST_F(LightWorkerTest, MayBeMissing) {
  EXPECT_EQ(find(catalog("2222")).program, "");
}

}  // namespace
}  // namespace sweepd
