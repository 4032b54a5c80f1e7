// Tests a connection's reuse of statements, and the limit on its log.
#include "db/base/connection.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>
#include <filesystem>
#include <set>
#include <string>
#include <thread>

#include "tests/db/fixture.h"

namespace sweepd {
namespace {

// Texts of all statements that are prepared.
std::multiset<std::string> prepared(Connection& connection) {
  std::multiset<std::string> texts;
  sqlite3* const handle = connection.database().getHandle();
  for (sqlite3_stmt* one = nullptr; (one = sqlite3_next_stmt(handle, one)) != nullptr;) {
    texts.insert(sqlite3_sql(one));
  }
  return texts;
}

using ConnectionTest = DbTest;

TEST_F(ConnectionTest, KeepsAStatementThatIsUsedAmongMany) {
  Connection connection(file(), Access::kReadOnly);
  const std::string often = "SELECT 'often'";
  for (int i = 0; i < 1000; ++i) {
    Query once(connection, "SELECT " + std::to_string(i));
    once.next();
    // While the other is in use, as when a row of it asks for more.
    Query(connection, often).next();
  }
  const auto texts = prepared(connection);
  EXPECT_EQ(texts.count(often), 1U);
  EXPECT_EQ(texts.count("SELECT 999"), 1U);
  EXPECT_EQ(texts.count("SELECT 0"), 0U);
  EXPECT_LE(texts.size(), 128U);
}

TEST_F(ConnectionTest, UsesOneTextSeveralTimesAtOnce) {
  Connection connection(file(), Access::kReadOnly);
  const std::string text = "SELECT 1";
  for (int i = 0; i < 3; ++i) {
    Query first(connection, text), second(connection, text);
    EXPECT_TRUE(first.next());
    EXPECT_TRUE(second.next());
  }
  EXPECT_EQ(prepared(connection).count(text), 2U);
}

// SQLite restarts the log only when it has no reader.
TEST_F(ConnectionTest, TheLogBeginsAnewThoughSomebodyReadsAtEveryMoment) {
  std::atomic<bool> over = false;
  std::thread readers([&] {
    Connection one(file(), Access::kReadOnly), other(file(), Access::kReadOnly);
    for (Connection* next = &one; !over; next = next == &one ? &other : &one) {
      next->execute("BEGIN");
      Query(*next, "SELECT count(*) FROM sweep").next();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      Connection* const before = next == &one ? &other : &one;
      if (sqlite3_get_autocommit(before->database().getHandle()) == 0) before->execute("COMMIT");
    }
  });
  constexpr std::uintmax_t kMiB = 1 << 20;
  std::uintmax_t largest = 0;
  for (int i = 0; i < 160; ++i) {
    NewSweep large = sweep("s" + std::to_string(i), {{{"context", std::to_string(i + 1)}}});
    large.sweep.source.assign(kMiB - 1, 'x');
    submit(large);
    largest = std::max(largest, std::filesystem::file_size(file().string() + "-wal"));
  }
  over = true;
  readers.join();
  EXPECT_GT(largest, 50 * kMiB) << "it is not moved at every commit";
  EXPECT_LT(largest, 120 * kMiB);
}

}  // namespace
}  // namespace sweepd
