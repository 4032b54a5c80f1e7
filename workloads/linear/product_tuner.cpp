#include "workloads/linear/product_tuner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "runner/base/files.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;

using Choices = std::map<std::string, ProductChoice>;

constexpr std::int64_t kMostBytes = 1 << 20;

bool is_time(double us) {
  return std::isfinite(us) && us > 0;
}

Choices choices_in(const fs::path& file) {
  Choices choices;
  const auto text = read_regular(file, Links::kFollow, kMostBytes);
  if (!text) return choices;
  for (const std::string& line : split(*text, '\n')) {
    std::istringstream words(line);
    std::string product, more;
    ProductChoice choice;
    words >> product >> choice.algorithm >> choice.first_us >> choice.best_us;
    if (words.fail() || words >> more || !is_time(choice.first_us) || !is_time(choice.best_us)) {
      continue;
    }
    choices[product] = choice;
  }
  return choices;
}

// Adds a choice to those of the file, which another process may replace now: then its line or
// this one is lost, and measured again.
void add_to_file(const fs::path& file, const std::string& product, const ProductChoice& choice) {
  Choices choices = choices_in(file);
  choices[product] = choice;
  const fs::path part = fmt::format("{}.{}.part", file.string(), ::getpid());
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  std::ofstream out(part);
  for (const auto& [name, each] : choices) {
    out << fmt::format("{} {} {:.3f} {:.3f}\n", name, each.algorithm, each.first_us, each.best_us);
  }
  out.close();
  if (out) fs::rename(part, file, ignored);
  fs::remove(part, ignored);
}

ProductChoice fastest_of(const std::string& product, ProductAlgorithms& algorithms) {
  const std::vector<std::string> proposals = algorithms.proposals();
  std::vector<double> best(proposals.size(), INFINITY);
  // Round by round, so that a change of the clock meets all alike.
  for (int round = 0; round < ProductTuner::kRounds; ++round) {
    for (std::size_t i = 0; i < proposals.size(); ++i) {
      const auto us = algorithms.time_us(proposals[i]);
      if (us && is_time(*us)) best[i] = std::min(best[i], *us);
    }
  }
  const auto first = std::ranges::find_if(best, is_time);
  if (first == best.end()) {
    throw std::runtime_error(fmt::format(
        "products: `tuned`: none of the {} algorithms that cuBLASLt proposes for {} runs",
        proposals.size(), product));
  }
  auto chosen = std::ranges::min_element(best);
  if (*chosen >= ProductTuner::kClearlyFaster * *first) chosen = first;
  return {proposals[static_cast<std::size_t>(chosen - best.begin())], *first, *chosen};
}

}  // namespace

const ProductChoice& ProductTuner::choose(const std::string& product,
                                          ProductAlgorithms& algorithms) {
  if (const auto known = used_.find(product); known != used_.end()) return known->second;
  Choices stored = choices_in(file_);
  const auto found = stored.find(product);
  if (found != stored.end() && algorithms.usable(found->second.algorithm)) {
    return used_[product] = found->second;
  }
  const ProductChoice made = fastest_of(product, algorithms);
  add_to_file(file_, product, made);
  return used_[product] = made;
}

TunedProducts ProductTuner::used() const {
  TunedProducts all;
  for (const auto& [product, choice] : used_) {
    ++all.count;
    all.first_us += choice.first_us;
    all.best_us += choice.best_us;
  }
  return all;
}

std::string algorithm_text(std::span<const std::uint64_t> numbers) {
  return fmt::format("{:x}", fmt::join(numbers, "."));
}

bool read_algorithm(const std::string& text, std::span<std::uint64_t> numbers) {
  std::istringstream words(text);
  words >> std::hex;
  for (std::uint64_t& number : numbers) {
    words >> number;
    words.ignore(1, '.');
  }
  return algorithm_text(numbers) == text;
}

fs::path products_file(const fs::path& cache, const std::string& device,
                       const std::string& version) {
  std::string name = device + "-" + version;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '.') c = '_';
  }
  return cache / ("products-" + name + ".txt");
}

}  // namespace sweepd
