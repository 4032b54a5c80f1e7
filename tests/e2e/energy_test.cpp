// Tests that a step's energy gets from a counter to tables, queries and comparisons. A thread
// counts in the place of RAPL; no test depends on how much.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kTickSweep = R"yaml(
sweep: watts
workload: noop
params: {device: cpu, warmup: 1, steps: 5, repeats: 2}
matrix: {sleep: [20ms, 40ms]}
tables:
  - title: Energy
    rows: [sleep]
    values:
      - {name: Energy, metric: energy, cell: "{mean:.3f} (n = {n})"}
      - {name: Verdict, cell: "{verdict}"}
)yaml";

class CountingPackage {
 public:
  explicit CountingPackage(const std::filesystem::path& folder) : zone_(folder / "intel-rapl:0") {
    std::filesystem::create_directories(zone_);
    write("name", "package-0\n");
    count();
    counting_ = std::thread([this] {
      while (!ended_) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        count();
      }
    });
  }
  ~CountingPackage() {
    ended_ = true;
    counting_.join();
  }

 private:
  // Replaced by rename, as a reader never sees half of the kernel's number.
  void write(const char* file, const std::string& text) const {
    std::ofstream(zone_ / "new") << text;
    std::filesystem::rename(zone_ / "new", zone_ / file);
  }
  void count() { write("energy_uj", std::to_string(uj_ += 50'000) + "\n"); }

  std::filesystem::path zone_;
  std::uint64_t uj_ = 0;
  std::atomic<bool> ended_ = false;
  std::thread counting_;
};

class Energy : public testing::Test {
 protected:
  Energy() { ::setenv("SWEEPD_POWERCAP", (box_.folder() / "powercap").c_str(), 1); }
  ~Energy() override { ::setenv("SWEEPD_POWERCAP", "none", 1); }
  Sandbox box_;
};

TEST_F(Energy, OfAStepIsInTablesQueriesAndComparisons) {
  const CountingPackage rapl(box_.folder() / "powercap");
  const Ran ran = box_.ctl({"run", "-"}, kTickSweep);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("Energy (J)"), HasSubstr("(n = 10)")));
  EXPECT_THAT(box_.ctl({"query", "--sweep", "watts", "--metric", "energy", "--rows", "sleep"}).out,
              HasSubstr("J"));
  const Ran compared =
      box_.ctl({"compare", "watts", "--by", "sleep=20ms,40ms", "--metric", "energy"});
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_EQ(box_.sql("SELECT count(*) FROM samples WHERE metric = 'energy'"), "20");
}

TEST_F(Energy, IsAbsentWithoutACounterAndNoError) {
  const Ran ran = box_.ctl({"run", "-"}, kTickSweep);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("Energy (J)"), HasSubstr("—"), HasSubstr("valid")));
  EXPECT_EQ(box_.sql("SELECT count(*) FROM samples WHERE metric = 'energy'"), "0");
}

}  // namespace
}  // namespace sweepd::e2e
