// wgmma, TMA and mbarriers of sm_90a.
//
// Tiles for wgmma are stored in shared memory as panels of 64 columns: [columns / 64][rows][64],
// 128 bytes per row. The eight 16-byte chunks of a row are permuted by its number modulo 8 (TMA's
// 128-byte swizzle, which both TMA and wgmma apply themselves). Panels begin at multiples of 1024
// bytes.
#pragma once

#include "workloads/cuda/flash/device.cuh"

namespace sweepd::gpu {

// Filled in by cuTensorMapEncodeTiled, for a [B, h, S, d] matrix that is read or written in boxes
// of 64 columns.
struct alignas(128) TensorMap {
  std::uint64_t opaque[16];
};
struct TensorMaps {
  TensorMap q, k, v, d_o;  // d_o only in the backward
  TensorMap o;             // only in the forward
};

enum class Major { kK, kMn };  // the contiguous dimension of an operand

// Describes where wgmma finds an operand. K-major: rows of 64 along k; `start` moves by 32 bytes
// for the next 16 columns. MN-major: 16 rows of k; `start` moves by 2048 bytes, and adjacent panels
// are `panel_bytes` apart.
SWEEPD_DEVICE std::uint64_t describe(Shared start, int panel_bytes = 16) {
  constexpr std::uint64_t kEightRows = 1024 >> 4, kSwizzle128 = 1;
  return static_cast<std::uint64_t>((start & 0x3ffffU) >> 4) |
         static_cast<std::uint64_t>(panel_bytes >> 4) << 16 | kEightRows << 32 | kSwizzle128 << 62;
}

// The same operand, moved by `bytes`, which stay below 256 KiB so that no carry leaves the address.
SWEEPD_DEVICE std::uint64_t moved(std::uint64_t description, int bytes) {
  return description + static_cast<std::uint64_t>(bytes >> 4);
}

#ifdef __CUDACC__

SWEEPD_DEVICE void trap_unless(bool condition) {
  if (!condition) __trap();
}

// --- mbarriers ---
SWEEPD_DEVICE void init_barrier(Shared barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
SWEEPD_DEVICE void fence_barrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
SWEEPD_DEVICE void arrive(Shared barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
// Arrives, and makes the phase also wait for this many bytes of TMA.
SWEEPD_DEVICE void arrive_expecting(Shared barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
// Waits until the phase of that parity has ended. A new barrier is in phase 0: waiting for 1
// returns.
SWEEPD_DEVICE void wait(Shared barrier, int parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n"
      "}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

// --- copies by TMA, completing on a barrier ---
SWEEPD_DEVICE void load_box(Shared to, const TensorMap& map, Shared barrier, int column, int row,
                            int head, int batch) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(to),
      "l"(&map), "r"(barrier), "r"(column), "r"(row), "r"(head), "r"(batch)
      : "memory");
}
// Copies contiguous bytes; a multiple of 16, 16-byte aligned.
SWEEPD_DEVICE void load_bytes(Shared to, const void* from, int bytes, Shared barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(to),
      "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(barrier)
      : "memory");
}
// to[i] += from[i], in the thread's own bulk group. `from` may be written again after
// wait_for_bulk_reads.
SWEEPD_DEVICE void add_bulk(float* to, Shared from, int bytes) {
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(
                   __cvta_generic_to_global(to)),
               "r"(from), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
// Stores a box that `from` has swizzled, in the thread's own bulk group; nothing is written beyond
// the matrix. `from` may be written again after wait_for_bulk_reads.
SWEEPD_DEVICE void store_box(const TensorMap& map, Shared from, int column, int row, int head,
                             int batch) {
  asm volatile(
      "cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4, %5}], [%1];" ::
          "l"(&map),
      "r"(from), "r"(column), "r"(row), "r"(head), "r"(batch)
      : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
SWEEPD_DEVICE void wait_for_bulk_reads() {
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
SWEEPD_DEVICE void wait_for_bulk() {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
// Makes ordinary stores to shared memory visible before wgmma or TMA reads them.
SWEEPD_DEVICE void fence_for_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// --- the named barriers of sync_threads without a wait ---
SWEEPD_DEVICE void arrive_threads(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// --- registers move from the warpgroup that copies to those that compute ---
template <int kCount>
SWEEPD_DEVICE void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kCount));
}
template <int kCount>
SWEEPD_DEVICE void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kCount));
}

// Stores four 8 x 8 matrices; lane l gives the address of row l % 8 of matrix l / 8.
SWEEPD_DEVICE void store_matrices(Shared row, const std::uint32_t (&from)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(row),
               "r"(from[0]), "r"(from[1]), "r"(from[2]), "r"(from[3])
               : "memory");
}

// --- wgmma ---
SWEEPD_DEVICE void begin_products() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
SWEEPD_DEVICE void commit_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
// Waits until at most kPending groups are running.
template <int kPending>
SWEEPD_DEVICE void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}
// Used after the wait: keeps the compiler from reading the sums before it.
template <int kCount>
SWEEPD_DEVICE void settle(float (&sums)[kCount]) {
  SWEEPD_UNROLL
  for (int i = 0; i < kCount; ++i) asm volatile("" : "+f"(sums[i])::"memory");
}
// Used before a product that restarts sums: their former values end here, so that the compiler
// keeps no registers for them.
template <int kCount>
SWEEPD_DEVICE void forget(float (&sums)[kCount]) {
  SWEEPD_UNROLL
  for (int i = 0; i < kCount; ++i) asm volatile("" : "=f"(sums[i]));
}

