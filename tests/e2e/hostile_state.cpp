#include "tests/e2e/hostile_state.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "runner/base/ids.h"
#include "tests/e2e/lost_database.h"

namespace sweepd::e2e {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr auto kTheirSweeps = R"(sweep: shown
description: of another machine
workload: fault
params: {steps: 2, warmup: 0}
matrix: {kind: [done, throw]}
tables:
  - {title: Steps, rows: [{kind: Kind}], columns: [host], cell: "{n}"}
  - {title: Times, rows: [kind], values: [{name: Mean, cell: "{mean:.1f}"}], where: {phase: [step]}}
plots: [{title: Drawn, x: kind, y: {median: Time}}]
---
sweep: timed
workload: noop
passes: [timing, memory]
params: {warmup: 0}
matrix: {steps: [2, 3]}
---
sweep: own
program: own
parameters: {size: {default: 1, unit: rows, help: how large}, kind: {choices: [a, b], help: which}}
metrics: {rate: {unit: GFLOP/s, better: higher, help: how fast}}
phases: [load]
params:
  argv: sh -c 'echo "{{\"step\":0,\"time\":1,\"rate\":2}}" >&3'
  warmup: 0
  steps: 1
matrix: {kind: [a, b]}
tables: [{title: Rates, rows: [kind], metric: rate, cell: "{mean:.1f}"}]
)";

// Results as the worker with LibTorch would have found them. The first attempt of `noop` is made a
// profile pass.
constexpr const char* kFound[] = {
    "insert or ignore into name (text) values ('a range'), ('a kernel'), ('activation')",
    "update attempt set pass = 'profile' where row = (select min(a.row) from attempt a join trial "
    "t on t.id = a.trial where t.workload = 'noop' and a.pass = 'timing')",
    "insert into kernel select a.row, 0, p.id, r.id, k.id, k.id, k.id, 1, 1, 1, 1, 1, 1, 2, 10, 5, "
    "5, 4, 6, 1, 0, 0, null, null, null, null, '' "
    "from attempt a, name p, name r, name k where a.pass = 'profile' and p.text = 'step' and "
    "r.text = 'a range' and k.text = 'a kernel'",
    "insert into allocation select a.row, 0, 0, 4096, 10, 20, p.id, r.id, o.id from attempt a, "
    "name p, name r, name o where a.pass = 'memory' and p.text = 'step' and r.text = 'a range' and "
    "o.text = 'activation'",
    "insert into memory_event select a.row, 0, 0, 10, 'alloc', 64, 4096, 4096, 8192, p.id from "
    "attempt a, name p where a.pass = 'memory' and p.text = 'step'"};

std::vector<std::string> rows_of(SQLite::Database& database, const std::string& query,
                                 const std::string& given = "") {
  SQLite::Statement statement(database, query);
  if (!given.empty()) statement.bind(1, given);
  std::vector<std::string> rows;
  while (statement.executeStep()) rows.push_back(statement.getColumn(0).getString());
  return rows;
}

bool contains(const std::vector<std::string>& names, const std::string& table,
              const std::string& column) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return name == table || name == table + "." + column;
  });
}

// Also keys, which are names of parameters.
void rewrite_strings(json& value, HostileTexts& texts, std::size_t one_in) {
  // An id becomes the name of a file, so it leads out of the folder more often.
  const bool id = value.is_string() && is_id(value.get_ref<const std::string&>());
  if (id && texts.below(4) == 0) value = texts.path();
  if (value.is_string() && texts.below(one_in) == 0) value = texts.any();
  if (value.is_array()) {
    for (json& element : value) rewrite_strings(element, texts, one_in);
  }
  if (!value.is_object()) return;
  json changed = json::object();
  for (auto& [key, member] : value.items()) {
    rewrite_strings(member, texts, one_in);
    changed[texts.below(4 * one_in) == 0 ? texts.any() : key] = member;
  }
  value = std::move(changed);
}

// Of a declared table, plot or program only what verbs print and no check refuses. `list` is the
// member that holds the value.
void rewrite_printed(json& value, HostileTexts& texts, const std::string& list = "") {
  for (auto& [key, member] : value.items()) {
    const bool printed = key == "title" || key == "text" || key == "help" ||
                         (list == "values" && key == "name") || (list == "params" && key == "unit");
    if (printed && member.is_string() && texts.below(2) == 0) member = texts.any();
    if (member.is_structured()) rewrite_printed(member, texts, value.is_array() ? list : key);
  }
}

enum class Rewrite { kAnything, kPrinted };

