// Calls one target with every text of its corpus, and with random changes of them.
//
//   test_fuzz CORPUS TARGET [SEED [NUMBER]]     CORPUS has the folder TARGET and TARGET.dict
//   test_fuzz FILE TARGET                       one text, such as one that tools/fuzz found
//
// Without a seed, or an empty one, it takes one from the system. The seed is printed, and repeats
// the run.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "tests/fuzz/mutate.h"
#include "tests/fuzz/target.h"

namespace sweepd::fuzz {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

const Target* find_target(std::string_view name) {
  for (const Target& target : kTargets) {
    if (target.name == name) return &target;
  }
  return nullptr;
}

// In the order of their names, so that the same seed picks the same text.
std::vector<std::string> texts_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const fs::path& file : files) texts.push_back(text_of(file));
  return texts;
}

int run(const std::vector<std::string>& arguments) {
  const Target* target = arguments.size() >= 2 ? find_target(arguments[1]) : nullptr;
  if (target == nullptr) {
    fmt::print(stderr, "usage: test_fuzz CORPUS|FILE TARGET [SEED [NUMBER]]\n");
    return 2;
  }
  const fs::path corpus = arguments[0];
  if (fs::is_regular_file(corpus)) {
    target->run(text_of(corpus));
    return 0;
  }
  const std::uint64_t seed = arguments.size() > 2 && !arguments[2].empty()
                                 ? std::stoull(arguments[2])
                                 : std::random_device()();
  const std::uint64_t number = arguments.size() > 3 ? std::stoull(arguments[3]) : 2000;
  const std::vector<std::string> texts = texts_in(corpus / target->name);
  fmt::print("{}: {} texts, {} changed ones with seed {}\n", target->name, texts.size(), number,
             seed);
  std::fflush(stdout);  // the next call may end the process
  if (texts.empty()) return 1;
  for (const std::string& text : texts) target->run(text);
  Mutator mutator(seed, texts, words_of(text_of(corpus / fmt::format("{}.dict", target->name))));
  for (std::uint64_t i = 0; i < number; ++i) target->run(mutator.next());
  return 0;
}

}  // namespace
}  // namespace sweepd::fuzz

int main(int argc, char** argv) {
  return sweepd::fuzz::run({argv + 1, argv + argc});
}
