// Random malicious texts, and checks that none becomes a command to a terminal or a shell, a tag of
// a page, a second line of a table, or a path.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {

class HostileTexts {
 public:
  explicit HostileTexts(std::uint64_t seed);
  // A shell that runs one of them makes a file `PWNED` in `folder`; paths lead to its `precious`.
  void aim_at(const std::filesystem::path& folder);

  std::string any();        // as a database, a journal or a program's output may hold it
  std::string printable();  // as a sweep file may hold it
  std::string path();       // one that leads out
  std::string argument();   // a word of a command line, which is no path

  std::size_t below(std::size_t n) { return random_() % n; }
  std::string one_of(const std::vector<std::string>& all) { return all[below(all.size())]; }

 private:
  std::string joined(const std::vector<const std::vector<std::string>*>& kinds);

  std::mt19937_64 random_;
  std::vector<std::string> controls_, words_, paths_;
};

// How a verb was run, which determines its output's format.
struct Asked {
  std::vector<std::string> words;
  bool every_byte = false;  // a pipe gets every byte, so it runs at a terminal

  std::string format() const;  // of --format; ""
};

// Runs sweepctl, at a terminal where it must be.
Ran ask(const Sandbox& box, const Asked& asked);

// The defect of the verb's output; "" if there is none.
std::string mistake_in_output(const Asked& asked, const Ran& ran);
// Whether one of the texts is in it.
bool has_hostile_text(const std::string& text);
// The defect of a file that a verb wrote.
std::string mistake_in_file(const std::filesystem::path& file);

// A word as a shell reads it.

// The files of a folder, with their contents.
std::map<std::string, std::string> content_below(const std::filesystem::path& folder);

}  // namespace sweepd::e2e
