// Tests that the executor of Slurm keeps the contract of executors. Runs inside
// tools/slurm_cluster.
#include "tests/exec/executor_contract.h"

#include "tests/slurm/cluster.h"

namespace sweepd {

INSTANTIATE_TEST_SUITE_P(Kinds, ExecutorContract,
                         testing::Values(ExecutorKind{"slurm",
                                                      [](const auto& runs, const auto& worker) {
                                                        return make_slurm_executor(
                                                            settings_for(runs, worker));
                                                      },
                                                      end_all_jobs}),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace sweepd
