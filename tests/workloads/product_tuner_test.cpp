// Tests the choice of algorithms, with a device whose times are literals, and the file of choices.
#include "workloads/linear/product_tuner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "runner/base/temporary_folder.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Proposes algorithms "a", "b", ... with these times; a negative one does not run.
class FakeAlgorithms final : public ProductAlgorithms {
 public:
  explicit FakeAlgorithms(std::vector<double> times) : times_(std::move(times)) {}
  std::vector<std::string> proposals() override {
    ++asked;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < times_.size(); ++i) names.emplace_back(1, char('a' + i));
    return names;
  }
  bool usable(const std::string& algorithm) override { return algorithm != unusable; }
  std::optional<double> time_us(const std::string& algorithm) override {
    timed += algorithm;
    const double us = times_[static_cast<std::size_t>(algorithm[0] - 'a')];
    if (us < 0) return std::nullopt;
    return timed.size() == 1 ? 100 * us : us;  // the first run of all is slow
  }
  int asked = 0;
  std::string timed, unusable;

 private:
  std::vector<double> times_;
};

class Tuner : public ::testing::Test {
 protected:
  std::string text() const {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& text) const {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::string chosen(std::vector<double> times) {
    FakeAlgorithms device(std::move(times));
    return ProductTuner(file).choose("p" + std::to_string(++products), device).algorithm;
  }

  TemporaryFolder folder = std::move(*TemporaryFolder::make("test"));
  int products = 0;
  fs::path file = products_file(folder.path() / "cache", "NVIDIA H200 (2/7)", "130100");
};

TEST_F(Tuner, ChoosesTheFastestThatRuns) {
  EXPECT_EQ(chosen({5}), "a");
  EXPECT_EQ(chosen({5, 3, 4}), "b");
  EXPECT_EQ(chosen({5, -1, 4}), "c");
  EXPECT_EQ(chosen({-1, 5, 4.99}), "b");  // the first that runs
}

TEST_F(Tuner, KeepsTheFirstProposalUnlessAnotherIsClearlyFaster) {
  EXPECT_EQ(chosen({100, 99.5}), "a");
  EXPECT_EQ(chosen({100, 98.9}), "b");
}

TEST_F(Tuner, TimesAllProposalsRoundByRound) {
  FakeAlgorithms device({5, 4, 6});
  const ProductChoice choice = ProductTuner(file).choose("p", device);
  EXPECT_EQ(device.timed, "abcabcabc");
  EXPECT_EQ(choice.first_us, 5);  // the least of three
  EXPECT_EQ(choice.best_us, 4);
}

TEST_F(Tuner, SaysWhichProductHasNoAlgorithm) {
  for (const std::vector<double>& times : {std::vector<double>{}, {-1, -1}}) {
    FakeAlgorithms device(times);
    ProductTuner tuner(file);
    try {
      tuner.choose("bf16:nt:8x8x8", device);
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr("none of the " + std::to_string(times.size()) +
                                          " algorithms that cuBLASLt proposes for bf16:nt:8x8x8"));
    }
    EXPECT_EQ(tuner.used().count, 0);
    EXPECT_EQ(text(), "");
  }
}

TEST_F(Tuner, TimesAProductOnceInAProcessAndOnceOnAMachine) {
  FakeAlgorithms device({5, 3});
  ProductTuner tuner(file);
  tuner.choose("p", device);
  tuner.choose("p", device);
  EXPECT_EQ(device.asked, 1);
  EXPECT_EQ(text(), "p b 5.000 3.000\n");

  FakeAlgorithms slower({3, 5});
  ProductTuner later(file);
  EXPECT_EQ(later.choose("p", slower).algorithm, "b");
  EXPECT_EQ(slower.timed, "");
  EXPECT_EQ(later.used().count, 1);
  EXPECT_EQ(later.used().first_us, 5);
  EXPECT_EQ(later.used().best_us, 3);
  // Another version of the library has another file.
  ProductTuner other(products_file(folder.path() / "cache", "NVIDIA H200 (2/7)", "130200"));
  EXPECT_EQ(other.choose("p", slower).algorithm, "a");
}

