#include "runner/base/units.h"
#include "runner/report/cell/layout.h"
#include "runner/report/cell/report.h"

namespace sweepd {
namespace {

// RFC 4180, section 2: a field with a comma, a quote or a line end is quoted, and a quote inside is
// doubled. Fields with spaces at the ends are quoted too, because some readers trim them.
std::string field(const std::string& text) {
  const bool spaced = text.starts_with(' ') || text.ends_with(' ');
  if (!spaced && text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

void append_record(std::string& out, const std::vector<std::string>& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) out += ',';
    out += field(fields[i]);
  }
  // A single empty field would read as no record at all.
  if (fields.size() == 1 && fields[0].empty()) out += "\"\"";
  out += "\r\n";
}

}  // namespace

std::string to_csv(const Table& table) {
  std::string out;
  std::vector<std::string> fields;
  for (const Column& column : table.columns) fields.push_back(report::header_text(column));
  for (const Table::Constant& constant : table.constants) fields.push_back(constant.name);
  append_record(out, fields);
  for (const auto& row : table.rows) {
    fields.clear();
    for (const Cell& cell : row) {
      fields.push_back(cell.number ? to_text(*cell.number) : cell.text);
    }
    fields.resize(table.columns.size());
    for (const Table::Constant& constant : table.constants) fields.push_back(constant.value);
    append_record(out, fields);
  }
  return out;
}

}  // namespace sweepd
