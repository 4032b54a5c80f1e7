#include "runner/client/study/prose.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "runner/base/text.h"

namespace sweepd {
namespace {

constexpr std::size_t kLineWidth = 100;
constexpr std::string_view kNoBreak = "\u00a0";
constexpr std::string_view kBlanks = " \t\r";

constexpr std::array<std::string_view, 44> kUnitWords{
    "ns",      "us",    "µs",    "ms",        "s",      "min",    "h",       "%",          "B",
    "kB",      "KB",    "MB",    "GB",        "TB",     "KiB",    "MiB",     "GiB",        "TiB",
    "B/s",     "MB/s",  "GB/s",  "TB/s",      "FLOP",   "FLOPs",  "GFLOP/s", "TFLOP/s",    "W",
    "MHz",     "GHz",   "bytes", "bits",      "steps",  "step",   "tokens",  "parameters", "times",
    "devices", "calls", "ranks", "processes", "blocks", "layers", "heads",   "columns"};

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// Whether markdown would not read a line that begins with this word as prose.
bool begins_a_block(std::string_view word) {
  if (word == "-" || word == "+" || word == "*" || word.starts_with('#') || word.starts_with('>') ||
      word.starts_with('|') || word.starts_with("```") || word.starts_with("~~~") ||
      word.starts_with("===") || word.starts_with("---")) {
    return true;
  }
  const std::size_t digits =
      static_cast<std::size_t>(std::find_if_not(word.begin(), word.end(), is_digit) - word.begin());
  return digits > 0 && digits + 1 == word.size() && (word.back() == '.' || word.back() == ')');
}

bool is_plain(const std::vector<std::string_view>& lines) {
  return std::all_of(lines.begin(), lines.end(), [](std::string_view line) {
    const std::string_view first = line.substr(0, line.find(' '));
    return !line.starts_with("    ") && !line.ends_with("  ") && !line.ends_with('\\') &&
           !begins_a_block(trim(first));
  });
}

// A figure may have marks (‡§) behind it.
std::string_view without_marks(std::string_view word) {
  for (const std::string_view mark : {"§", "‡", "†"}) {
    if (word.ends_with(mark)) word.remove_suffix(mark.size());
  }
  return word;
}

bool ends_with_number(std::string_view word) {
  word = without_marks(word);
  return !word.empty() && is_digit(word.back());
}

bool is_unit(std::string_view word) {
  word = without_marks(word.substr(0, word.find_first_of(",;:.)*")));
  return std::find(kUnitWords.begin(), kUnitWords.end(), word) != kUnitWords.end();
}

// Words between which a line may break.
std::vector<std::string> prose_words(const std::vector<std::string_view>& lines) {
  std::vector<std::string> words;
  bool in_code = false;  // where a no-break space would be another text
  bool stays = false;    // the next word belongs to the last one
  for (std::string_view line : lines) {
    for (std::size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos;
         at = line.find_first_not_of(kBlanks)) {
      line.remove_prefix(at);
      const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
      line.remove_prefix(word.size());
      const bool joins =
          !in_code && !words.empty() &&
          (stays || word == "±" || (ends_with_number(words.back()) && is_unit(word)));
      if (joins) {
        words.back() += std::string(kNoBreak) += word;
      } else {
        words.emplace_back(word);
      }
      stays = word == "±";
      if (std::count(word.begin(), word.end(), '`') % 2 != 0) in_code = !in_code;
    }
  }
  return words;
}

std::string filled(const std::vector<std::string_view>& lines) {
  std::string out;
  std::size_t width = 0;
  for (const std::string& word : prose_words(lines)) {
    const std::size_t more = display_width(word);
    if (out.empty()) {
      width = more;
    } else if (width + 1 + more > kLineWidth && !begins_a_block(word)) {
      out += '\n';
      width = more;
    } else {
      out += ' ';
      width += 1 + more;
    }
    out += word;
  }
  return out + "\n";
}

}  // namespace

std::string fill_paragraphs(std::string_view markdown) {
  std::string out;
  std::vector<std::string_view> paragraph;
  const auto finish = [&] {
    if (paragraph.empty()) return;
    if (is_plain(paragraph)) {
      out += filled(paragraph);
    } else {
      for (const std::string_view line : paragraph) out += std::string(line) + "\n";
    }
    paragraph.clear();
  };
  bool fenced = false;
  while (!markdown.empty()) {
    const std::string_view line = markdown.substr(0, markdown.find('\n'));
    markdown.remove_prefix(std::min(line.size() + 1, markdown.size()));
    const bool fence = trim(line).starts_with("```") || trim(line).starts_with("~~~");
    if (fence || fenced || trim(line).empty()) {
      finish();
      out += std::string(line) + "\n";
      if (fence) fenced = !fenced;
    } else {
      paragraph.push_back(line);
    }
  }
  finish();
  return out;
}

}  // namespace sweepd
