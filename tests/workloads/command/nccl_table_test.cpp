// Reads tables as nccl-tests and rccl-tests print them, whole and with what launchers add.
#include <gmock/gmock.h>

#include "tests/workloads/command/read_lines.h"

namespace sweepd::command {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto kNcclHead =
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time"
    "   algbw   busbw #wrong";
constexpr auto kNcclRow =
    "     1048576        262144     float     sum      -1    30.52   34.36   34.36      0    29.97"
    "   34.99   34.99      0";

std::vector<std::string> nccl(std::vector<std::string> output) {
  return texts_of_lines("nccl-tests", output);
}

// Of all_reduce_perf of nccl-tests 2.13, on two GPUs.
TEST(NcclTable, HasOutOfPlaceAndInPlace) {
  EXPECT_THAT(
      nccl(
          {"# nThread 1 nGpus 2 minBytes 1048576 maxBytes 1048576 step: 1048576(bytes) warmup "
           "iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0",
           "#  Rank  0 Group  0 Pid  37300 on   node126 device  0 [0000:05:00] AMD Instinct MI300X",
           "#                                                              out-of-place           "
           "            in-place          ",
           kNcclHead,
           "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)         "
           "   (us)  (GB/s)  (GB/s)       ",
           kNcclRow, "# Out of bounds values : 0 OK", "# Avg bus bandwidth    : 34.675 "}),
      ElementsAre("0 step time 0.03052", "0 step algbw 34.36", "0 step busbw 34.36",
                  "0 in_place time 0.02997", "0 in_place algbw 34.99", "0 in_place busbw 34.99",
                  "0 step size_bytes 1.04858e+06", "fact nccl.test: float, sum"));
  EXPECT_EQ(refusal_of_lines("nccl-tests", {"#", "64 16 float sum -1 3.5 1 1 2 3.5 1 1 0"}),
            "reports: nccl-tests: line 2, column 9: 2 wrong values of 64 bytes, out of place");
  // Without a root or a reduction, and unchecked.
  EXPECT_THAT(nccl({"64 16 float 3.5 1 1 N/A 3.5 1 1 N/A"}).size(), 8U);
}

// As nccl-tests 2.19 print them with a report of each iteration or timestamps, and the older ones.
TEST(NcclTable, IsReadByItsHead) {
  EXPECT_THAT(
      nccl({"# size count type redop root time algbw busbw #wrong i_min i_max i_p99 i_cv% time "
            "algbw busbw #wrong i_min i_max i_p99 i_cv%",
            "1048576 262144 float sum -1 31.20 33.61 33.61 0 31.00 31.50 31.40 0.50 41.82 25.07 "
            "25.07 0 41.82 41.82 41.82 0.00"}),
      ElementsAre("0 step time 0.0312", "0 step algbw 33.61", "0 step busbw 33.61",
                  "0 step i_min_time 0.031", "0 step i_max_time 0.0315", "0 step i_p99_time 0.0314",
                  "0 step i_cv_share 0.005", "0 in_place time 0.04182", "0 in_place algbw 25.07",
                  "0 in_place busbw 25.07", "0 in_place i_min_time 0.04182",
                  "0 in_place i_max_time 0.04182", "0 in_place i_p99_time 0.04182",
                  "0 in_place i_cv_share 0", "0 step size_bytes 1.04858e+06",
                  "fact nccl.test: float, sum"));
  EXPECT_THAT(nccl({"# size count type redop root cputime algbw busbw #wrong cputime algbw busbw "
                    "#wrong timestamp",
                    "64 16 float sum -1 3.5 1 2 0 4.5 3 4 0 2026-11-28 20:10:55"}),
              ElementsAre("0 step cpu_time 0.0035", "0 step algbw 1", "0 step busbw 2",
                          "0 in_place cpu_time 0.0045", "0 in_place algbw 3", "0 in_place busbw 4",
                          "0 step size_bytes 64", "fact nccl.test: float, sum"));
  EXPECT_THAT(nccl({"64 16 float sum -1 4.5 3 4 0"}),
              ElementsAre("0 in_place time 0.0045", "0 in_place algbw 3", "0 in_place busbw 4",
                          "0 in_place size_bytes 64", "fact nccl.test: float, sum"))
      << "the columns out of place are blank";
  EXPECT_THAT(
      refusal_of_lines("nccl-tests", {"64 16 float sum -1 3.5 1 1 0 9 9 3.5 1 1 0 9 9"}),
      HasSubstr("line 1: a row of 17 columns does not fit the head, which has twice `time algbw"));
}

// nccl-tests 2.0 to 2.12 print the largest deviation, which is not 0 where values are right.
TEST(NcclTable, ADeviationIsNoCountOfWrongValues) {
  const std::vector<std::string> old{
      "#       size         count      type   redop     time   algbw   busbw  error     time   "
      "algbw"
      "   busbw  error",
      "        4096          1024     float     sum    93.73    0.04    0.09  1e-06    93.15    "
      "0.04"
      "    0.09  1e-06"};
  EXPECT_THAT(nccl(old), ElementsAre("0 step time 0.09373", "0 step algbw 0.04",
                                     "0 step busbw 0.09", "0 in_place time 0.09315",
                                     "0 in_place algbw 0.04", "0 in_place busbw 0.09",
                                     "0 step size_bytes 4096", "fact nccl.test: float, sum"));
  std::vector<std::string> wrong = old;
  wrong.emplace_back("# Out of bounds values : 3 FAILED");
  EXPECT_EQ(refusal_of_lines("nccl-tests", wrong),
            "reports: nccl-tests: line 3: its check found 3 wrong values");
}

TEST(NcclTable, AHalfWithoutFiguresIsLeftOutAndCounted) {
  EXPECT_THAT(
      nccl({kNcclHead, "64 16 float sum -1 N/A N/A N/A N/A 4.5 3 4 0",
            "64 16 float sum -1 3.5 1 2 0 N/A N/A N/A N/A",
            "64 16 float sum -1 3.6 1 2 N/A 4.6 3 4 N/A"}),
      ElementsAre("0 in_place time 0.0045", "0 in_place algbw 3", "0 in_place busbw 4",
                  "0 in_place size_bytes 64", "1 step time 0.0035", "1 step algbw 1",
                  "1 step busbw 2", "1 step size_bytes 64", "2 step time 0.0036", "2 step algbw 1",
                  "2 step busbw 2", "2 in_place time 0.0046", "2 in_place algbw 3",
                  "2 in_place busbw 4", "2 step size_bytes 64", "fact nccl.test: float, sum",
                  "fact nccl.omitted: 2 half rows are without figures: the first is line 2, out of "
                  "place"));
}

TEST(NcclTable, AHalfThatLacksAFigureIsLeftOutAsAWhole) {
  EXPECT_THAT(nccl({"64 16 float sum -1 3.5 N/A 2 0 4.5 3 4 0"}),
              ElementsAre("0 in_place time 0.0045", "0 in_place algbw 3", "0 in_place busbw 4",
                          "0 in_place size_bytes 64", "fact nccl.test: float, sum",
                          "fact nccl.omitted: 1 half row is without figures: the first is line 1, "
                          "out of place"));
}

TEST(NcclTable, LabelsAndColoursBeforeALineDoNotCount) {
  const auto plain = nccl({kNcclHead, kNcclRow});
  ASSERT_EQ(plain.size(), 8U);
  for (const std::string label :
       {"[1,0]<stdout>:", "[1,0]<stdout>: ", "[1,0]<stderr>:", "[prterun-node01-77@1,0]<stdout>: ",
        "Sat Nov 28 20:10:55 2026[1,0]<stdout>:", "0: ", " 0: ", "[0] ", "node01: ", "worker-0  | ",
        "[pod/nccl-0/main] ", "\x1b[32m", "\x1b[0;1m[1,0]<stdout>:\x1b[0m"}) {
    EXPECT_EQ(nccl({label + kNcclHead, label + kNcclRow}), plain) << label;
  }
}

TEST(NcclTable, LinesOfALogAreNoRows) {
  EXPECT_THAT(
      nccl({"1 2 buckle my shoe", "5 6 float", "epoch 3: 100 200 samples 5 6 7",
            "node01:123:456 [0] NCCL INFO Channel 00/02 : 0 1", "", "100 200 samples 5 6 7 8 9"}),
      IsEmpty());
}

// A scan has a row a size in a table by phase, and what is in place beside what is not.
TEST(NcclTable, EachOfSeveralSizesIsAPhase) {
  const std::vector<std::string> scan{
      "# Collective test starting: all_reduce_perf",
      "# nThread 1 nGpus 8 minBytes 64 maxBytes 128 step: 2(factor) warmup iters: 1 iters: 20 agg "
      "iters: 1 validation: 1 graph: 0 unalign: 0",
      kNcclHead,
      "64 16 float sum -1 3.5 1 2 0 4.5 3 4 0",
      "128 32 float sum -1 5.5 5 6 0 6.5 7 8 0",
      "64 16 float sum -1 3.6 1 2 0 4.6 3 4 0"};
  EXPECT_THAT(
      nccl(scan),
      ElementsAre("0 64 time 0.0035", "0 64 algbw 1", "0 64 busbw 2", "0 64 in_place_time 0.0045",
                  "0 64 in_place_algbw 3", "0 64 in_place_busbw 4", "0 64 size_bytes 64",
                  "0 128 time 0.0055", "0 128 algbw 5", "0 128 busbw 6",
                  "0 128 in_place_time 0.0065", "0 128 in_place_algbw 7", "0 128 in_place_busbw 8",
                  "0 128 size_bytes 128", "1 64 time 0.0036", "1 64 algbw 1", "1 64 busbw 2",
                  "1 64 in_place_time 0.0046", "1 64 in_place_algbw 3", "1 64 in_place_busbw 4",
                  "1 64 size_bytes 64", "fact nccl.test: all_reduce_perf, float, sum"));
}

// `-o all`, `-d all`, `-r all`, and a script that calls several programs.
TEST(NcclTable, AnotherTestIsAnotherPhase) {
  EXPECT_THAT(
      nccl({"# Collective test starting: all_reduce_perf", kNcclHead,
            "64 16 float sum -1 3.5 1 2 0 4.5 3 4 0", "64 16 float prod -1 3.5 1 2 0 4.5 3 4 0",
            "64 32 half sum -1 3.5 1 2 0 4.5 3 4 0", "# Collective test starting: all_gather_perf",
            kNcclHead, "64 16 float none -1 3.5 1 2 0 4.5 3 4 0",
            "# nThread 1 nGpus 8 minBytes 64 maxBytes 128 step: 2(factor)",
            "64 16 float none 3 3.5 1 2 0 4.5 3 4 0"}),
      testing::AllOf(Contains("0 step busbw 2"), Contains("0 in_place busbw 4"),
                     Contains("0 prod busbw 2"), Contains("0 prod.in_place busbw 4"),
                     Contains("0 half busbw 2"), Contains("0 all_gather busbw 2"),
                     Contains("0 all_gather.in_place busbw 4"),
                     Contains("0 all_gather.root_3.64 busbw 2")));
  // Programs of old versions do not say their names.
  EXPECT_THAT(
      nccl({"64 16 float sum -1 3.5 1 2 0 4.5 3 4 0", "64 16 float none -1 3.5 1 2 0 4.5 3 4 0"}),
      Contains("0 none busbw 2"));
}

TEST(NcclTable, HasNoPhaseThatIsTooLong) {
  const std::string x(200, 'x'), digits(200, '9');
  EXPECT_EQ(refusal_of_lines(
                "nccl-tests",
                {kNcclHead, "# Collective test starting: a", "# minBytes 1 maxBytes 2",
                 "64 16 float sum -1 3.5 1 2 0 4.5 3 4 0", "# Collective test starting: " + x,
                 digits + " 16 " + x + " " + x + " " + digits + " 3.5 1 2 0 4.5 3 4 0"}),
            "");
}

}  // namespace
}  // namespace sweepd::command
