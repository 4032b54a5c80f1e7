#include "runner/exec/rank_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sweepd {
namespace {

using testing::StartsWith;
using testing::UnorderedElementsAre;

AttemptRequest request_of(std::vector<RankLease> ranks) {
  AttemptRequest request;
  request.attempt = "0123456789abcdef";
  request.lease.ranks = std::move(ranks);
  return request;
}

std::string value_of(const std::vector<std::string>& environment, const std::string& name) {
  for (const std::string& entry : environment) {
    if (entry.starts_with(name + "=")) return entry.substr(name.size() + 1);
  }
  return "not set";
}

TEST(RankEnvironment, OfTheSecondGpuRankOfTwo) {
  const char* const inherited[] = {
      "HOME=/home/ada",     "RANK=7",       "CUDA_VISIBLE_DEVICES=0,1,2",
      "OMP_NUM_THREADS=64", "RANKING=kept", nullptr};
  const auto request = request_of({{{0, 1}, "GPU-a", 0}, {{2, 3, 4}, "GPU-b", 3}});
  const auto environment = rank_environment(inherited, request, 1);
  EXPECT_THAT(environment,
              UnorderedElementsAre(
                  "HOME=/home/ada", "RANKING=kept", "SWEEPD_ATTEMPT=0123456789abcdef", "RANK=1",
                  "LOCAL_RANK=1", "WORLD_SIZE=2", "LOCAL_WORLD_SIZE=2", "GROUP_RANK=0",
                  "GROUP_WORLD_SIZE=1", "ROLE_NAME=default", "ROLE_RANK=1", "ROLE_WORLD_SIZE=2",
                  "TORCHELASTIC_RUN_ID=0123456789abcdef", "TORCHELASTIC_RESTART_COUNT=0",
                  "TORCHELASTIC_MAX_RESTARTS=0", "TORCHELASTIC_USE_AGENT_STORE=False",
                  "SWEEPD_GPUS=GPU-a,GPU-b", "MASTER_ADDR=127.0.0.1", StartsWith("MASTER_PORT=2"),
                  "CUDA_VISIBLE_DEVICES=GPU-b", "CUDA_DEVICE_ORDER=PCI_BUS_ID", "OMP_NUM_THREADS=3",
                  "MKL_NUM_THREADS=3"));
}

TEST(RankEnvironment, OnCpuHidesTheGpus) {
  const char* const inherited[] = {"CUDA_VISIBLE_DEVICES=0", nullptr};
  const auto environment = rank_environment(inherited, request_of({{{0}, "", -1}}), 0);
  EXPECT_EQ(value_of(environment, "CUDA_VISIBLE_DEVICES"), "");
  EXPECT_EQ(value_of(environment, "WORLD_SIZE"), "1");
}

// A worker that is loaded for many attempts gets only these variables for each of them.
TEST(RankEnvironment, WhatDiffersBetweenAttemptsIsNamed) {
  const char* const inherited[] = {"HOME=/home/ada", nullptr};
  AttemptRequest request = request_of({{{0}, "", -1}});
  const auto one = rank_environment(inherited, request, 0);
  request.attempt = "fedcba9876543210";
  const auto other = rank_environment(inherited, request, 0);
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(differs_between_attempts(one[i]), one[i] != other[i]) << one[i];
  }
}

TEST(RankEnvironment, PortIsTheSameForAllRanksAndDiffersBetweenAttempts) {
  const char* const inherited[] = {nullptr};
  AttemptRequest request = request_of({{{0}, "", -1}, {{1}, "", -1}});
  const std::string port = value_of(rank_environment(inherited, request, 0), "MASTER_PORT");
  EXPECT_EQ(value_of(rank_environment(inherited, request, 1), "MASTER_PORT"), port);
  EXPECT_GE(std::stoi(port), 20000);
  EXPECT_LT(std::stoi(port), 30000);
  request.attempt = "fedcba9876543210";
  EXPECT_NE(value_of(rank_environment(inherited, request, 0), "MASTER_PORT"), port);
}

}  // namespace
}  // namespace sweepd
