// Tests the code derived from a message's description: its JSON both ways, and a request's checks.
#include "runner/wire/message.h"

#include <gmock/gmock.h>

namespace sweepd {
namespace {

struct Part {
  std::string name;
  std::int64_t points = 0;
  static void visit(auto& self, auto&& field) {
    field("name", self.name, "");
    field("points", self.points, "");
  }
};

struct Whole {
  Duration took{0};
  Bytes size;
  double ratio = 0;
  std::vector<Part> parts;
  std::map<std::string, std::int64_t> again;
  std::optional<Part> left_out, null;
  std::vector<Table> tables;
  static void visit(auto& self, auto&& field) {
    field("took_ns", self.took, "");
    field("size_bytes", self.size, "");
    field("ratio", self.ratio, "");
    field("parts", self.parts, "");
    field("again", self.again, "");
    field("left_out", self.left_out, "");
    field("null", self.null, "", OrNull());
    field("tables", self.tables, "");
  }
};

nlohmann::json whole() {
  return {{"took_ns", 5},
          {"size_bytes", 1 << 20},
          {"ratio", 1.5},
          {"parts", {{{"name", "a"}, {"points", 1}}, {{"name", "b"}, {"points", 2}}}},
          {"again", {{"oom", 3}}},
          {"null", nullptr},
          {"tables",
           {{{"title", "T"},
             {"columns", nlohmann::json::array()},
             {"rows", nlohmann::json::array()},
             {"notes", {"n"}}}}}};
}

TEST(Message, IsReadAsItWasWritten) {
  Whole read;
  ASSERT_TRUE(from_message(whole(), read).ok());
  EXPECT_EQ(read.took.ns, 5);
  EXPECT_EQ(read.parts.at(1).name, "b");
  EXPECT_EQ(read.tables.at(0).title, "T");
  EXPECT_EQ(to_message(read), whole());
  read.left_out = Part{"c", 4};
  read.null = Part{"d", 5};
  const nlohmann::json both = to_message(read);
  Whole again;
  ASSERT_TRUE(from_message(both, again).ok());
  EXPECT_EQ(again.left_out->name, "c");
  EXPECT_EQ(again.null->points, 5);
}

TEST(Message, IgnoresWhatANewerDaemonAdds) {
  nlohmann::json newer = whole();
  newer["colour"] = "blue";
  newer["parts"][0]["colour"] = 3;
  Whole read;
  EXPECT_TRUE(from_message(newer, read).ok());
}

TEST(Message, AnErrorNamesTheMember) {
  const auto error_with = [](const nlohmann::json::json_pointer& at, const nlohmann::json& value) {
    nlohmann::json wrong = whole();
    wrong[at] = value;
    Whole read;
    const auto result = from_message(wrong, read);
    return result ? "" : result.error().message;
  };
  EXPECT_EQ(error_with("/parts/1/points"_json_pointer, "2"),
            "`parts[1].points`: expected an integer, got \"2\"");
  EXPECT_EQ(error_with("/parts"_json_pointer, 1), "`parts`: expected a list, got 1");
  EXPECT_EQ(error_with("/again/oom"_json_pointer, 1.5),
            "`again.oom`: expected an integer, got 1.5");
  EXPECT_EQ(error_with("/left_out"_json_pointer, {{"name", "x"}}), "`left_out.points` is missing");
  EXPECT_THAT(error_with("/tables/0"_json_pointer, 7), testing::StartsWith("`tables[0]`: "));
  nlohmann::json missing = whole();
  missing.erase("ratio");
  Whole read;
  EXPECT_EQ(from_message(missing, read).error().message, "`ratio` is missing");
}

struct Asked {
  std::string sweep, table = "first";
  std::int64_t limit = 50;
  int rank = 0;
  bool now = false;
  std::vector<std::string> which = {};
  std::string folder = {};
  static void visit(auto& self, auto&& field) {
    field("sweep", self.sweep, "", Required());
    field("table", self.table, "");
    field("folder", self.folder, "", IsPath());
    field("limit", self.limit, "", Limits{.least = 0});
    field("rank", self.rank, "", Limits{.least = 0, .most = 7});
    field("now", self.now, "");
    field("which", self.which, "");
  }
};

TEST(ReadParams, MembersThatAreNotThereKeepTheirDefaults) {
  const auto asked = read_params<Asked>(nlohmann::json{{"sweep", "s"}, {"limit", nullptr}});
  ASSERT_TRUE(asked.ok());
  EXPECT_EQ(asked->table, "first");
  EXPECT_EQ(asked->limit, 50);
}

TEST(ReadParams, IsWhatAClientWrote) {
  const Asked asked{"s", "t", 3, 4, true, {"a", "b"}};
  const auto read = read_params<Asked>(to_params(asked));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(to_message(*read), to_message(asked));
}

TEST(ReadParams, AClientWritesWhatIsNotTheDefaultAndWhatIsRequired) {
  Asked asked;
  EXPECT_EQ(to_params(asked), (nlohmann::json{{"sweep", ""}}));
  asked.table = "second";
  EXPECT_EQ(to_params(asked), (nlohmann::json{{"sweep", ""}, {"table", "second"}}));
}

TEST(ReadParams, ChecksTypesLimitsAndNames) {
  const auto error_of = [](nlohmann::json params) {
    const auto asked = read_params<Asked>(params);
    return asked ? "" : asked.error().message;
  };
  EXPECT_EQ(error_of(nlohmann::json::object()), "`sweep` must be given: a string");
  EXPECT_EQ(error_of({{"sweep", "s"}, {"limit", -1}}), "`limit` must be 0 or more, not -1");
  EXPECT_EQ(error_of({{"sweep", "s"}, {"rank", 8}}), "`rank` must be from 0 to 7, not 8");
  EXPECT_EQ(error_of({{"sweep", "s"}, {"rank", std::int64_t{1} << 32}}),
            "`rank` must be from 0 to 7, not 4294967296");
  EXPECT_EQ(error_of({{"sweep", "s"}, {"now", 1}}), "`now` must be true or false");
  EXPECT_THAT(error_of({{"sweep", "s"}, {"tabel", "t"}}),
              testing::HasSubstr("unknown parameter `tabel`"));
  // The system would read the path to the NUL, and find another file.
  EXPECT_EQ(error_of({{"sweep", "s"}, {"folder", std::string("/a\0b", 4)}}),
            "`folder` must be a path without a NUL");
  EXPECT_EQ(error_of({{"sweep", "s"}, {"folder", 1}}), "`folder` must be a string");
  EXPECT_EQ(error_of({{"sweep", "s"}, {"folder", "/a"}}), "");
}

}  // namespace
}  // namespace sweepd
