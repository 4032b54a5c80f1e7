// Tests that a pickle that is no memory snapshot is refused with the operation and the byte, that
// nothing in it is executed, and that no bytes make the reader crash or take memory without bound.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "runner/base/files.h"
#include "runner/trace/snapshot.h"
#include "runner/trace/snapshot_memory.h"
#include "runner/trace/snapshot_stack.h"

namespace sweepd::trace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

using std::string_literals::operator""s;

constexpr std::string_view kBegin("\x80\x04", 2);

std::string error_of(const std::string& bytes) {
  const auto snapshot = parse_snapshot(bytes, "s.pickle");
  return snapshot ? "" : snapshot.error().message;
}

// After the protocol.
std::string error_of_rest(const std::string& rest) {
  return error_of(std::string(kBegin) + rest);
}

std::string text(const std::string& text) {
  return "\x8c" + std::string(1, static_cast<char>(text.size())) + text;
}

// {'segments': [...], 'device_traces': [[...]]} around one trace entry's fields.
std::string with_entry(const std::string& fields) {
  return "}(" + text("segments") + "]" + text("device_traces") + "](](}(" + fields + "ueeu.";
}

TEST(HostileSnapshotTest, WhatWouldRunCode) {
  const std::string file = "/tmp/sweepd-pickle-ran-" + std::to_string(::getpid());
  const std::string command = "touch " + file;
  EXPECT_THAT(error_of_rest("cposix\nsystem\n(" + text(command) + "tR."),
              AllOf(StartsWith("`s.pickle`: byte 2: "), HasSubstr("GLOBAL would run code")));
  EXPECT_FALSE(std::filesystem::exists(file));
  const std::pair<std::string, const char*> kOperations[] = {{"\x93", "STACK_GLOBAL"},
                                                             {"R", "REDUCE"},
                                                             {"b", "BUILD"},
                                                             {"i", "INST"},
                                                             {"o", "OBJ"},
                                                             {"\x81", "NEWOBJ"},
                                                             {"\x92", "NEWOBJ_EX"},
                                                             {"P", "PERSID"},
                                                             {"Q", "BINPERSID"},
                                                             {"\x82", "EXT1"},
                                                             {"\x84", "EXT4"},
                                                             {"\x97", "NEXT_BUFFER"}};
  for (const auto& [code, name] : kOperations) {
    EXPECT_THAT(error_of_rest("N" + code), HasSubstr("byte 3: the operation "s + name + " would"));
  }
  EXPECT_THAT(error_of_rest("\x98."), HasSubstr("byte 2: unknown operation 0x98"));
}

TEST(HostileSnapshotTest, OtherFiles) {
  EXPECT_THAT(error_of(""), HasSubstr("ends within this operation, after 0 bytes"));
  EXPECT_THAT(error_of("PK\x03\x04 a zip"), HasSubstr("it begins with 0x50; expected a pickle"));
  EXPECT_THAT(error_of("\x80\x01."), HasSubstr("a pickle of protocol 1; expected 2 to 5"));
  EXPECT_THAT(error_of("\x80\x06."), HasSubstr("protocol 6"));
  EXPECT_THAT(error_of_rest("K\x05."), HasSubstr("expected a dictionary with `segments` and "
                                                 "`device_traces`, as torch.cuda.memory._dump_"
                                                 "snapshot writes it; found an integer"));
  EXPECT_THAT(error_of_rest("}."), HasSubstr("found another value"));
  EXPECT_THAT(error_of_rest("}" + text("segments") + "K\x01s."),
              HasSubstr("`segments` is an integer; expected a list of segments"));
  EXPECT_THAT(error_of_rest("}(" + text("segments") + "]" + text("device_traces") + "Nu."),
              HasSubstr("`device_traces` is another value"));
  EXPECT_EQ(error_of_rest("}(" + text("segments") + "]" + text("device_traces") + "]u."), "");
  EXPECT_THAT(read_snapshot("/no/such/file").error().message, HasSubstr("/no/such/file"));
}

