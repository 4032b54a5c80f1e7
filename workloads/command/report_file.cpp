#include "workloads/command/report_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "runner/base/files.h"
#include "runner/base/gzip_file.h"
#include "workloads/command/variables.h"
#include "workloads/command/words.h"

namespace sweepd::command {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostWritten = 64 << 20;

std::runtime_error wrong_file(const fs::path& name, std::string_view why) {
  return std::runtime_error(fmt::format("reports: file: `{}` {}", name.string(), why));
}

// Where a file is kept that is not in the attempt's folder itself.
fs::path copy_of(const fs::path& folder, int rank, const fs::path& name) {
  return folder / fmt::format("reports.{}", rank) / name;
}

std::string text_of_file(const fs::path& path, const fs::path& name) {
  auto text = read_regular(path, Links::kRefuse, kMostWritten + 1);
  if (!text) throw std::runtime_error("reports: file: " + text.error().message);
  if (text->size() > kMostWritten) {
    throw wrong_file(name, fmt::format("is larger than {} MiB", kMostWritten >> 20));
  }
  return std::move(*text);
}

// Whether the folder is the other one or in it, wherever links lead.
bool is_below(const fs::path& folder, const fs::path& other) {
  std::error_code error;
  const fs::path real = fs::canonical(folder, error);
  if (error) return false;
  const fs::path root = fs::canonical(other, error);
  if (error) return false;
  return std::mismatch(root.begin(), root.end(), real.begin(), real.end()).first == root.end();
}

std::optional<std::string> report_of_folder(const fs::path& folder, int rank, int world_size) {
  auto text = read_regular(plain_or_gzip(report_file(folder, rank, world_size)), Links::kRefuse);
  return text ? std::optional<std::string>(std::move(*text)) : std::nullopt;
}

// Below the working folder. Throws as templates do.
fs::path name_of_file(const Params& params, const RunParams& run, const Place& place) {
  return substitute(params.reports_file, variables_of(params, run, place), "reports: file");
}

}  // namespace

bool is_file_of_other_rank(const Params& params, int rank) {
  return rank > 0 && !params.reports_file.empty() &&
         params.reports_file.find("{rank") == std::string::npos;
}

ReportFile::ReportFile(const Params& params, const Context& context, fs::path cwd)
    : folder_(context.folder),
      rank_(context.rank),
      world_size_(context.world_size),
      is_of_other_rank_(is_file_of_other_rank(params, context.rank)),
      cwd_(std::move(cwd)) {
  if (params.reports_file.empty()) return;
  name_ = name_of_file(params, context.run,
                       {std::string(context.device.kind()), context.pass, context.rank,
                        context.world_size, context.threads, context.folder});
  if (leads_below(name_)) return;
  throw std::invalid_argument(
      fmt::format("reports: file: `{}`; expected a file below the program's working folder, such "
                  "as out/results.csv",
                  name_.string()));
}

void ReportFile::begin() {
  if (is_named()) before_ = identity_of(cwd_ / name_);
}

std::optional<std::string> ReportFile::read(const Secrets& secrets) const {
  if (!is_named()) return report_of_folder(folder_, rank_, world_size_);
  std::string text = secrets.hide(read_named());
  keep(text);
  return text;
}

std::string ReportFile::read_named() const {
  const fs::path path = cwd_ / name_;
  const std::string now = identity_of(path);
  if (now.empty()) throw wrong_file(name_, "is not there: the program did not write it");
  if (now == before_) throw wrong_file(name_, "existed before, and the program did not change it");
  if (!is_below(path.parent_path(), cwd_)) {
    throw wrong_file(name_, "is in a folder that is a link out of the working folder");
  }
  return text_of_file(path, name_);
}

void ReportFile::keep(std::string_view text) const {
  std::error_code error;
  if (fs::equivalent(cwd_, folder_, error)) return;
  const fs::path copy = copy_of(folder_, rank_, name_);
  fs::create_directories(copy.parent_path(), error);
  if (error) throw wrong_file(name_, "cannot be kept: " + error.message());
  if (const auto kept = replace_file(copy, text); !kept) {
    throw std::runtime_error("reports: file: " + kept.error().message);
  }
}

std::optional<std::string> kept_report(const Params& params, const RunParams& run,
                                       const StoredOutput& output) {
  const fs::path& folder = output.folder;
  if (params.reports_file.empty()) {
    return report_of_folder(folder, output.rank, output.world_size);
  }
  const Place place{
      run.device, Pass::kTiming, output.rank, output.world_size, static_cast<int>(run.threads),
      folder};
  const fs::path name = name_of_file(params, run, place);
  for (const fs::path& path : {copy_of(folder, output.rank, name), folder / name}) {
    if (!identity_of(path).empty() && is_below(path.parent_path(), folder)) {
      return text_of_file(path, name);
    }
  }
  throw wrong_file(name, "was not kept with the attempt: measure it again");
}

}  // namespace sweepd::command
