#include "runner/trace/call_kind.h"

#include <gtest/gtest.h>

namespace sweepd::trace {
namespace {

TEST(CallKinds, AreKnownByName) {
  const struct {
    const char* name;
    CallKind kind;
  } cases[] = {
      {"cudaLaunchKernel", CallKind::kLaunch},
      {"cudaLaunchKernelExC_v11060", CallKind::kLaunch},
      {"cuLaunchCooperativeKernel", CallKind::kLaunch},
      {"hipExtModuleLaunchKernel", CallKind::kLaunch},
      {"cudaLaunch_v3020", CallKind::kLaunch},
      {"cudaLaunchHostFunc", CallKind::kOther},
      {"cudaGraphLaunch", CallKind::kGraphLaunch},
      {"hipGraphLaunch", CallKind::kGraphLaunch},
      {"cudaGraphAddMemcpyNode", CallKind::kOther},
      {"cuMemcpyHtoDAsync_v2", CallKind::kCopy},
      {"hipMemcpyWithStream", CallKind::kCopy},
      {"cudaMemsetAsync", CallKind::kFill},
      {"cudaDeviceSynchronize", CallKind::kSynchronize},
      {"cudaStreamIsCapturing", CallKind::kOther},
  };
  for (const auto& each : cases) EXPECT_EQ(kind_of_call(each.name), each.kind) << each.name;
}

TEST(CallKinds, AVersionIsNotOfTheName) {
  EXPECT_EQ(call_without_version("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(call_without_version("cudaLaunchKernel_ptsz_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(call_without_version("cuMemAlloc_v2"), "cuMemAlloc_v2");
  EXPECT_EQ(call_without_version("cudaGraph_version"), "cudaGraph_version");
}

}  // namespace
}  // namespace sweepd::trace
