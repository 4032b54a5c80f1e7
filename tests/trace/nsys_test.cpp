// Tests that exports of several versions of nsys become timelines.
#include "runner/trace/nsys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/trace/nsys_database.h"

namespace sweepd::trace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// As nsys 2025 exports it; process 256 of machine 1 with thread 257.
// (1 << 48) | (256 << 24) = 281479271677952.
constexpr const char* kNewExport = R"(
  CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
  INSERT INTO StringIds VALUES (1, 'void gemm<float>(int)'), (2, 'gemm'),
    (3, 'cudaLaunchKernel_v7000'), (4, 'cuMemAlloc_v2'), (5, 'cudaGraphLaunch_v10000'),
    (6, 'cudaMemcpyAsync_v3020'), (7, 'forward'), (8, 'cudaDeviceSynchronize_ptsz_v7000');
  CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL,
    deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL,
    correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL,
    shortName INTEGER NOT NULL, registersPerThread INTEGER NOT NULL, gridX INTEGER, gridY INTEGER,
    gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, staticSharedMemory INTEGER,
    dynamicSharedMemory INTEGER, graphNodeId INTEGER, graphId INTEGER);
  INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (400, 500, 1, 1, 7, 12, 281479271677952, 1, 2, 64, 10, 2, 1, 128, 1, 1, 16, 1024, NULL, 0),
    (100, 200, 1, 1, 7, 11, 281479271677952, 1, 2, 64, 10, 2, 1, 128, 1, 1, 16, 1024, NULL, 0),
    (600, 650, 1, 1, 9, 13, 281479271677952, 99, 2, 0, 1, 1, 1, 0, 1, 1, 0, 0, 12884901894, 3),
    (0, 0, 1, 1, 9, 14, 281479271677952, 1, 2, 0, 1, 1, 1, 1, 1, 1, 0, 0, NULL, 0);
  CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER,
    streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER);
  INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (210, 220, 1, 7, 15, 281479271677952, 4096, 1),
    (230, 240, 1, 7, 16, 281479271677952, 512, 12), (250, 260, 1, 7, 17, 281479271677952, 8, 77);
  CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER, name TEXT, label TEXT);
  INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (1, 'CUDA_MEMCPY_KIND_HTOD', 'Host-to-Device'),
    (12, 'CUDA_MEMCPY_KIND_UVM_DTOH', 'Unified Device-to-Host');
  CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER,
    streamId INTEGER, correlationId INTEGER, globalPid INTEGER, value INTEGER, bytes INTEGER);
  INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (300, 310, 1, 7, 18, 281479271677952, 0, 2048);
  CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId INTEGER,
    streamId INTEGER, correlationId INTEGER, globalPid INTEGER, graphId INTEGER);
  INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (700, 800, 1, 7, 19, 281479271677952, 5);
  CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER,
    globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER);
  INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (90, 95, 0, 281479271678209, 11, 3, 0),
    (10, 20, 1, 281479271678209, 1, 4, 0), (690, 695, 0, 281479271678209, 19, 5, 0),
    (205, 209, 0, 281479271678209, 15, 6, 0), (810, 900, 0, 281479271678209, 20, 8, 0);
  CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT,
    globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);
  INSERT INTO NVTX_EVENTS VALUES (60, 100, 59, NULL, 281479271678209, NULL, 7, 0),
    (60, 700, 59, 'step', 281479271678209, NULL, NULL, 0),
    (65, NULL, 34, 'a mark', 281479271678209, NULL, NULL, 0),
    (50, NULL, 60, 'epoch', 281479271678209, NULL, NULL, 0);
  CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER, name TEXT, totalMemory INTEGER,
    smCount INTEGER, cuDevice INTEGER);
  INSERT INTO TARGET_INFO_GPU VALUES (0, 0, 'NVIDIA T4', 1, 40, 0),
    (0, 4, 'NVIDIA H100 80GB HBM3', 85520809984, 132, 4);
  CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);
  INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (4, 1, 256), (0, 1, 999);
  CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
  INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2025.1.1.1');
)";

TEST(NsysTest, AnExportOfToday) {
  const auto timelines = NsysDatabase().read(kNewExport);
  ASSERT_TRUE(timelines) << timelines.error().message;
  ASSERT_EQ(timelines->size(), 1);
  const Timeline& timeline = timelines->front();
  EXPECT_EQ(timeline.source, "nsys 2025.1.1.1");
  EXPECT_EQ(timeline.world_size, 1);
  EXPECT_EQ(timeline.dropped, 1);  // without times
  EXPECT_THAT(work_of(timeline),
              ElementsAre("void gemm<float>(int)|100|200|0", "[CUDA memcpy HtoD]|210|220|4096",
                          "[CUDA memcpy Unified DtoH]|230|240|512", "[CUDA memcpy other]|250|260|8",
                          "[CUDA memset]|300|310|2048", "void gemm<float>(int)|400|500|0",
                          "(unnamed kernel)|600|650|0", "[CUDA graph]|700|800|0"));
  // What was never closed ends with the last record, and an outer range comes first.
  EXPECT_THAT(lines_of(timeline, timeline.ranges),
              ElementsAre("epoch|50|900|257", "step|60|700|257", "forward|60|100|257"));
}