#define SWEEPD_SUMS_32_TEXT                                \
  "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15," \
  "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define SWEEPD_SUMS_32                                                                            \
  "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), \
      "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]),    \
      "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]),  \
      "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]),  \
      "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
#define SWEEPD_SUMS_64_TEXT                                          \
  "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"           \
  "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31," \
  "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47," \
  "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define SWEEPD_SUMS_64                                                                            \
  "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), \
      "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]),    \
      "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]),  \
      "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]),  \
      "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),  \
      "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]),  \
      "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]),  \
      "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]),  \
      "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])

// The operand numbers after the sums, for 32 and for 64 sums.
#define SWEEPD_BOTH_SHARED(columns, type, count, a, b, p, ta, tb)                            \
  asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %" p                                    \
               ", 0;\n"                                                                      \
               "wgmma.mma_async.sync.aligned.m64n" columns "k16.f32." type "." type          \
               " {" SWEEPD_SUMS_##count##_TEXT "}, %" a ", %" b ", add, 1, 1, %" ta ", %" tb \
                                               ";\n}"                                        \
               : SWEEPD_SUMS_##count                                                         \
               : "l"(left), "l"(right), "r"(add ? 1 : 0), "n"(kLeft == Major::kMn ? 1 : 0),  \
                 "n"(kRight == Major::kMn ? 1 : 0))
#define SWEEPD_LEFT_REGISTERS(columns, type, count, a0, a1, a2, a3, b, p, tb)              \
  asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %" p                                  \
               ", 0;\n"                                                                    \
               "wgmma.mma_async.sync.aligned.m64n" columns "k16.f32." type "." type        \
               " {" SWEEPD_SUMS_##count##_TEXT "}, {%" a0 ",%" a1 ",%" a2 ",%" a3 "}, %" b \
                                               ", add, 1, 1, %" tb ";\n}"                  \
               : SWEEPD_SUMS_##count                                                       \
               : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "l"(right),       \
                 "r"(add ? 1 : 0), "n"(kRight == Major::kMn ? 1 : 0))

