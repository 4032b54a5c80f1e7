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
Result<std::string> read_head(const std::filesystem::path& file) {
  auto opened = GzipFile::open_by_content(file, Links::kFollow);
  if (!opened) return opened.error();
  return opened->read(kHeadBytes);
}

}  // namespace

Result<TraceKind> kind_of_trace(const std::filesystem::path& file) {
  const auto head = read_head(file);
  if (!head) return head.error();
  if (head->starts_with(kSqliteMagic)) return TraceKind::kNsys;
  if (head->starts_with(kPickleMagic)) return TraceKind::kSnapshot;
  const std::size_t first = head->find_first_not_of(" \t\r\n");
  if (first != std::string::npos && ((*head)[first] == '{' || (*head)[first] == '['))
    return TraceKind::kChrome;
  return Error{
      ErrorCode::kInvalidArgument,
      fmt::format("{}: is no trace that sweepd reads; expected JSON of torch.profiler, "
                  "plain or .gz, a SQLite export of nsys (nsys export --type sqlite), or a "
                  "memory snapshot of torch (.pickle)",
                  file.string())};
}

std::optional<int> rank_of_trace(const std::filesystem::path& file) {
  const auto head = read_head(file);
  if (!head) return std::nullopt;
  std::string_view text = *head;
  text = text.substr(0, text.find("\"traceEvents\""));
  const std::size_t info = text.find("\"distributedInfo\"");
  if (info == std::string_view::npos) return std::nullopt;
  text = text.substr(info, text.find('}', info) - info);
  constexpr std::string_view kRank = "\"rank\":";
  const std::size_t at = text.find(kRank);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + kRank.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  int rank = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (error != std::errc() || rank < 0) return std::nullopt;
  return rank;
}

Result<std::vector<std::filesystem::path>> in_order_of_ranks(
    const std::vector<std::filesystem::path>& files) {
  if (files.size() < 2) return files;
  std::vector<std::pair<int, std::filesystem::path>> ranked;
  for (const auto& file : files) {
    if (const auto rank = rank_of_trace(file)) ranked.emplace_back(*rank, file);
  }
  if (ranked.empty()) return files;
  std::ranges::sort(ranked);
  for (std::size_t i = 1; i < ranked.size(); ++i) {
    if (ranked[i].first != ranked[i - 1].first) continue;
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("{} and {} are both of rank {}; expected the ranks of one job: import "
                    "traces of different runs by themselves",
                    ranked[i - 1].second.string(), ranked[i].second.string(), ranked[i].first)};
  }
  const int last = static_cast<int>(files.size()) - 1;
  if (ranked.size() != files.size() || ranked.back().first != last) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("the {} files are not all ranks of one job: {} have a rank, the largest is {}, "
                    "of {}; expected ranks 0 to {}",
                    files.size(), ranked.size(), ranked.back().first, ranked.back().second.string(),
                    last)};
  }
  std::vector<std::filesystem::path> ordered;
  for (auto& [rank, file] : ranked) ordered.push_back(std::move(file));
  return ordered;
}

}  // namespace sweepd::trace
