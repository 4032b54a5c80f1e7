// Tests how things are found, and that everything known about them is returned.
#include <algorithm>

#include "db/query/state.h"
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::string> titles(const std::vector<Table>& tables) {
  std::vector<std::string> all;
  for (const Table& table : tables) all.push_back(table.title);
  return all;
}

std::string cell(const std::vector<Table>& tables, const std::string& title, const std::string& row,
                 std::size_t column) {
  for (const Table& table : tables) {
    if (table.title != title) continue;
    for (const auto& cells : table.rows) {
      if (cells[0].text == row) return cells[column].text;
    }
  }
  return "no such row";
}

TEST_F(DbTest, AReaderCannotAttachOrLoadAnything) {
  ReaderState state(file(), catalog_);
  for (const auto& [sql, error] :
       {std::pair{"ATTACH ':memory:' AS other", "too many attached databases - max 0"},
        {"SELECT load_extension('other')", "not authorized"}}) {
    try {
      Query(state.connection, sql).next();
      ADD_FAILURE() << sql << " was let through";
    } catch (const SQLite::Exception& exception) {
      EXPECT_THAT(exception.what(), HasSubstr(error)) << sql;
    }
  }
}

TEST_F(DbTest, SweepsAreListedNewestFirst) {
  for (const auto& [name, when] : {std::pair{"one", 10}, {"two", 30}, {"three", 20}}) {
    auto request = sweep(name, {{{"model", "xl"}}, {{"model", "small"}}});
    request.sweep.description = std::string("the ") + name;
    request.submitted = WallTime{when};
    submit(request);
  }
  const auto sweeps = reader_->sweeps(2);
  ASSERT_TRUE(sweeps);
  ASSERT_EQ(sweeps->size(), 2u);
  EXPECT_EQ(sweeps->at(0).name, "two");
  EXPECT_EQ(sweeps->at(0).description, "the two");
  EXPECT_EQ(sweeps->at(0).workload, "toy");
  EXPECT_EQ(sweeps->at(0).submitted.ns, 30);
  EXPECT_EQ(sweeps->at(0).trials, 2);
  EXPECT_EQ(sweeps->at(0).counts.total, 2);
  EXPECT_EQ(sweeps->at(1).name, "three");
}

TEST_F(DbTest, ASweepIsFoundByIdPrefixOrName) {
  auto a = sweep("lm", {{{"model", "xl"}}});
  auto b = sweep("lm", {{{"model", "xl"}}});
  auto c = sweep("attention", {{{"model", "xl"}}});
  a.id = "aaaa000000000000";
  b.id = "aaaa111111111111";
  c.id = "bbbb000000000000";
  b.submitted = WallTime{a.submitted.ns + 5};
  for (const auto& request : {a, b, c}) submit(request);

  struct Case {
    std::string who, found, error;
  };
  const std::vector<Case> cases{
      {"aaaa000000000000", a.id, ""},
      {"aaaa0", a.id, ""},
      {"bbbb", c.id, ""},
      {"lm", b.id, ""},  // the latest with this name
      {"aaaa", "", "`aaaa` could be aaaa000000000000 (lm), aaaa111111111111 (lm)"},
      {"bbb", "", "too short"},
      {"attenton", "", "did you mean `attention`?"},
      {"cccc", "", "no sweep has the id or name `cccc`"},
      {"", b.id, ""},  // the latest of all
      {"lm@previous", a.id, ""},
      {"aaaa1@previous", a.id, ""},
      {"@previous", a.id, ""},
      {"lm@previous@previous", "", "no sweep `lm` was submitted before aaaa0000"},
      {"none@previous", "", "no sweep has the id or name `none`"},
  };
  for (const Case& c_ : cases) {
    const auto found = reader_->find_sweep(c_.who);
    if (c_.error.empty()) {
      ASSERT_TRUE(found) << found.error().message;
      EXPECT_EQ(found->id, c_.found);
    } else {
      ASSERT_FALSE(found) << c_.who;
      EXPECT_THAT(found.error().message, HasSubstr(c_.error));
    }
  }
}

// The oldest sweep's id begins with another sweep's name, so `cancel abcd` must not guess.
TEST_F(DbTest, ANameThatBeginsAnotherSweepsIdIsAmbiguous) {
  auto named = sweep("abcd", {{{"model", "xl"}}});
  auto other = sweep("lm", {{{"model", "xl"}}});
  auto own = sweep("ef01", {{{"model", "xl"}}});
  named.id = "1111000000000000";
  other.id = "abcd222200000000";
  own.id = "ef01333300000000";  // begins with its own name: there is no choice
  for (const auto& request : {named, other, own}) submit(request);
  const auto found = reader_->find_sweep("abcd");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(found.error().message,
            "`abcd` is the name of sweep 1111000000000000 and the beginning of the id "
            "abcd222200000000; give more digits of one of them");
  EXPECT_EQ(reader_->find_sweep("abcd2")->id, other.id);
  EXPECT_EQ(reader_->find_sweep("1111")->id, named.id);
  EXPECT_EQ(reader_->find_sweep("ef01")->id, own.id);
}

