#include "workloads/command/csv_cells.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "runner/base/text.h"
#include "workloads/command/format_parts.h"

namespace sweepd::command {
namespace {

constexpr std::size_t kLongestName = 100;

// Returns the text in quotes at the beginning of `text`, and the rest after the closing quote.
std::optional<std::pair<std::string, std::string_view>> cut_quoted(std::string_view text) {
  std::string inside;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] != '"') {
      inside += text[at];
    } else if (at + 1 < text.size() && text[at + 1] == '"') {
      inside += text[at++];
    } else {
      return std::pair{std::move(inside), text.substr(at + 1)};
    }
  }
  return std::nullopt;
}

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || (c & 0x80) != 0;
}

// "mlx5_0", "val/loss", "GFLOP/s", "acc%", "time(ms)"; not "https:", "a=b".
bool is_csv_word(std::string_view text) {
  constexpr std::string_view kAlso = "_./%-()[]#^*@+";
  return !text.ends_with('.') && std::ranges::any_of(text, is_letter) &&
         std::ranges::all_of(text, [&](char c) {
           return is_letter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0 ||
                  kAlso.find(c) != std::string_view::npos;
         });
}

// "wall time (s)"; not the end of a sentence.
bool is_csv_words(std::string_view text) {
  constexpr std::ptrdiff_t kMostSpaces = 4;
  constexpr std::string_view kEnds = ".:!?,;";
  return std::ranges::any_of(text, is_letter) &&
         kEnds.find(text.back()) == std::string_view::npos &&
         std::ranges::count(text, ' ') <= kMostSpaces;
}

// "2026-11-28 20:10:55"
bool is_csv_date(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) != 0 &&
         text.find_first_not_of("0123456789-/:.+ TZ") == std::string_view::npos;
}

}  // namespace

std::string_view without_byte_order_mark(std::string_view line) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  return line.substr(line.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
}

std::vector<CsvCell> csv_cells(std::string_view line, char separator) {
  line = without_byte_order_mark(line);
  std::vector<CsvCell> cells;
  for (bool more = true; more;) {
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    CsvCell& cell = cells.emplace_back();
    std::string_view rest = line;
    if (begin < line.size() && line[begin] == '"') {
      if (auto found = cut_quoted(line.substr(begin))) {
        cell = {std::move(found->first), true};
        rest = found->second;
      }
    }
    const std::size_t end = std::min(rest.find(separator), rest.size());
    cell.text += trim(rest.substr(0, end));
    more = end < rest.size();
    line = rest.substr(std::min(end + 1, rest.size()));
  }
  return cells;
}

bool are_csv_names(const std::vector<CsvCell>& cells, bool sure) {
  return std::ranges::all_of(cells, [&](const CsvCell& cell) {
    if (cell.text.empty()) return sure;
    if (cell.text.size() > kLongestName || number_in(cell.text)) return false;
    return is_csv_word(cell.text) || (sure && (cell.quoted || is_csv_words(cell.text)));
  });
}

bool are_csv_values(const std::vector<CsvCell>& cells) {
  return std::ranges::all_of(cells, [](const CsvCell& cell) {
    return cell.quoted || cell.text.find(' ') == std::string::npos || is_csv_date(cell.text);
  });
}

}  // namespace sweepd::command
