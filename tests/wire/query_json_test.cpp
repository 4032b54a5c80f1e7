#include "runner/wire/query_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sweepd {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

// Returns the message as it arrives over the socket.
json sent(const json& message) {
  return json::parse(message.dump());
}

TEST(QueryJson, AQueryComesBackTheSame) {
  QuerySpec query;
  query.workload = "lm_step";
  query.sweep = "3f9c2a7be01d4455";
  query.table.title = "T";
  query.table.rows = {"model", "context"};
  query.table.columns = {"phase"};
  query.table.cell = "{mean:.1f}";
  query.table.metric = "host_time";
  query.table.unit = "s";
  query.table.where = {{"model", {"xl", "2.7B"}}, {"context", {"128"}}};
  query.table.warmup = true;
  query.table.bold = Bold::kChanged;
  query.table.headings = {{"model", "Size"}};
  query.table.baseline = {{"precision", {"fp32"}}};
  query.table.values = {{"Min", "{min}", "", "", {}, {}, {}},
                        {"Peak",
                         "{max}",
                         "peak_allocated_bytes",
                         "MiB",
                         {{"phase", {"step"}}},
                         false,
                         Bold::kSlower}};
  query.table.sort = {"-median"};
  query.table.limit = 10;
  query.only_varying = true;
  query.newest = true;
  query.table.pool = {"seed", "batch"};
  query.with = {"n"};
  const auto read = query_from_json(sent(to_json(query)));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->workload, "lm_step");
  EXPECT_EQ(read->sweep, "3f9c2a7be01d4455");
  EXPECT_EQ(read->table.title, "T");
  EXPECT_THAT(read->table.rows, ElementsAre("model", "context"));
  EXPECT_THAT(read->table.columns, ElementsAre("phase"));
  EXPECT_EQ(read->table.cell, "{mean:.1f}");
  EXPECT_EQ(read->table.metric, "host_time");
  EXPECT_EQ(read->table.unit, "s");
  ASSERT_EQ(read->table.where.size(), 2U);
  EXPECT_EQ(read->table.where[0].name, "context");  // an object's members have no order
  EXPECT_EQ(read->table.where[1].name, "model");
  EXPECT_THAT(read->table.where[1].values, ElementsAre("xl", "2.7B"));
  EXPECT_TRUE(read->table.warmup);
  EXPECT_EQ(read->table.bold, Bold::kChanged);
  ASSERT_EQ(read->table.headings.size(), 1U);
  EXPECT_EQ(read->table.headings[0].text, "Size");
  ASSERT_EQ(read->table.baseline.size(), 1U);
  EXPECT_EQ(read->table.baseline[0].name, "precision");
  EXPECT_THAT(read->table.baseline[0].values, ElementsAre("fp32"));
  ASSERT_EQ(read->table.values.size(), 2U);
  EXPECT_EQ(read->table.values[0].name, "Min");
  EXPECT_EQ(read->table.values[0].warmup, std::nullopt);
  EXPECT_EQ(read->table.values[1].cell, "{max}");
  EXPECT_EQ(read->table.values[1].metric, "peak_allocated_bytes");
  EXPECT_EQ(read->table.values[1].unit, "MiB");
  EXPECT_EQ(read->table.values[1].warmup, false);
  EXPECT_EQ(read->table.values[0].bold, std::nullopt);
  EXPECT_EQ(read->table.values[1].bold, Bold::kSlower);
  ASSERT_EQ(read->table.values[1].where.size(), 1U);
  EXPECT_THAT(read->table.values[1].where[0].values, ElementsAre("step"));
  EXPECT_THAT(read->table.sort, ElementsAre("-median"));
  EXPECT_EQ(read->table.limit, 10);
  EXPECT_TRUE(read->only_varying);
  EXPECT_TRUE(read->newest);
  EXPECT_THAT(read->table.pool, ElementsAre("seed", "batch"));
  EXPECT_THAT(read->with, ElementsAre("n"));
}

TEST(QueryJson, AnythingMayBeLeftOut) {
  const auto query = query_from_json(json::object());
  ASSERT_TRUE(query);
  EXPECT_TRUE(query->workload.empty() && query->table.where.empty());
  EXPECT_EQ(query->table.limit, 0);
}

// `--where model=xl --where model=small` on a command line.
TEST(QueryJson, AFilterGivenTwiceHasTheValuesOfBoth) {
  QuerySpec query;
  query.table.where = {{"model", {"xl"}}, {"model", {"small", "medium"}}};
  const auto read = query_from_json(sent(to_json(query)));
  ASSERT_TRUE(read);
  ASSERT_EQ(read->table.where.size(), 1U);
  EXPECT_THAT(read->table.where[0].values, ElementsAre("xl", "small", "medium"));
}

TEST(QueryJson, MistakesNameTheMember) {
  const struct {
    const char* query;
    const char* says;
  } cases[] = {
      {R"({"workload":1})", "`workload` must be a string"},
      {R"({"rows":"model"})", "`rows` must be a list of strings"},
      {R"({"rows":[["model"]]})", "`rows` must be a list of strings"},
      {R"({"limit":"10"})", "`limit` must be an integer"},
      {R"({"limit":18446744073709551615})", "`limit` must be a 64-bit integer"},
      {R"({"warmup":"yes"})", "`warmup` must be true or false"},
      {R"({"where":["model=xl"]})", "`where` must be an object"},
      {R"({"where":"model=xl"})", "`where` must be an object"},
      {R"({"where":{"model":"xl"}})", "`model` must be a list of strings"},
      {R"({"where":{"context":[128]}})", "`context` must be a list of strings"},
      {R"({"collumns":[]})", "did you mean `columns`?"},
      {R"({"bold":"quicker"})", "`quicker` is not one of none, faster, slower, changed"},
      {R"({"headings":["Size"]})", "`headings` must be an object"},
      {R"({"baseline":{"precision":["fp32"]}})", "`precision` must be a string"},
      {R"({"values":{"name":"Min"}})", "`values` must be a list of objects"},
      {R"({"values":[{},"Min"]})", "values, entry 2: expected an object"},
      {R"({"values":[{"nmae":"Min"}]})", "did you mean `name`?"},
      {R"({"values":[{"warmup":1}]})", "`warmup` must be true or false"},
      {R"([])", "expected an object"},
  };
  for (const auto& c : cases) {
    const auto query = query_from_json(json::parse(c.query));
    ASSERT_FALSE(query) << c.query;
    EXPECT_EQ(query.error().code, ErrorCode::kInvalidArgument) << c.query;
    EXPECT_THAT(query.error().message, HasSubstr(c.says)) << c.query;
  }
}

}  // namespace
}  // namespace sweepd
