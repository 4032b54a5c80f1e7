// The instructions of device.cuh, mma.cuh, tf32.cuh and vector.cuh on the emulator.
#include <bit>
#include <cmath>
#include <cstring>

#include "tests/cuda/block.h"
#include "workloads/cuda/flash/tf32.cuh"
#include "workloads/cuda/fused/vector.cuh"

namespace sweepd::gpu {

int thread_index() {
  return block().thread;
}
int block_threads() {
  return block().launch.threads;
}
int block_x() {
  return block().x;
}
int block_y() {
  return block().y;
}
int block_z() {
  return block().z;
}
int grid_x() {
  return block().launch.blocks;
}
Shared shared_base() {
  return 0;
}
float* shared_floats() {
  return reinterpret_cast<float*>(block().memory(0, 0));
}

void sync_block() {
  sync_threads(0, block().launch.threads);
}
void sync_warp() {
  block().meet("syncwarp", 32, nullptr, [](const auto&) {});
}

float shuffle_xor(float value, int mask) {
  struct Lane {
    float value, result;
  } mine{value, 0};
  block().meet("shfl", 32, &mine, [mask](const std::vector<void*>& lanes) {
    for (std::size_t i = 0; i < 32; ++i) {
      static_cast<Lane*>(lanes[i])->result =
          static_cast<Lane*>(lanes[i ^ static_cast<std::size_t>(mask)])->value;
    }
  });
  return mine.result;
}

std::uint16_t to_bits(Element type, float value) {
  if (type == Element::kFp16) {
    const auto half = static_cast<_Float16>(value);
    return std::bit_cast<std::uint16_t>(half);
  }
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return 0x7fff;
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float from_bits(Element type, std::uint16_t bits) {
  if (type == Element::kFp16) return static_cast<float>(std::bit_cast<_Float16>(bits));
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint32_t emulated_pack(Element type, float low, float high) {
  return to_bits(type, low) | static_cast<std::uint32_t>(to_bits(type, high)) << 16;
}
float emulated_widen(Element type, std::uint16_t bits) {
  return from_bits(type, bits);
}

namespace {
std::int64_t vectors = 0;
}
std::int64_t vector_accesses() {
  return vectors;
}
void check_access(const void* at, int bytes) {
  if (reinterpret_cast<std::uintptr_t>(at) % static_cast<std::uintptr_t>(bytes) != 0) {
    refuse("an access to " + std::to_string(bytes) + " bytes of global memory is not aligned");
  }
  ++vectors;
}

namespace {

void store(Shared to, const void* from, int bytes) {
  Block& here = block();
  std::memcpy(here.memory(to, bytes), from, static_cast<std::size_t>(bytes));
  for (int i = 0; i < bytes; ++i) here.unfenced[to + static_cast<Shared>(i)] = 1;
  here.fiber().unfenced.emplace_back(to, bytes);
}

struct MatrixRow {
  Shared row;
  std::uint32_t* registers;
};

std::uint16_t element(Shared row, int column) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, block().memory(row + static_cast<Shared>(column * 2), 2), 2);
  return bits;
}

// Thread t of a warp gets row t / 4, columns 2 (t % 4) and the next. If transposed, rows and
// columns are swapped.
void load_four(const std::vector<void*>& lanes, bool transposed) {
  for (std::size_t t = 0; t < 32; ++t) {
    for (std::size_t i = 0; i < 4; ++i) {
      const auto row_of_matrix = [&](std::size_t row) {
        const Shared at = static_cast<MatrixRow*>(lanes[8 * i + row])->row;
        if (at % 16 != 0) refuse("ldmatrix of a row at " + std::to_string(at));
        return at;
      };
      const int pair = static_cast<int>(2 * (t % 4)), line = static_cast<int>(t / 4);
      const std::uint16_t low = transposed ? element(row_of_matrix(2 * (t % 4)), line)
                                           : element(row_of_matrix(t / 4), pair);
      const std::uint16_t high = transposed ? element(row_of_matrix(2 * (t % 4) + 1), line)
                                            : element(row_of_matrix(t / 4), pair + 1);
      static_cast<MatrixRow*>(lanes[t])->registers[i] = low | static_cast<std::uint32_t>(high)
                                                                  << 16;
    }
  }
}

float half_of(Element type, std::uint32_t both, int which) {
  return from_bits(type, static_cast<std::uint16_t>(both >> (16 * which)));
}

}  // namespace

void store_shared(Shared to, std::uint32_t value) {
  store(to, &value, 4);
}
void store_shared(Shared to, float value) {
  if (to % 4 != 0) refuse("a 4-byte store at " + std::to_string(to));
  store(to, &value, 4);
}
void store_shared(Shared to, float a, float b, float c, float d) {
  const float values[4] = {a, b, c, d};
  if (to % 16 != 0) refuse("a 16-byte store at " + std::to_string(to));
  store(to, values, 16);
}
void load_shared(float& a, float& b, Shared from) {
  if (from % 8 != 0) refuse("an 8-byte load at " + std::to_string(from));
  std::memcpy(&a, block().memory(from, 8), 4);
  std::memcpy(&b, block().memory(from + 4, 4), 4);
}
float load_shared(Shared from) {
  float value = 0;
  if (from % 4 != 0) refuse("a 4-byte load at " + std::to_string(from));
  std::memcpy(&value, block().memory(from, 4), 4);
  return value;
}
void load_shared(float (&to)[4], Shared from) {
  if (from % 16 != 0) refuse("a 16-byte load at " + std::to_string(from));
  std::memcpy(to, block().memory(from, 16), 16);
}
void add_global(float* to, const float (&values)[4]) {
  if (reinterpret_cast<std::uintptr_t>(to) % 16 != 0) refuse("a 16-byte addition is not aligned");
  for (int i = 0; i < 4; ++i) to[i] += values[i];
}

void load_matrices(std::uint32_t (&to)[4], Shared row) {
  MatrixRow mine{row, to};
  block().meet("ldmatrix", 32, &mine, [](const auto& lanes) { load_four(lanes, false); });
}
void load_matrices_transposed(std::uint32_t (&to)[4], Shared row) {
  MatrixRow mine{row, to};
  block().meet("ldmatrix.trans", 32, &mine, [](const auto& lanes) { load_four(lanes, true); });
}

void emulated_mma(Element type, float* c, const std::uint32_t* a, std::uint32_t b0,
                  std::uint32_t b1) {
  struct Lane {
    float* c;
    const std::uint32_t* a;
    std::uint32_t b[2];
  } mine{c, a, {b0, b1}};
  block().meet("mma", 32, &mine, [type](const std::vector<void*>& lanes) {
    float left[16][16], right[16][8];
    for (std::size_t t = 0; t < 32; ++t) {
      const auto* lane = static_cast<Lane*>(lanes[t]);
      for (std::size_t i = 0; i < 8; ++i) {  // register i / 2, half i % 2
        const std::size_t row = t / 4 + i / 2 % 2 * 8, column = 2 * (t % 4) + i % 2 + i / 4 * 8;
        left[row][column] = half_of(type, lane->a[i / 2], static_cast<int>(i % 2));
      }
      for (std::size_t i = 0; i < 4; ++i) {
        right[2 * (t % 4) + i % 2 + i / 2 * 8][t / 4] =
            half_of(type, lane->b[i / 2], static_cast<int>(i % 2));
      }
    }
    for (std::size_t t = 0; t < 32; ++t) {
      for (std::size_t i = 0; i < 4; ++i) {
        float& sum = static_cast<Lane*>(lanes[t])->c[i];
        for (std::size_t k = 0; k < 16; ++k) {
          sum += left[t / 4 + i / 2 * 8][k] * right[k][2 * (t % 4) + i % 2];
        }
      }
    }
  });
}

namespace {

float cut_to_tf32(std::uint32_t bits) {
  return std::bit_cast<float>(bits & 0xffffe000U);
}

// The manual leaves the order and rounding of sums open. GPUs add up all terms and then cut the sum
// off, so rounding would be too good.
float cut_off(double sum) {
  const auto nearest = static_cast<float>(sum);
  return std::abs(nearest) > std::abs(sum) ? std::nextafter(nearest, 0.0F) : nearest;
}

}  // namespace

void mma_tf32(float (&c)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  struct Lane {
    float* c;
    const std::uint32_t *a, *b;
  } mine{c, a, b};
  block().meet("mma.tf32", 32, &mine, [](const std::vector<void*>& lanes) {
    float left[16][8], right[8][8];
    for (std::size_t t = 0; t < 32; ++t) {
      const auto* lane = static_cast<Lane*>(lanes[t]);
      for (std::size_t i = 0; i < 4; ++i) {
        left[t / 4 + i % 2 * 8][t % 4 + i / 2 * 4] = cut_to_tf32(lane->a[i]);
      }
      for (std::size_t i = 0; i < 2; ++i) right[t % 4 + i * 4][t / 4] = cut_to_tf32(lane->b[i]);
    }
    for (std::size_t t = 0; t < 32; ++t) {
      for (std::size_t i = 0; i < 4; ++i) {
        float& element = static_cast<Lane*>(lanes[t])->c[i];
        double sum = element;
        for (std::size_t k = 0; k < 8; ++k) {
          sum += double{left[t / 4 + i / 2 * 8][k]} * right[k][2 * (t % 4) + i % 2];
        }
        element = cut_off(sum);
      }
    }
  });
}

namespace {

void start_copy(Shared to, const void* from, bool valid, int bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  if (to % size != 0 || reinterpret_cast<std::uintptr_t>(from) % size != 0) {
    refuse("cp.async of " + std::to_string(bytes) + " bytes to " + std::to_string(to) +
           " is not aligned");
  }
  Block& here = block();
  auto copy = [&here, to, from, valid, size] {
    unsigned char* data = here.memory(to, static_cast<int>(size));
    if (valid) {
      std::memcpy(data, from, size);
    } else {
      std::memset(data, 0, size);
    }
  };
  if (here.chance()) {
    copy();
  } else {
    here.fiber().copies.push_back({here.fiber().copy_groups, copy});
  }
}

// Completes the copies of groups before `end`.
void finish_copies(int end) {
  std::vector<Copy>& copies = block().fiber().copies;
  for (const Copy& copy : copies) {
    if (copy.group < end) copy.run();
  }
  std::erase_if(copies, [end](const Copy& copy) { return copy.group < end; });
}

}  // namespace

void copy_async(Shared to, const void* from, bool valid) {
  start_copy(to, from, valid, 16);
}
void copy_float_async(Shared to, const float* from, bool valid) {
  start_copy(to, from, valid, 4);
}
void commit_copies() {
  ++block().fiber().copy_groups;
}
void wait_for_earlier_copies() {
  finish_copies(block().fiber().copy_groups - 1);
}
void wait_for_copies() {
  finish_copies(block().fiber().copy_groups + 1);
}

}  // namespace sweepd::gpu
