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
  for (const auto& [name, value] : variables_) {
    add_piece(name, value);
    std::string_view rest = value;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find_first_of("\r\n"), rest.size());
      if (const auto line = trim(rest.substr(0, end)); line != value) add_piece(name, line);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
}

void Secrets::add_piece(const std::string& name, std::string_view text) {
  if (text.size() < kShortestHidden) return;
  pieces_.push_back({name, Spelling(text)});
  begins_[static_cast<unsigned char>(text.front())] = true;
  begins_['\\'] = true;
}

// One value may contain another.
Secrets::Found Secrets::longest_at(std::string_view text, std::size_t at, bool& may_go_on) const {
  Found longest{at, at, {}};
  for (const Piece& piece : pieces_) {
    if (text[at] != '\\' && text[at] != piece.text.first_byte()) continue;
    const Spelling::Match match = piece.text.at(text, at);
    may_go_on |= match.may_go_on;
    if (at + match.bytes > longest.end) longest = {at, at + match.bytes, piece.name};
  }
  return longest;
}

std::vector<Secrets::Found> Secrets::find(std::string_view text) const {
  std::vector<Found> all;
  bool unused = false;
  for (std::size_t at = 0; at < text.size() && !pieces_.empty(); ++at) {
    if (!may_begin(text[at])) continue;
    const Found found = longest_at(text, at, unused);
    if (found.end == at) continue;
    if (all.empty() || all.back().end <= at) {
      all.push_back(found);
    } else if (found.end > all.back().end) {  // the end of one is the beginning of another
      all.back().end = found.end;
    }
  }
  return all;
}

std::string Secrets::hide(std::string_view text) const {
  std::string shown;
  std::size_t from = 0;
  for (const Found& found : find(text)) {
    shown += fmt::format("{}[{}]", text.substr(from, found.begin - from), found.name);
    from = found.end;
  }
  return shown += text.substr(from);
}

bool Secrets::cover(std::string& text) const {
  const std::vector<Found> all = find(text);
  for (const Found& found : all) {
    std::string cover = fmt::format("[{}]", found.name);
    if (cover.size() > found.end - found.begin) cover.clear();
    cover.resize(found.end - found.begin, '*');
    text.replace(found.begin, cover.size(), cover);
  }
  return !all.empty();
}

std::size_t Secrets::cut(std::string_view text) const {
  std::size_t cut = text.size();
  std::size_t begin = 0, end = 0;  // of the values that were found last, one within the other
  for (std::size_t at = 0; at < text.size() && !pieces_.empty(); ++at) {
    if (!may_begin(text[at])) continue;
    bool may_go_on = false;
    const Found found = longest_at(text, at, may_go_on);
    if (found.end > at) {
      if (at >= end) begin = at;
      end = std::max(end, found.end);
    }
    if (!may_go_on) continue;
    cut = at < end ? begin : at;
    break;
  }
  return cut;
}

std::vector<std::string> Secrets::not_hidden() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : variables_) {
    if (!value.empty() && value.size() < kShortestHidden) names.push_back(name);
  }
  return names;
}

}  // namespace sweepd::command
