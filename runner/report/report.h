// Long-form results -> a table -> text. Pure: the same input gives the same bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"
#include "runner/model/result_set.h"
#include "runner/model/table.h"

namespace sweepd {

// A cell template: text with `{name}` or `{name:.2f}`. Names are statistics (n mean std min p05
// median p95 max mad sum), derived figures (tokens_per_s tflops gbps mfu bandwidth_share: from the
// median) or `outcome`, `verdict`. Errors name the column and the nearest name.
struct CellTemplate {
  struct Part {
    std::string literal;
    std::string name;    // "" for a literal
    std::string format;  // what stood behind the colon
  };
  std::vector<Part> parts;
  bool needs_samples()
      const;  // order statistics over several attempts cannot be pooled from summaries
};
Result<CellTemplate> parse_cell(std::string_view text);

// Checks names and units before anything is read.
Result<void> validate(const TableSpec& table, const std::vector<std::string>& dimensions);

// Rows and columns in the dimensions' display order; several attempts in one cell are pooled; a
// cell without a `done` attempt shows its outcome's word, a pending one "…", a point that the sweep
// never had "". Suspect and invalid cells are marked and explained in the notes. `unit` is the
// target: times ns us ms s, sizes B KB MB GB KiB MiB GiB; 1 MB = 10^6 B.
Result<Table> pivot(const ResultSet& results, const QuerySpec& query);

std::string to_markdown(const Table& table);
std::string to_csv(const Table& table);  // RFC 4180
std::string to_json(
    const Table& table);  // {"title","columns":[{"name","unit"}],"rows":[[...]],"notes"}
// For a terminal; `width` 0 is unlimited.
std::string to_text(const Table& table, std::size_t width);

enum class Format { kMarkdown, kCsv, kJson, kText };
Result<Format> format_from(std::string_view name);  // md, csv, json, text
std::string render(const Table& table, Format format, std::size_t width);

}  // namespace sweepd