TEST(HostileSnapshotTest, FieldsOfOtherTypes) {
  const auto entry = [](const std::string& action, const std::string& size) {
    return with_entry(text("action") + action + text("addr") + "K\x01" + text("size") + size);
  };
  EXPECT_EQ(error_of_rest(entry(text("alloc"), "K\x07")), "");
  EXPECT_EQ(error_of_rest(entry(text("an action of tomorrow"), "K\x07")), "");
  EXPECT_THAT(error_of_rest(entry("K\x01", "K\x07")),
              HasSubstr("`action` of a trace entry is an integer; expected a text"));
  EXPECT_THAT(error_of_rest(entry(text("alloc"), text("7"))),
              HasSubstr("`size` of a trace entry is a text; expected an integer from 0 to "
                        "281474976710656"));
  EXPECT_THAT(error_of_rest(entry(text("alloc"), "J\xff\xff\xff\xff")), HasSubstr("is -1"));
  EXPECT_THAT(error_of_rest(entry(text("alloc"), "\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f")),
              HasSubstr("is another value"));
  EXPECT_THAT(error_of_rest(with_entry(text("action") + text("alloc"))),
              HasSubstr("`addr` of a trace entry is missing"));
  EXPECT_EQ(error_of_rest(with_entry(text("action") + text("oom"))), "");
}

// 2^48 each, 2^14 and one more of them.
TEST(HostileSnapshotTest, SumsCannotOverflow) {
  std::string entries;
  for (int i = 0; i <= 1 << 14; ++i) {
    entries += "}(" + text("action") + text("alloc") + text("addr") + "K\x01" + text("size") +
               "\x8a\x07\0\0\0\0\0\0\x01"s + "u";
  }
  EXPECT_THAT(error_of_rest("}(" + text("segments") + "]" + text("device_traces") + "](](" +
                            entries + "eeu."),
              HasSubstr("its sizes together are more than 2^62 bytes"));
}

TEST(HostileSnapshotTest, ContainersThatContainThemselves) {
  EXPECT_THAT(error_of_rest("]\x94h\0a."s), HasSubstr("contains itself"));
  EXPECT_THAT(error_of_rest("}\x94(K\x01h\0u."s), HasSubstr("contains itself"));
  EXPECT_THAT(error_of_rest("]\x94(h\0h\0e."s), HasSubstr("contains itself"));
  // A list in which another one is twice is no such thing.
  EXPECT_THAT(error_of_rest("](]\x94h\0e."s), HasSubstr("expected a dictionary"));
}

TEST(HostileSnapshotTest, TheSameEntryTwice) {
  const std::string entry = "}\x94(" + text("action") + text("oom") + "u";
  EXPECT_THAT(error_of_rest("}(" + text("segments") + "]" + text("device_traces") + "](](" + entry +
                            "h\0eeu."s),
              HasSubstr("is in two lists"));
}

TEST(HostileSnapshotTest, WrongUsesOfStackMarksAndMemo) {
  for (const std::string& rest : {"a."s,
                                  "]a."s,
                                  "e."s,
                                  "(e."s,
                                  "]K\x01("s + "e.",
                                  "s."s,
                                  "}Ns."s,
                                  "u."s,
                                  "}(Nu."s,
                                  "t."s,
                                  "\x85."s,
                                  "]K\x01s."s,
                                  "}K\x01"
                                  "a."s,
                                  "NN."s,
                                  "(N."s,
                                  "."s,
                                  "](a."s,
                                  "h\0."s,
                                  "j\xff\xff\xff\xff."s,
                                  "q\0."s,
                                  "Nq\x05."s,
                                  "]q\0q\x01."s,
                                  "\x94."s,
                                  "(]e."s}) {
    EXPECT_THAT(error_of_rest(rest), StartsWith("`s.pickle`: byte "))
        << testing::PrintToString(rest);
  }
}

TEST(HostileSnapshotTest, HugeLengthsTakeNoMemory) {
  const std::string most(8, '\xff');
  for (const std::string& rest :
       {"X\xff\xff\xff\xff"s, "\x8d" + most, "\x8e" + most, "B\xff\xff\xff\xff"s,
        "\x8b\xff\xff\xff\xff"s, "\x8a\xff"s, "\x95" + most + "X\xff\xff\xff\x7f"}) {
    EXPECT_THAT(error_of_rest(rest + "abc"), HasSubstr("the file ends within this operation"));
  }
  EXPECT_THAT(error_of_rest(std::string(5000, '(')), HasSubstr("nested too deeply"));
  EXPECT_THAT(error_of_rest(std::string(5000, '}')), HasSubstr("incomplete"));
  EXPECT_THAT(error_of_rest(std::string(5000, ']')), HasSubstr("incomplete"));
}

