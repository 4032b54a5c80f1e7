#include "runner/client/session/sweep_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "runner/base/files.h"
#include "runner/base/say.h"
#include "runner/model/sweep/sweep.h"
#include "runner/model/vocabulary/program.h"
#include "runner/wire/json_values.h"
#include "runner/wire/rpc.h"

namespace sweepd {

void add_sweep_file_options(Command& command, SweepFiles& files) {
  command.add_option("FILE", files.files, "sweep files; - is standard input")->required();
  command.add_option(
      "--set", files.sets,
      "NAME=VALUE[,VALUE...]: replace a parameter or an axis; with several files, in "
      "those that have it");
  command
      .add_option(
          "--pool", files.pool,
          "where it runs: a pool of the configuration, or several; short for --set pool=NAME")
      ->type_name("NAME[,NAME]");
}

std::vector<std::string> SweepFiles::all_sets() const {
  std::vector<std::string> all = sets;
  if (!pool.empty()) all.push_back("pool=" + pool);
  return all;
}

namespace {

std::string shown_name(const std::string& file) {
  return file == "-" ? "<stdin>" : file;
}

Error cannot_read(const std::string& file, const std::string& why) {
  return {ErrorCode::kInvalidArgument,
          fmt::format("cannot read the sweep file `{}`: {}", shown_name(file), why)};
}

// "train.py" and a script with a shebang; no sweep file begins with one.
bool is_program(const std::string& file, const std::string& text) {
  return std::filesystem::path(file).extension() == ".py" || text.starts_with("#!") ||
         text.starts_with("\177ELF");
}

Error is_no_sweep_file(const std::string& file) {
  const std::string name = std::filesystem::path(file).stem().string();
  return {
      ErrorCode::kInvalidArgument,
      fmt::format("`{0}` is a program; expected a sweep file that names it, such as {1}.yaml:\n"
                  "  sweep: {1}\n"
                  "  workload: command\n"
                  "  params: {{argv: {0}, observe: torch, warmup: 3, steps: 10}}\n"
                  "  passes: [timing, memory, profile]\n"
                  "docs/YOUR_MODEL.md explains these lines; without PyTorch leave out `observe` "
                  "and `passes`",
                  file, name)};
}

// True for `<(program)` in a shell, whose other end is open. A named FIFO might block forever.
bool is_anonymous_pipe(int fd) {
  struct statfs info {};
  return ::fstatfs(fd, &info) == 0 && info.f_type == PIPEFS_MAGIC;
}

Result<UniqueFd> open_sweep_file(const std::string& file) {
  if (file == "-") return UniqueFd(::dup(STDIN_FILENO));
  UniqueFd fd(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!fd && file.find('=') != std::string::npos) {
    return cannot_read(file,
                       fmt::format("{}; a parameter is set with --set {}", strerror(errno), file));
  }
  if (!fd && errno == ENOENT && file.find_first_of("./") == std::string::npos) {
    return cannot_read(file, fmt::format("{}; a program is named in a sweep file, as its `argv`",
                                         strerror(errno)));
  }
  if (!fd) return cannot_read(file, strerror(errno));
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return cannot_read(file, strerror(errno));
  const bool is_file = S_ISREG(status.st_mode) || S_ISCHR(status.st_mode);
  if (!is_file && !is_anonymous_pipe(fd.get())) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("`{}` is {}; expected a sweep file{}", file, kind_of_file(status.st_mode),
                    S_ISFIFO(status.st_mode) ? ", or - for standard input" : "")};
  }
  ::fcntl(fd.get(), F_SETFL, 0);
  return fd;
}

}  // namespace

Result<std::string> read_sweep_file(const std::string& file) {
  const auto fd = open_sweep_file(file);
  if (!fd) return fd.error();
  auto text = read_all(fd->get(), kMaxSweepBytes + 1);
  if (!text) return cannot_read(file, text.error().message);
  if (is_program(file, *text)) return is_no_sweep_file(file);
  // The daemon would report the same, but would refuse a much larger request altogether.
  if (text->size() > kMaxSweepBytes) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("{}:1:1: error: the file has more than {} bytes (1 MiB), the most that "
                    "a sweep file may have\n",
                    shown_name(file), kMaxSweepBytes)};
  }
  return text;
}

