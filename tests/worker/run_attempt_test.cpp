#include "runner/worker/run_attempt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "runner/base/files.h"
#include "runner/base/host.h"
#include "runner/wire/rank_pidfile.h"
#include "runner/wire/status.h"
#include "tests/worker/attempt_files.h"
#include "tests/worker/fake_device.h"
#include "tests/worker/fake_profiler.h"
#include "workloads/api/host_device.h"

namespace sweepd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

int run(const AttemptFiles& files, int rank = 0) {
  return run_attempt(files.folder.path(), rank, {Registry::instance(), make_device});
}

std::string ending_of(NamedTexts params, Pass pass = Pass::kTiming) {
  AttemptFiles files("fault", std::move(params), pass);
  EXPECT_EQ(run(files), kExitOk);
  return files.ending();
}

TEST(RunAttempt, EveryExceptionIsAnOutcomeWithItsPhase) {
  struct Row {
    const char *kind, *at, *ending;
  };
  const Row rows[] = {
      {"done", "step", "done"},
      {"oom", "setup",
       "oom: out of memory: asked for 3.00 GiB with 1.00 GiB in use of 2.00 GiB, in setup"},
      {"oom", "step",
       "oom: out of memory: asked for 3.00 GiB with 1.00 GiB in use of 2.00 GiB, in backward"},
      {"unavailable", "setup", "skipped: no such thing here; install it"},
      {"unavailable", "step", "skipped: no such thing here; install it"},
      {"throw", "setup", "failed: thrown on purpose, in setup"},
      {"throw", "step", "failed: thrown on purpose, in backward"},
      {"throw", "facts", "failed: thrown on purpose, in facts"},
      {"throw_int", "step", "failed: threw something that is not a std::exception, in backward"},
      {"check", "step", "failed: check failed: dx differs by 0.5 at [3, 4], in check"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(ending_of({{"kind", row.kind}, {"at", row.at}}), row.ending);
  }
}

TEST(RunAttempt, AnErrorOfTheGpuIsSaidToBeOne) {
  for (const char* kind : {"ecc", "throw"}) {
    AttemptFiles files("fault", {{"kind", kind}});
    EXPECT_EQ(run(files), kExitOk);
    EXPECT_EQ(files.all<EndEvent>().at(0).device_fault,
              std::string(kind) == "ecc" ? "uncorrectable ECC error" : "");
  }
}

TEST(RunAttempt, BadAllocIsOutOfMemoryOfUnknownSize) {
  AttemptFiles files("fault", {{"kind", "bad_alloc"}, {"memory_limit", "8GiB"}});
  run(files);
  const Ending ending = files.all<EndEvent>().at(0).ending;
  const auto& oom = std::get<Oom>(ending.detail);
  EXPECT_EQ(oom.requested.value, 0);
  EXPECT_GT(oom.in_use.value, 0);
  EXPECT_EQ(oom.limit, 8_GiB);
  EXPECT_EQ(oom.phase, "backward");
}

// The timing and the memory pass never start an observer, and the device gets this at its creation.
TEST(RunAttempt, OnlyTheProfilePassObservesOperatorsAndKernels) {
  for (const Pass pass : {Pass::kTiming, Pass::kMemory, Pass::kProfile}) {
    int observers = 0;
    KernelTracing tracing = KernelTracing::kOff;
    WorkerParts parts{Registry::instance(), [&](const DeviceOptions& options) {
                        tracing = options.tracing;
                        return make_device(options);
                      }};
    parts.make_profiler = [&](Device&) {
      ++observers;
      return std::make_unique<FakeProfiler>(std::deque<Recording>{{}, {}, {}});
    };
    AttemptFiles files("fault", {{"kind", "done"}}, pass);
    EXPECT_EQ(run_attempt(files.folder.path(), 0, parts), kExitOk);
    EXPECT_EQ(files.ending(), "done");
    const bool profile = pass == Pass::kProfile;
    EXPECT_EQ(observers, profile ? 1 : 0) << name_of(pass);
    EXPECT_EQ(tracing == KernelTracing::kOn, profile) << name_of(pass);
    EXPECT_EQ(std::filesystem::exists(files.files.trace(0)), profile) << name_of(pass);
  }
}

TEST(RunAttempt, AnUnknownPhaseFailsNamingIt) {
  EXPECT_THAT(ending_of({{"kind", "unknown_phase"}}),
              HasSubstr("failed: the step entered phase `bakward`"));
}

TEST(RunAttempt, MistakesInTheRequestAreNamed) {
  struct Row {
    NamedTexts params;
    const char* message;
  };
  const Row rows[] = {
      {{{"kinds", "done"}}, "workload `fault` has no parameter `kinds` (did you mean `kind`?)"},
      {{{"step", "ten"}}, "workload `fault`: step: `ten` is not an integer"},
      {{{"step", "-1"}}, "step: -1 is too small; expected at least 0"},
      {{{"kind", "explode"}}, "kind: `explode` is not one of done, slow, oom"},
      {{{"device", "auto"}}, "device: `auto` must have been resolved"},
      {{{"work", "throw"}}, "the formulas do not hold"},
  };
  for (const Row& row : rows) {
    AttemptFiles files("fault", {});
    for (const auto& param : row.params) files.request.params.push_back(param);
    files.write();
    EXPECT_EQ(run(files), kExitOk);
    EXPECT_THAT(files.ending(), HasSubstr(row.message));
    EXPECT_THAT(files.ending(), StartsWith("failed: "));
    EXPECT_THAT(files.ending(), HasSubstr(", in setup"));
  }
}

TEST(RunAttempt, AnUnknownWorkloadPassOrRankIsNamed) {
  AttemptFiles unknown("fualt", {});
  run(unknown);
  EXPECT_THAT(unknown.ending(), HasSubstr("no workload `fualt` (did you mean `fault`?)"));
  EXPECT_THAT(ending_of({}, Pass::kProfile),
              HasSubstr("skipped: the profile pass observes LibTorch"));
  AttemptFiles rank("fault", {});
  run(rank, 1);
  EXPECT_EQ(rank.ending(1), "failed: rank 1: RANK is 1, but the lease has 1 rank(s), in setup");
}

TEST(RunAttempt, ARequestThatCannotBeReadFails) {
  AttemptFiles files("fault", {});
  std::filesystem::remove(files.files.request());
  EXPECT_EQ(run(files), kExitOk);
  EXPECT_THAT(files.ending(), HasSubstr("request.json`: No such file or directory"));
}

TEST(RunAttempt, AMissingDeviceIsSkipped) {
  AttemptFiles files("fault", {});
  files.request.params.emplace_back("device", "cuda");
  files.write();
  run(files);
  EXPECT_THAT(files.ending(), StartsWith("skipped: this build has no LibTorch"));
  // Everything that needs no device was written before.
  EXPECT_EQ(files.all<WorkEvent>().size(), 1U);
}

TEST(RunAttempt, AGangThatWouldStopAtDifferentStepsIsRefused) {
  AttemptFiles files("fault", {{"world_size", "2"}, {"relative_error", "1%"}});
  files.request.lease.ranks.push_back({{0}, "", -1});
  files.write();
  run(files, 1);
  EXPECT_THAT(files.ending(1), HasSubstr("need world_size 1"));
}

TEST(RunAttempt, SaysEverythingInOrder) {
  AttemptFiles files("fault", {{"warmup", "1"}, {"steps", "2"}});
  EXPECT_EQ(run(files), kExitOk);
  std::string order;
  for (const Event& event : files.events()) {
    std::visit(
        [&]<class T>(const T& e) {
          if constexpr (std::is_same_v<T, StartedEvent>) order += "started ";
          if constexpr (std::is_same_v<T, WorkEvent>) order += "work ";
          if constexpr (std::is_same_v<T, EnvironmentEvent>) order += "environment ";
          if constexpr (std::is_same_v<T, StateEvent>) order += e.record.moment + " ";
          if constexpr (std::is_same_v<T, StepEvent>)
            order += e.samples[0].phase + std::to_string(e.step) + (e.warmup ? "w " : " ");
          if constexpr (std::is_same_v<T, FactEvent>) order += e.name + " ";
          if constexpr (std::is_same_v<T, EndEvent>) order += "end";
        },
        event);
  }
  EXPECT_EQ(order,
            "started work environment setup0 forward0w environment before forward1 forward2 after "
            "steps kind "
            "end");
  EXPECT_EQ(files.all<FactEvent>().at(0).number, 3.0);
  EXPECT_EQ(std::get<Done>(files.all<EndEvent>().at(0).ending.detail).stop_reason, "fixed_steps");
  const Status status = read_status(files.files.status(0));
  EXPECT_EQ(status.step, 2);
  EXPECT_EQ(status.phase, "facts");
}

TEST(RunAttempt, TheMemoryPassHasMemoryAndNoSamples) {
  AttemptFiles files("fault", {{"warmup", "1"}}, Pass::kMemory);
  EXPECT_EQ(run(files), kExitOk);
  EXPECT_EQ(files.ending(), "done");
  EXPECT_TRUE(files.all<StepEvent>().empty());
  std::vector<std::string> phases;
  for (const MemoryEvent& event : files.all<MemoryEvent>()) phases.push_back(event.record.phase);
  EXPECT_THAT(phases, ElementsAre("setup", "forward", "backward", "step"));
}

TEST(RunAttempt, TheEnvironmentIsTheRanksOwn) {
  AttemptFiles files("fault", {{"threads", "3"}});
  files.request.lease.ranks[0].cores = {0, 1, 2, 5};
  files.request.host_cores = 96;
  files.request.machine = {"0123456789ab", "cores=96"};
  files.write();
  auto device = std::make_unique<FakeDevice>();
  DeviceOptions asked;
  const WorkerParts parts{Registry::instance(), [&](const DeviceOptions& options) {
                            asked = options;
                            return std::move(device);
                          }};
  EXPECT_EQ(run_attempt(files.folder.path(), 0, parts), kExitOk);
  EXPECT_EQ(asked.threads, 3);
  const Environment environment = files.all<EnvironmentEvent>().at(0).environment;
  EXPECT_EQ(environment.threads, 3);
  EXPECT_EQ(environment.cores, "0-2,5");
  EXPECT_EQ(environment.machine, "0123456789ab");
  EXPECT_EQ(environment.machine_facts, "cores=96");
  EXPECT_EQ(environment.torch_version, "fake 0");
  EXPECT_EQ(environment.devices.at(0).name, "Fake 1");
  EXPECT_FALSE(environment.host.hostname.empty());
  EXPECT_EQ(environment.host.cores, 96) << "those of the request, not those to which it is bound";
  EXPECT_FALSE(environment.build_commit.empty());
}

// A device whose TF32 switch the workload turns on while it is made, which a synchronise ends.
class SwitchedDevice final : public FakeDevice {
 public:
  void fill_versions(Environment& environment) override {
    environment.tf32_matmul = synchronized() > 0;
  }
};

TEST(RunAttempt, SwitchesAreThoseOfTheMeasuredSteps) {
  AttemptFiles files("fault", {});
  const WorkerParts parts{Registry::instance(),
                          [](const DeviceOptions&) { return std::make_unique<SwitchedDevice>(); }};
  EXPECT_EQ(run_attempt(files.folder.path(), 0, parts), kExitOk);
  const auto said = files.all<EnvironmentEvent>();
  ASSERT_EQ(said.size(), 2U);
  EXPECT_EQ(said[0].environment.tf32_matmul, false);
  EXPECT_EQ(said[0].environment.devices.size(), 1U);
  EXPECT_EQ(said[1].environment.tf32_matmul, true);
  EXPECT_EQ(said[1].environment.devices.size(), 0U) << "it was named before";
  EXPECT_EQ(said[1].environment.cores, said[0].environment.cores);
}

TEST(RunAttempt, ThreadsDefaultToTheLeasesCores) {
  AttemptFiles files("fault", {});
  files.request.lease.ranks[0].cores = {4, 5};
  files.write();
  run(files);
  EXPECT_EQ(files.all<EnvironmentEvent>().at(0).environment.threads, 2);
}

// Facts from the pilot of a cluster's job are used if the daemon has none.
TEST(RunAttempt, OnANodeOfAClusterItFindsOutWhereItIs) {
  AttemptFiles files("fault", {});
  files.request.lease.ranks[0].cores = {};
  files.request.machine = {};
  files.write();
  const std::filesystem::path page = files.folder.path() / "page";
  ::setenv("SWEEPD_CORES", "3", 1);
  ::setenv("SWEEPD_STEP", "17.3 on node2", 1);
  ::setenv("SWEEPD_STATUS_PAGE", page.c_str(), 1);
  EXPECT_EQ(run(files), kExitOk);
  for (const char* name : {"SWEEPD_CORES", "SWEEPD_STEP", "SWEEPD_STATUS_PAGE"}) ::unsetenv(name);
  const Environment environment = files.all<EnvironmentEvent>().at(0).environment;
  EXPECT_EQ(environment.threads, 3);
  EXPECT_EQ(environment.machine.size(), 12U);
  EXPECT_NE(environment.machine_facts.find("cores="), std::string::npos);
  const auto facts = files.all<FactEvent>();
  EXPECT_TRUE(std::any_of(facts.begin(), facts.end(), [](const FactEvent& fact) {
    return fact.name == "slurm.step" && fact.text == "17.3 on node2";
  }));
  EXPECT_EQ(read_status(files.files.status(0)).phase, read_status(page).phase);
  EXPECT_EQ(read_status(page).phase, "facts");
}

// It is granted one core of several, and which one is open.
TEST(RunAttempt, BoundToNoCoresItDoesNotSayWhatItLostToOthers) {
  if (usable_cores().size() < 2) GTEST_SKIP() << "one core";
  AttemptFiles files("fault", {});
  files.request.lease.ranks[0].cores = {};
  files.write();
  const char* const pretended = std::getenv("SWEEPD_CORES_LOST");
  const std::string before = pretended == nullptr ? "" : pretended;
  ::unsetenv("SWEEPD_CORES_LOST");
  ::setenv("SWEEPD_CORES", "1", 1);
  EXPECT_EQ(run(files), kExitOk);
  ::unsetenv("SWEEPD_CORES");
  if (pretended != nullptr) ::setenv("SWEEPD_CORES_LOST", before.c_str(), 1);
  const auto states = files.all<StateEvent>();
  EXPECT_FALSE(states.empty());
  for (const StateEvent& state : states) {
    EXPECT_FALSE(state.record.cores_lost_to_others) << state.record.moment;
    EXPECT_FALSE(state.record.cores_stolen) << state.record.moment;
  }
}

TEST(RunAttempt, AFullDiskEndsWithAnExitCodeAndNoEnding) {
  AttemptFiles files("fault", {});
  std::filesystem::create_symlink("/dev/full", files.files.events(0));
  EXPECT_EQ(run(files), kExitJournal);
}

// The place is the descriptor of a rank that sweepd started, and nothing else is written to.
TEST(RunAttempt, WithoutAJournalItsPlaceSaysSo) {
  AttemptFiles files("fault", {});
  const std::string record = "4242 987654 01234567-89ab-cdef-0123-456789abcdef";
  std::ofstream(files.files.pid(0)) << record << "\n";
  std::filesystem::create_symlink("/dev/full", files.files.events(0));
  const auto run_with_place = [&](const std::filesystem::path& place) {
    const int before = ::fcntl(kPidfileFd, F_DUPFD_CLOEXEC, kPidfileFd + 1);
    const int fd = ::open(place.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ::dup2(fd, kPidfileFd);
    EXPECT_EQ(run(files), kExitJournal);
    if (before < 0 || ::dup2(before, kPidfileFd) < 0) ::close(kPidfileFd);
    if (before >= 0) ::close(before);
    if (fd != kPidfileFd) ::close(fd);
  };
  const auto other = files.folder.path() / "other";
  std::ofstream(other) << record << "\n";
  run_with_place(other);
  EXPECT_EQ(*read_regular(other, Links::kRefuse), record + "\n");
  EXPECT_FALSE(is_pidfile_without_journal(files.files.pid(0)));
  run_with_place(files.files.pid(0));
  EXPECT_EQ(*read_regular(files.files.pid(0), Links::kRefuse), record + "!");
  EXPECT_TRUE(is_pidfile_without_journal(files.files.pid(0)));
}

TEST(RunAttempt, AFolderThatIsNotThereEndsWithAnExitCode) {
  EXPECT_EQ(run_attempt("/tmp/sweepd_no_such_folder", 0, {Registry::instance(), make_device}),
            kExitJournal);
}

}  // namespace
}  // namespace sweepd
