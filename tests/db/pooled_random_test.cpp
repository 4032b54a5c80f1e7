// Tests random tables over three sweeps that share trials, on two hosts, with attempts in every
// state. A table read in one pass equals one that is read attempt by attempt.
#include <random>

#include "tests/db/pooled_fixture.h"

namespace sweepd {
namespace {

class PooledRandomTest : public PooledTest {
 protected:
  // Sweep `first` has trials 0 to 2,199; `second` has 1,100 to 3,299 in another order and with more
  // repeats. The second host has its own attempts of a third of them. Everything else that varies
  // is a formula of the row, with factors that have nothing in common.
  void SetUp() override {
    PooledTest::SetUp();
    std::vector<Settings> points;
    for (int i = 0; i < 3300; ++i) {
      const char* models[] = {"xl", "small", "large"};
      points.push_back({{"model", models[i % 3]},
                        {"context", std::to_string(1 << (i / 3 % 5))},
                        {"tied", i % 7 < 4 ? "false" : "true"},
                        {"scale", std::to_string(i / 15)}});
    }
    std::vector<Settings> later(points.rbegin(), points.rbegin() + 2200);
    points.resize(2200);
    for (Settings& point : points) point.emplace_back("repeats", "1");
    for (std::size_t i = 0; i < later.size(); ++i) {
      later[i].emplace_back("repeats", i % 2 == 0 ? "2" : "1");
    }
    first_ = sweep("first", points);
    second_ = sweep("second", later);
    submit(first_);
    submit(second_);
    change(R"(
      INSERT INTO host (uid, hostname, cpu_model, cores, sockets, memory_bytes)
        VALUES ('id-of-beta', 'beta', '', 4, 1, 1);
      INSERT INTO attempt (uid, trial, pass, repeat, host, is_current, position, priority,
                           timeout_ns)
        SELECT 'beta' || uid, trial, pass, repeat, (SELECT id FROM host WHERE uid = 'id-of-beta'),
               1, 0, 0, 0 FROM attempt WHERE row % 3 = 1;
      INSERT INTO attempt (uid, trial, pass, repeat, host, is_current, position, priority,
                           timeout_ns)
        SELECT 'memory' || uid, trial, 'memory', 0, host, 1, 0, 0, 0 FROM attempt
        WHERE row % 4 = 1 AND repeat = 0;
      INSERT INTO attempt (uid, trial, pass, repeat, host, is_current, position, priority,
                           timeout_ns)
        SELECT 'old' || uid, trial, pass, repeat, host, 0, 0, 0, 0 FROM attempt WHERE row % 5 = 1;
      INSERT OR IGNORE INTO name (text) VALUES ('time'), ('host_time'), ('forward'), ('backward'),
                                               ('step');
      UPDATE attempt SET outcome = 'done', verdict = 'valid', started_ns = 1, ended_ns = 2
        WHERE row * 7919 % 101 > 4;
      UPDATE attempt SET started_ns = 1 WHERE row * 7919 % 101 = 1;
      UPDATE attempt SET verdict = 'suspect' WHERE row * 7907 % 103 = 1 AND outcome = 'done';
      UPDATE attempt SET verdict = 'invalid' WHERE row * 7901 % 107 = 1 AND outcome = 'done';
      UPDATE attempt SET outcome = 'timeout', verdict = NULL, limit_ns = 5
        WHERE row * 7883 % 109 = 1 AND outcome = 'done';
      UPDATE attempt SET outcome = 'cancelled', verdict = NULL
        WHERE row * 7879 % 113 = 1 AND outcome = 'done';
      UPDATE attempt SET is_current = 0 WHERE outcome IS NOT 'done' AND EXISTS
        (SELECT 1 FROM attempt o WHERE o.uid = 'old' || attempt.uid AND o.outcome = 'done');
      UPDATE attempt SET is_current = 1 WHERE uid GLOB 'old*' AND outcome = 'done' AND NOT EXISTS
        (SELECT 1 FROM attempt c WHERE c.uid = substr(attempt.uid, 4) AND c.is_current = 1);
      INSERT INTO attempt_reason SELECT row, 0, 'clock fell' FROM attempt
        WHERE verdict IN ('suspect', 'invalid');
      INSERT INTO summary (attempt, metric, phase, n, mean, std, min, p05, median, p95, max, mad,
                           steadiness)
        SELECT row, m.id, p.id, 2 + row % 3, row * 31 % 97 + p.id, row % 5, row % 17, 1, row % 19,
               3, row % 23 + 30, 1, iif(row % 7 = p.id, 'bimodal', iif(row % 2, 'steady', NULL))
        FROM attempt, name m, name p WHERE row * 7873 % 127 > 1 AND
             ((m.text = 'time' AND p.text IN ('forward', 'backward', 'step') AND
               (row + p.id) % 11 > 0) OR (m.text = 'host_time' AND p.text = 'step'));)");
  }

  std::size_t below(std::size_t limit) { return random_() % limit; }
  template <class T>
  T one_of(const std::vector<T>& items) {
    return items[below(items.size())];
  }

  QuerySpec draw() {
    std::vector<std::string> free{"model",  "context", "tied",    "host",    "repeat",  "phase",
                                  "metric", "verdict", "outcome", "repeats", "priority"};
    std::vector<std::vector<std::string>> sides(2);
    for (auto& side : sides) {
      for (std::size_t i = below(3); i > 0; --i) {
        const auto name = free.begin() + static_cast<std::ptrdiff_t>(below(free.size()));
        side.push_back(*name);
        free.erase(name);
      }
    }
    const std::vector<TableSpec::Filter> filters{{"model", {"small", "xl"}},
                                                 {"context", {"2", "16", "1"}},
                                                 {"tied", {"true"}},
                                                 {"phase", {"forward"}},
                                                 {"phase", {"step", "backward"}},
                                                 {"host", {"beta"}},
                                                 {"repeat", {"0"}},
                                                 {"verdict", {"valid"}},
                                                 {"outcome", {"done", "timeout"}},
                                                 {"pass", {"timing", "memory"}}};
    std::vector<TableSpec::Filter> where;
    for (std::size_t i = below(3); i > 0; --i) {
      const auto filter = one_of(filters);
      const auto same = [&](const auto& other) { return other.name == filter.name; };
      if (std::none_of(where.begin(), where.end(), same)) where.push_back(filter);
    }
    QuerySpec query = by(sides[0], sides[1], where);
    query.table.metric = one_of<std::string>({"time", "time", "host_time"});
    query.sweep = one_of<SweepId>({"", first_.id, second_.id});
    query.newest = below(3) == 0;
    return query;
  }

  static std::string text_of(const QuerySpec& query) {
    std::string text = query.sweep + (query.newest ? " newest " : " ") + query.table.metric;
    for (const auto& name : query.table.rows) text += " row " + name;
    for (const auto& name : query.table.columns) text += " column " + name;
    for (const auto& filter : query.table.where) {
      text += " where " + filter.name + '=' + testing::PrintToString(filter.values);
    }
    return text;
  }

  NewSweep first_, second_;
  std::mt19937 random_{20240229};
};

TEST_F(PooledRandomTest, SaysWhatReadingEachAttemptSays) {
  int pooled = 0;
  for (int i = 0; i < 24; ++i) {
    const QuerySpec query = draw();
    SCOPED_TRACE(text_of(query));
    expect_the_same(query);
    if (HasFailure()) return;
    if (pooled_) ++pooled;
  }
  EXPECT_GT(pooled, 12);
}

}  // namespace
}  // namespace sweepd
