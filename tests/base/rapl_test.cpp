// Tests reading RAPL's counters from a folder like /sys/class/powercap.
#include "runner/base/rapl.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace sweepd {
namespace {

namespace fs = std::filesystem;

class RaplTest : public testing::Test {
 protected:
  RaplTest() {
    std::string name = (fs::temp_directory_path() / "sweepd-rapl-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~RaplTest() override { fs::remove_all(folder_); }

  void zone(const std::string& folder, const std::string& name, std::uint64_t energy_uj) const {
    fs::create_directories(folder_ / folder);
    std::ofstream(folder_ / folder / "name") << name << '\n';
    std::ofstream(folder_ / folder / "max_energy_range_uj") << "10000000\n";
    counts(folder, energy_uj);
  }
  void counts(const std::string& folder, std::uint64_t energy_uj) const {
    std::ofstream(folder_ / folder / "energy_uj") << energy_uj << '\n';
  }

  fs::path folder_;
};

TEST_F(RaplTest, IsNotThereWithoutZonesThatCanBeRead) {
  EXPECT_EQ(open_rapl(folder_ / "none"), nullptr);
  EXPECT_EQ(open_rapl(folder_), nullptr);
  fs::create_directories(folder_ / "intel-rapl:0");
  EXPECT_EQ(open_rapl(folder_), nullptr) << "no energy_uj, as without the right to read it";
  zone("intel-rapl:0", "package-0", 0);
  std::ofstream(folder_ / "intel-rapl:0/energy_uj") << "no number\n";
  EXPECT_EQ(open_rapl(folder_), nullptr);
}

TEST_F(RaplTest, CountsJoulesFromItsFirstReading) {
  zone("intel-rapl:0", "package-0", 5'000'000);
  const auto rapl = open_rapl(folder_);
  ASSERT_TRUE(rapl);
  EXPECT_EQ(rapl->joules(), 0);
  counts("intel-rapl:0", 7'500'000);
  EXPECT_EQ(rapl->joules(), 2.5);
  EXPECT_EQ(rapl->joules(), 2.5);
}

TEST_F(RaplTest, AddsPackagesAndMemoryAndCountsNothingTwice) {
  const char* const folders[][2] = {
      {"intel-rapl:0", "package-0"},
      {"intel-rapl:1", "package-1"},
      {"intel-rapl:0:0", "core"},          // in its package
      {"intel-rapl:0:1", "dram"},          // beside its package
      {"intel-rapl:2", "psys"},            // the whole board, with the packages
      {"intel-rapl-mmio:0", "package-0"},  // another way to the same counter
      {"dtpm", "dtpm"}};
  for (const auto& [folder, name] : folders) zone(folder, name, 0);
  const auto rapl = open_rapl(folder_);
  ASSERT_TRUE(rapl);
  for (const auto& [folder, name] : folders) counts(folder, 1'000'000);
  EXPECT_EQ(rapl->joules(), 3);
}

TEST_F(RaplTest, GoesOnWhereACounterBeginsAgain) {
  zone("intel-rapl:0", "package-0", 9'000'000);
  const auto rapl = open_rapl(folder_);
  ASSERT_TRUE(rapl);
  counts("intel-rapl:0", 500'000);  // after 10'000'000 comes 0
  EXPECT_EQ(rapl->joules(), 1.5);
}

TEST_F(RaplTest, SaysNothingAfterACounterFellWithoutAKnownRange) {
  zone("intel-rapl:0", "package-0", 9'000'000);
  fs::remove(folder_ / "intel-rapl:0/max_energy_range_uj");
  const auto rapl = open_rapl(folder_);
  ASSERT_TRUE(rapl);
  counts("intel-rapl:0", 500'000);
  EXPECT_EQ(rapl->joules(), std::nullopt);
  counts("intel-rapl:0", 1'500'000);
  EXPECT_EQ(rapl->joules(), std::nullopt) << "what was counted before the fall is lost";
}

TEST_F(RaplTest, SaysNothingWhileAZoneCannotBeRead) {
  zone("intel-rapl:0", "package-0", 0);
  const auto rapl = open_rapl(folder_);
  ASSERT_TRUE(rapl);
  fs::remove(folder_ / "intel-rapl:0/energy_uj");
  EXPECT_EQ(rapl->joules(), std::nullopt);
  counts("intel-rapl:0", 4'000'000);
  EXPECT_EQ(rapl->joules(), 4);
}

TEST_F(RaplTest, TheFolderIsTheKernelsUnlessATestNamesAnother) {
  ::unsetenv("SWEEPD_POWERCAP");
  EXPECT_EQ(powercap_folder("/"), "/sys/class/powercap");
  ::setenv("SWEEPD_POWERCAP", "/elsewhere", 1);
  EXPECT_EQ(powercap_folder("/"), "/elsewhere");
  ::unsetenv("SWEEPD_POWERCAP");
}

}  // namespace
}  // namespace sweepd
