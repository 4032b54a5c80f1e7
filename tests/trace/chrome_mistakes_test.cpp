#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "runner/base/files.h"
#include "runner/base/gzip_file.h"
#include "runner/base/temporary_folder.h"
#include "tests/trace/trace_text.h"

namespace sweepd::trace {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kGood = R"({"ph":"X","cat":"cpu_op","name":"a","ts":1,"dur":2})";

TEST(ChromeMistakes, MessageNamesTheFileThePlaceAndWhatWasExpected) {
  const struct {
    std::string text;
    const char* message;
  } cases[] = {
      {"", "`t.json` is empty; expected a trace of torch.profiler (JSON)"},
      {"  \n", "`t.json` is empty; expected a trace of torch.profiler (JSON)"},
      {"SQLite format 3",
       "`t.json` is not JSON at byte 0, after 0 events: Invalid value; expected a trace of "
       "torch.profiler"},
      {"{}", "`t.json` has no `traceEvents`; expected a trace of torch.profiler"},
      {"[1",
       "`t.json` is truncated: it ends at byte 2, after 1 event; expected the end of a JSON "
       "text"},
      {R"({"traceEvents": {"a": 1}})",
       "`t.json` has an object as `traceEvents`; expected a list (byte 17, after 0 events)"},
      {R"({"traceEvents": 5})",
       "`t.json` has a value as `traceEvents`; expected a list (byte 16, after 0 events)"},
      {R"({"traceEvents": []})",
       "`t.json` has 0 events and none of a kernel, copy, call, operator or range; expected a "
       "trace "
       "of torch.profiler"},
      {trace_of(R"({"ph":"B","cat":"kernel","name":"a","ts":1})"),
       "`t.json` has 1 event and none of a kernel, copy, call, operator or range; expected a "
       "trace "
       "of torch.profiler (event 1 at byte 37: `ph` is `B`; expected `X`, an event with a "
       "duration)"},
      {"{\"traceEvents\": [{\"name\": \"a\x01\"}]}",
       "`t.json` is not JSON at byte 28, after 0 events: a text has a control character or an "
       "unknown escape; expected a trace of torch.profiler"},
  };
  for (const auto& each : cases) EXPECT_EQ(mistake_in(each.text), each.message);
}

TEST(ChromeMistakes, EveryTruncationIsAnError) {
  const std::string whole = trace_of(kGood);
  ASSERT_TRUE(parse_text(whole));
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const std::string message = mistake_in(whole.substr(0, size));
    EXPECT_THAT(message, HasSubstr("`t.json` is truncated: it ends at byte ")) << size;
  }
}

TEST(ChromeMistakes, UnusableEventsAreLeftOutAndCounted) {
  const struct {
    const char* event;
    const char* why;
  } cases[] = {
      {R"({"cat":"cpu_op","name":"a","ts":1,"dur":2})",
       "`ph` is missing; expected `X`, an event with a duration"},
      {R"({"ph":7,"cat":"cpu_op","name":"a","ts":1,"dur":2})",
       "`ph` is `7`; expected `X`, an event with a duration"},
      {R"({"ph":"X","cat":"cpu_op","ts":1,"dur":2})", "`name` is missing; expected a text"},
      {R"({"ph":"X","cat":"cpu_op","name":"a","dur":2})",
       "`ts` is missing; expected a number of microseconds"},
      {R"({"ph":"X","cat":"cpu_op","name":"a","ts":"now","dur":2})",
       "`ts` is `now`; expected a number of microseconds"},
      {R"({"ph":"X","cat":"cpu_op","name":"a","ts":1e300,"dur":2})",
       "`ts` is `1e300`; expected a number of microseconds"},
      {R"({"ph":"X","cat":"cpu_op","name":"a","ts":1})",
       "`dur` is missing; expected a number of microseconds from 0"},
      {R"({"ph":"X","cat":"cpu_op","name":"a","ts":1,"dur":null})",
       "`dur` is missing; expected a number of microseconds from 0"},
      {R"({"ph":"X","cat":"cpu_op","name":"a","ts":1,"dur":-5.5})",
       "`dur` is `-5.5`; expected a number of microseconds from 0"},
      {R"({"ph":"X","cat":"kernel","name":"a","ts":1,"dur":2,"args":{"device":4096}})",
       "`device` is `4096`; expected a number below 1024"},
      {R"({"ph":"X","cat":"kernel","name":"a","ts":1,"dur":2,"pid":"GPU"})",
       "`device` is missing; expected a number below 1024"},
      {"5", "is no object"},
      {"[{}]", "is no object"},
  };
  for (const auto& each : cases) {
    const auto trace = parse_text(trace_of(std::string(kGood) + "," + each.event + "," + kGood));
    ASSERT_TRUE(trace) << trace.error().message;
    EXPECT_EQ(trace->events, 3) << each.event;
    EXPECT_EQ(trace->unusable, 1) << each.event;
    EXPECT_EQ(trace->first_unusable, std::string("event 2 at byte 89: ") + each.why);
    EXPECT_EQ(trace->timeline.operators.size(), 2U);
  }
}

