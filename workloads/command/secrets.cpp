#include "workloads/command/secrets.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <stdexcept>

#include "runner/base/files.h"
#include "runner/base/text.h"
#include "workloads/api/failure.h"
#include "workloads/command/words.h"

namespace sweepd::command {
namespace {

constexpr std::size_t kShortestHidden = 4;

// Reads one `NAME=value` per line, and skips empty lines and those that begin with #. A missing
// file counts as empty.
std::map<std::string, std::string> read_secrets(const std::string& file) {
  std::map<std::string, std::string> secrets;
  if (file.empty()) return secrets;
  const auto fd = open_regular(file, Links::kFollow);
  if (!fd && fd.error().code == ErrorCode::kNotFound) return secrets;
  if (!fd) throw std::runtime_error("secrets: " + fd.error().message);
  struct stat status {};
  if (::fstat(fd->get(), &status) != 0 || (status.st_mode & 0077) != 0 ||
      (status.st_uid != ::geteuid() && status.st_uid != 0)) {
    throw std::runtime_error(fmt::format(
        "secrets: others may read {0}; expected mode 0600 and your own file: chmod 600 {0}", file));
  }
  const auto text = read_all(fd->get());
  if (!text) throw std::runtime_error("secrets: " + file + ": " + text.error().message);
  int number = 0;
  for (const std::string& line : split(*text, '\n')) {
    ++number;
    if (trim(line).empty() || trim(line).front() == '#') continue;
    const std::size_t equal = line.find('=');
    if (equal == 0 || equal == std::string::npos) {
      // The message must not contain the line, which may be a value.
      throw std::runtime_error(fmt::format(
          "secrets: line {} of {} is not an assignment; expected NAME=value", number, file));
    }
    secrets[std::string(trim(line.substr(0, equal)))] = line.substr(equal + 1);
  }
  return secrets;
}

}  // namespace

Secrets::Secrets(std::string_view names) {
  const std::vector<std::string> words = split_words(names, "secrets");
  if (words.empty()) return;
  const char* const named = std::getenv("SWEEPD_SECRETS");
  const std::string file = named == nullptr ? "" : named;
  const std::map<std::string, std::string> stored = read_secrets(file);
  for (const std::string& name : words) {
    const auto found = stored.find(name);
    const char* const inherited = std::getenv(name.c_str());
    if (found != stored.end()) {
      variables_.emplace_back(name, found->second);
    } else if (inherited != nullptr) {
      variables_.emplace_back(name, inherited);
    } else {
      throw Unavailable(
          fmt::format("there is no secret {0}: write a line {0}=... into {1} (mode 0600)", name,
                      file.empty() ? "the file that SWEEPD_SECRETS names" : file));
    }
  }
  // One value may contain another, so the longer one is hidden first.
  std::stable_sort(variables_.begin(), variables_.end(),
                   [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
}

std::string Secrets::hide(std::string_view line) const {
  std::string text(line);
  for (const auto& [name, value] : variables_) {
    if (value.size() < kShortestHidden) continue;
    const std::string shown = "[" + name + "]";
    for (std::size_t at = text.find(value); at != std::string::npos;
         at = text.find(value, at + shown.size())) {
      text.replace(at, value.size(), shown);
    }
  }
  return text;
}

}  // namespace sweepd::command
