// The environment variables of one rank, by the names the ecosystem uses (torchrun, NCCL, OpenMP):
//
//   SWEEPD_ATTEMPT              the attempt's id, which finds what a killed rank left behind
//   RANK, LOCAL_RANK            the rank; one host runs all ranks of an attempt
//   WORLD_SIZE                  how many
//   LOCAL_WORLD_SIZE, GROUP_RANK, GROUP_WORLD_SIZE, ROLE_NAME, ROLE_RANK, ROLE_WORLD_SIZE,
//   TORCHELASTIC_RUN_ID, TORCHELASTIC_RESTART_COUNT, TORCHELASTIC_MAX_RESTARTS,
//   TORCHELASTIC_USE_AGENT_STORE   as torchrun sets it for one node without restarts
//   SWEEPD_GPUS                 the UUIDs of all ranks' GPUs, in the order of the ranks; "" on CPU
//   MASTER_ADDR, MASTER_PORT    127.0.0.1 and a port derived from the attempt's id. Nothing of
//                               ours listens there (ranks meet through the attempt folder); it is
//                               for libraries that require one
//   CUDA_VISIBLE_DEVICES        the UUID of this rank's own GPU, which is therefore device 0 in its
//                               process, for any LOCAL_RANK; "" on CPU: no GPU is touched
//   CUDA_DEVICE_ORDER           PCI_BUS_ID
//   OMP_NUM_THREADS, MKL_NUM_THREADS   the cores of its lease
//
// Everything else is the daemon's own environment. A program of `command` that is the only rank
// does not get those of model/attempt/rank_variables.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/wire/request.h"

namespace sweepd {

// `inherited` is a null-terminated array of "NAME=value", such as ::environ. `rank` is below
// request.lease.ranks.size().
std::vector<std::string> rank_environment(const char* const* inherited,
                                          const AttemptRequest& request, int rank);

// Whether "NAME=value" differs for each attempt, independent of its request. A worker
// that is loaded once for many attempts must not depend on it.
bool differs_between_attempts(std::string_view entry);

}  // namespace sweepd