TEST_F(Tuner, SumsTheTimesOfTheProductsThatTheProcessUses) {
  write("unused x 7 6\n");
  FakeAlgorithms one({5, 3}), two({8});
  ProductTuner tuner(file);
  tuner.choose("one", one);
  tuner.choose("two", two);
  EXPECT_EQ(tuner.used().count, 2);
  EXPECT_EQ(tuner.used().first_us, 13);
  EXPECT_EQ(tuner.used().best_us, 11);
  EXPECT_EQ(text(), "one b 5.000 3.000\ntwo a 8.000 8.000\nunused x 7.000 6.000\n");
}

TEST_F(Tuner, KeepsWhatAnotherProcessWroteMeanwhile) {
  FakeAlgorithms device({5});
  ProductTuner here(file), there(file);
  here.choose("one", device);
  there.choose("two", device);
  here.choose("three", device);
  EXPECT_EQ(text(), "one a 5.000 5.000\nthree a 5.000 5.000\ntwo a 5.000 5.000\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(file.parent_path()), {}), 1);
}

TEST_F(Tuner, IgnoresLinesThatAreNoChoices) {
  const std::string bad[] = {"",          "p",           "p b",         "p b 5",
                             "p b 5 x",   "p b 5 3 9",   "p b -5 3",    "p b 5 0",
                             "p b nan 3", "p b 5 3e999", {"\0\xff", 2}, "{\"p\": \"b\"}"};
  for (const std::string& line : bad) {
    write("q b 5 3\n" + line + "\n\nr b 5 3");
    FakeAlgorithms device({1, 2});
    ProductTuner tuner(file);
    EXPECT_EQ(tuner.choose("p", device).algorithm, "a") << line;
    EXPECT_EQ(tuner.choose("q", device).algorithm, "b") << line;
    EXPECT_EQ(tuner.choose("r", device).algorithm, "b") << line;
  }
}

TEST_F(Tuner, TimesAgainIfTheAlgorithmOfTheFileCannotRun) {
  write("p b 5 3\n");
  FakeAlgorithms device({2, 9});
  device.unusable = "b";
  EXPECT_EQ(ProductTuner(file).choose("p", device).algorithm, "a");
  EXPECT_EQ(text(), "p a 2.000 2.000\n");
}

TEST_F(Tuner, WorksWhereTheFileCannotBeWritten) {
  std::ofstream(folder.path() / "cache") << "a file and no folder";
  FakeAlgorithms device({5, 3});
  ProductTuner tuner(file);
  EXPECT_EQ(tuner.choose("p", device).algorithm, "b");
  EXPECT_EQ(tuner.used().count, 1);
}

TEST_F(Tuner, AnAlgorithmIsATextOfItsNumbers) {
  const std::vector<std::uint64_t> algorithm = {0x1f, 0, ~std::uint64_t{0}};
  const std::string written = algorithm_text(algorithm);
  EXPECT_EQ(written, "1f.0.ffffffffffffffff");
  std::vector<std::uint64_t> numbers(3);
  EXPECT_TRUE(read_algorithm(written, numbers));
  EXPECT_EQ(numbers, algorithm);
  for (const char* bad : {"", "1f", "1f.0", "1f.0.1.2", "1f.0.", "1f.0.x", "1f,0,1", "-1.0.1",
                          "1f.0.1ffffffffffffffff", "0x1f.0.1"}) {
    EXPECT_FALSE(read_algorithm(bad, numbers)) << bad;
  }
}

TEST_F(Tuner, TheFileIsNamedAfterDeviceAndVersion) {
  EXPECT_EQ(file, folder.path() / "cache/products-NVIDIA_H200__2_7_-130100.txt");
}

}  // namespace
}  // namespace sweepd
