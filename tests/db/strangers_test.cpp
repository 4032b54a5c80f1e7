// Tests that a malicious database does no harm.
#include "db/base/strangers_file.h"

#include <fmt/format.h>

#include "tests/db/merge_fixture.h"

namespace sweepd {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class Strangers : public MergeTest {
 protected:
  void SetUp() override {
    MergeTest::SetUp();
    measure(theirs_, "there", {{{"model", "small"}}, {{"model", "large"}}});
    theirs_.store.reset();
  }
  // Their database after `change`, which need not keep to the schema.
  std::filesystem::path changed(const std::string& change) const {
    const auto bad = folder_ / "bad.db";
    std::filesystem::remove(bad);
    SQLite::Database(theirs_.file.string(), SQLite::OPEN_READONLY)
        .exec("vacuum into '" + bad.string() + "'");
    SQLite::Database database(bad.string(), SQLite::OPEN_READWRITE);
    database.exec("pragma foreign_keys = off");
    database.exec(change);
    return bad;
  }
  Error refusal_of_merge(const std::string& change) {
    const Lines before = everything(ours_);
    const auto receipt = merge(ours_, changed(change));
    EXPECT_FALSE(receipt) << change;
    EXPECT_EQ(everything(ours_), before) << change;
    return receipt ? Error{ErrorCode::kInternal, "it was merged"} : receipt.error();
  }
};

constexpr auto kForEver =
    " as with recursive r(n) as (select 1 union all select n + 1 from r) select n as id, n as uid "
    "from r";

// A view may never end, and everything waits for the writer.
TEST_F(Strangers, AViewInPlaceOfATableIsRefused) {
  for (const char* table : {"attempt", "sweep", "name", "sweep_count", "params_toy"}) {
    const Error error =
        refusal_of_merge(fmt::format("pragma legacy_alter_table = on; alter table {0} rename to "
                                     "gone; create view {0}{1}",
                                     table, kForEver));
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument) << error.message;
    EXPECT_THAT(error.message,
                HasSubstr(fmt::format("`{}` is a view in it; expected a table", table)));
    const auto readable = is_readable_in_place(folder_ / "bad.db", toy_catalog());
    ASSERT_FALSE(readable);
    EXPECT_THAT(readable.error().message, HasSubstr("is a view in it"));
  }
}

TEST_F(Strangers, NamesAndIdsAreThoseThatASubmissionMayHave) {
  const std::string long_name(4 << 20, 'a');
  for (const auto& [change, message] : std::initializer_list<std::pair<std::string, const char*>>{
           {"update sweep set name = 'a$(touch PWNED)'", "a sweep `a$(touch PWNED)`; expected"},
           {"update sweep set name = char(27) || '[2J'", "a sweep ` [2J`"},
           {"update sweep set name = ''", "a sweep ``"},
           {"update sweep set name = '" + long_name + "'", "a sweep `aaaa"},
           {"update sweep set description = '" + long_name + "aaa'",
            "a text in its table `sweep` is longer than 4 MiB"},
           {"update params_toy set model = '" + long_name + "aaa'",
            "a text in its table `params_toy` is longer"},
           {"update trial set workload = 'a b'", "a workload `a b`"},
           {"update sweep set uid = '../../w/package'", "a sweep `../../w/package`; expected hex"},
           {"update attempt set uid = printf('%.100c', 'a') where row = 1", "an attempt `aaaa"},
           {"insert into program values ('a b', '{}')", "`a b` is not a name"},
           {"insert into program values ('toy', '{}')", "`toy` is taken"}}) {
    const Error error = refusal_of_merge(change);
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument) << error.message;
    EXPECT_THAT(error.message, AllOf(HasSubstr(message), SizeIs(testing::Lt(500U))));
  }
}