// sums (64 x kN, as four warps' accumulators of 16 rows) = or += left (64 x 16) right (16 x kN).
template <Element kType, int kN, Major kLeft, Major kRight>
SWEEPD_DEVICE void product(float (&d)[kN / 2], std::uint64_t left, std::uint64_t right, bool add) {
  static_assert(kN == 64 || kN == 128);
  if constexpr (kN == 64 && kType == Element::kBf16) {
    SWEEPD_BOTH_SHARED("64", "bf16", 32, "32", "33", "34", "35", "36");
  } else if constexpr (kN == 64) {
    SWEEPD_BOTH_SHARED("64", "f16", 32, "32", "33", "34", "35", "36");
  } else if constexpr (kType == Element::kBf16) {
    SWEEPD_BOTH_SHARED("128", "bf16", 64, "64", "65", "66", "67", "68");
  } else {
    SWEEPD_BOTH_SHARED("128", "f16", 64, "64", "65", "66", "67", "68");
  }
}

// The same with `left` in registers, where each warp's 16 x 16 is the A of mma.cuh.
template <Element kType, int kN, Major kRight>
SWEEPD_DEVICE void product(float (&d)[kN / 2], const std::uint32_t (&left)[4], std::uint64_t right,
                           bool add) {
  static_assert(kN == 64 || kN == 128);
  if constexpr (kN == 64 && kType == Element::kBf16) {
    SWEEPD_LEFT_REGISTERS("64", "bf16", 32, "32", "33", "34", "35", "36", "37", "38");
  } else if constexpr (kN == 64) {
    SWEEPD_LEFT_REGISTERS("64", "f16", 32, "32", "33", "34", "35", "36", "37", "38");
  } else if constexpr (kType == Element::kBf16) {
    SWEEPD_LEFT_REGISTERS("128", "bf16", 64, "64", "65", "66", "67", "68", "69", "70");
  } else {
    SWEEPD_LEFT_REGISTERS("128", "f16", 64, "64", "65", "66", "67", "68", "69", "70");
  }
}

#undef SWEEPD_BOTH_SHARED
#undef SWEEPD_LEFT_REGISTERS
#undef SWEEPD_SUMS_32_TEXT
#undef SWEEPD_SUMS_32
#undef SWEEPD_SUMS_64_TEXT
#undef SWEEPD_SUMS_64

#else

void trap_unless(bool condition);
void init_barrier(Shared barrier, int arrivals);
inline void fence_barrier_init() {}
void arrive(Shared barrier);
void arrive_expecting(Shared barrier, int bytes);
void wait(Shared barrier, int parity);
void load_box(Shared to, const TensorMap& map, Shared barrier, int column, int row, int head,
              int batch);
void load_bytes(Shared to, const void* from, int bytes, Shared barrier);
void add_bulk(float* to, Shared from, int bytes);
void store_box(const TensorMap& map, Shared from, int column, int row, int head, int batch);
void wait_for_bulk_reads();
void wait_for_bulk();
void fence_for_async();
void arrive_threads(int id, int threads);
template <int kCount>
void give_registers() {}
template <int kCount>
void take_registers() {}
void store_matrices(Shared row, const std::uint32_t (&from)[4]);
void begin_products();
void commit_products();
void emulated_wait_for_products(int pending);
template <int kPending>
void wait_for_products() {
  emulated_wait_for_products(kPending);
}
template <int kCount>
void settle(float (&)[kCount]) {}
template <int kCount>
void forget(float (&sums)[kCount]) {
  for (float& sum : sums) sum = NAN;
}
void emulated_product(Element type, int columns, float* d, const std::uint32_t* left_registers,
                      std::uint64_t left, Major left_major, std::uint64_t right, Major right_major,
                      bool add);
template <Element kType, int kN, Major kLeft, Major kRight>
void product(float (&d)[kN / 2], std::uint64_t left, std::uint64_t right, bool add) {
  emulated_product(kType, kN, d, nullptr, left, kLeft, right, kRight, add);
}
template <Element kType, int kN, Major kRight>
void product(float (&d)[kN / 2], const std::uint32_t (&left)[4], std::uint64_t right, bool add) {
  emulated_product(kType, kN, d, left, 0, Major::kK, right, kRight, add);
}

#endif

}  // namespace sweepd::gpu
