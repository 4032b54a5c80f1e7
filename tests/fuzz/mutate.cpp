#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <charconv>

#include "runner/base/text.h"

namespace sweepd::fuzz {

std::string Mutator::next() {
  std::string text = corpus_.empty() ? "" : corpus_[below(corpus_.size())];
  const std::size_t changes = 1 + below(8);
  for (std::size_t i = 0; i < changes; ++i) change(text);
  if (text.size() > kLongest) text.resize(kLongest);
  return text;
}

void Mutator::change(std::string& text) {
  const std::size_t at = below(text.size() + 1);
  const std::size_t length = std::min(text.size() - at, 1 + below(1 + below(40)));
  switch (below(7)) {
    case 0:  // another byte
      if (at < text.size()) text[at] = static_cast<char>(random_());
      break;
    case 1:  // another bit
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
      break;
    case 2:
      text.erase(at, length);
      break;
    case 3:  // again, perhaps many times
      for (std::size_t times = 1 + below(1 + below(200)); times > 0; --times) {
        text.insert(at, text.substr(at, length));
        if (text.size() > kLongest) break;
      }
      break;
    case 4:
      if (!words_.empty()) text.replace(at, below(2) * length, words_[below(words_.size())]);
      break;
    case 5: {  // a piece of another text
      if (corpus_.empty()) break;
      const std::string& other = corpus_[below(corpus_.size())];
      const std::size_t from = below(other.size() + 1);
      text.replace(at, length, other.substr(from, 1 + below(200)));
      break;
    }
    default:
      text.resize(at);
  }
}

std::vector<std::string> words_of(std::string_view dictionary) {
  std::vector<std::string> words;
  for (const std::string& entry : split(dictionary, '\n')) {
    std::string_view line = trim(entry);
    if (line.size() < 2 || line.front() != '"' || line.back() != '"') continue;
    line = line.substr(1, line.size() - 2);
    std::string word;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] != '\\' || i + 1 == line.size()) {
        word += line[i];
      } else if (line[i + 1] == 'x' && i + 3 < line.size()) {
        unsigned byte = 0;
        std::from_chars(line.data() + i + 2, line.data() + i + 4, byte, 16);
        word += static_cast<char>(byte);
        i += 3;
      } else {
        word += line[++i];
      }
    }
    words.push_back(std::move(word));
  }
  return words;
}

}  // namespace sweepd::fuzz