TEST(NsysTest, LaunchesOfKernels) {
  const auto timelines = NsysDatabase().read(kNewExport);
  ASSERT_TRUE(timelines) << timelines.error().message;
  const Timeline& timeline = timelines->front();
  const DeviceWork& kernel = timeline.work.front();
  EXPECT_EQ(kernel.kind, WorkKind::kKernel);
  EXPECT_EQ(kernel.correlation, 11);
  EXPECT_EQ(kernel.stream, 7);
  EXPECT_EQ(kernel.device, 1);
  EXPECT_EQ(kernel.graph, 0);
  ASSERT_EQ(timeline.shapes.size(), 1);  // two launches share it
  EXPECT_EQ(kernel.launch_shape, 0);
  EXPECT_EQ(timeline.work[5].launch_shape, 0);
  EXPECT_EQ(timeline.shapes[0].grid, (Shape3{10, 2, 1}));
  EXPECT_EQ(timeline.shapes[0].block, (Shape3{128, 1, 1}));
  EXPECT_EQ(timeline.shapes[0].registers, 64);
  EXPECT_EQ(timeline.shapes[0].shared_bytes, 1040);
  EXPECT_EQ(timeline.work[6].launch_shape, -1);  // no thread
  EXPECT_EQ(timeline.work[6].graph, 3);
  EXPECT_EQ(timeline.work[7].graph, 5);
}

TEST(NsysTest, CallsLoseTheVersionInTheirNames) {
  const auto timelines = NsysDatabase().read(kNewExport);
  ASSERT_TRUE(timelines) << timelines.error().message;
  const Timeline& timeline = timelines->front();
  std::vector<std::string> calls;
  std::vector<CallKind> kinds;
  for (const HostCall& call : timeline.calls) {
    calls.push_back(timeline.names[call.name]);
    kinds.push_back(call.kind);
    EXPECT_EQ(call.thread, 257);
  }
  EXPECT_THAT(calls, ElementsAre("cuMemAlloc_v2", "cudaLaunchKernel", "cudaMemcpyAsync",
                                 "cudaGraphLaunch", "cudaDeviceSynchronize"));
  EXPECT_THAT(kinds, ElementsAre(CallKind::kOther, CallKind::kLaunch, CallKind::kCopy,
                                 CallKind::kGraphLaunch, CallKind::kSynchronize));
}

TEST(NsysTest, ADeviceHasTheNameOfTheGpuThatTheProcessSees) {
  const auto timelines = NsysDatabase().read(kNewExport);
  ASSERT_TRUE(timelines) << timelines.error().message;
  ASSERT_EQ(timelines->front().devices.size(), 1);
  const TracedDevice& device = timelines->front().devices.front();
  EXPECT_EQ(device.index, 1);
  EXPECT_EQ(device.name, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(device.multiprocessors, 132);
  EXPECT_EQ(device.memory, Bytes{85520809984});
}

// The columns of 2019: every one has a value, and records of devices name no process.
TEST(NsysTest, AnExportOf2019) {
  const auto timelines = NsysDatabase().read(R"(
    CREATE TABLE StringIds (id INT NOT NULL, value TEXT NOT NULL);
    INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'cudaLaunchKernel_v7000');
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT NOT NULL, end INT NOT NULL,
      deviceId INT NOT NULL, contextId INT NOT NULL, streamId INT NOT NULL,
      correlationId INT NOT NULL, shortName INT NOT NULL, registersPerThread INT NOT NULL,
      gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT,
      staticSharedMemory INT, dynamicSharedMemory INT, graphNodeId INT NOT NULL);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
      (10, 20, 0, 1, 7, 5, 1, 32, 1, 1, 1, 64, 1, 1, 0, 0, 0),
      (30, 40, 0, 1, 7, 6, 1, 32, 1, 1, 1, 64, 1, 1, 0, 0, 12884901894);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, streamId INT,
      correlationId INT, bytes INT, copyKind INT);
    INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (22, 23, 0, 7, 6, 100, 8);
    CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT NOT NULL, end INT NOT NULL,
      globalTid INT NOT NULL, correlationId INT NOT NULL, nameId INT NOT NULL,
      returnValue INT NOT NULL);
    INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (5, 8, 281479271678209, 5, 2, 0);
    CREATE TABLE NVTX_EVENTS (start INT NOT NULL, end INT NOT NULL, eventType INT NOT NULL,
      text TEXT, globalTid INT NOT NULL);
    INSERT INTO NVTX_EVENTS VALUES (1, 50, 59, 'step', 281479271678209),
      (2, 0, 60, 'open', 281479271678209);
    CREATE TABLE TARGET_INFO_CUDA_GPU (deviceId INT, name TEXT, numMultiprocessors INT);
    INSERT INTO TARGET_INFO_CUDA_GPU VALUES (0, 'Tesla V100', 80);
  )");
  ASSERT_TRUE(timelines) << timelines.error().message;
  ASSERT_EQ(timelines->size(), 1);
  const Timeline& timeline = timelines->front();
  EXPECT_EQ(timeline.source, "nsys");
  EXPECT_THAT(work_of(timeline),
              ElementsAre("gemm|10|20|0", "[CUDA memcpy DtoD]|22|23|100", "gemm|30|40|0"));
  EXPECT_EQ(timeline.work.back().graph, 3);  // the upper half of the node's id
  EXPECT_EQ(timeline.calls.size(), 1);
  EXPECT_THAT(lines_of(timeline, timeline.ranges), ElementsAre("step|1|50|257", "open|2|50|257"));
  EXPECT_EQ(timeline.devices.at(0).name, "Tesla V100");
  EXPECT_EQ(timeline.devices.at(0).multiprocessors, 80);
}

