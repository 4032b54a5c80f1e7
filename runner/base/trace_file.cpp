#include "runner/base/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "runner/base/gzip_file.h"

namespace sweepd::trace {
namespace {

constexpr std::string_view kSqliteMagic = "SQLite format 3";
constexpr char kPickleMagic = '\x80';
constexpr std::int64_t kHeadBytes = 256 << 10;

// The first bytes, uncompressed.
struct FileHead {
  std::string text;
  bool was_compressed = false;
};
Result<FileHead> read_head(const std::filesystem::path& file) {
  auto opened = GzipFile::open_by_content(file, Links::kFollow);
  if (!opened) return opened.error();
  auto text = opened->read(kHeadBytes);
  if (!text) return text.error();
  return FileHead{std::move(*text), opened->is_compressed()};
}

std::optional<int> number_after(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + key.size());
  text.remove_prefix(std::min(text.find_first_not_of(" :"), text.size()));
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  return number;
}

}  // namespace

Result<TraceKind> kind_of_trace(const std::filesystem::path& file) {
  const auto head = read_head(file);
  if (!head) return head.error();
  const std::string& text = head->text;
  if (text.starts_with(kSqliteMagic)) {
    if (!head->was_compressed) return TraceKind::kNsys;
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{}: is gzip of an SQLite file: gunzip it first", file.string())};
  }
  if (text.starts_with(kPickleMagic)) return TraceKind::kSnapshot;
  if (text.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{}: is empty; expected a trace or a memory snapshot", file.string())};
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && (text[first] == '{' || text[first] == '['))
    return TraceKind::kChrome;
  return Error{
      ErrorCode::kInvalidArgument,
      fmt::format("{}: is no trace that sweepd reads; expected JSON of torch.profiler, "
                  "plain or .gz, a SQLite export of nsys (nsys export --type sqlite), or a "
                  "memory snapshot of torch (.pickle)",
                  file.string())};
}

std::optional<TraceRank> rank_of_trace(const std::filesystem::path& file) {
  const auto head = read_head(file);
  if (!head) return std::nullopt;
  std::string_view text = head->text;
  text = text.substr(0, text.find("\"traceEvents\""));
  const std::size_t info = text.find("\"distributedInfo\"");
  if (info == std::string_view::npos) return std::nullopt;
  text = text.substr(info, text.find('}', info) - info);
  const auto rank = number_after(text, "\"rank\"");
  if (!rank) return std::nullopt;
  return TraceRank{*rank, number_after(text, "\"world_size\"").value_or(0)};
}

Result<std::vector<std::filesystem::path>> in_order_of_ranks(
    const std::vector<std::filesystem::path>& files) {
  if (files.size() < 2) return files;
  std::vector<std::pair<TraceRank, std::filesystem::path>> ranked;
  for (const auto& file : files) {
    if (const auto rank = rank_of_trace(file)) ranked.emplace_back(*rank, file);
  }
  if (ranked.empty()) return files;
  if (ranked.size() != files.size()) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("the {} files are not ranks of one job: only {} have a rank, such as "
                             "{}; expected all or none",
                             files.size(), ranked.size(), ranked[0].second.string())};
  }
  std::ranges::sort(ranked);
  for (const auto& [rank, file] : ranked) {
    if (rank.world_size == ranked[0].first.world_size) continue;
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} is of a job of {} ranks, {} of one of {}; expected the ranks of "
                             "one job",
                             ranked[0].second.string(), ranked[0].first.world_size, file.string(),
                             rank.world_size)};
  }
  for (std::size_t i = 1; i < ranked.size(); ++i) {
    if (ranked[i].first != ranked[i - 1].first) continue;
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} and {} are both of rank {}; expected the ranks of one job: import "
                             "traces of different runs by themselves",
                             ranked[i - 1].second.string(), ranked[i].second.string(),
                             ranked[i].first.rank)};
  }
  std::vector<std::filesystem::path> ordered;
  for (auto& [rank, file] : ranked) ordered.push_back(std::move(file));
  return ordered;
}

}  // namespace sweepd::trace
