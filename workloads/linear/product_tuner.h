// Chooses the fastest algorithm for each matrix product by timing, and keeps the choices in a file,
// so that other ranks and later attempts need not time them. Knows no device. For one thread.
//
// The file has a line for each product: its name, the algorithm, and the microseconds of the
// library's first proposal and of the choice. Lines that are not such are ignored.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sweepd {

// How a device can compute one product. Algorithms are texts without spaces.
class ProductAlgorithms {
 public:
  virtual ~ProductAlgorithms() = default;
  virtual std::vector<std::string> proposals() = 0;  // the library's best guess first
  // Whether an algorithm from a file can run here.
  virtual bool usable(const std::string& algorithm) = 0;
  // Of one run; nothing if it does not run.
  virtual std::optional<double> time_us(const std::string& algorithm) = 0;
};

struct ProductChoice {
  std::string algorithm;
  double first_us = 0;  // of the first proposal that runs
  double best_us = 0;   // of the choice
};

// The products of a process; times as if each ran once.
struct TunedProducts {
  std::int64_t count = 0;
  double first_us = 0, best_us = 0;
};

class ProductTuner {
 public:
  // A proposal is chosen before the first one if it takes less than this share of its time.
  static constexpr double kClearlyFaster = 0.99;
  static constexpr int kRounds = 3;  // each times every proposal; the least time counts

  explicit ProductTuner(std::filesystem::path file) : file_(std::move(file)) {}

  // Returns the choice made before, by this process or in the file, or else makes it. A file that
  // cannot be read or written is as none. Throws std::runtime_error naming the product if no
  // algorithm runs.
  const ProductChoice& choose(const std::string& product, ProductAlgorithms& algorithms);

  TunedProducts used() const;

 private:
  std::filesystem::path file_;
  std::map<std::string, ProductChoice> used_;
};

// An algorithm that is a row of numbers, as a text, and back: "1f.0.3". The latter returns false
// unless the text is of as many numbers.
std::string algorithm_text(std::span<const std::uint64_t> numbers);
bool read_algorithm(const std::string& text, std::span<std::uint64_t> numbers);

// <cache>/products-<device>-<version>.txt. Letters that file names should not have become `_`.
std::filesystem::path products_file(const std::filesystem::path& cache, const std::string& device,
                                    const std::string& version);

}  // namespace sweepd
