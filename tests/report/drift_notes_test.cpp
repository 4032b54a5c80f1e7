#include "runner/report/notes/drift_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::int64_t kGpu = 3;

// A minute after 14:00 UTC on 23 November 2026.
constexpr WallTime minute(std::int64_t n) {
  return WallTime{(1'795'442'400 + 60 * n) * 1'000'000'000};
}

// An attempt of half a minute.
AttemptSpan attempt(std::int64_t n, std::vector<std::int64_t> devices = {kGpu}) {
  return {minute(n), WallTime{minute(n).ns + 30'000'000'000}, std::move(devices)};
}

// A run every five minutes, a second long.
SentinelSeries series(const std::vector<double>& medians) {
  SentinelSeries all{kGpu, {}};
  for (std::size_t i = 0; i < medians.size(); ++i) {
    const WallTime start = minute(5 * static_cast<std::int64_t>(i));
    all.runs.push_back({medians[i], start, WallTime{start.ns + 1'000'000'000}});
  }
  return all;
}

// 12 % slower from 14:20 on.
std::vector<MachineShift> slower() {
  return machine_shifts({series({10, 10.01, 10.02, 10, 11.2, 11.21, 11.2, 11.2})});
}

TEST(DriftNotes, CountsTheAttemptsOnBothSides) {
  const std::vector<AttemptSpan> all{attempt(1), attempt(14), attempt(16), attempt(21),
                                     attempt(33)};
  EXPECT_THAT(drift_notes(slower(), {{"the table's attempts", all}}),
              ElementsAre("the machine became 12 % slower between 2026-11-23 14:15 and 14:20 UTC, "
                          "by the sentinel (`matmul`, 8 runs): 2 of the table's attempts ran "
                          "before, 1 in between, 2 after"));
}

TEST(DriftNotes, SaysNothingOfResultsOnOneSide) {
  for (const auto& all : {std::vector{attempt(1), attempt(14)}, std::vector{attempt(21)},
                          std::vector{attempt(16), attempt(17)}, std::vector<AttemptSpan>{}}) {
    EXPECT_THAT(drift_notes(slower(), {{"the table's attempts", all}}), IsEmpty());
  }
  EXPECT_THAT(drift_notes(slower(), {}), IsEmpty());
  EXPECT_THAT(drift_notes({}, {{"the table's attempts", {attempt(1), attempt(30)}}}), IsEmpty());
}

TEST(DriftNotes, CountsOnlyTheSentinelsDevice) {
  EXPECT_THAT(drift_notes(slower(), {{"x", {attempt(1), attempt(30, {4})}}}), IsEmpty());
  EXPECT_THAT(drift_notes(slower(), {{"x", {attempt(1), attempt(30, {4, kGpu})}}}), SizeIs(1));
}

TEST(DriftNotes, TwoSidesOfAComparisonAreCountedApart) {
  const auto notes = drift_notes(slower(), {{"the attempts of `a`", {attempt(1), attempt(2)}},
                                            {"the attempts of `b`", {attempt(30)}}});
  ASSERT_THAT(notes, SizeIs(1));
  EXPECT_THAT(notes[0], HasSubstr("2 of the attempts of `a` ran before, 0 after; 0 of the attempts "
                                  "of `b` ran before, 1 after"));
}

TEST(DriftNotes, NamesTheDayOfBothEndsIfTheyDiffer) {
  MachineShift shift{kGpu, 0.9, minute(599), minute(1300), 30};
  const auto notes = drift_notes({shift}, {{"x", {attempt(1), attempt(1400)}}});
  ASSERT_THAT(notes, SizeIs(1));
  EXPECT_THAT(notes[0], HasSubstr("became 10 % faster between 2026-11-23 23:59 and 2026-11-24 "
                                  "11:40 UTC"));
}

TEST(DriftNotes, TheThreeLargestInTheOrderOfTime) {
  std::vector<MachineShift> shifts;
  for (const double ratio : {1.1, 1.05, 1 / 1.3, 1.2}) {
    const auto n = static_cast<std::int64_t>(10 * (1 + shifts.size()));
    shifts.push_back({kGpu, ratio, minute(n), minute(n + 1), 30});
  }
  EXPECT_THAT(
      drift_notes(shifts, {{"x", {attempt(1), attempt(90)}}}),
      ElementsAre(HasSubstr("10 % slower"), HasSubstr("23 % faster"), HasSubstr("20 % slower")));
}

TEST(DriftNotes, SeriesOfSeveralDevicesAreJudgedApart) {
  SentinelSeries other = series({20, 20, 20, 20, 20, 20, 20, 20});
  other.device = 4;
  EXPECT_THAT(machine_shifts({other}), IsEmpty());
  EXPECT_THAT(machine_shifts({other, series({10, 10, 10, 11, 11, 11})}), SizeIs(1));
  EXPECT_THAT(machine_shifts({}), IsEmpty());
}

}  // namespace
}  // namespace sweepd
