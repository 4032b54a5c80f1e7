// Makes small exports of nsys from SQL.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runner/base/temporary_folder.h"
#include "runner/trace/nsys.h"

namespace sweepd::trace {

class NsysDatabase {
 public:
  // Ids of a process and of its thread `tid`, as nsys packs them.
  static std::int64_t process(std::int64_t pid) { return (std::int64_t{1} << 48) | (pid << 24); }

  std::filesystem::path write(const std::string& sql) const {
    const std::filesystem::path file = folder_->path() / "export.sqlite";
    std::filesystem::remove(file);
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    database.exec("PRAGMA synchronous = OFF; BEGIN;" + sql + "; COMMIT;");
    return file;
  }
  Result<std::vector<Timeline>> read(const std::string& sql) const { return read_nsys(write(sql)); }
  // "": it was read.
  std::string error_of(const std::string& sql) const {
    const auto timelines = read(sql);
    return timelines ? "" : timelines.error().message;
  }
  const std::filesystem::path& folder() const { return folder_->path(); }

 private:
  Result<TemporaryFolder> folder_ = TemporaryFolder::make("nsys");
};

// `name|begin|end|...` of each.
inline std::vector<std::string> lines_of(const Timeline& timeline,
                                         const std::vector<HostSpan>& spans) {
  std::vector<std::string> lines;
  for (const HostSpan& span : spans) {
    lines.push_back(timeline.names[span.name] + "|" + std::to_string(span.begin_ns) + "|" +
                    std::to_string(span.end_ns) + "|" + std::to_string(span.thread));
  }
  return lines;
}

inline std::vector<std::string> work_of(const Timeline& timeline) {
  std::vector<std::string> lines;
  for (const DeviceWork& work : timeline.work) {
    lines.push_back(timeline.names[work.name] + "|" + std::to_string(work.begin_ns) + "|" +
                    std::to_string(work.end_ns) + "|" + std::to_string(work.bytes));
  }
  return lines;
}

}  // namespace sweepd::trace
