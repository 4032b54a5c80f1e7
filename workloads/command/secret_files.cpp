#include "workloads/command/secret_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "runner/base/files.h"
#include "runner/base/unique_fd.h"

namespace sweepd::command {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSliceOfFile = 1 << 20;

// Whether a name is a rank's number between these two.
bool has_rank(std::string_view name, std::string_view before, std::string_view after) {
  if (name.size() <= before.size() + after.size() || !name.starts_with(before) ||
      !name.ends_with(after)) {
    return false;
  }
  name = name.substr(before.size(), name.size() - before.size() - after.size());
  return name.find_first_not_of("0123456789") == std::string_view::npos;
}

// One file: opened to be written when there is something to cover.
class CoveredFile {
 public:
  CoveredFile(const Secrets& secrets, fs::path path) : secrets_(secrets), path_(std::move(path)) {}

  // Returns whether something was covered. Throws std::runtime_error if it cannot be.
  bool cover() {
    const auto fd = open_regular(path_, Links::kRefuse);
    if (!fd) return false;
    std::string text;
    std::int64_t at = 0;  // of the text in the file
    for (bool more = true; more;) {
      const auto slice = read_all(fd->get(), kSliceOfFile);
      more = slice && !slice->empty();
      if (more) text += *slice;
      const std::size_t cut = more ? secrets_.cut(text) : text.size();
      std::string known = text.substr(0, cut);
      if (secrets_.cover(known)) write(known, at);
      text.erase(0, cut);
      at += static_cast<std::int64_t>(cut);
    }
    return covered_;
  }

 private:
  void write(std::string_view text, std::int64_t at) {
    if (!covered_) open();
    while (!text.empty()) {
      const ssize_t n = ::pwrite(fd_.get(), text.data(), text.size(), at);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw std::runtime_error(std::strerror(errno));
      text.remove_prefix(static_cast<std::size_t>(n));
      at += n;
    }
  }

  void open() {
    const auto open = [this] {
      fd_.reset(::open(path_.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    };
    open();
    std::error_code ignored;
    if (!fd_ && errno == EACCES) {
      const fs::perms before = fs::status(path_, ignored).permissions();
      fs::permissions(path_, fs::perms::owner_write, fs::perm_options::add, ignored);
      open();
      const int why = errno;
      fs::permissions(path_, before, ignored);
      errno = why;
    }
    struct stat status {};
    if (!fd_ || ::fstat(fd_.get(), &status) != 0) throw std::runtime_error(std::strerror(errno));
    if (status.st_nlink > 1) throw std::runtime_error("it has another name, perhaps elsewhere");
    covered_ = true;
  }

  const Secrets& secrets_;
  fs::path path_;
  UniqueFd fd_;
  bool covered_ = false;
};

// Whether sweepd wrote the file with this name in the folder of an attempt.
bool is_own_file(std::string_view name) {
  return name == "request.json" || name == "ending.json" || name == "outcome.json" ||
         has_rank(name, "events.", ".ndjson") || has_rank(name, "log.", ".txt") ||
         has_rank(name, "status.", "") || has_rank(name, "status.", ".new") ||
         has_rank(name, "pid.", "");
}

}  // namespace

std::vector<std::string> SecretFiles::of_program() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    if (!is_own_file(name)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

SecretFiles::~SecretFiles() {
  try {
    cover();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "secrets: %s\n", e.what());
  }
}

void SecretFiles::cover() {
  if (!std::exchange(changed_, false) || secrets_.variables().empty()) return;
  std::fflush(stdout);  // the log
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder_,
                                              fs::directory_options::skip_permission_denied, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code none;
    if (!entry->is_regular_file(none) || entry->is_symlink(none)) continue;
    const std::string name = entry->path().lexically_relative(folder_).string();
    if (is_own_file(name) && !name.starts_with("log.")) continue;
    try {
      if (CoveredFile(secrets_, entry->path()).cover()) covered_.insert(name);
    } catch (const std::runtime_error& e) {
      left_.insert(fmt::format("{}: {}", name, e.what()));
    }
  }
}

std::vector<std::pair<std::string, std::string>> SecretFiles::facts() const {
  std::set<std::string> left = left_;
  for (const std::string& name : secrets_.not_hidden()) {
    left.insert(fmt::format("{}: it has fewer than {} characters", name, Secrets::kShortestHidden));
  }
  std::vector<std::pair<std::string, std::string>> facts;
  constexpr std::size_t kMostNamed = 100;
  for (const auto& [name, what] :
       {std::pair{"secrets.covered_in", &covered_}, {"secrets.not_hidden", &left}}) {
    if (what->empty()) continue;
    const std::size_t named = std::min(what->size(), kMostNamed);
    std::string text = fmt::format(
        "{}", fmt::join(what->begin(), std::next(what->begin(), static_cast<std::ptrdiff_t>(named)),
                        ", "));
    if (named < what->size()) text += fmt::format(" and {} more", what->size() - named);
    facts.emplace_back(name, secrets_.hide(text));
  }
  return facts;
}

}  // namespace sweepd::command
