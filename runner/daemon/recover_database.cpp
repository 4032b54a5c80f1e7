#include "runner/daemon/recover_database.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "db/upkeep/check.h"
#include "runner/base/files.h"
#include "runner/base/result.h"
#include "runner/base/say.h"
#include "runner/daemon/formulas/catalog_source.h"
#include "runner/daemon/logging.h"
#include "runner/daemon/recovery/rebuild.h"
#include "runner/daemon/state_lock.h"

namespace sweepd {

namespace fs = std::filesystem;

namespace {

constexpr Duration kCheckLimit = seconds(3600);
constexpr const char* kSuffixes[] = {"", "-wal", "-shm", "-journal"};

// The remains of a lost database. They are never deleted.
struct FormerDatabase {
  std::vector<std::filesystem::path> files;  // the database and its logs; empty: nothing is left
  std::string why_useless;                   // a clause, as "it is damaged: ..."
};

Error still_needed(const fs::path& database, std::string_view why) {
  return {ErrorCode::kFailedPrecondition,
          fmt::format("{} {}; nothing was recovered", database.string(), why)};
}

// Why the file is unusable.
Result<std::string> why_useless(const fs::path& database) {
  const auto check = check_database(database, kCheckLimit);
  if (!check) return check.error();
  if (!check->problems.empty()) return "it is damaged: " + check->problems.front();
  if (check->checked == Checked::kNotInTime) {
    return still_needed(database, "could not be checked within an hour");
  }
  const auto filled = has_sweeps(database);
  if (!filled) return filled.error();
  if (*filled) {
    return still_needed(database,
                        "is a sound database with sweeps. To recover all the same, move it and "
                        "its log elsewhere, or see with --dry-run what would be found");
  }
  return std::string("it has no sweep");
}

Result<fs::path> make_folder_beside(const fs::path& file) {
  for (int number = 1;; ++number) {
    fs::path folder = file.parent_path() / fmt::format("former-database-{}", number);
    std::error_code error;
    if (fs::create_directory(folder, error)) return folder;
    std::error_code unseen;
    if (error && !fs::exists(fs::symlink_status(folder, unseen))) {
      return Error{ErrorCode::kIo,
                   fmt::format("cannot create {}: {}", folder.string(), error.message())};
    }
  }
}

// kFailedPrecondition if it can be used: it is sound and has sweeps. Other errors give the reason
// why that is unknown.
Result<FormerDatabase> find_former_database(const fs::path& database) {
  FormerDatabase former;
  for (const char* suffix : kSuffixes) {
    std::error_code error;
    fs::path file = database.string() + suffix;
    if (fs::exists(fs::symlink_status(file, error))) former.files.push_back(std::move(file));
  }
  if (former.files.empty()) return former;
  if (former.files.front() != database) {
    former.why_useless = "its log is all that is left";
    return former;
  }
  auto why = why_useless(database);
  if (!why) return why.error();
  former.why_useless = std::move(*why);
  return former;
}

// Moves the files into a new folder beside them, whose path it returns. A log that stayed would be
// taken for that of the new database.
Result<fs::path> put_aside(const FormerDatabase& former) {
  auto folder = make_folder_beside(former.files.front());
  if (!folder) return folder;
  for (const fs::path& file : former.files) {
    std::error_code error;
    fs::rename(file, *folder / file.filename(), error);
    // SQLite may have removed an index of the log since.
    if (error && error != std::errc::no_such_file_or_directory) {
      return Error{ErrorCode::kIo, fmt::format("cannot move {} to {}: {}", file.string(),
                                               folder->string(), error.message())};
    }
  }
  if (auto synced = force_to_disk(folder->parent_path()); !synced) return synced.error();
  return folder;
}

void remove_all_of(const fs::path& file) {
  std::error_code ignored;
  for (const char* suffix : kSuffixes) fs::remove(file.string() + suffix, ignored);
}

// Checks the new database, and forces it to the disk.
Result<void> complete(const fs::path& part) {
  const auto check = check_database(part, kCheckLimit);
  if (!check) return check.error();
  if (!check->problems.empty()) {
    return Error{ErrorCode::kInternal, "the new database is damaged: " + check->problems.front()};
  }
  std::error_code ignored;
  fs::remove(part.string() + "-shm", ignored);
  return force_to_disk(part);
}

Result<void> give_name(const fs::path& part, const fs::path& database) {
  if (::renameat2(AT_FDCWD, part.c_str(), AT_FDCWD, database.c_str(), RENAME_NOREPLACE) != 0) {
    return Error{ErrorCode::kIo,
                 fmt::format("cannot write {}: {}", database.string(), strerror(errno))};
  }
  return force_to_disk(database.parent_path());
}

struct Recovered {
  Rebuilt rebuilt;
  FormerDatabase former;
  fs::path former_folder;  // where it is now; empty if there was none
};

Result<RebuildFrom> places_of(const AppOptions& options) {
  const auto config = load_config(options.config);
  if (!config) return config.error();
  RebuildFrom from{options.state.sweeps(), {options.state.runs()}};
  for (const PoolConfig& pool : config->config.pools) {
    if (pool.is_cluster()) from.runs.emplace_back(pool.runs);
  }
  return from;
}

// The former database stays where it is until the new one is complete.
Result<void> put_in_place(const fs::path& part, const fs::path& database, Recovered& recovered) {
  if (auto completed = complete(part); !completed) return completed;
  if (!recovered.former.files.empty()) {
    auto folder = put_aside(recovered.former);
    if (!folder) return folder.error();
    recovered.former_folder = std::move(*folder);
  }
  return give_name(part, database);
}

Result<Recovered> recover(const AppOptions& options, Recovery how) {
  std::error_code error;
  if (!fs::is_directory(options.state.path(), error)) {
    return Error{ErrorCode::kNotFound, options.state.path().string() + " is not a folder"};
  }
  const auto lock = lock_state_folder(options.state);
  if (!lock) return lock.error();
  const fs::path database = options.state.database();
  Recovered recovered;
  if (how == Recovery::kForReal) {
    auto former = find_former_database(database);
    if (!former) return former.error();
    recovered.former = std::move(*former);
  }
  const auto from = places_of(options);
  if (!from) return from.error();
  const auto catalog = load_catalog(options.worker, options.state.catalog());
  if (!catalog) return catalog.error();
  // The lock's holder may remove the leftovers of a killed recovery.
  const fs::path part = database.parent_path() / ".recovering.db";
  remove_all_of(part);
  auto rebuilt = rebuild_database(part, *from, *catalog, read_host());
  if (rebuilt && how == Recovery::kForReal) {
    if (auto placed = put_in_place(part, database, recovered); !placed) rebuilt = placed.error();
  }
  remove_all_of(part);
  if (!rebuilt) return rebuilt.error();
  recovered.rebuilt = std::move(*rebuilt);
  return recovered;
}

std::string number_of(std::int64_t n, std::string_view thing) {
  return fmt::format("{} {}{}", n, thing, n == 1 ? "" : "s");
}

void print(const Recovered& recovered, const fs::path& database, Recovery how) {
  const Rebuilt& rebuilt = recovered.rebuilt;
  say("{} {}, {} and {} into {}\n", how == Recovery::kDryRun ? "would recover" : "recovered",
      number_of(rebuilt.sweeps, "sweep"), number_of(rebuilt.trials, "trial"),
      number_of(rebuilt.attempts, "attempt"), database.string());
  if (!recovered.former_folder.empty()) {
    say("  what was there is in {}, because {}\n", recovered.former_folder.string(),
        recovered.former.why_useless);
  }
  for (const std::string& name : rebuilt.guessed) {
    say("  {}: not known as it was submitted, so it has no tables\n", name);
  }
  if (rebuilt.untold > 0) {
    say("  {} without a word of how it ended, taken for crashed\n",
        number_of(rebuilt.untold, "attempt"));
  }
  if (rebuilt.unmeasured > 0) {
    say("  {} without a result; `sweepctl retry` measures what a sweep lacks\n",
        number_of(rebuilt.unmeasured, "attempt"));
  }
  if (rebuilt.to_compute > 0) {
    say("  {} left to the next daemon\n", number_of(rebuilt.to_compute, "formula"));
  }
  if (rebuilt.deleted > 0) {
    say("  {} of attempts that were being deleted, left out\n",
        number_of(rebuilt.deleted, "folder"));
  }
  if (rebuilt.not_begun > 0) {
    say("  {} of attempts that never began\n", number_of(rebuilt.not_begun, "folder"));
  }
  if (rebuilt.unreadable.empty()) return;
  say("could not read {}:\n",
      number_of(static_cast<std::int64_t>(rebuilt.unreadable.size()), "file"));
  for (const auto& [path, why] : rebuilt.unreadable) say("  {}: {}\n", path, why);
}

}  // namespace

int recover_database(const AppOptions& options, Recovery how) {
  spdlog::set_default_logger(spdlog::stderr_logger_st("sweepd"));
  spdlog::set_formatter(printable_formatter());
  spdlog::set_level(spdlog::level::err);
  const auto recovered = recover(options, how);
  if (!recovered) {
    say(stderr, "sweepctl: {}\n", recovered.error().message);
    return EXIT_FAILURE;
  }
  print(*recovered, options.state.database(), how);
  return EXIT_SUCCESS;
}

}  // namespace sweepd
