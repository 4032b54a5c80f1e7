// Values that a program needs and nobody else may see: tokens, passwords. A trial contains only
// their names. The values come from a file of the user when the program starts, and never reach the
// database, a request or a log.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workloads/command/spelling.h"

namespace sweepd::command {

class Secrets {
 public:
  // `names` are words. Each value comes from the file that $SWEEPD_SECRETS names, else from this
  // process's own environment. Throws Unavailable if a value is in neither, std::runtime_error if
  // others can read the file or it cannot be read.
  explicit Secrets(std::string_view names);

  const std::vector<std::pair<std::string, std::string>>& variables() const { return variables_; }

  // Returns the text with `[NAME]` in place of each value, however it is spelled (spelling.h). Of
  // a value of several lines each line is replaced, too. Values and lines of fewer than
  // kShortestHidden bytes are not, because they occur everywhere.
  static constexpr std::size_t kShortestHidden = 4;
  std::string hide(std::string_view text) const;
  // Puts `*` in place of all bytes of each value, after `[NAME]` where that has room. Returns
  // whether there was one.
  bool cover(std::string& text) const;
  // Where a text whose end is not known yet can be cut without cutting a value; what is before
  // that can be hidden or covered.
  std::size_t cut(std::string_view text) const;

  // Names of values that are too short to be hidden.
  std::vector<std::string> not_hidden() const;

 private:
  struct Piece {
    std::string name;
    Spelling text;
  };
  struct Found {
    std::size_t begin, end;
    std::string_view name;
  };
  void add_piece(const std::string& name, std::string_view text);
  // In order, apart from each other.
  std::vector<Found> find(std::string_view text) const;
  Found longest_at(std::string_view text, std::size_t at, bool& may_go_on) const;
  bool may_begin(char byte) const { return begins_[static_cast<unsigned char>(byte)]; }

  std::vector<std::pair<std::string, std::string>> variables_;
  std::vector<Piece> pieces_;
  std::array<bool, 256> begins_{};  // whether a piece may begin with the byte
};

}  // namespace sweepd::command
