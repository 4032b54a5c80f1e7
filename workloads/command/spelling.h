// Finds a text in another one, however a program spelled its characters: as they are; with the
// escapes of JSON, C and Python (`\"`, `\/`, `\n`, `\u0068`, `\x68`, `\150`), also several times
// over, as in JSON within JSON; with doubled quotes, as in CSV. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sweepd::command {

class Spelling {
 public:
  explicit Spelling(std::string_view text);  // not empty

  struct Match {
    std::size_t bytes = 0;   // of the longest spelling; 0: there is none here
    bool may_go_on = false;  // the text ended before it was clear
  };
  // Whether the text is spelled at `at`, where `text` ends at the end of what is known of it.
  Match at(std::string_view text, std::size_t at) const;

  // A spelling begins with this byte or with a backslash.
  char first_byte() const { return characters_.front().front(); }

 private:
  std::vector<std::string> characters_;  // UTF-8; a byte that is none stands alone
};

}  // namespace sweepd::command
