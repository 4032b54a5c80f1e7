// A SQLite export of Nsight Systems, which may come from a stranger: it is opened without a right
// to write, its views, triggers and functions do not run, and its texts and the time are limited.
//
//   NsysFile opened(file);
//   NsysTable kernels(opened, "CUPTI_ACTIVITY_KIND_KERNEL");
//   const int start = kernels.need("start"), graph = kernels.maybe("graphId");
//   while (kernels.next()) use(kernels.integer(start), kernels.integer_or(graph, 0));
//
// Failures are NsysRefusal; read_nsys returns its error.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/result.h"

struct sqlite3_stmt;

namespace sweepd::trace {

struct NsysRefusal {
  Error error;
};

class NsysFile {
 public:
  // kInvalidArgument: not SQLite, or not an export of nsys.
  explicit NsysFile(std::filesystem::path file);
  NsysFile(const NsysFile&) = delete;
  NsysFile& operator=(const NsysFile&) = delete;
  ~NsysFile();

  bool has(const std::string& table) const { return tables_.contains(table); }
  std::vector<std::string> columns_of(const std::string& table);  // none without the table
  SQLite::Database& database() { return *database_; }

  // Count what the reader keeps. kResourceExhausted beyond 50 million records or 256 MiB of names.
  void count_record();
  void count_name(std::string_view name);
  // The text of StringIds with this id, printable, its first 64 KiB. Empty: there is none.
  std::optional<std::string> text_of(std::int64_t id);

  [[noreturn]] void refuse(const std::string& why) const;
  [[noreturn]] void refuse(const SQLite::Exception& failure) const;

 private:
  void check_header() const;
  void open();
  void list_tables();
  static int on_progress(void* self);

  std::filesystem::path file_;
  std::unique_ptr<SQLite::Database> database_;
  std::set<std::string> tables_;
  std::unique_ptr<SQLite::Statement> string_;
  Instant deadline_;
  std::int64_t records_ = 0;
  std::size_t name_bytes_ = 0;
};

// The rows of one table, in the order of the file. Ask for all columns first.
class NsysTable {
 public:
  NsysTable(NsysFile& file, std::string table);

  int need(
      const char* column);  // every version of the table has it; without it the file is refused
  int maybe(const char* column);  // absent if the table has no such column

  bool next();  // false: no more rows, or no such table
  bool has(int column) const;
  // An integer, of a size that sums and differences of a trace cannot overflow.
  std::int64_t integer(int column) const;
  std::int64_t integer_or(int column, std::int64_t absent) const;
  std::string text_or_empty(int column) const;  // printable, the first 64 KiB

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  void prepare();
  [[noreturn]] void refuse_cell(int column, const std::string& expected) const;

  NsysFile& file_;
  std::string table_;
  std::vector<std::string> present_, asked_;
  // SQLite's own, because SQLite::Statement counts a reference for each cell that is read.
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::int64_t row_ = 0;
};

}  // namespace sweepd::trace
