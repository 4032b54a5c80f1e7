#include "runner/exec/pilot/job_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "runner/base/files.h"
#include "runner/base/folder_entries.h"
#include "runner/base/text.h"
#include "runner/wire/json_text.h"

namespace sweepd {
namespace {

constexpr std::int64_t kSmallBytes = 64 << 10;
constexpr std::size_t kLineBytes = 300;

std::string read_small(const std::filesystem::path& file) {
  const auto text = read_regular(file, Links::kRefuse, kSmallBytes);
  return text ? *text : std::string();
}

// The number behind a prefix: 12 of "began.12".
std::optional<int> number_behind(const std::string& name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  int number = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + prefix.size(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

std::optional<BegunRank> begun_rank(const std::filesystem::path& file) {
  double seconds_since = 0;
  BegunRank rank;
  if (!(std::istringstream(read_small(file)) >> seconds_since >> rank.node)) return std::nullopt;
  rank.when = {static_cast<std::int64_t>(seconds_since * 1e9)};
  return rank;
}

}  // namespace

Result<void> JobFolder::make(const JobRecord& record, const std::string& script_text) const {
  // Not `runs` above them: if that is missing, it is not mounted.
  const std::filesystem::path of_pool = path_.parent_path();
  for (const auto& folder : {of_pool.parent_path(), of_pool, path_}) {
    std::error_code error;
    std::filesystem::create_directory(folder, error);
    if (error) {
      return Error{ErrorCode::kIo,
                   fmt::format("cannot create {}: {}", folder.string(), error.message())};
    }
  }
  const std::pair<const char*, std::string> files[] = {
      {"pilot.sh", script_text}, {"order", "0 wait\n"}, {"report", ""}, {"output.txt", ""}};
  for (const auto& [name, text] : files) {
    if (auto written = replace_file(path_ / name, text); !written) return written;
  }
  return write_record(record);  // last: a folder without it was never submitted
}

Result<void> JobFolder::write_record(const JobRecord& record) const {
  const nlohmann::ordered_json json{{"name", name()},
                                    {"nodes", record.nodes},
                                    {"time_s", record.time.ns / 1'000'000'000},
                                    {"asked_ns", record.asked.ns},
                                    {"job", record.number}};
  return replace_file(path_ / "job.json", json.dump(1) + "\n");
}

Result<void> JobFolder::order(const std::string& text) const {
  return replace_file(path_ / "order", text + "\n");
}

Result<void> JobFolder::end(const EndedJob& end) const {
  return replace_file(path_ / "ended",
                      fmt::format("{}|{}|{}|{}\n", end.state, end.reason, end.exit, end.nodes));
}

EndedJob JobFolder::ended() const {
  const auto fields = split(trim(read_small(path_ / "ended")), '|');
  return fields.size() == 4 ? EndedJob{fields[0], fields[1], fields[2], fields[3]} : EndedJob{};
}

std::optional<JobRecord> JobFolder::record() const {
  const auto json = parse_json(read_small(path_ / "job.json"));
  if (!json.is_object()) return std::nullopt;
  const auto number = [&json](const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
  };
  return JobRecord{number("nodes"), seconds(number("time_s")), {number("asked_ns")}, number("job")};
}

GivenOrder JobFolder::last_order() const {
  std::istringstream text(read_small(path_ / "order"));
  GivenOrder order;
  text >> order.number >> order.verb;
  return order;
}

PilotReport JobFolder::report() const {
  std::istringstream text(read_small(path_ / "report"));
  PilotReport report;
  if (!(text >> report.number >> report.state >> report.job >> report.nodes)) return {};
  std::getline(text, report.words);
  report.words = std::string(trim(report.words));
  return report;
}

std::optional<WallTime> JobFolder::began() const {
  struct stat info {};
  if (::stat((path_ / "taken").c_str(), &info) < 0) return std::nullopt;
  return WallTime{info.st_mtim.tv_sec * std::int64_t{1'000'000'000} + info.st_mtim.tv_nsec};
}

RunFiles JobFolder::files_of(std::int64_t number) const {
  RunFiles files;
  const auto entries = entries_of(run(number));
  if (!entries) return files;  // a deleted folder has none
  for (const std::filesystem::path& entry : *entries) {
    const std::string name = entry.filename().string();
    if (const auto rank = number_behind(name, "began.")) {
      if (const auto begun = begun_rank(entry)) files.began[*rank] = *begun;
    } else if (const auto ended = number_behind(name, "exit.")) {
      const std::string text = read_small(entry);
      if (!text.ends_with('\n')) continue;
      files.exits[*ended] = std::atoi(text.c_str());
      if (text.find(" terminated") != std::string::npos) files.terminated = true;
    }
  }
  return files;
}

bool JobFolder::is_whole() const {
  std::error_code ignored;  // one that cannot be read may be
  const auto record = std::filesystem::symlink_status(path_ / "job.json", ignored);
  return record.type() != std::filesystem::file_type::not_found;
}

bool JobFolder::has_ended() const {
  std::error_code ignored;  // one that cannot be read has not: then Slurm is asked
  return std::filesystem::exists(path_ / "ended", ignored);
}

Result<void> write_order_of_attempt(const std::filesystem::path& attempt_folder,
                                    const OrderOfAttempt& order) {
  return replace_file(attempt_folder / "job", fmt::format("{} {}\n", order.job, order.number));
}

std::optional<OrderOfAttempt> read_order_of_attempt(const std::filesystem::path& attempt_folder) {
  std::istringstream text(read_small(attempt_folder / "job"));
  OrderOfAttempt order;
  if (!(text >> order.job >> order.number)) return std::nullopt;
  if (order.job.find('/') != std::string::npos) return std::nullopt;  // leads out of the folder
  return order;
}

namespace {

std::string end_of(const std::filesystem::path& file) {
  std::string text;
  if (const auto opened = open_regular(file, Links::kRefuse)) {
    const std::int64_t size = ::lseek(opened->get(), 0, SEEK_END);
    ::lseek(opened->get(), std::max<std::int64_t>(0, size - 4096), SEEK_SET);
    if (auto tail = read_all(opened->get(), 4096)) text = std::move(*tail);
  }
  return text;
}

}  // namespace

std::string last_line_of(const std::filesystem::path& file) {
  const std::string text = end_of(file);
  const std::string_view trimmed = trim(text);
  return std::string(trimmed.substr(trimmed.rfind('\n') + 1).substr(0, kLineBytes));
}

std::string last_lines_of(const std::filesystem::path& file, std::size_t count) {
  std::vector<std::string> lines;
  for (const std::string& line : split(end_of(file), '\n')) {
    if (!trim(line).empty()) lines.emplace_back(trim(line));
  }
  if (lines.size() > count)
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(count));
  const std::string text = join(lines, "; ");
  return text.size() > kLineBytes ? "..." + text.substr(text.size() - kLineBytes) : text;
}

}  // namespace sweepd
