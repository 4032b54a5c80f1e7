// Shared by the tests of merging: two machines with a database each, made by their stores.
#pragma once

#include "db/merge/merge.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <fstream>
#include <random>
#include <sstream>

#include "db/upkeep/database_copy.h"
#include "tests/db/fixture.h"

namespace sweepd {
using Lines = std::vector<std::string>;

// Everything that leaves a machine, except ids that are only valid in one file.
inline const Lines kEverything{
    "select uid, hostname from host",
    "select uid, name, description, workload, submitted_ns, cancelled_ns, source from sweep",
    "select s.uid, p.position, p.pass from sweep_pass p join sweep s on s.id = p.sweep",
    "select s.uid, x.position, x.name from sweep_axis x join sweep s on s.id = x.sweep",
    "select s.uid, d.kind, d.position, d.json from sweep_declaration d "
    "join sweep s on s.id = d.sweep",
    "select s.uid, t.key, x.position, x.priority, x.repeats from sweep_trial x "
    "join sweep s on s.id = x.sweep join trial t on t.id = x.trial",
    "select t.key, p.model, p.context, p.scale, p.tied from params_toy p "
    "join trial t on t.id = p.trial",
    "select attempt_uid, trial_key, pass, repeat, is_current, outcome, verdict, started, ended, "
    "host, device_name, message from attempts",
    "select sweep_uid, trial_key, pass, repeat, origin, attempt_uid from sweep_trials",
    "select * from samples",
    "select * from summaries",
    "select * from memories",
    "select * from figures",
    "select * from facts",
    "select a.uid, e.uid from attempt a join environment e on e.id = a.environment",
    "select d.name, h.uid, p.arithmetic, p.flops_per_s, f.uid, p.bytes_per_s, b.uid "
    "from device_peak p join device d on d.id = p.device join host h on h.id = d.host "
    "left join attempt f on f.row = p.flops_attempt left join attempt b on b.row = p.bytes_attempt",
};

inline std::string slurp(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class MergeTest : public DbTest {
 protected:
  void SetUp() override {
    DbTest::SetUp();
    ours_ = {file(), std::move(store_)};
    theirs_ = site("beta");
  }
  void TearDown() override {
    ours_.store.reset();
    theirs_.store.reset();
    DbTest::TearDown();
  }

  struct Site {
    std::filesystem::path file;
    std::unique_ptr<Store> store;
  };

  Site site(const std::string& host, const Catalog& catalog = toy_catalog()) const {
    Site made{folder_ / (host + ".db"), nullptr};
    auto store = Store::open(made.file, catalog, host_named(host));
    EXPECT_TRUE(store) << store.error().message;
    made.store = std::move(*store);
    return made;
  }

  // Submits the points and ends every attempt as done. The first takes `forward` ms, each next one
  // 1 ms more.
  NewSweep measure(Site& site, const std::string& name, const std::vector<Settings>& points,
                   double forward = 10, WallTime when = WallTime{5'000'000'000}) {
    NewSweep request = sweep(name, points);
    request.sweep.tables = {{}};
    request.sweep.tables[0].rows = {"model"};
    request.sweep.plots = {{}};
    request.sweep.plots[0].data.title = "drawn";
    request.sweep.plots[0].shape.x = "model";
    request.sweep.matrix = {{*def().index_of("model"), {}}};
    const auto receipt = site.store->submit(request, def());
    EXPECT_TRUE(receipt) << receipt.error().message;
    for (const OpenAttempt& attempt : receipt->queued) {
      EXPECT_TRUE(site.store->mark_started(attempt.row, WallTime{1}, Lease{{{{0, 1}, "", -1}}}));
      EXPECT_TRUE(site.store->finish(done(attempt.row, forward++, 2, when)).value());
    }
    return request;
  }

  Result<MergeReceipt> merge(Site& into, const std::filesystem::path& from, int most_steps = 1000) {
    auto copy = DatabaseCopy::make(from, folder_, catalog_.without_programs());
    if (!copy) return copy.error();
    if (auto prepared = Merger::prepare(copy->file()); !prepared) return prepared.error();
    auto merger = Merger::begin(*into.store, copy->file());
    if (!merger) return merger.error();
    for (int i = 0; i < most_steps; ++i) {
      const auto more = (*merger)->step();
      if (!more) return more.error();
      if (!*more) break;
    }
    return (*merger)->receipt();
  }
  MergeReceipt merged(Site& into, const Site& from) {
    const auto receipt = merge(into, from.file);
    EXPECT_TRUE(receipt) << receipt.error().message;
    return receipt ? *receipt : MergeReceipt{};
  }

  static Lines rows(const std::filesystem::path& file, const std::string& query) {
    SQLite::Database database(file.string(), SQLite::OPEN_READONLY);
    SQLite::Statement statement(database, query);
    Lines rows;
    while (statement.executeStep()) {
      std::string row;
      for (int i = 0; i < statement.getColumnCount(); ++i) {
        row += (i > 0 ? "|" : "") + statement.getColumn(i).getString();
      }
      rows.push_back(row);
    }
    std::sort(rows.begin(), rows.end());
    return rows;
  }
  static Lines everything(const Site& site) {
    Lines all;
    for (const std::string& query : kEverything) {
      all.push_back("-- " + query);
      for (std::string& row : rows(site.file, query)) all.push_back(std::move(row));
    }
    EXPECT_THAT(rows(site.file, "pragma foreign_key_check"), testing::IsEmpty());
    return all;
  }

  Site ours_, theirs_;
};

}  // namespace sweepd
