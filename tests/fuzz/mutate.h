// Changes texts at random, for builds without libFuzzer: it sees no coverage, but the same seed
// gives the same texts everywhere.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace sweepd::fuzz {

class Mutator {
 public:
  // `words` are put in now and then: pieces of the grammar, numbers at its limits.
  Mutator(std::uint64_t seed, std::vector<std::string> corpus, std::vector<std::string> words)
      : random_(seed), corpus_(std::move(corpus)), words_(std::move(words)) {}

  // A text of the corpus with one to eight changes, at most `kLongest` bytes.
  std::string next();

  static constexpr std::size_t kLongest = 16 << 10;

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }
  void change(std::string& text);

  std::mt19937_64 random_;
  std::vector<std::string> corpus_, words_;
};

// The words of a dictionary in libFuzzer's form: lines such as "\x00\"word\\", comments with #.
std::vector<std::string> words_of(std::string_view dictionary);

}  // namespace sweepd::fuzz
