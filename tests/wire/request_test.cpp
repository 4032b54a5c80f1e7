#include "runner/wire/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <sstream>

#include "runner/wire/attempt_folder.h"

namespace sweepd {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class RequestTest : public ::testing::Test {
 protected:
  RequestTest() {
    char pattern[] = "/tmp/sweepd_request_XXXXXX";
    folder_ = AttemptFolder(mkdtemp(pattern));
  }
  ~RequestTest() override { std::filesystem::remove_all(folder_.path()); }

  std::string error_of(const std::string& text) {
    std::ofstream(folder_.request()) << text;
    const auto read = read_request(folder_.request());
    return read.ok() ? "no error" : read.error().message;
  }

  AttemptFolder folder_{""};
};

AttemptRequest example() {
  AttemptRequest request;
  request.attempt = "00c0ffee00c0ffee";
  request.trial = "0123456789abcdef0123456789abcdef";
  request.workload = "lm_step";
  request.pass = Pass::kMemory;
  request.repeat = 2;
  // Not in alphabetical order: the catalog's order is for people and must be kept.
  request.params = {{"model", "xl"}, {"context", "512"}, {"memory_limit", "4GiB"}, {"batch", "4"}};
  request.lease.ranks = {{{0, 1}, "GPU-a", 0}, {{2, 3}, "GPU-b", 1}};
  request.host_cores = 8;
  request.machine = {"0123456789ab", "cores=8; memory=31.00 GiB"};
  request.sweep = {"5eeb5eeb5eeb5eeb", "contexts-sentinel", "0badcafe0badcafe"};
  request.version = 3;
  request.started = WallTime{1'700'000'000'000'000'017};
  request.suspended = Duration{17};
  return request;
}

TEST_F(RequestTest, ReadsWhatItWrote) {
  ASSERT_TRUE(write_request(folder_.request(), example()).ok());
  const auto read = read_request(folder_.request());
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->attempt, "00c0ffee00c0ffee");
  EXPECT_EQ(read->trial, "0123456789abcdef0123456789abcdef");
  EXPECT_EQ(read->workload, "lm_step");
  EXPECT_EQ(read->pass, Pass::kMemory);
  EXPECT_EQ(read->repeat, 2);
  EXPECT_EQ(read->host_cores, 8);
  EXPECT_EQ(read->machine.hash, "0123456789ab");
  EXPECT_EQ(read->machine.facts, "cores=8; memory=31.00 GiB");
  EXPECT_EQ(read->sweep.id, "5eeb5eeb5eeb5eeb");
  EXPECT_EQ(read->sweep.name, "contexts-sentinel");
  EXPECT_EQ(read->sweep.sentinel_of, "0badcafe0badcafe");
  EXPECT_EQ(read->version, 3);
  EXPECT_EQ(read->started.ns, 1'700'000'000'000'000'017);
  ASSERT_TRUE(read->suspended);
  EXPECT_EQ(read->suspended->ns, 17);
  EXPECT_THAT(read->params, ElementsAre(Pair("model", "xl"), Pair("context", "512"),
                                        Pair("memory_limit", "4GiB"), Pair("batch", "4")));
  ASSERT_EQ(read->lease.ranks.size(), 2U);
  EXPECT_THAT(read->lease.ranks[1].cores, ElementsAre(2, 3));
  EXPECT_EQ(read->lease.ranks[1].gpu_uuid, "GPU-b");
  EXPECT_EQ(read->lease.ranks[1].gpu_index, 1);
}

TEST_F(RequestTest, LeavesNoHalfWrittenFile) {
  ASSERT_TRUE(write_request(folder_.request(), example()).ok());
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    names.push_back(entry.path().filename());
  }
  EXPECT_THAT(names, ElementsAre("request.json"));
}

TEST_F(RequestTest, MistakesNameTheFileAndTheField) {
  const std::string head = R"({"attempt":"a","trial":"t","workload":"w","repeat":0,)";
  struct Row {
    std::string text;
    const char* message;
  };
  const Row rows[] = {
      {"{", "not valid JSON"},
      {"{}", "`attempt` is missing"},
      {R"({"attempt":)" + std::string(200'000, '['), "nested more than 100 levels deep"},
      {head + R"("pass":"timing","lease":[]})", "`params` is missing"},
      {head + R"("pass":"timing","params":[],"lease":[]})", "`params`: expected an object"},
      {head + R"("pass":"timing","params":{"batch":4},"lease":[]})",
       "`params.batch`: expected a string, got 4"},
      {head + R"("pass":"timing","params":{},"lease":[]})", "lease: expected at least one rank"},
      {head + R"("pass":"timing","params":{},"lease":[{"cores":[0],"gpu_index":-1}]})",
       "`lease[0].gpu_uuid` is missing"},
      {head + R"("pass":"time","params":{},)"
              R"("lease":[{"cores":[0],"gpu_uuid":"","gpu_index":-1}]})",
       "`pass`: "},
  };
  for (const Row& row : rows) {
    EXPECT_THAT(error_of(row.text),
                AllOf(HasSubstr(folder_.request().string()), HasSubstr(row.message)))
        << row.text.substr(0, 200);
  }
}

TEST_F(RequestTest, AMissingFileOrFolderIsNamed) {
  const auto read = read_request(folder_.path() / "none" / "request.json");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(read.error().message, HasSubstr("No such file"));
  const auto written = write_request(folder_.path() / "none" / "request.json", example());
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(written.error().message, HasSubstr("cannot create"));
}

}  // namespace
}  // namespace sweepd
