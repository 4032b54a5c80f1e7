// The executors that need nothing but this host. That of Slurm: tests/slurm/contract_test.cpp.
#include "tests/exec/executor_contract.h"

#include "runner/exec/local_executor.h"
#include "tests/exec/scripted_executor.h"

namespace sweepd {

INSTANTIATE_TEST_SUITE_P(Kinds, ExecutorContract,
                         testing::Values(ExecutorKind{"local",
                                                      [](const auto&, const auto& worker) {
                                                        return make_local_executor(worker);
                                                      }},
                                         ExecutorKind{"scripted",
                                                      [](const auto&,
                                                         const auto&) -> std::unique_ptr<Executor> {
                                                        return std::make_unique<ScriptedExecutor>();
                                                      }}),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace sweepd