TEST(ChromeMistakes, NestingIsLimited) {
  const std::string deep(200'000, '[');
  EXPECT_THAT(mistake_in(deep), HasSubstr("`t.json` is nested more than 100 levels deep (byte "));
  EXPECT_THAT(mistake_in(trace_of("{\"args\": " + deep)), HasSubstr("nested more than 100 levels"));
  std::string objects;
  for (int i = 0; i < 10'000; ++i) objects += "{\"a\":";
  EXPECT_THAT(mistake_in(objects), HasSubstr("nested more than 100 levels"));
}

TEST(ChromeMistakes, NamesOfStrangersAreHarmless) {
  const std::string endless(1 << 20, 'n');
  const auto trace = parse_text(trace_of(R"({"ph":"X","cat":"cpu_op","ts":1,"dur":2,"name":")" +
                                         endless + R"("},)" +
                                         R"({"ph":"X","cat":"cpu_op","ts":2,"dur":2,)"
                                         R"("name":"\u001b[2J\u0000a\nb)" +
                                         "\xff\"}"));
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->timeline.names[0].size(), 16U << 10U);
  EXPECT_EQ(trace->timeline.names[1], " [2J a b?");
}

TEST(ChromeMistakes, LimitsAreErrors) {
  std::string many;
  for (int i = 0; i < 10; ++i) {
    many += std::string(i == 0 ? "" : ",") + R"({"ph":"X","cat":"cpu_op","ts":1,"dur":2,"name":")" +
            std::string(100, static_cast<char>('a' + i)) + "\"}";
  }
  EXPECT_EQ(mistake_in(trace_of(many)), "");
  ChromeLimits limits;
  limits.records = 9;
  EXPECT_THAT(mistake_in(trace_of(many), limits),
              AllOf(HasSubstr("`t.json` has more than 9 records (byte "), HasSubstr("10 events)")));
  limits = {};
  limits.text_bytes = 999;
  EXPECT_THAT(mistake_in(trace_of(many), limits), HasSubstr("more than 999B of different names"));
  limits = {};
  limits.file_bytes = 500;
  const auto too_large = parse_text(trace_of(many), limits);
  ASSERT_FALSE(too_large);
  EXPECT_EQ(too_large.error().code, ErrorCode::kResourceExhausted);
  EXPECT_THAT(too_large.error().message, HasSubstr("`t.json` has more than 500"));
}

TEST(ChromeMistakes, TextOfAnyLengthIsNotHeld) {
  std::int64_t given = 0;
  const NextPiece endless = [&]() -> Result<std::string> {
    given += 1 << 20;
    return given == 1 << 20 ? "[\"" + std::string(1 << 20, 'x') : std::string(1 << 20, 'x');
  };
  const auto trace = parse_chrome_trace(endless, "t.json");
  ASSERT_FALSE(trace);
  EXPECT_THAT(trace.error().message, HasSubstr("`t.json` has a text of more than 16MiB"));
  EXPECT_LT(given, 20 << 20);
}

// Files, plain and compressed.
class ChromeFiles : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) {
    const auto file = folder_->path() / name;
    EXPECT_TRUE(replace_file(file, text));
    return file;
  }
  std::string message(const std::filesystem::path& file) {
    const auto trace = read_chrome_trace(file);
    return trace ? "" : trace.error().message;
  }
  Result<TemporaryFolder> folder_ = TemporaryFolder::make("test");
};

TEST_F(ChromeFiles, CompressedOnesAreRecognisedByTheirContent) {
  const auto plain = write("a.json", trace_of(kGood));
  EXPECT_EQ(message(plain), "");
  ASSERT_TRUE(compress_file(plain, false));
  const auto packed = folder_->path() / "a.json.gz";
  EXPECT_EQ(message(packed), "");
  std::filesystem::rename(packed, folder_->path() / "trace");
  EXPECT_EQ(message(folder_->path() / "trace"), "");
  EXPECT_EQ(message(write("b.json.gz", trace_of(kGood))), "");
}

TEST_F(ChromeFiles, DamagedOnesAreErrors) {
  const auto plain = write("a.json", trace_of(kGood));
  ASSERT_TRUE(compress_file(plain, false));
  const auto packed = folder_->path() / "a.json.gz";
  const std::string bytes = *read_regular(packed, Links::kRefuse);
  for (const std::size_t cut : {std::size_t{1}, bytes.size() / 2, bytes.size() - 20}) {
    const auto file = write("cut.gz", bytes.substr(0, bytes.size() - cut));
    EXPECT_THAT(message(file), AllOf(HasSubstr("cannot read `"), HasSubstr("cut.gz`")));
  }
  EXPECT_THAT(message(folder_->path() / "none"), HasSubstr("none"));
  EXPECT_THAT(message(folder_->path()), HasSubstr("a folder"));
}

}  // namespace
}  // namespace sweepd::trace