// Two ranks that each see one GPU as device 0, and the process that started them.
TEST(NsysTest, EachProcessThatUsedADeviceIsARank) {
  const std::string first = std::to_string(NsysDatabase::process(300));
  const std::string second = std::to_string(NsysDatabase::process(301));
  const std::string parent = std::to_string(NsysDatabase::process(299));
  const auto timelines = NsysDatabase().read(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, "
      "globalPid INTEGER, correlationId INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 0, " +
      first + ", 7), (3, 5, 0, " + second +
      ", 7);"
      "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, text TEXT, globalTid INTEGER);"
      "INSERT INTO NVTX_EVENTS VALUES (1, 2, 'launch', " +
      parent +
      " + 5);"
      "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);"
      "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (1, 0, 300), (0, 0, 301);");
  ASSERT_TRUE(timelines) << timelines.error().message;
  ASSERT_EQ(timelines->size(), 2);
  EXPECT_EQ((*timelines)[0].work.front().begin_ns, 3);  // on GPU 0
  EXPECT_EQ((*timelines)[1].work.front().begin_ns, 1);
  EXPECT_EQ((*timelines)[1].rank, 1);
  EXPECT_EQ((*timelines)[1].world_size, 2);
  EXPECT_THAT((*timelines)[0].ranges, IsEmpty());
}

TEST(NsysTest, AProcessWithoutADeviceIsReadWhereNoneHasOne) {
  const auto timelines = NsysDatabase().read(
      "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, text TEXT, globalTid INTEGER);"
      "INSERT INTO NVTX_EVENTS VALUES (-5, 2, 'step', 281479271678209);");
  ASSERT_TRUE(timelines) << timelines.error().message;
  ASSERT_EQ(timelines->size(), 1);
  EXPECT_THAT(lines_of(timelines->front(), timelines->front().ranges),
              ElementsAre("step|-5|2|257"));
}

TEST(NsysTest, RangesOfEmitNvtxLoseTheNumbersOfTheirCall) {
  const auto timelines = NsysDatabase().read(
      "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
      "INSERT INTO StringIds VALUES (1, 'aten::add, op_id = 314310');"
      "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, text TEXT, globalTid INTEGER, "
      "textId INTEGER);"
      "INSERT INTO NVTX_EVENTS VALUES (1, 2, 'aten::add, op_id = 314309', 1, NULL),"
      "(3, 4, NULL, 1, 1), (5, 6, 'aten::detach_, seq = 46174, op_id = 993404', 1, NULL),"
      "(7, 8, 'aten::mm, seq = 3, sizes = [[2, 3], []]', 1, NULL),"
      "(9, 10, 'step, seq = long', 1, NULL);");
  ASSERT_TRUE(timelines) << timelines.error().message;
  EXPECT_THAT(lines_of(timelines->front(), timelines->front().ranges),
              ElementsAre("aten::add|1|2|1", "aten::add|3|4|1", "aten::detach_|5|6|1",
                          "aten::mm|7|8|1", "step, seq = long|9|10|1"));
}

TEST(NsysTest, NamesAreMadePrintable) {
  const auto timelines = NsysDatabase().read(
      "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, text TEXT, globalTid INTEGER);"
      "INSERT INTO NVTX_EVENTS VALUES (1, 2, 'a' || char(27) || '[2J' || CAST(x'ff' AS TEXT), 1);");
  ASSERT_TRUE(timelines) << timelines.error().message;
  const Timeline& timeline = timelines->front();
  EXPECT_EQ(timeline.names[timeline.ranges.front().name], "a [2J?");
}

}  // namespace
}  // namespace sweepd::trace
