#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "runner/report/cell/report.h"

namespace sweepd {
namespace {

using Records = std::vector<std::vector<std::string>>;

// Reads RFC 4180: fields, quotes, CRLF.
Records read_csv(const std::string& text) {
  Records records;
  std::vector<std::string> record(1);
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"') {
        record.back() += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        record.back() += text[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      record.emplace_back();
    } else if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
      records.push_back(std::move(record));
      record.assign(1, "");
      ++i;
    } else {
      record.back() += c;
    }
  }
  EXPECT_TRUE(record.size() == 1 && record[0].empty()) << "the last record lacks its line end";
  return records;
}

TEST(Csv, NumbersUnroundedUnitsInTheHeader) {
  Table table;
  table.columns = {
      {"model", "", Align::kLeft}, {"forward", "ms", Align::kRight}, {"MFU", "1", Align::kRight}};
  table.rows = {{{"small", {}}, {"12.3", 12.345678901234567}, {"45.2%", 0.4520001}},
                {{"xl, wide", {}}, {"OOM", {}}, {"", {}}},
                {{"1998235200", 1998235200}, {"1.1†", {}}, {"nan", std::nan("")}}};
  table.notes = {"notes are not data"};
  EXPECT_EQ(to_csv(table),
            "model,forward (ms),MFU\r\n"
            "small,12.345678901234567,0.4520001\r\n"
            "\"xl, wide\",OOM,\r\n"
            "1998235200,1.1†,nan\r\n");
}

TEST(Csv, QuotesAsTheStandardSays) {
  Table table;
  table.columns = {{"text", "", Align::kLeft}};
  for (const char* text : {"plain", "a,b", "say \"hi\"", "two\r\nlines", " spaced ", ""}) {
    table.rows.push_back({{text, {}}});
  }
  EXPECT_EQ(to_csv(table),
            "text\r\nplain\r\n\"a,b\"\r\n\"say \"\"hi\"\"\"\r\n\"two\r\nlines\"\r\n\" spaced \"\r\n"
            "\"\"\r\n");
}

TEST(Csv, NoRowsIsTheHeaderAlone) {
  Table table;
  table.columns = {{"model", "", Align::kLeft}};
  EXPECT_EQ(to_csv(table), "model\r\n");
}

TEST(Csv, WhatIsWrittenIsReadBack) {
  EXPECT_TRUE(rc::check([] {
    const auto letter = rc::gen::element(',', '"', '\r', '\n', 'a', ' ', ';', '\t');
    const int columns = *rc::gen::inRange(1, 4);
    const int rows = *rc::gen::inRange(0, 5);
    Table table;
    Records expected(1);
    for (int c = 0; c < columns; ++c) {
      table.columns.push_back({*rc::gen::container<std::string>(letter), "", Align::kLeft});
      expected[0].push_back(table.columns.back().name);
    }
    for (int r = 0; r < rows; ++r) {
      auto& row = table.rows.emplace_back();
      auto& record = expected.emplace_back();
      for (int c = 0; c < columns; ++c) {
        row.push_back({*rc::gen::container<std::string>(letter), std::nullopt});
        record.push_back(row.back().text);
      }
    }
    RC_ASSERT(read_csv(to_csv(table)) == expected);
  }));
}

TEST(Csv, NumbersComeBackToTheLastBit) {
  EXPECT_TRUE(rc::check([](double value) {
    RC_PRE(std::isfinite(value));
    Table table;
    table.columns = {{"x", "", Align::kRight}};
    table.rows = {{{"rounded", value}}};
    RC_ASSERT(std::stod(read_csv(to_csv(table))[1][0]) == value);
  }));
}

}  // namespace
}  // namespace sweepd
