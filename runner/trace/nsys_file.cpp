#include "runner/trace/nsys_file.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "runner/base/files.h"
#include "runner/base/printable.h"
#include "runner/base/text.h"
#include "runner/base/units.h"

namespace sweepd::trace {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSqliteMagic("SQLite format 3\0", 16);
constexpr int kLongestCell = 64 << 20;
constexpr std::size_t kLongestNsysName = 64 << 10;
constexpr std::size_t kMostNames = 256 << 20;
constexpr std::int64_t kMostRecords = 50'000'000;
constexpr std::int64_t kMostInteger = std::int64_t{1} << 61;
constexpr Duration kMostTimeOfFile = seconds(600);
constexpr int kInstructionsBetweenChecks = 10'000;

// An export has at least one of these.
constexpr std::array<const char*, 6> kRecordTables{
    "CUPTI_ACTIVITY_KIND_KERNEL",  "CUPTI_ACTIVITY_KIND_MEMCPY",      "CUPTI_ACTIVITY_KIND_MEMSET",
    "CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "NVTX_EVENTS"};

// `file:` with the characters escaped that end or change the path in a URI.
std::string immutable_uri(const fs::path& file) {
  std::string uri = "file:";
  for (const char c : fs::absolute(file).string()) {
    if (c == '%' || c == '?' || c == '#') {
      uri += fmt::format("%{:02x}", static_cast<unsigned>(c));
    } else {
      uri += c;
    }
  }
  return uri + "?mode=ro&immutable=1";
}

std::string quoted_name(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

std::string_view text_at(sqlite3_stmt* statement, int column) {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  if (bytes == nullptr) return "";
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement, column))};
}

void restrict_rights(sqlite3* handle) {
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kLongestCell);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
}

}  // namespace

NsysFile::NsysFile(fs::path file) : file_(std::move(file)) {
  check_header();
  try {
    open();
    list_tables();
  } catch (const SQLite::Exception& failure) {
    refuse(failure);
  }
}

NsysFile::~NsysFile() {
  if (database_) sqlite3_progress_handler(database_->getHandle(), 0, nullptr, nullptr);
}

void NsysFile::check_header() const {
  const auto begin = read_regular(file_, Links::kFollow, std::ssize(kSqliteMagic));
  if (!begin) throw NsysRefusal{begin.error()};
  if (*begin != kSqliteMagic) {
    refuse(
        fmt::format("it begins with `{}`; expected the SQLite export of a report, as `nsys "
                    "export --type sqlite REPORT.nsys-rep` writes it",
                    brief(*begin)));
  }
  // An immutable database is read without its log.
  std::error_code none;
  const fs::path log = file_.string() + "-wal";
  if (fs::exists(log, none) && fs::file_size(log, none) > 0) {
    refuse(
        fmt::format("`{}` has changes of it; expected a closed database. Run `sqlite3 {} "
                    "'PRAGMA wal_checkpoint(TRUNCATE)'`",
                    log.string(), file_.string()));
  }
}

void NsysFile::open() {
  database_ = std::make_unique<SQLite::Database>(
      immutable_uri(file_), SQLite::OPEN_READONLY | SQLite::OPEN_URI | SQLite::OPEN_NOMUTEX);
  restrict_rights(database_->getHandle());
  for (const char* pragma : {"query_only = ON", "cell_size_check = ON", "mmap_size = 0",
                             "temp_store = MEMORY", "cache_size = -8192"}) {
    database_->exec(fmt::format("PRAGMA {}", pragma));
  }
  deadline_ = now_instant() + kMostTimeOfFile;
  sqlite3_progress_handler(database_->getHandle(), kInstructionsBetweenChecks,
                           &NsysFile::on_progress, this);
}

int NsysFile::on_progress(void* self) {
  return now_instant() > static_cast<NsysFile*>(self)->deadline_ ? 1 : 0;
}

void NsysFile::list_tables() {
  // Views and virtual tables have no root page.
  SQLite::Statement rows(*database_,
                         "SELECT substr(name, 1, 200), type, coalesce(rootpage, 0) > 0 FROM "
                         "sqlite_schema WHERE type IN ('table', 'view')");
  while (rows.executeStep()) {
    const std::string name = rows.getColumn(0).getString();
    if (rows.getColumn(2).getInt() != 0) {
      tables_.insert(name);
    } else if (name == "StringIds" ||
               std::ranges::find(kRecordTables, name) != kRecordTables.end()) {
      refuse(fmt::format("`{}` is a {} in it; expected a table", name,
                         rows.getColumn(1).getString() == "view" ? "view" : "virtual table"));
    }
  }
  if (std::ranges::any_of(kRecordTables, [&](const char* table) { return has(table); })) return;
  std::vector<std::string> some;
  for (const std::string& table : tables_) {
    if (some.size() < 5) some.push_back("`" + brief(table) + "`");
  }
  if (some.size() < tables_.size()) some.emplace_back("...");
  refuse(fmt::format(
      "expected a table `{}` of CUDA's or NVTX's records, as nsys exports them; "
      "found {}",
      join(std::vector<std::string>(kRecordTables.begin(), kRecordTables.end()), "`, `"),
      some.empty() ? "no table" : join(some, ", ")));
}

std::vector<std::string> NsysFile::columns_of(const std::string& table) {
  std::vector<std::string> columns;
  if (!has(table)) return columns;
  SQLite::Statement rows(*database_, fmt::format("PRAGMA table_info({})", quoted_name(table)));
  while (rows.executeStep()) columns.push_back(rows.getColumn(1).getString());
  return columns;
}