TEST_F(DbTest, AttemptsAndTrialsAreFoundByPrefix) {
  const auto attempt = submit(sweep("s", {{{"model", "xl"}, {"context", "64"}}})).queued.front();
  const auto found = reader_->find_attempt(attempt.id.substr(0, 8));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->row, attempt.row);
  EXPECT_EQ(found->label, "model=xl context=64");
  EXPECT_EQ(reader_->attempts_of_trial(attempt.trial_key.substr(0, 6)).value().size(), 1u);
  const auto none = attempt.id.front() == 'f' ? "0000" : "ffff";
  EXPECT_EQ(reader_->find_attempt(none).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(reader_->find_attempt("xl").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(reader_->attempts_of_trial("12").error().code, ErrorCode::kInvalidArgument);
}

TEST_F(DbTest, ShowTellsEverythingOfAnAttempt) {
  const auto request = sweep("s", {{{"model", "xl"}}});
  const auto attempt = submit(request).queued.front();
  ASSERT_TRUE(
      store_->mark_started(attempt.row, WallTime{3'000'000'000}, Lease{{{{0, 1}, "", -1}}}));
  AttemptRecord record = done(attempt.row, 10, 20);
  record.memory = {{0, "forward", 1_MiB, 2_MiB, 8_MiB, 16_MiB, 32_MiB}};
  record.facts = {{0, "logits.dtype", std::nullopt, "float32"}};
  record.states = {DeviceState{}};
  finish(record);
  const auto details = reader_->attempt_details(attempt.row, true);
  ASSERT_TRUE(details) << details.error().message;
  EXPECT_THAT(
      titles(*details),
      ElementsAre("Attempt", "Sweeps", "Parameters", "Figures", "Work per step", "Summary",
                  "Memory", "Facts", "Environment", "Devices", "Device state", "Lease", "Samples"));
  EXPECT_EQ(cell(*details, "Attempt", "outcome", 1), "done");
  EXPECT_EQ(cell(*details, "Attempt", "took", 1), to_human(seconds(2)));
  EXPECT_EQ(cell(*details, "Parameters", "model", 1), "xl");
  EXPECT_EQ(cell(*details, "Figures", "parameters", 1), "1,998,235,200");
  EXPECT_EQ(cell(*details, "Environment", "LibTorch", 1), "2.11.0");
  EXPECT_EQ(cell(*details, "Lease", "0", 1), "0-1");
  for (const Table& table : *details) {
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.title;
  }
  EXPECT_EQ(titles(reader_->attempt_details(attempt.row, false).value()).back(), "Lease");
  EXPECT_EQ(reader_->attempt_details(999, false).error().code, ErrorCode::kNotFound);
}

// Three hundred facts of a megabyte each once made an answer of 300 MB, which no client takes.
TEST_F(DbTest, ShowCutsLongTexts) {
  const auto attempt = submit(sweep("s", {{{"model", "xl"}}})).queued.front();
  AttemptRecord record = done(attempt.row, 10, 20);
  std::string text = "a";  // so that the limit is in the middle of a letter
  while (text.size() < 20'000) text += "\u00e9";
  for (int i = 0; i < 300; ++i) {
    record.facts.push_back({0, "long" + std::to_string(i), std::nullopt, text});
  }
  finish(record);
  const auto details = reader_->attempt_details(attempt.row, false);
  ASSERT_TRUE(details) << details.error().message;
  const auto facts = std::ranges::find(*details, "Facts", &Table::title);
  ASSERT_NE(facts, details->end());
  ASSERT_EQ(facts->rows.size(), 300U);
  for (const auto& row : facts->rows) {
    const std::string& shown = row.back().text;
    EXPECT_LT(shown.size(), 4100U);
    EXPECT_THAT(shown, StartsWith("a\u00e9\u00e9"));
    EXPECT_THAT(shown, EndsWith("\u00e9\u2026 (20,001 bytes in all, by `sqlite3`)"));
  }
}

TEST_F(DbTest, ShowOfATrialListsItsAttempts) {
  const auto request = sweep("s", {{{"model", "xl"}}});
  const auto attempt = submit(request).queued.front();
  finish(ended(attempt.row, {Failed{"boom", "forward"}, 0}));
  ASSERT_TRUE(store_->retry_sweep(request.id, {}, WallTime{1}));
  const auto details = reader_->trial_details(attempt.trial_key);
  ASSERT_TRUE(details) << details.error().message;
  EXPECT_THAT(titles(*details), ElementsAre("Trial", "Sweeps", "Parameters", "Attempts"));
  EXPECT_EQ(details->back().rows.size(), 2u);
  EXPECT_EQ(cell(*details, "Attempts", attempt.id, 4), "failed");
  EXPECT_EQ(cell(*details, "Attempts", attempt.id, 10), "boom");
}

}  // namespace
}  // namespace sweepd
