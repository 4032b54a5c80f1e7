#include "runner/sweepfile/yaml/reporter.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "runner/base/printable.h"
#include "runner/base/text.h"
#include "runner/sweepfile/yaml/utf8.h"

namespace sweepd::sweepfile {
namespace {

constexpr std::size_t kMaxCollected = 10'000;
constexpr std::size_t kMaxMessage = 600;
constexpr int kMaxSourceLine = 160;

bool continues(char c) {  // a byte inside a UTF-8 sequence
  return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

// Cuts to at most `size` bytes without splitting a character.
std::string_view cut(std::string_view text, std::size_t size) {
  if (text.size() <= size) return text;
  while (size > 0 && continues(text[size])) --size;
  return text.substr(0, size);
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : repair_utf8(text)) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string clipped(std::string_view message) {
  std::string out = escaped(cut(message, kMaxMessage));
  if (message.size() > kMaxMessage) out += "…";
  return out;
}

// Of a long line only the part around the mistake is shown, beginning 40 bytes before it.
void set_source(Diagnostic& diagnostic, std::string_view line) {
  std::size_t begin = 0;
  if (static_cast<int>(line.size()) > kMaxSourceLine && diagnostic.column > kMaxSourceLine / 2) {
    begin = std::min(static_cast<std::size_t>(diagnostic.column - kMaxSourceLine / 4), line.size());
    while (begin > 0 && begin < line.size() && continues(line[begin])) --begin;
  }
  diagnostic.source = repair_utf8(cut(line.substr(begin), kMaxSourceLine));
  diagnostic.source_column = static_cast<int>(begin) + 1;
}

}  // namespace

const char* describe(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::kNothing:
      return "nothing";
    case Node::Kind::kScalar:
      return "a single value";
    case Node::Kind::kList:
      return "a list";
    case Node::Kind::kMap:
      return "a map";
  }
  return "?";
}

std::string shown(std::string_view text) {
  constexpr std::size_t kMaxShown = 60;
  std::string out = escaped(cut(text, kMaxShown));
  if (text.size() > kMaxShown) out += "…";
  return out;
}

std::string help_nearest(std::string_view typed, const std::vector<std::string>& candidates) {
  // Names are short. A long text cannot be close to one, and its edit distance is expensive.
  if (typed.size() > 64) return "";
  const auto name = nearest(typed, candidates);
  return name ? "did you mean `" + *name + "`?" : "";
}

void Reporter::add(Found found) {
  if (found_.size() < kMaxCollected) found_.push_back(std::move(found));
}

void Reporter::error(const Mark& mark, std::string_view message, std::string_view help) {
  add({mark, 0, clipped(message), escaped(help)});
}

void Reporter::error_of_program(const Mark& mark, std::string_view message) {
  constexpr std::size_t kMost = 8192;
  add({mark, 0, printable_lines(cut(message, kMost)), ""});
}

void Reporter::error(const SourcePlace& place, std::string_view message, std::string_view help) {
  add({{place.line, place.column}, place.length, clipped(message), escaped(help)});
}

void Reporter::set_error(const Override& set, int column, int length, std::string_view message,
                         std::string_view help) {
  Diagnostic diagnostic;
  diagnostic.file = "--set";
  diagnostic.column = column;
  diagnostic.length = std::max(1, length);
  diagnostic.message = clipped(message);
  diagnostic.help = escaped(help);
  set_source(diagnostic, set.name + "=" + set.values);
  // Each document of a file reports the same override.
  for (const Diagnostic& earlier : set_errors_) {
    if (earlier.message == diagnostic.message && earlier.source == diagnostic.source &&
        earlier.column == diagnostic.column) {
      return;
    }
  }
  set_errors_.push_back(std::move(diagnostic));
}

Diagnostic Reporter::diagnostic_of(Found& found) const {
  SourcePlace place{found.mark.line, found.mark.column, found.length};
  if (found.length == 0) {
    place = found.mark.alias ? place_of_alias(source_, place.line, place.column)
                             : place_of_value(source_, place.line, place.column);
  }
  Diagnostic diagnostic;
  diagnostic.file = file_;
  diagnostic.line = place.line;
  diagnostic.column = place.column;
  diagnostic.length = place.length;
  diagnostic.message = std::move(found.message);
  diagnostic.help = std::move(found.help);
  set_source(diagnostic, source_.line(place.line));
  return diagnostic;
}

std::vector<Diagnostic> Reporter::take() {
  const auto order = [](const Found& f) { return std::tie(f.mark.line, f.mark.column, f.message); };
  std::sort(found_.begin(), found_.end(),
            [&](const Found& a, const Found& b) { return order(a) < order(b); });
  const auto same = [&](const Found& a, const Found& b) { return order(a) == order(b); };
  found_.erase(std::unique(found_.begin(), found_.end(), same), found_.end());

  std::vector<Diagnostic> diagnostics;
  for (std::size_t i = 0; i < found_.size() && i < kMaxDiagnostics; ++i) {
    diagnostics.push_back(diagnostic_of(found_[i]));
  }
  if (found_.size() > kMaxDiagnostics) {
    Diagnostic& last = diagnostics.back();
    last.help += fmt::format("{}{} more mistakes follow", last.help.empty() ? "" : "; ",
                             found_.size() - kMaxDiagnostics);
  }
  for (Diagnostic& diagnostic : set_errors_) diagnostics.push_back(std::move(diagnostic));
  found_.clear();
  set_errors_.clear();
  return diagnostics;
}

}  // namespace sweepd::sweepfile
