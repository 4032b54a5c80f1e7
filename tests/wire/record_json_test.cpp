// Tests records as JSON: a new field needs its line in `visit` and nothing else.
#include "runner/wire/record_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/wire/message.h"

namespace sweepd {
namespace {

using testing::HasSubstr;
using Json = nlohmann::ordered_json;

struct Parcel {
  int rank = 0;
  std::string label;
  Bytes size;
  std::optional<Duration> opened;
  Shape3 sides{};
  double weight = 0;

  static void visit(auto& self, auto&& field) {
    field("rank", self.rank, "", Implied());
    field("label", self.label, "", Sparse());
    field("size", self.size, "");
    field("opened", self.opened, "");
    field("sides", self.sides, "");
    field("weight", self.weight, "");
  }
};

std::string written(const Parcel& parcel) {
  return to_message<Json>(parcel).dump();
}

Result<Parcel> read_back(const std::string& line) {
  Parcel parcel;
  if (const auto read = from_message(Json::parse(line), parcel); !read) return read.error();
  return parcel;
}

TEST(RecordJson, WritesWhatIsKnownUnderItsName) {
  EXPECT_EQ(written({3, "", 5_KiB, std::nullopt, {1, 2, 3}, 0.5}),
            R"({"size":5120,"sides":[1,2,3],"weight":0.5})");
  EXPECT_EQ(written({3, "books", Bytes{1}, Duration{7}, {}, std::nan("")}),
            R"({"label":"books","size":1,"opened":7,"sides":[0,0,0],"weight":"nan"})");
}

TEST(RecordJson, ReadsItBack) {
  const auto parcel =
      read_back(R"({"label":"books","size":1,"opened":7,"sides":[4,5,6],"weight":"-inf"})");
  ASSERT_TRUE(parcel) << parcel.error().message;
  EXPECT_EQ(parcel->label, "books");
  EXPECT_EQ(parcel->size.value, 1);
  EXPECT_EQ(parcel->opened->ns, 7);
  EXPECT_EQ(parcel->sides, (Shape3{4, 5, 6}));
  EXPECT_TRUE(std::isinf(parcel->weight));
}

TEST(RecordJson, NamesTheFieldThatIsMissingOrWrong) {
  EXPECT_THAT(read_back(R"({"sides":[1,2,3],"weight":1})").error().message,
              HasSubstr("`size` is missing"));
  EXPECT_THAT(read_back(R"({"size":1,"sides":[1,2],"weight":1})").error().message,
              HasSubstr("`sides`: expected three integers"));
  EXPECT_THAT(read_back(R"({"size":"x","sides":[1,2,3],"weight":1})").error().message,
              HasSubstr(R"(`size`: expected an integer, got "x")"));
}

TEST(RecordJson, RowsAreArraysInTheOrderOfTheDescription) {
  Json text = Json::object();
  text["parcels"] = rows_to_json(std::vector<Parcel>{{1, "a", Bytes{2}, std::nullopt, {}, 1}});
  EXPECT_EQ(text.dump(), R"({"parcels":[["a",2,null,[0,0,0],1.0]]})");
  EXPECT_EQ(row_form<Parcel>(), "[label, size, opened_ns or null, sides, weight]");
  Parcel parcel;
  EXPECT_THAT(read_row(Json::parse(R"(["a",2])"), parcel),
              HasSubstr("expected [label, size, opened_ns or null, sides, weight], got [\"a\",2]"));
}

}  // namespace
}  // namespace sweepd