void NsysFile::count_record() {
  if (++records_ <= kMostRecords) return;
  throw NsysRefusal{
      {ErrorCode::kResourceExhausted, fmt::format("`{}`: it has more than {} records",
                                                  file_.string(), with_thousands(kMostRecords))}};
}

void NsysFile::count_name(std::string_view name) {
  name_bytes_ += name.size();
  if (name_bytes_ <= kMostNames) return;
  throw NsysRefusal{
      {ErrorCode::kResourceExhausted, fmt::format("`{}`: its names have more than {}",
                                                  file_.string(), to_text(Bytes{kMostNames}))}};
}

std::optional<std::string> NsysFile::text_of(std::int64_t id) {
  if (!has("StringIds")) return std::nullopt;
  if (!string_) {
    string_ = std::make_unique<SQLite::Statement>(
        *database_,
        fmt::format("SELECT substr(value, 1, {}) FROM StringIds WHERE id = ?", kLongestNsysName));
  }
  string_->reset();
  string_->bind(1, id);
  if (!string_->executeStep()) return std::nullopt;
  return printable(string_->getColumn(0).getString());
}

void NsysFile::refuse(const std::string& why) const {
  throw NsysRefusal{{ErrorCode::kInvalidArgument, fmt::format("`{}`: {}", file_.string(), why)}};
}

void NsysFile::refuse(const SQLite::Exception& failure) const {
  const auto with = [&](ErrorCode code, const std::string& why) {
    return NsysRefusal{{code, fmt::format("`{}`: {}", file_.string(), why)}};
  };
  const std::string words = printable(failure.what());
  switch (failure.getErrorCode() & 0xff) {
    case SQLITE_INTERRUPT:
      throw with(ErrorCode::kResourceExhausted,
                 fmt::format("reading takes longer than {}", to_human(kMostTimeOfFile)));
    case SQLITE_TOOBIG:
      throw with(ErrorCode::kResourceExhausted, "a text in it is longer than 64 MiB");
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      throw with(ErrorCode::kIo, words);
    default:
      throw with(ErrorCode::kInvalidArgument,
                 fmt::format("{}; expected a sound SQLite export of nsys", words));
  }
}

NsysTable::NsysTable(NsysFile& file, std::string table)
    : file_(file), table_(std::move(table)), present_(file.columns_of(table_)) {}

int NsysTable::need(const char* column) {
  const int found = maybe(column);
  if (found < 0 && !present_.empty()) {
    std::vector<std::string> names;
    for (const std::string& name : present_) names.push_back(brief(name));
    file_.refuse(fmt::format("table `{}` has no column `{}`; found `{}`", table_, column,
                             join(names, "`, `")));
  }
  return found;
}

int NsysTable::maybe(const char* column) {
  if (std::ranges::find(present_, column) == present_.end()) return -1;
  asked_.emplace_back(column);
  return static_cast<int>(asked_.size()) - 1;
}

void NsysTable::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

void NsysTable::prepare() {
  std::vector<std::string> names;
  for (const std::string& column : asked_) names.push_back(quoted_name(column));
  const std::string sql = fmt::format("SELECT {} FROM {}", join(names, ", "), quoted_name(table_));
  sqlite3* const handle = file_.database().getHandle();
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(handle, sql.c_str(), -1, &statement, nullptr);
  statement_.reset(statement);
  if (code != SQLITE_OK) throw SQLite::Exception(handle, code);
}

bool NsysTable::next() {
  if (asked_.empty()) return false;
  if (!statement_) prepare();
  ++row_;
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  throw SQLite::Exception(file_.database().getHandle(), code);
}

bool NsysTable::has(int column) const {
  return column >= 0 && sqlite3_column_type(statement_.get(), column) != SQLITE_NULL;
}

void NsysTable::refuse_cell(int column, const std::string& expected) const {
  std::string found = "NULL";
  switch (sqlite3_column_type(statement_.get(), column)) {
    case SQLITE_INTEGER:
      found = std::to_string(sqlite3_column_int64(statement_.get(), column));
      break;
    case SQLITE_FLOAT:
      found = "the number " + to_text(sqlite3_column_double(statement_.get(), column));
      break;
    case SQLITE_TEXT:
      found = "the text `" + brief(text_at(statement_.get(), column)) + "`";
      break;
    case SQLITE_BLOB:
      found = "a blob";
      break;
    default:
      break;
  }
  file_.refuse(fmt::format("table `{}`, row {}, column `{}`: expected {}, found {}", table_, row_,
                           asked_[static_cast<std::size_t>(column)], expected, found));
}

std::int64_t NsysTable::integer(int column) const {
  if (sqlite3_column_type(statement_.get(), column) != SQLITE_INTEGER) {
    refuse_cell(column, "an integer");
  }
  const std::int64_t value = sqlite3_column_int64(statement_.get(), column);
  if (value < -kMostInteger || value > kMostInteger) refuse_cell(column, "an integer below 2^61");
  return value;
}

std::int64_t NsysTable::integer_or(int column, std::int64_t absent) const {
  return has(column) ? integer(column) : absent;
}

std::string NsysTable::text_or_empty(int column) const {
  if (!has(column)) return "";
  if (sqlite3_column_type(statement_.get(), column) != SQLITE_TEXT) refuse_cell(column, "a text");
  return printable(text_at(statement_.get(), column).substr(0, kLongestNsysName));
}

}  // namespace sweepd::trace