TEST(HostileSnapshotTest, ALongTextIsRead) {
  const std::string length("\x40\x0d\x03\x00", 4);  // 200,000
  const std::string settings =
      text("allocator_settings") + "X" + length + std::string(200'000, 'x');
  const std::string bytes = std::string(kBegin) + "}(" + text("segments") + "]" + settings +
                            text("device_traces") + "]u.";
  EXPECT_EQ(error_of(bytes), "");
  EXPECT_TRUE(parse_snapshot(bytes, "s.pickle", 1000));
}

TEST(HostileSnapshotTest, TheSizeOfThePiecesMakesNoDifference) {
  const auto whole =
      read_regular(std::filesystem::path(TRACE_DATA) / "snapshot_p4.pickle", Links::kRefuse);
  ASSERT_TRUE(whole);
  const auto in_bytes = parse_snapshot(*whole, "s.pickle", 1);
  ASSERT_TRUE(in_bytes) << in_bytes.error().message;
  const auto at_once = parse_snapshot(*whole, "s.pickle");
  EXPECT_EQ(in_bytes->traces[0].size(), at_once->traces[0].size());
  EXPECT_EQ(phase_memory_of(*in_bytes, 0).peak_allocated,
            phase_memory_of(*at_once, 0).peak_allocated);
  EXPECT_EQ(parse_snapshot("a text", "s", 1).error().message,
            parse_snapshot("a text", "s").error().message);
  EXPECT_EQ(parse_snapshot(whole->substr(0, 1000), "s", 7).error().message,
            parse_snapshot(whole->substr(0, 1000), "s").error().message);
}

// No prefix of a snapshot is one.
TEST(HostileSnapshotTest, TruncatedAtEveryByte) {
  for (const char* name : {"snapshot_p2.pickle", "snapshot_p4.pickle"}) {
    const auto whole = read_regular(std::filesystem::path(TRACE_DATA) / name, Links::kRefuse);
    ASSERT_TRUE(whole);
    ASSERT_EQ(error_of(*whole), "");
    for (std::size_t size = 0; size < whole->size(); ++size) {
      ASSERT_THAT(error_of(whole->substr(0, size)), StartsWith("`s.pickle`: byte ")) << size;
    }
  }
}

// Either a snapshot with figures, or an error with words.
TEST(HostileSnapshotTest, EveryByteMayBeDamaged) {
  const auto whole =
      read_regular(std::filesystem::path(TRACE_DATA) / "snapshot_p4.pickle", Links::kRefuse);
  ASSERT_TRUE(whole);
  for (std::size_t at = 0; at < whole->size(); ++at) {
    std::string bytes = *whole;
    bytes[at] = static_cast<char>(bytes[at] ^ (at % 2 == 0 ? 0xff : 1));
    const auto snapshot = parse_snapshot(bytes, "s.pickle");
    if (!snapshot) {
      ASSERT_THAT(snapshot.error().message, StartsWith("`s.pickle`: ")) << at;
      continue;
    }
    for (const std::int32_t device : devices_of(*snapshot)) {
      ASSERT_GE(phase_memory_of(*snapshot, device).peak_allocated, Bytes{0});
      held_at_peak(*snapshot, device);
      timeline_of(*snapshot, device, 8);
      allocations_of(*snapshot, device, 8);
    }
  }
}

TEST(PickleMemo, KeepsNumbersOfAnySize) {
  PickleMemo memo;
  std::vector<PickleValue> values;
  for (const std::int64_t number :
       {std::int64_t{0}, std::int64_t{-1}, (std::int64_t{1} << 28) - 2, (std::int64_t{1} << 28) - 1,
        std::int64_t{1} << 40, PickleValue::kMost}) {
    for (const Part part : {Part::kInteger, Part::kSnapshot}) values.emplace_back(part, number);
  }
  for (const PickleValue value : values) memo.add(value);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(memo.at(i), values[i]) << i;
  memo.set(4, values.back());
  memo.set(5, values.front());
  EXPECT_EQ(memo.at(4), values.back());
  EXPECT_EQ(memo.at(5), values.front());
}

}  // namespace
}  // namespace sweepd::trace
