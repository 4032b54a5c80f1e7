// The environment variables by which torchrun tells a process that it is one rank of several.
#pragma once

#include <array>
#include <string_view>

namespace sweepd {

inline constexpr std::array<std::string_view, 15> kRankVariables{"RANK",
                                                                 "LOCAL_RANK",
                                                                 "WORLD_SIZE",
                                                                 "LOCAL_WORLD_SIZE",
                                                                 "GROUP_RANK",
                                                                 "GROUP_WORLD_SIZE",
                                                                 "ROLE_NAME",
                                                                 "ROLE_RANK",
                                                                 "ROLE_WORLD_SIZE",
                                                                 "TORCHELASTIC_RUN_ID",
                                                                 "TORCHELASTIC_RESTART_COUNT",
                                                                 "TORCHELASTIC_MAX_RESTARTS",
                                                                 "TORCHELASTIC_USE_AGENT_STORE",
                                                                 "MASTER_ADDR",
                                                                 "MASTER_PORT"};

}  // namespace sweepd
