#include "runner/daemon/formulas/catalog_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "runner/base/ids.h"
#include "runner/wire/catalog_json.h"
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::HasSubstr;

class CatalogSourceTest : public testing::Test {
 protected:
  CatalogSourceTest() {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "toy.json") << to_json(toy_catalog()).dump();
  }
  ~CatalogSourceTest() override { std::filesystem::remove_all(folder_); }

  // Makes a worker that notes each call with its arguments and then runs `lines`.
  void worker_does(const std::string& lines) const {
    std::ofstream(worker_) << "#!/bin/sh\necho \"$@\" >> '" << (folder_ / "calls").string() << "'\n"
                           << lines << "\n";
    ::chmod(worker_.c_str(), 0755);
  }
  std::string print_catalog() const { return "cat '" + (folder_ / "toy.json").string() + "'"; }
  std::vector<std::string> calls() const {
    std::vector<std::string> lines;
    std::ifstream file(folder_ / "calls");
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  Result<Catalog> load() const { return load_catalog(worker_, cache_); }
  void expect_failure(const std::string& why) const {
    const auto catalog = load();
    ASSERT_FALSE(catalog);
    EXPECT_EQ(catalog.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(catalog.error().message, HasSubstr(worker_.string() + " --describe`: "));
    EXPECT_THAT(catalog.error().message, HasSubstr(why));
    EXPECT_FALSE(std::filesystem::exists(cache_)) << "a failure is not kept";
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("sweepd-catalog-" + random_id());
  std::filesystem::path worker_ = folder_ / "worker";
  std::filesystem::path cache_ = folder_ / "catalog.json";
};

TEST_F(CatalogSourceTest, AsksTheWorkerOnceAndRemembers) {
  worker_does(print_catalog());
  for (int i = 0; i < 3; ++i) {
    const auto catalog = load();
    ASSERT_TRUE(catalog) << catalog.error().message;
    EXPECT_EQ(catalog->names(), std::vector<std::string>{"toy"});
    EXPECT_EQ(catalog->workloads[0].params.size(), toy_catalog().workloads[0].params.size());
  }
  EXPECT_EQ(calls(), std::vector<std::string>{"--describe"});
}

TEST_F(CatalogSourceTest, AsksAgainWhenTheProgramChanged) {
  worker_does(print_catalog());
  ASSERT_TRUE(load());
  worker_does(print_catalog() + " # another size");
  ASSERT_TRUE(load());
  EXPECT_EQ(calls().size(), 2U);
  // The size is the same, the time is not.
  std::filesystem::last_write_time(
      worker_, std::filesystem::last_write_time(worker_) + std::chrono::seconds(1));
  ASSERT_TRUE(load());
  EXPECT_EQ(calls().size(), 3U);
}

TEST_F(CatalogSourceTest, AsksAgainForAnotherProgramOfTheSameSizeAndTime) {
  worker_does(print_catalog());
  ASSERT_TRUE(load());
  const auto other = folder_ / "other";
  std::filesystem::copy(worker_, other);
  std::filesystem::last_write_time(other, std::filesystem::last_write_time(worker_));
  ASSERT_TRUE(load_catalog(other, cache_));
  EXPECT_EQ(calls().size(), 2U);
}

TEST_F(CatalogSourceTest, ACacheThatIsNoneIsMadeAgain) {
  worker_does(print_catalog());
  ASSERT_TRUE(load());
  std::string good;
  std::getline(std::ifstream(cache_), good);
  const std::string worker = nlohmann::json::parse(good)["worker"].dump();
  const std::string bad[] = {"",
                             "no json",
                             "[1,2]",
                             good.substr(0, good.size() / 2),
                             R"({"worker":)" + worker + "}",
                             R"({"worker":)" + worker + R"(,"catalog":[{"name":3}]})"};
  std::size_t asked = 1;
  for (const std::string& text : bad) {
    std::ofstream(cache_, std::ios::trunc) << text;
    ASSERT_TRUE(load()) << text;
    EXPECT_EQ(calls().size(), ++asked) << text;
  }
  ASSERT_TRUE(load());
  EXPECT_EQ(calls().size(), asked);
}

TEST_F(CatalogSourceTest, ACacheThatCannotBeWrittenCostsOnlyTime) {
  worker_does(print_catalog());
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(load_catalog(worker_, folder_ / "none" / "c.json"));
  EXPECT_EQ(calls().size(), 2U);
}

TEST_F(CatalogSourceTest, GarbageIsRefused) {
  worker_does("echo 'error while loading shared libraries'");
  expect_failure("not JSON");
}

TEST_F(CatalogSourceTest, JsonThatIsNoCatalogIsRefused) {
  worker_does("echo '{\"workloads\": 3}'");
  expect_failure("workloads");
}

TEST_F(CatalogSourceTest, SilenceIsRefused) {
  worker_does("true");
  expect_failure("not JSON");
}

TEST_F(CatalogSourceTest, AWorkerThatFailsIsToldByItsExitCode) {
  worker_does(print_catalog() + "\nexit 3");
  expect_failure("exit code 3");
}

TEST_F(CatalogSourceTest, AWorkerThatDiesIsToldByItsSignal) {
  worker_does("kill -9 $$");
  expect_failure("signal 9");
}

TEST_F(CatalogSourceTest, AMissingWorkerIsNamed) {
  expect_failure("No such file or directory");
}

TEST_F(CatalogSourceTest, AFileThatIsNoProgramIsNamed) {
  std::ofstream(worker_) << "data";
  expect_failure("Permission denied");
}

}  // namespace
}  // namespace sweepd
