#include "runner/daemon/formulas/catalog_source.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/daemon/formulas/run_worker.h"
#include "runner/wire/catalog_json.h"
#include "runner/wire/json_text.h"

namespace sweepd {
namespace {

using nlohmann::json;

// Loading LibTorch from a cold disk takes a few seconds. A worker that takes longer than this
// hangs.
constexpr Duration kLimit = seconds(120);

json fingerprint_of_file(const std::filesystem::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return nullptr;
  return {file.string(), info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
}

// Of the program, and of the workloads that it was shipped with.
json fingerprint(const std::filesystem::path& worker) {
  json print = fingerprint_of_file(worker);
  if (print.is_null()) return print;
  const auto folder = worker.parent_path().parent_path() / "lib/sweepd/workloads";
  std::set<std::filesystem::path> files;
  std::error_code none;
  for (const auto& file : std::filesystem::directory_iterator(folder, none)) files.insert(file);
  for (const auto& file : files) print.push_back(fingerprint_of_file(file));
  return print;
}

// Writes a new file and renames it, so that a FIFO or a link of that name is replaced, and neither
// blocks nor is followed.
void write_cache(const std::filesystem::path& file, const std::string& text) {
  const std::filesystem::path part = file.string() + ".part";
  std::error_code error;
  std::filesystem::remove(part, error);
  std::ofstream out(part);
  out << text;
  out.close();
  if (out) std::filesystem::rename(part, file, error);
  if (!out || error) std::filesystem::remove(part, error);
}

// The output of `worker --describe`, as JSON and as a catalog.
struct Described {
  json text;
  Catalog catalog;
};

Result<Described> ask_for_catalog(const std::filesystem::path& worker) {
  const auto run = run_worker(worker, "--describe", "", kLimit);
  const auto fail = [&](const std::string& why) {
    return Error{
        ErrorCode::kUnavailable,
        fmt::format("cannot learn the workloads from `{} --describe`: {}", worker.string(), why)};
  };
  if (!run) return fail(run.error().message);
  if (run->exit_code != 0) return fail(how_it_ended(*run));
  if (!run->errors.empty()) spdlog::warn("{}", trim(run->errors));
  const json described = parse_json(run->text);
  if (described.is_discarded()) return fail("its output is not JSON");
  auto catalog = catalog_from_json(described);
  if (!catalog) return fail(catalog.error().message);
  return Described{described, std::move(*catalog)};
}

}  // namespace

Result<Catalog> load_catalog(const std::filesystem::path& worker,
                             const std::filesystem::path& cache_file) {
  const json print = fingerprint(worker);
  if (const auto file = read_regular(cache_file, Links::kRefuse); file && !print.is_null()) {
    const json cached = parse_json(*file);
    if (cached.is_object() && cached.value("worker", json()) == print) {
      if (auto catalog = catalog_from_json(cached.value("catalog", json()))) return catalog;
    }
  }
  auto described = ask_for_catalog(worker);
  if (!described) return described.error();
  // It is only a cache: if it cannot be written, the next start asks again.
  write_cache(cache_file, to_json_line(json{{"worker", print}, {"catalog", described->text}}));
  return std::move(described->catalog);
}

Result<Catalog> describe_worker(const std::filesystem::path& worker) {
  auto described = ask_for_catalog(worker);
  if (!described) return described.error();
  return std::move(described->catalog);
}

}  // namespace sweepd