// A declaration stays JSON half of the time; otherwise readers would refuse it before its texts.
std::string other_text(const std::string& column, const std::string& text, HostileTexts& texts,
                       Rewrite rewrite) {
  if (column != "json" || (rewrite == Rewrite::kAnything && texts.below(2) == 0)) {
    return texts.any();
  }
  json value = json::parse(text);
  if (rewrite == Rewrite::kPrinted) {
    rewrite_printed(value, texts);
  } else {
    rewrite_strings(value, texts, 4);
  }
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

void replace_one(SQLite::Database& database, const std::string& table, const std::string& column,
                 HostileTexts& texts, Rewrite rewrite) {
  const std::string where = fmt::format("from \"{0}\" where \"{1}\" is not null", table, column);
  const auto count = std::stoull(
      rows_of(database, fmt::format("select count(distinct \"{}\") {}", column, where)).front());
  if (count == 0) return;
  const std::string old =
      rows_of(database, fmt::format("select distinct \"{}\" {} limit 1 offset {}", column, where,
                                    texts.below(count)))
          .front();
  SQLite::Statement statement(
      database,
      fmt::format("update or ignore \"{0}\" set \"{1}\" = ?1 where \"{1}\" = ?2", table, column));
  const std::string text = other_text(column, old, texts, rewrite);
  statement.bindNoCopy(1, text);  // with its NUL, if it has one
  statement.bindNoCopy(2, old);
  statement.exec();
}

std::string rewritten(const std::string& text, HostileTexts& texts, std::size_t one_in) {
  json value = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return text;
  rewrite_strings(value, texts, one_in);
  const auto handling =
      texts.below(2) == 0 ? json::error_handler_t::replace : json::error_handler_t::ignore;
  return value.dump(-1, ' ', texts.below(2) == 0, handling);
}

void rewrite_file(const fs::path& file, HostileTexts& texts, std::size_t one_in) {
  std::string changed;
  if (file.extension() == ".ndjson") {
    std::istringstream lines(content_of(file));
    for (std::string line; std::getline(lines, line);) {
      changed += rewritten(line, texts, 2 * one_in) + "\n";
    }
  } else {
    changed = rewritten(content_of(file), texts, one_in);
  }
  std::ofstream(file, std::ios::binary) << changed;
}

}  // namespace

TheirState::TheirState() {
  std::string pattern = (fs::temp_directory_path() / "sweepd-theirs-XXXXXX").string();
  folder_ = ::mkdtemp(pattern.data());
  const Sandbox beta;
  const Ran ran = beta.ctl({"submit", "-", "--wait"}, kTheirSweeps);
  EXPECT_EQ(ran.exit_code, 4) << "one fails; " << ran.out << ran.err;
  EXPECT_EQ(beta.sql("select count(*) from attempt where outcome = 'done'"), "7")
      << beta.ctl({"show", kOwnProgram}).out;
  stop(beta);
  {
    SQLite::Database database((beta.state() / "results.db").string(), SQLite::OPEN_READWRITE);
    for (const char* change : kFound) database.exec(change);
    const auto one = [&](const char* query) { return rows_of(database, query).at(0); };
    known_ = {one("select uid from attempt where outcome = 'failed'"),
              one("select uid from attempt where pass = 'memory'"),
              one("select uid from attempt where pass = 'profile'"), one("select key from trial"),
              one("select uid from sweep where name = 'shown'")};
    EXPECT_EQ(one("select count(*) from allocation"), "2");
    EXPECT_EQ(one("select count(*) from kernel"), "1");
  }
  fs::copy(beta.state(), folder_ / "state", fs::copy_options::recursive);
}

TheirState::~TheirState() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void TheirState::copy_to(const fs::path& folder) const {
  fs::copy(folder_ / "state", folder, fs::copy_options::recursive);
}

void rewrite_texts(const fs::path& database, HostileTexts& texts, std::size_t one_in,
                   const Columns& columns) {
  SQLite::Database changed(database.string(), SQLite::OPEN_READWRITE, 5000);
  for (const std::string& table :
       rows_of(changed,
               "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' "
               "order by name")) {
    for (const std::string& column :
         rows_of(changed, "select name from pragma_table_info(?) where type = 'TEXT'", table)) {
      const bool chosen = columns.only.empty() || contains(columns.only, table, column);
      if (!chosen || contains(columns.spared, table, column) || texts.below(one_in) != 0) continue;
      replace_one(changed, table, column, texts,
                  columns.only.empty() ? Rewrite::kAnything : Rewrite::kPrinted);
    }
  }
}

const std::vector<std::string>& printed_columns() {
  static const std::vector<std::string> columns{
      "sweep.description",   "sweep.source",  "sweep_declaration.json",
      "host.hostname",       "host.uid",      "host.cpu_model",
      "device.name",         "environment",   "attempt.message",
      "attempt.stop_reason", "attempt.phase", "attempt_reason",
      "lease.cores",         "fact.text",     "program.json"};
  return columns;
}

void rewrite_files(const fs::path& state, HostileTexts& texts, std::size_t one_in) {
  for (const char* folder : {"sweeps", "runs"}) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(state / folder)) {
      const std::string type = entry.path().extension();
      if (entry.is_regular_file() && (type == ".json" || type == ".ndjson")) {
        files.push_back(entry.path());
      }
    }
    std::sort(files.begin(), files.end());  // so that a seed does the same again
    for (const fs::path& file : files) rewrite_file(file, texts, one_in);
  }
}

}  // namespace sweepd::e2e