// A report would follow a list into nothing.
TEST_F(Strangers, ADeclarationThatNoSweepFileHasIsNamed) {
  const auto tables_with = [this](const std::string& json) {
    const auto reader = Reader::open(
        changed(fmt::format("update sweep_declaration set json = '{}' where kind = 'table'", json)),
        catalog_);
    EXPECT_TRUE(reader);
    return (*reader)->tables_of((*reader)->find_sweep("there")->id);
  };
  EXPECT_EQ(*tables_with(R"({"title": null, "of a later version": 1})"), std::vector{TableSpec()});
  for (const auto& [json, message] : std::initializer_list<std::pair<std::string, const char*>>{
           {"{", "not valid JSON"},
           {std::string(100'000, '['), "not valid JSON"},
           {"[]", "expected an object, got array"},
           {R"({"rows": "x"})", "`rows`: expected a list, got string"},
           {R"({"rows": [1]})", "`rows`: expected a text, got number"},
           {R"({"warmup": 1})", "`warmup`: expected true or false, got number"},
           {R"({"bold": "loud"})", "`bold`: "},
           {R"({"bold": 1})", "`bold`: expected a word, got number"},
           {R"({"rest": {"below": "x"}})", "`rest`: `below`: expected a number, got string"},
           {R"({"limit": 0.5})", "`limit`: expected an integer"},
           {R"({"limit": -1})", "a negative limit"},
           {R"({"where": [{"name": "phase"}]})", "a filter without values"},
           {R"({"values": [{"where": [{}]}]})", "a filter without values"},
           {R"({"baseline": [{"name": "model"}]})", "a filter without values"}}) {
    const auto tables = tables_with(json);
    ASSERT_FALSE(tables) << json;
    EXPECT_THAT(tables.error().message,
                AllOf(HasSubstr("table 1 of the sweep: "), HasSubstr(message)));
  }
}

// Values that the schema there accepts: a column there may have any declaration.
TEST_F(Strangers, ADeclarationOfAParameterIsNotRun) {
  for (const char* column :
       {"x integer default (abs(-1))", "x text default ('' || 'a')", "x any default 1", "x text"}) {
    const Error error = refusal_of_merge(fmt::format(
        "create table params_other (trial integer primary key references trial (id), {}) strict",
        column));
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument) << error.message;
    EXPECT_THAT(error.message, HasSubstr("parameter `x` of `other` is declared there as"));
  }
}

TEST_F(Strangers, RowsThatContradictEachOtherAreNoBug) {
  const auto merged = merge(ours_, changed("update attempt set host = 4711"));
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().code, ErrorCode::kFailedPrecondition) << merged.error().message;
  EXPECT_THAT(merged.error().message, HasSubstr("the file is not as sweepd writes it"));
}

TEST_F(Strangers, ATableThatIsMissingIsNoBug) {
  const Error error = refusal_of_merge("drop table device_peak");
  EXPECT_EQ(error.code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(error.message, AllOf(HasSubstr("no such table: device_peak"),
                                   HasSubstr("the file is not as sweepd writes it")));
}

TEST_F(Strangers, AStatementHasATimeLimit) {
  const auto file = changed("create view endless" + std::string(kForEver));
  Connection connection(file, Access::kReadOnly);
  connection.distrust(milliseconds(1));
  try {
    Query(connection, "SELECT count(*) FROM endless").next();
    FAIL() << "it ended";
  } catch (const SQLite::Exception& exception) {
    EXPECT_EQ(exception.getErrorCode() & 0xff, SQLITE_INTERRUPT);
  }
}

// An existing one, merged before this was checked.
TEST_F(Strangers, ANameOfAnyLengthDoesNotBreakTheList) {
  measure(ours_, "here", {{{"model", "small"}}});
  SQLite::Database(ours_.file.string(), SQLite::OPEN_READWRITE)
      .exec("update sweep set name = printf('%.20000000c', 'n')");
  auto reader = Reader::open(ours_.file, catalog_);
  ASSERT_TRUE(reader);
  const auto sweeps = (*reader)->sweeps(0);
  ASSERT_TRUE(sweeps) << sweeps.error().message;
  EXPECT_EQ(sweeps->at(0).name, std::string(256, 'n'));
  EXPECT_THAT((*reader)->find_sweep("other").error().message, SizeIs(testing::Lt(500U)));
}

// Its row's number would become another sweep's, which would get the trials.
TEST_F(Strangers, WhatIsBeingMergedIsNotDeleted) {
  const NewSweep own = measure(ours_, "here", {{{"model", "xl"}}});
  auto copy = DatabaseCopy::make(theirs_.file, folder_, catalog_);
  ASSERT_TRUE(copy);
  ASSERT_TRUE(Merger::prepare(copy->file()));
  auto merger = Merger::begin(*ours_.store, copy->file());
  ASSERT_TRUE(merger);
  ASSERT_TRUE((*merger)->step());  // the sweeps, without their trials
  const auto ids = ours_.store->sweep_ids();
  ASSERT_EQ(ids->size(), 2U);
  const SweepId theirs = ids->at(0) == own.id ? ids->at(1) : ids->at(0);
  const auto refused = ours_.store->delete_sweeps({theirs}, Store::Deletion::kForReal);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(refused.error().message, HasSubstr("sweep there ("));
  EXPECT_THAT(refused.error().message, HasSubstr("is being merged; wait until the merge ends"));
  EXPECT_TRUE(ours_.store->delete_sweeps({own.id}, Store::Deletion::kForReal));
  for (bool more = true; more;) {
    const auto stepped = (*merger)->step();
    ASSERT_TRUE(stepped) << stepped.error().message;
    more = *stepped;
  }
  merger->reset();
  EXPECT_THAT(rows(ours_.file,
                   "select name, count(*) from sweep s join sweep_trial t on t.sweep = "
                   "s.id group by s.id"),
              ElementsAre("there|2"));
  EXPECT_TRUE(ours_.store->delete_sweeps({theirs}, Store::Deletion::kForReal));
}

}  // namespace
}  // namespace sweepd
