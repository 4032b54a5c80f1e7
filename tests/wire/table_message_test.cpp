// Tests tables and pictures of memory as messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "runner/model/measurement/memory_picture.h"
#include "runner/wire/message.h"

namespace sweepd {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

// Returns the message as it arrives over the socket.
json as_sent(const json& message) {
  return json::parse(message.dump());
}

Table step_time() {
  Table table;
  table.title = "Step \"time\"";
  table.columns = {{"model", "", Align::kLeft}, {"forward", "ms", Align::kRight}};
  table.rows = {{{"small", std::nullopt}, {"12.3 ± 0.1", 12.345678901234567}},
                {{"xl", std::nullopt}, {"OOM", std::nullopt, true}}};
  table.notes = {"mean of time", "a: 2 repeats"};
  table.warnings = 1;
  table.caption = "batch 4; NVIDIA H100";
  table.constants = {{"batch", "4"}, {"device_name", "NVIDIA H100"}};
  return table;
}

Result<Table> read_table(const json& message) {
  Table table;
  if (const auto read = from_message(message, table); !read) return read.error();
  return table;
}

TEST(TableJson, ATableComesBackTheSame) {
  const auto table = read_table(as_sent(to_message(step_time())));
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->title, "Step \"time\"");
  ASSERT_EQ(table->columns.size(), 2U);
  EXPECT_EQ(table->columns[0].align, Align::kLeft);
  EXPECT_EQ(table->columns[1].name, "forward");
  EXPECT_EQ(table->columns[1].unit, "ms");
  EXPECT_EQ(table->columns[1].align, Align::kRight);
  ASSERT_EQ(table->rows.size(), 2U);
  EXPECT_EQ(table->rows[0][1].text, "12.3 ± 0.1");
  EXPECT_EQ(table->rows[0][1].number, 12.345678901234567);  // to the bit
  EXPECT_EQ(table->rows[1][1].text, "OOM");
  EXPECT_FALSE(table->rows[1][1].number);
  EXPECT_TRUE(table->rows[1][1].bold);
  EXPECT_FALSE(table->rows[0][1].bold);
  EXPECT_THAT(table->notes, ElementsAre("mean of time", "a: 2 repeats"));
  EXPECT_EQ(table->warnings, 1U);
  EXPECT_EQ(table->caption, "batch 4; NVIDIA H100");
  EXPECT_EQ(table->constants, step_time().constants);
}

TEST(TableJson, AnEmptyTableComesBackEmpty) {
  const auto table = read_table(as_sent(to_message(Table{})));
  ASSERT_TRUE(table);
  EXPECT_TRUE(table->title.empty() && table->columns.empty() && table->rows.empty());
}

TEST(TableJson, WhatJsonCannotSayStaysInTheText) {
  for (const double value : {std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity(), std::nan("")}) {
    Table table = step_time();
    table.rows = {{{"small", std::nullopt}, {"inf", value}}};
    const auto read = read_table(as_sent(to_message(table)));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->rows[0][1].text, "inf");
    EXPECT_FALSE(read->rows[0][1].number);
  }
}

TEST(TableJson, MalformedTablesAreErrorsNotCrashes) {
  const char* cases[] = {
      "null",
      "3",
      "[]",
      "\"table\"",
      "{}",
      R"({"title":3,"columns":[],"rows":[],"notes":[]})",
      R"({"title":"","columns":3,"rows":[],"notes":[]})",
      R"({"title":"","columns":[{"name":"a"}],"rows":[],"notes":[]})",
      R"({"title":"","columns":[],"rows":["a"],"notes":[]})",
      R"({"title":"","columns":[],"rows":[],"notes":"none"})",
      R"({"title":"","columns":[],"rows":[]})",
      R"({"title":"","columns":[{"name":"a","unit":"","align":"left"}],"rows":[[3]],"notes":[]})",
      R"({"title":"","columns":[{"name":"a","unit":"","align":"left"}],
          "rows":[[{"text":"1","number":"one"}]],"notes":[]})",
  };
  for (const char* text : cases) {
    const auto table = read_table(json::parse(text));
    ASSERT_FALSE(table) << text;
    EXPECT_EQ(table.error().code, ErrorCode::kInternal) << text;
  }
}

// Renderers rely on this (model/sweep/table.h).
TEST(TableJson, ARowOfAnotherLengthThanTheHeadIsRefused) {
  json table = to_message(step_time());
  table["rows"][1].erase(1);
  const auto read = read_table(table);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("a row of 1 cells under 2 columns"));
}

TEST(TableJson, MoreWarningsThanNotesAreRefused) {
  json table = to_message(step_time());
  table["warnings"] = 3;
  EXPECT_THAT(read_table(table).error().message, HasSubstr("more warnings than notes"));
}

TEST(PictureJson, BandsAndPointsAreRows) {
  const json message = json::parse(R"({"rank":1,"subject":"lm_step","bands":[["weights",[8]]],)"
                                   R"("points":[[0,5,"allocate",64,8,8,16,"forward"]]})");
  MemoryPicture picture;
  ASSERT_TRUE(from_message(message, picture));
  EXPECT_EQ(picture.bands.at(0).bytes, std::vector{Bytes{8}});
  EXPECT_EQ(picture.timeline.at(0).time.ns, 5);
  EXPECT_EQ(picture.timeline.at(0).phase, "forward");
  EXPECT_EQ(to_message(picture), message);
}

TEST(PictureJson, MistakesNameTheirPlace) {
  const auto mistake = [](const char* bands) {
    MemoryPicture picture;
    const json message{
        {"rank", 0}, {"subject", ""}, {"bands", json::parse(bands)}, {"points", json::array()}};
    const auto read = from_message(message, picture);
    return read ? "none" : read.error().message;
  };
  EXPECT_EQ(mistake("[]"), "none");
  EXPECT_THAT(mistake("7"), HasSubstr("`bands`: expected a list"));
  EXPECT_THAT(mistake(R"([["weights",8]])"), HasSubstr("`bands[0]`: expected [kind, bytes], got"));
  EXPECT_THAT(mistake(R"([["weights",[8]]])"), HasSubstr("`weights` has 1 values for 0 points"));
}

}  // namespace
}  // namespace sweepd
