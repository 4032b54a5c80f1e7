// Tests the parsing of Slurm's output, for cases that a small cluster cannot produce. With a real
// Slurm: tests/slurm.
#include "runner/exec/slurm/slurm_text.h"

#include <gtest/gtest.h>

#include "runner/exec/pilot/job_end.h"
#include "runner/exec/pilot/needs.h"
#include "runner/exec/slurm/pilot_script.h"
#include "runner/exec/slurm/sbatch.h"

namespace sweepd {
namespace {

TEST(SlurmText, ReadsTheQueueAndSkipsWarnings) {
  const auto jobs = parse_squeue(
      "squeue: warning: something\n"
      "17|sweepd-ab|PENDING|1795502881|1795502281||Resources\n"
      "18|sweepd-cd|RUNNING|N/A|1795501681|node[1-2]|None\n");
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(jobs[0].number, 17);
  EXPECT_EQ(jobs[0].name, "sweepd-ab");
  EXPECT_EQ(jobs[0].reason, "Resources");
  EXPECT_TRUE(jobs[0].waits && !jobs[0].waits_for_ever && !jobs[0].runs);
  EXPECT_TRUE(jobs[1].runs && !jobs[1].waits);
  EXPECT_EQ(jobs[0].starts->ns, 1795502281'000'000'000);
  EXPECT_EQ(jobs[1].nodes, "node[1-2]");
  EXPECT_EQ(jobs[1].reason, "");
  EXPECT_FALSE(jobs[1].ends);
}

TEST(SlurmText, ReadsWhatSbatchPrintsOnOneClusterAndOnSeveral) {
  EXPECT_EQ(parse_sbatch("123\n"), 123);
  EXPECT_EQ(parse_sbatch("sbatch: info: be nice\n123;north\n"), 123);
  EXPECT_EQ(parse_sbatch("sbatch: error: no\n"), std::nullopt);
}

TEST(SlurmText, ReadsNodesWithGpus) {
  const auto nodes = parse_sinfo(
      "2|idle|96|2063937|gpu:h200:8(S:0-1)|gpu[1-2]|none\n"
      "1|down*|96|2063937|gpu:8,nic:2|gpu3|Not responding\n"
      "4|mixed|64|1000|(null)|cpu[1-4]|none\n");
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(nodes[0].gpus, 8);
  EXPECT_EQ(nodes[0].gpu, "h200");
  EXPECT_TRUE(nodes[0].usable);
  EXPECT_EQ(nodes[1].gpus, 8);
  EXPECT_EQ(nodes[1].gpu, "");
  EXPECT_FALSE(nodes[1].usable);
  EXPECT_EQ(nodes[1].reason, "Not responding");
  EXPECT_EQ(nodes[2].gpus, 0);
}

TEST(SlurmText, TellsRefusalFromSilence) {
  EXPECT_TRUE(
      is_unreachable("sbatch: error: Batch job submission failed: Unable to contact slurm "
                     "controller (connect failure)"));
  EXPECT_TRUE(is_unreachable("slurm_load_jobs error: Socket timed out on send/recv operation"));
  EXPECT_FALSE(is_unreachable("slurm_load_jobs error: Invalid job id specified"));
  EXPECT_TRUE(
      is_too_large("sbatch: error: Batch job submission failed: Requested node "
                   "configuration is not available"));
  EXPECT_FALSE(
      is_too_large("sbatch: error: Batch job submission failed: Invalid account or "
                   "account/partition combination specified"));
  EXPECT_TRUE(waits_for_ever("PartitionNodeLimit"));
  EXPECT_FALSE(waits_for_ever("Resources"));
}

AttemptLost after(const char* state, const char* exit = "0:0") {
  const EndedJob end{state, "", exit, "node3"};
  return lost_with_job(
      {"Slurm", 17, end, slurm_cause(end), seconds(3600), "forward", "last words"});
}

TEST(JobEnd, WhatIsNobodysFaultRunsAgain) {
  for (const char* state : {"NODE_FAIL", "PREEMPTED", "BOOT_FAIL", ""}) {
    EXPECT_TRUE(after(state).again) << state;
  }
  EXPECT_EQ(after("NODE_FAIL").what, "job 17 ended as NODE_FAIL on node3");
  EXPECT_EQ(after("").what, "job 17 is gone, and Slurm no longer knows how it ended");
}

TEST(JobEnd, TheOthersAreOutcomes) {
  EXPECT_EQ(outcome_of(after("TIMEOUT").ending), Outcome::kTimeout);
  EXPECT_EQ(std::get<Timeout>(after("TIMEOUT").ending.detail).limit, seconds(3600));
  EXPECT_EQ(outcome_of(after("OUT_OF_MEMORY").ending), Outcome::kOom);
  EXPECT_EQ(outcome_of(after("CANCELLED").ending), Outcome::kCancelled);
  EXPECT_EQ(describe(after("FAILED", "1:0").ending),
            "job 17 ended as FAILED on node3, exit status 1:0: last words, in forward");
  EXPECT_FALSE(after("FAILED", "1:0").again);
}

TEST(JobEnd, ACancelledJobWithNodesWhoseScriptNeverBeganCouldNotBeLaunched) {
  const auto cancelled = [](const char* nodes, JobStage stage) {
    const EndedJob end{"CANCELLED", "", "0:0", nodes};
    return lost_with_job({"Slurm", 17, end, slurm_cause(end), seconds(60), "", "", stage}).again;
  };
  EXPECT_TRUE(cancelled("node1", JobStage::kAsked));
  EXPECT_FALSE(cancelled("", JobStage::kAsked)) << "in the queue";
  EXPECT_FALSE(cancelled("node1", JobStage::kPrologue));
  EXPECT_FALSE(cancelled("node1", JobStage::kReady));
}

TEST(SlurmText, ReadsFromSrunHowAStepEnded) {
  EXPECT_TRUE(
      read_srun("slurmstepd: error: Detected 1 oom_kill event in StepId=5.0.").out_of_memory);
  constexpr const char* kBySlurm =
      "slurmstepd-node1: error: StepId=1.0 exceeded memory limit (601128960 > 536870912), being "
      "killed\nslurmstepd-node1: error: *** STEP 1.0 ON node1 CANCELLED AT 2026-11-24T11:13:25 ***";
  EXPECT_TRUE(read_srun(kBySlurm).out_of_memory);
  EXPECT_TRUE(read_srun(kBySlurm).cancelled) << "so memory must be checked first";
  const StepWords step = read_srun("slurmstepd: error: *** STEP 1.0 ON node1 CANCELLED AT 2026\n");
  EXPECT_FALSE(step.out_of_memory);
  EXPECT_TRUE(step.cancelled);
  EXPECT_EQ(step.words, "slurmstepd: error: *** STEP 1.0 ON node1 CANCELLED AT 2026");
}

TEST(JobEnd, APilotThatCouldNotWriteIsNotTheAttemptsFault) {
  EXPECT_TRUE(after("FAILED", "74:0").again);
}

SlurmPool pool_of(std::int64_t gpus, std::int64_t cpus) {
  SlurmPool pool;
  pool.gpus_per_node = gpus;
  pool.cpus_per_node = cpus;
  return pool;
}

TEST(AttemptNeeds, SpreadsRanksEvenlyOverAsFewNodesAsCanHoldThem) {
  struct Case {
    SlurmPool pool;
    std::int64_t ranks;
    bool gpus;
    std::int64_t threads, nodes, per_node;
  };
  const Case cases[] = {
      {pool_of(8, 0), 16, true, 0, 2, 8},     {pool_of(8, 0), 9, true, 0, 2, 5},
      {pool_of(8, 0), 1, true, 4, 1, 1},      {pool_of(0, 2), 4, false, 1, 2, 2},
      {pool_of(0, 64), 4, false, 0, 1, 4},    {pool_of(0, 64), 4, false, 32, 2, 2},
      {pool_of(0, 0), 100, false, 1, 1, 100}, {pool_of(0, 4), 2, false, 8, 2, 1},
  };
  for (const Case& one : cases) {
    const AttemptNeeds needs = compute_needs(one.pool, one.ranks, one.gpus, one.threads);
    EXPECT_EQ(needs.nodes, one.nodes) << one.ranks;
    EXPECT_EQ(needs.ranks_per_node, one.per_node) << one.ranks;
  }
}

TEST(SlurmText, OfALongOneAMessageHasAThousandBytes) {
  const std::string text = std::string(5000, 'x') + "\n" + std::string(5000, 'y') + "\n";
  EXPECT_EQ(one_line(text), std::string(1000, 'x'));
  EXPECT_EQ(last_line(text), std::string(1000, 'y'));
}

TEST(AttemptNeeds, AnAttemptSharesAJobIfItCanEndInTimeAfterAnother) {
  SlurmPool pool;
  pool.time = seconds(600);
  EXPECT_TRUE(shares_jobs(pool, seconds(570), seconds(30)));
  EXPECT_FALSE(shares_jobs(pool, seconds(571), seconds(30)));
  EXPECT_FALSE(shares_jobs(pool, Duration{0}, seconds(30))) << "it may run for ever";
}

TEST(Sbatch, EveryKeyOfThePoolIsAnOption) {
  SlurmPool pool = pool_of(8, 0);
  pool.partition = "gpu";
  pool.account = "lab";
  pool.qos = "high";
  pool.cpus_per_gpu = 12;
  pool.time = seconds(4 * 3600 + 1);
  pool.sbatch = {"--constraint=nvlink"};
  const std::vector<std::string> expected{
      "--nodes=2",         "--ntasks-per-node=1", "--time=241",         "--partition=gpu",
      "--account=lab",     "--qos=high",          "--exclusive",        "--mem=0",
      "--gpus-per-node=8", "--cpus-per-gpu=12",   "--constraint=nvlink"};
  EXPECT_EQ(allocation_options(pool, 2), expected);
  EXPECT_EQ(allocation_text(pool_of(8, 0), 2), "2 nodes x 8 GPUs for 1h");
}

TEST(PilotScript, QuotesWhatItIsGiven) {
  PilotSettings settings;
  settings.pool.slurm.emplace();
  settings.pool.runs = "/runs of $USER";
  settings.worker = "/it's here/worker";
  settings.light.program = "/it's light";
  const std::string script = pilot_script(settings, "/jobs/a");
  EXPECT_NE(script.find("runs='/runs of $USER'\n"), std::string::npos);
  EXPECT_NE(script.find("worker='/it'\\''s here/worker'\n"), std::string::npos);
  EXPECT_NE(script.find("light='/it'\\''s light'  #"), std::string::npos);
  EXPECT_NE(script.find("idle=60  # seconds\n"), std::string::npos);
}

}  // namespace
}  // namespace sweepd
