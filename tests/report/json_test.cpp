#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "runner/report/cell/report.h"

namespace sweepd {
namespace {

using nlohmann::json;

TEST(Json, AFixedShapeOneRowALine) {
  Table table;
  table.title = "Step time";
  table.columns = {{"model", "", Align::kLeft}, {"forward", "ms", Align::kRight}};
  table.rows = {{{"small", {}}, {"12.3", 12.345}}, {{"xl", {}}, {"OOM", {}}}};
  table.notes = {"mean of time, n = 10"};
  EXPECT_EQ(to_json_text(table), R"({
  "title": "Step time",
  "columns": [
    {"name": "model", "unit": ""},
    {"name": "forward", "unit": "ms"}
  ],
  "rows": [
    ["small", 12.345],
    ["xl", "OOM"]
  ],
  "notes": [
    "mean of time, n = 10"
  ]
}
)");
}

TEST(Json, HostileTextParsesBack) {
  const std::string texts[] = {"quote \" backslash \\ slash /", "line\nbreak\ttab", "\x01\x1f",
                               "± † 模型 \U0001f600"};
  for (const std::string& text : texts) {
    Table table;
    table.title = text;
    table.columns = {{text, text, Align::kLeft}};
    table.rows = {{{text, {}}}};
    table.notes = {text};
    const json parsed = json::parse(to_json_text(table));
    EXPECT_EQ(parsed["title"], text);
    EXPECT_EQ(parsed["columns"][0]["name"], text);
    EXPECT_EQ(parsed["rows"][0][0], text);
    EXPECT_EQ(parsed["notes"][0], text);
  }
}

TEST(Json, BytesThatAreNotUtf8BecomeTheReplacementCharacter) {
  Table table;
  table.columns = {{"log", "", Align::kLeft}};
  table.rows = {{{"bad \xff byte", {}}}};
  EXPECT_EQ(json::parse(to_json_text(table))["rows"][0][0], "bad \uFFFD byte");
}

TEST(Json, NumbersAreExactAndOnlyFiniteOnes) {
  const double third = 1.0 / 3.0;
  Table table;
  table.columns = {{"x", "1", Align::kRight}};
  for (const double value :
       {third, 1998235200.0, -0.0, 1e300, std::nan(""), std::numeric_limits<double>::infinity()}) {
    table.rows.push_back({{"shown", value}});
  }
  table.rows.push_back({{"", {}}});
  const json rows = json::parse(to_json_text(table))["rows"];
  EXPECT_EQ(rows[0][0].get<double>(), third);
  EXPECT_TRUE(rows[1][0].is_number_integer());
  EXPECT_EQ(rows[1][0], 1998235200);
  EXPECT_EQ(rows[3][0].get<double>(), 1e300);
  EXPECT_TRUE(rows[4][0].is_null());
  EXPECT_TRUE(rows[5][0].is_null());
  EXPECT_TRUE(rows[6][0].is_null()) << "a point that the sweep never had";
}

TEST(Json, AnEmptyTableIsStillADocument) {
  EXPECT_EQ(json::parse(to_json_text({})),
            json::parse(R"({"title":"","columns":[],"rows":[],"notes":[]})"));
}

}  // namespace
}  // namespace sweepd
