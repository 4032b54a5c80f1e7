// Texts of another machine's results reach no terminal as a command, and texts in its files become
// no path.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "runner/base/printable.h"
#include "tests/e2e/lost_database.h"

namespace sweepd::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr auto kPlain =
    "sweep: quick\ndescription: plain\nworkload: fault\nparams: {steps: 2}\n"
    "matrix: {kind: [done, throw]}\n"
    "tables: [{title: Steps, rows: [kind], columns: [host], cell: \"{n}\"}]\n"
    "plots: [{title: Drawn, x: kind, y: {median: Time}}]\n";
constexpr auto kHostile = "\x1b]0;owned\x07\u009b2J\u202eevil";

void expect_printable(const Ran& ran, const std::vector<std::string>& verb) {
  for (const std::string& said : {ran.out, ran.err}) {
    EXPECT_TRUE(is_printable(said)) << testing::PrintToString(verb);
  }
}

TEST(Strangers, TextsReachNoTerminalAsCommands) {
  std::string pattern = (fs::temp_directory_path() / "sweepd-beta-XXXXXX").string();
  const fs::path theirs = fs::path(::mkdtemp(pattern.data())) / "state";
  std::string failed;
  {
    const Sandbox beta;
    ASSERT_EQ(beta.ctl({"submit", "-", "--wait"}, kPlain).exit_code, 4) << "one fails";
    failed = beta.sql("select uid from attempt where outcome = 'failed'");
    stop(beta);
    fs::copy(beta.state(), theirs, fs::copy_options::recursive);
  }
  const std::string database = theirs / "results.db";
  {
    SQLite::Database changed(database, SQLite::OPEN_READWRITE);
    for (const char* change :
         {"update host set uid = 'beta', hostname = ?", "update sweep set description = ?",
          "update sweep_declaration set json = json_set(json, "
          "iif(kind = 'table', '$.title', '$.data.title'), ?)",
          "update attempt set message = ? where outcome = 'failed'", "update device set name = ?",
          "update environment set os = ?, uid = 'beta'"}) {
      SQLite::Statement statement(changed, change);
      statement.bind(1, kHostile);
      statement.exec();
    }
  }
  std::ofstream(theirs / "runs" / failed / "log.0.txt", std::ios::app) << kHostile;
  const Sandbox box;
  const Ran merged = box.ctl({"merge", theirs});
  ASSERT_EQ(merged.exit_code, 0) << merged.err;
  expect_printable(merged, {"merge"});
  EXPECT_THAT(merged.out, HasSubstr("evil")) << "the host's name";
  std::vector<std::vector<std::string>> verbs{{"list"},
                                              {"show", "quick"},
                                              {"plot", "quick"},
                                              {"query", "fault", "--columns", "host"},
                                              {"usage"},
                                              {"log", failed, "--rank", "7"},
                                              {"compare", "quick", "quick"},
                                              {"show", failed},
                                              {"watch", "quick"},
                                              {"show", "\x1b[2J"}};
  for (const char* format : {"md", "text", "json", "latex", "html"}) {
    verbs.push_back({"report", "quick", "--format", format});
    verbs.push_back({"show", "quick", "--format", format});
  }
  std::string all;
  for (std::vector<std::string> verb : verbs) {
    const Ran ran = box.ctl(verb);
    expect_printable(ran, verb);
    all += ran.out;
    if (verb.front() == "watch") continue;
    verb.insert(verb.begin(), {"--db", database});
    expect_printable(box.ctl(verb), verb);
  }
  EXPECT_THAT(all, HasSubstr("owned"));
  // A program wants every byte of a log, and a terminal does not.
  EXPECT_THAT(box.ctl({"log", failed}).out, HasSubstr(kHostile));
  const Ran terminal =
      box.run("/usr/bin/script", {"-qec", std::string(SWEEPCTL) + " log " + failed, "/dev/null"});
  EXPECT_THAT(terminal.out, HasSubstr("owned"));
  EXPECT_THAT(terminal.out, Not(HasSubstr("\x1b]0;")));
  EXPECT_THAT(terminal.out, Not(HasSubstr("\u009b")));
  fs::remove_all(theirs.parent_path());
}

// `recover` took the id of a sweep from its file, and `delete` removed the file of that name.
TEST(Strangers, NoFileOfASweepLeadsOutOfTheStateFolder) {
  const Sandbox box;
  box.ctl({"submit", box.write("times.yaml", kLostTimes), "--wait"});
  stop(box);
  lose_database(box);
  fs::create_directories(box.folder() / "w");
  std::ofstream(box.folder() / "w" / "package.json") << "precious";
  std::ofstream(box.state() / "sweeps" / "00aa.json")
      << R"({"sweep": "../../w/package", "name": "evil", "submitted_ns": 1, "document": 0,)"
         R"( "text": "sweep: evil\nworkload: noop\n", "devices": {}})";
  const Ran recovered = box.ctl({"recover"});
  EXPECT_EQ(recovered.exit_code, 0) << recovered.err;
  EXPECT_THAT(recovered.out, HasSubstr("recovered 1 sweep"));
  EXPECT_THAT(recovered.out, HasSubstr("00aa.json: sweep: `../../w/package` is not an id"));
  EXPECT_EQ(box.ctl({"delete", "evil", "--yes"}).exit_code, 3);
  EXPECT_EQ(content_of(box.folder() / "w" / "package.json"), "precious");
}

}  // namespace
}  // namespace sweepd::e2e