namespace {

// Only control characters grow that much when escaped.
Result<void> check_request_size(const SweepFile& file) {
  constexpr std::size_t kFrame = 1024;
  const std::string line = to_json_line(to_params(file.plan()));
  if (line.size() + kFrame <= kMaxLineBytes) return {};
  return Error{
      ErrorCode::kInvalidArgument,
      fmt::format("{}:1:1: error: the file is not text: it is full of control characters\n",
                  file.shown)};
}

std::string folder_of(const std::string& file) {
  std::error_code error;
  if (file == "-") return std::filesystem::current_path(error).string();
  return std::filesystem::absolute(file, error).parent_path().lexically_normal().string();
}

// The variables that locate programs and libraries, and those whose names occur in the file, for
// its `env`. The daemon stores only those that it needs.
std::vector<std::string> environment_for(const std::string& text) {
  const auto is_part = [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
  };
  std::set<std::string, std::less<>> words;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_part(text[end])) ++end;
    if (end > i) words.emplace(text.substr(i, end - i));
    i = end + 1;
  }
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view all = *entry;
    const std::string_view name = all.substr(0, all.find('='));
    const bool always = std::ranges::find(kSubmitterVariables, name) != kSubmitterVariables.end();
    if (always || words.contains(name)) environment.emplace_back(all);
  }
  return environment;
}

std::string name_of_set(const std::string& set) {
  return set.substr(0, set.find('='));
}

rpc::Submit::Request checked(const SweepFile& file) {
  rpc::Submit::Request request = file.submit();
  request.check = true;
  return request;
}

// Asks the daemon which --set options fit each file.
Result<void> fit(Client& client, std::vector<SweepFile>& files) {
  std::map<std::string, std::size_t> misses;  // by name, how many files lack it
  std::vector<std::string> notes;
  for (SweepFile& file : files) {
    rpc::Submit::Request request = checked(file);
    request.set_where_it_fits = true;
    const auto reply = client.call<rpc::Submit>(request);
    if (!reply) {
      Error error = reply.error();
      // Diagnostics of the file itself name it; those of --set do not.
      if (error.message.starts_with("--set")) error.message = file.shown + ": " + error.message;
      return error;
    }
    for (const std::string& name : reply->unfit) {
      std::erase_if(file.sets, [&](const std::string& set) { return name_of_set(set) == name; });
      notes.push_back(fmt::format("`{}` has no parameter `{}`: --set {} does not change it",
                                  file.shown, name, name));
      ++misses[name];
    }
  }
  for (const auto& [name, count] : misses) {
    if (count < files.size()) continue;
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("--set: none of the {} files has a parameter `{}`", count, name)};
  }
  for (const std::string& note : notes) say(stderr, "{}\n", note);
  return {};
}

}  // namespace

rpc::Submit::Request SweepFile::submit() const {
  return {.text = text, .file = shown, .set = sets, .folder = folder, .environment = environment};
}

rpc::Plan::Request SweepFile::plan() const {
  return {.text = text, .file = shown, .set = sets, .folder = folder, .environment = environment};
}

Result<SweepFile> load_sweep_file(const std::string& file, std::vector<std::string> sets) {
  auto text = read_sweep_file(file);
  if (!text) return text.error();
  auto environment = environment_for(*text);
  return SweepFile{shown_name(file), std::move(*text), std::move(sets), folder_of(file),
                   std::move(environment)};
}

Result<std::vector<SweepFile>> read_sweep_files(Client& client, const SweepFiles& named) {
  std::vector<SweepFile> files;
  for (const std::string& name : named.files) {
    auto file = load_sweep_file(name, named.all_sets());
    if (!file) return file.error();
    files.push_back(std::move(*file));
    if (auto fits = check_request_size(files.back()); !fits) return fits.error();
  }
  if (files.size() == 1) return files;
  if (auto fits = fit(client, files); !fits) return fits.error();
  return files;
}

}  // namespace sweepd
