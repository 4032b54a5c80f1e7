// inject/cupti_records.h against the headers of the CUDA toolkit that this machine has.
#include <gtest/gtest.h>

#include "inject/cupti_records.h"

#if __has_include(<cupti_activity.h>) && __has_include(<cuda.h>)
#include <cupti_activity.h>
#include <cupti_version.h>
#define SWEEPD_HAVE_CUPTI_HEADERS
#endif

namespace sweepd::inject {
namespace {

TEST(InjectHeaders, OffsetsAreThoseOfTheToolkit) {
#ifdef SWEEPD_HAVE_CUPTI_HEADERS
#if CUPTI_API_VERSION >= 130500
  using Kernel = CUpti_ActivityKernel13;
#elif CUPTI_API_VERSION >= 130000
  using Kernel = CUpti_ActivityKernel10;
#else
  using Kernel = CUpti_ActivityKernel9;
#endif
#define SWEEPD_EQUAL(ours, field, record, name) \
  EXPECT_EQ(offsetof(ours, field), offsetof(record, name))
  SWEEPD_EQUAL(CuptiKernel, registers, Kernel, registersPerThread);
  SWEEPD_EQUAL(CuptiKernel, start, Kernel, start);
  SWEEPD_EQUAL(CuptiKernel, end, Kernel, end);
  SWEEPD_EQUAL(CuptiKernel, device, Kernel, deviceId);
  SWEEPD_EQUAL(CuptiKernel, stream, Kernel, streamId);
  SWEEPD_EQUAL(CuptiKernel, grid, Kernel, gridX);
  SWEEPD_EQUAL(CuptiKernel, block, Kernel, blockX);
  SWEEPD_EQUAL(CuptiKernel, static_shared, Kernel, staticSharedMemory);
  SWEEPD_EQUAL(CuptiKernel, dynamic_shared, Kernel, dynamicSharedMemory);
  SWEEPD_EQUAL(CuptiKernel, correlation, Kernel, correlationId);
  SWEEPD_EQUAL(CuptiKernel, name, Kernel, name);
  SWEEPD_EQUAL(CuptiKernel, graph, Kernel, graphId);
  SWEEPD_EQUAL(CuptiMemcpy, direction, CUpti_ActivityMemcpy5, copyKind);
  SWEEPD_EQUAL(CuptiMemcpy, bytes, CUpti_ActivityMemcpy5, bytes);
  SWEEPD_EQUAL(CuptiMemcpy, start, CUpti_ActivityMemcpy5, start);
  SWEEPD_EQUAL(CuptiMemcpy, device, CUpti_ActivityMemcpy5, deviceId);
  SWEEPD_EQUAL(CuptiMemcpy, stream, CUpti_ActivityMemcpy5, streamId);
  SWEEPD_EQUAL(CuptiMemcpy, correlation, CUpti_ActivityMemcpy5, correlationId);
  SWEEPD_EQUAL(CuptiMemcpy, graph, CUpti_ActivityMemcpy5, graphId);
  SWEEPD_EQUAL(CuptiMemset, bytes, CUpti_ActivityMemset4, bytes);
  SWEEPD_EQUAL(CuptiMemset, start, CUpti_ActivityMemset4, start);
  SWEEPD_EQUAL(CuptiMemset, stream, CUpti_ActivityMemset4, streamId);
  SWEEPD_EQUAL(CuptiMemset, correlation, CUpti_ActivityMemset4, correlationId);
  SWEEPD_EQUAL(CuptiMemset, graph, CUpti_ActivityMemset4, graphId);
  SWEEPD_EQUAL(CuptiCall, cbid, CUpti_ActivityAPI, cbid);
  SWEEPD_EQUAL(CuptiCall, start, CUpti_ActivityAPI, start);
  SWEEPD_EQUAL(CuptiCall, thread, CUpti_ActivityAPI, threadId);
  SWEEPD_EQUAL(CuptiCall, correlation, CUpti_ActivityAPI, correlationId);
  SWEEPD_EQUAL(CuptiCall, result, CUpti_ActivityAPI, returnValue);
  SWEEPD_EQUAL(CuptiExternal, id, CUpti_ActivityExternalCorrelation, externalId);
  SWEEPD_EQUAL(CuptiExternal, correlation, CUpti_ActivityExternalCorrelation, correlationId);
  SWEEPD_EQUAL(CuptiMemory, operation, CUpti_ActivityMemory3, memoryOperationType);
  SWEEPD_EQUAL(CuptiMemory, memory_kind, CUpti_ActivityMemory3, memoryKind);
  SWEEPD_EQUAL(CuptiMemory, address, CUpti_ActivityMemory3, address);
  SWEEPD_EQUAL(CuptiMemory, timestamp, CUpti_ActivityMemory3, timestamp);
  SWEEPD_EQUAL(CuptiMemory, device, CUpti_ActivityMemory3, deviceId);
  SWEEPD_EQUAL(CuptiMemory, stream, CUpti_ActivityMemory3, streamId);
  SWEEPD_EQUAL(CuptiDevice, memory_bytes, CUpti_ActivityDevice4, globalMemorySize);
  SWEEPD_EQUAL(CuptiDevice, multiprocessors, CUpti_ActivityDevice4, numMultiprocessors);
  SWEEPD_EQUAL(CuptiDevice, capability_major, CUpti_ActivityDevice4, computeCapabilityMajor);
  SWEEPD_EQUAL(CuptiDevice, capability_minor, CUpti_ActivityDevice4, computeCapabilityMinor);
  SWEEPD_EQUAL(CuptiDevice, id, CUpti_ActivityDevice4, id);
  SWEEPD_EQUAL(CuptiDevice, name, CUpti_ActivityDevice4, name);
#undef SWEEPD_EQUAL
  EXPECT_EQ(+kCuptiMemory2, +CUPTI_ACTIVITY_KIND_MEMORY2);
  EXPECT_EQ(+kCuptiExternalCorrelation, +CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
  EXPECT_EQ(+kCuptiConcurrentKernel, +CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  EXPECT_EQ(+kCuptiDevice, +CUPTI_ACTIVITY_KIND_DEVICE);
#else
  GTEST_SKIP() << "no CUDA toolkit here";
#endif
}

}  // namespace
}  // namespace sweepd::inject
