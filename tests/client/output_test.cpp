#include "runner/client/render/output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "runner/client/session/client.h"
#include "runner/client/session/sweep_file.h"

namespace sweepd {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Table table_of(const std::string& title) {
  Table table;
  table.title = title;
  table.columns = {{"model", "", Align::kLeft}, {"time", "ms", Align::kRight}};
  table.rows = {{{"xl", std::nullopt}, {"12.5", 12.5}}};
  return table;
}

std::string printed(const std::vector<Table>& tables, const std::string& format) {
  testing::internal::CaptureStdout();
  const auto result = print_tables(tables, format);
  std::fflush(stdout);
  const std::string text = testing::internal::GetCapturedStdout();
  return result ? text : "error: " + result.error().message;
}

TEST(Counted, OneIsNotSeveral) {
  EXPECT_EQ(counted(1, "trial"), "1 trial");
  EXPECT_EQ(counted(0, "trial"), "0 trials");
  EXPECT_EQ(counted(12000, "point"), "12,000 points");
}

TEST(TellingDigits, AsManyAsDiffer) {
  EXPECT_EQ(telling_digits({}), 8U);
  EXPECT_EQ(telling_digits({"68f4a28923f04ee4", "a5da92e2607bf8db"}), 8U);
  EXPECT_EQ(telling_digits({"68f4a28923f0", "a5da92e2607b", "68f4a28922f0", "68f4a28923f0"}), 10U)
      << "the same id twice needs no more";
}

TEST(SweepFile, AFolderIsNone) {
  const auto read = read_sweep_file("/tmp");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "`/tmp` is a folder; expected a sweep file");
}

TEST(SweepFile, AProgramIsNoneAndTheMessageShowsOneThatNamesIt) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("sweepd-programs-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  for (const auto& [name, text] : std::map<std::string, std::string>{{"train.py", "import torch\n"},
                                                                     {"train", "#!/bin/sh\n"},
                                                                     {"train.bin",
                                                                      "\x7f"
                                                                      "ELF"}}) {
    std::ofstream(folder / name) << text;
    const auto read = read_sweep_file(folder / name);
    ASSERT_FALSE(read) << name;
    EXPECT_THAT(read.error().message,
                testing::AllOf(testing::HasSubstr("is a program; expected a sweep file"),
                               testing::HasSubstr("train.yaml:\n  sweep: train\n"),
                               testing::HasSubstr("argv: " + (folder / name).string())));
  }
  std::filesystem::remove_all(folder);
  const auto absent = read_sweep_file("python");
  ASSERT_FALSE(absent);
  EXPECT_THAT(absent.error().message, testing::HasSubstr("as its `argv`"));
}

TEST(ReplaceOutput, ReplacesAFileAndWritesIntoWhatIsNone) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("sweepd-output-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const std::string file = folder / "page.html", link = folder / "link";
  for (const char* text : {"old", "new"}) ASSERT_TRUE(replace_output(file, text));
  std::ifstream written(file);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(written), {}), "new");
  // As /dev/stdout leads to a pipe. A file of its name would take the link away.
  std::filesystem::create_symlink("/dev/null", link);
  EXPECT_TRUE(replace_output(link, "text"));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  std::filesystem::remove_all(folder);
}

TEST(PrintTables, SeveralHaveAnEmptyLineBetween) {
  const std::string one = printed({table_of("a")}, "md");
  EXPECT_THAT(one, HasSubstr("| xl"));
  EXPECT_EQ(printed({table_of("a"), table_of("a")}, "md"), one + "\n" + one);
  EXPECT_EQ(printed({}, "md"), "");
}

TEST(PrintTables, JsonIsOneArrayHoweverMany) {
  for (const std::size_t n : {0U, 1U, 2U}) {
    const json all = json::parse(printed(std::vector<Table>(n, table_of("a")), "json"));
    ASSERT_TRUE(all.is_array());
    EXPECT_EQ(all.size(), n);
  }
}

TEST(PrintTables, AnUnknownFormatIsNamed) {
  EXPECT_THAT(printed({table_of("a")}, "xml"), HasSubstr("xml"));
}

TEST(FormatOption, TakesItsChoicesAndNoOther) {
  for (const char* format : {"md", "csv", "json", "text"}) {
    CLI::App app;
    std::string chosen = "md";
    Command command(app);
    add_format_option(command, chosen);
    app.parse(std::string("--format ") + format);
    EXPECT_EQ(chosen, format);
  }
  CLI::App app;
  std::string chosen = "md";
  Command command(app);
  add_format_option(command, chosen);
  EXPECT_THROW(app.parse("--format xml"), CLI::ValidationError);
  app.parse("");
  EXPECT_EQ(chosen, "md");
}

TEST(LocalTime, IsMinutesInTheZoneOfTheReader) {
  ::setenv("TZ", "UTC-2", 1);  // POSIX: two hours east
  ::tzset();
  EXPECT_EQ(local_time(0), "1970-01-01 02:00");
  EXPECT_EQ(local_time(1'795'255'445'999'999'999), "2026-11-21 12:04");
  ::unsetenv("TZ");
  ::tzset();
}

TEST(ReportError, GivesTheExitCodeThatScriptsCountOn) {
  const struct {
    ErrorCode code;
    Exit exit;
  } cases[] = {{ErrorCode::kInvalidArgument, Exit::kUsage},
               {ErrorCode::kNotFound, Exit::kNotFound},
               {ErrorCode::kUnavailable, Exit::kUnavailable},
               {ErrorCode::kAlreadyExists, Exit::kFailure},
               {ErrorCode::kFailedPrecondition, Exit::kFailure},
               {ErrorCode::kResourceExhausted, Exit::kFailure},
               {ErrorCode::kIo, Exit::kFailure},
               {ErrorCode::kInternal, Exit::kFailure}};
  for (const auto& c : cases) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(report_error({c.code, "no such sweep"}), c.exit);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "sweepctl: no such sweep\n");
  }
}

TEST(ReportError, DiagnosticsAreLinesOfTheirOwn) {
  testing::internal::CaptureStderr();
  report_error({ErrorCode::kInvalidArgument, "f.yaml:3:1: error\n"});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "f.yaml:3:1: error\n");
}

TEST(Hanging, OnlyTheFirstLineOfADescriptionBeginsALine) {
  EXPECT_EQ(hanging("one line\n"), "one line");
  EXPECT_EQ(hanging("first\nerror: second\n\nlast"), "first\n  error: second\n  \n  last");
}

}  // namespace
}  // namespace sweepd
