// Collects the mistakes of one parse in any order and returns them as diagnostics in file order.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "runner/sweepfile/yaml/diagnostic.h"
#include "runner/sweepfile/yaml/node.h"
#include "runner/sweepfile/yaml/override.h"
#include "runner/sweepfile/yaml/source_text.h"

namespace sweepd::sweepfile {

// A person fixes a hundred mistakes in several rounds anyway, and a hostile file must not make us
// answer with more than it sent.
constexpr std::size_t kMaxDiagnostics = 100;

class Reporter {
 public:
  Reporter(const SourceText& source, std::string_view file) : source_(source), file_(file) {}

  void error(const Mark& mark, std::string_view message, std::string_view help = "");
  void error(const SourcePlace& place, std::string_view message, std::string_view help = "");
  // Of another program, such as a compiler: keeps the lines of its message.
  void error_of_program(const Mark& mark, std::string_view message);
  // A mistake of a --set override; `column` and `length` mark its text.
  void set_error(const Override& set, int column, int length, std::string_view message,
                 std::string_view help = "");

  std::size_t count() const { return found_.size() + set_errors_.size(); }
  bool any() const { return !found_.empty() || !set_errors_.empty(); }
  // In file order, without repeats (an alias repeats the mistakes of its anchor), --set last.
  std::vector<Diagnostic> take();

 private:
  struct Found {
    Mark mark;
    int length = 0;  // 0: find it in the source
    std::string message;
    std::string help;
  };
  void add(Found found);
  Diagnostic diagnostic_of(Found& found) const;

  const SourceText& source_;
  std::string file_;
  std::vector<Found> found_;
  std::vector<Diagnostic> set_errors_;
};

// Returns the nearest candidate as a help line: "did you mean `context`?"; "" if none is near.
std::string help_nearest(std::string_view typed, const std::vector<std::string>& candidates);

// Returns text of the file as messages repeat it: control characters escaped, cut after 60 bytes.
std::string shown(std::string_view text);

}  // namespace sweepd::sweepfile
