// The instructions of hopper.cuh on the emulator.
#include <bit>
#include <cstring>
#include <utility>

#include "tests/cuda/block.h"

namespace sweepd::gpu {
namespace {

// TMA's and wgmma's 128-byte swizzle: address bits 4 to 6 are XORed with bits 7 to 9.
Shared swizzled(Shared at) {
  return at ^ ((at >> 7 & 7) << 4);
}

float operand(Element type, Shared at) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, block().memory_read_async(swizzled(at), 2), 2);
  return from_bits(type, bits);
}

// Returns element (mn, k) of the 16-deep operand that a descriptor names.
float operand(Element type, std::uint64_t descriptor, Major major, int mn, int k) {
  const auto start = static_cast<Shared>(descriptor & 0x3fff) << 4;
  const auto leading = static_cast<int>(descriptor >> 16 & 0x3fff) << 4;
  const auto stride = static_cast<int>(descriptor >> 32 & 0x3fff) << 4;
  if (descriptor >> 62 != 1) refuse("a wgmma descriptor without the 128-byte swizzle");
  const int offset = major == Major::kK
                         ? mn / 8 * stride + mn % 8 * 128 + k * 2
                         : mn / 64 * leading + mn % 64 * 2 + k / 8 * stride + k % 8 * 128;
  return operand(type, start + static_cast<Shared>(offset));
}

struct Product {
  Element type;
  int columns;
  std::uint64_t left, right;
  Major left_major, right_major;
  bool add, registers;
  float* d[128];
  std::uint32_t a[128][4];

  void run() const {
    std::vector<float> l(64 * 16), r(static_cast<std::size_t>(16 * columns));
    for (int row = 0; row < 64; ++row) {
      for (int k = 0; k < 16; ++k) l[index(row, k, 16)] = left_element(row, k);
    }
    for (int k = 0; k < 16; ++k) {
      for (int column = 0; column < columns; ++column) {
        r[index(k, column, columns)] = operand(type, right, right_major, column, k);
      }
    }
    for (int t = 0; t < 128; ++t) {
      for (int i = 0; i < columns / 2; ++i) {
        const int row = t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8;
        const int column = i / 4 * 8 + 2 * (t % 4) + i % 2;
        float sum = add ? d[t][i] : 0;
        for (int k = 0; k < 16; ++k) sum += l[index(row, k, 16)] * r[index(k, column, columns)];
        d[t][i] = sum;
      }
    }
  }

 private:
  static std::size_t index(int row, int column, int width) {
    return static_cast<std::size_t>(row * width + column);
  }
  float left_element(int row, int k) const {
    if (!registers) return operand(type, left, left_major, row, k);
    const int t = row / 16 * 32 + row % 8 * 4 + k % 8 / 2;
    const std::uint32_t both = a[t][row / 8 % 2 + k / 8 * 2];
    return from_bits(type, static_cast<std::uint16_t>(both >> (16 * (k % 2))));
  }
};

// A box of 64 columns, in the matrix of a tensor map and swizzled in shared memory.
class Box {
 public:
  Box(const TensorMap& map, Shared shared, int column, int row, int head, int batch)
      : shared_(shared), column_(column), row_(row) {
    std::int64_t values[9];
    std::memcpy(values, map.opaque, sizeof values);
    const auto [data, batch_stride, head_stride, row_stride, columns, rows, heads, batches, box] =
        std::to_array(values);
    if (box == 0) refuse("a tensor map that nobody filled in");
    if (shared % 1024 != 0) refuse("a swizzled box at " + std::to_string(shared));
    if (head >= heads || batch >= batches) refuse("a box of no head");
    head_ = std::bit_cast<std::uint16_t*>(static_cast<std::uintptr_t>(data)) +
            batch * batch_stride + head * head_stride;
    row_stride_ = row_stride, columns_ = columns, rows_ = rows, box_ = static_cast<int>(box);
  }
  int bytes() const { return box_ * 128; }

  // Calls `visit` with each element's place in the matrix, null beyond it, and in shared memory.
  void each(const auto& visit) const {
    for (int r = row_; r < row_ + box_; ++r) {
      for (int c = column_; c < column_ + 64; ++c) {
        const bool inside = r < rows_ && c < columns_;
        const auto at = static_cast<Shared>((r - row_) * 128 + (c - column_) * 2);
        visit(inside ? head_ + r * row_stride_ + c : nullptr, swizzled(shared_ + at));
      }
    }
  }

 private:
  Shared shared_;
  int column_, row_, box_;
  std::uint16_t* head_;
  std::int64_t row_stride_, columns_, rows_;
};

// Runs a bulk operation at once, or when its thread waits; it has to wait in both cases.
void now_or_later(std::function<void()> operation) {
  if (block().chance()) {
    operation();
    operation = [] {};
  }
  block().fiber().bulk.push_back(std::move(operation));
}

void finish_groups(Products& products, int pending) {
  while (static_cast<int>(products.groups.size()) - 1 > pending) {
    for (const auto& product : products.groups.front()) product();
    products.groups.erase(products.groups.begin());
  }
}

}  // namespace

void trap_unless(bool condition) {
  if (!condition) refuse("trap");
}

void init_barrier(Shared barrier, int arrivals) {
  block().barrier(barrier) = {arrivals, arrivals, 0, 0};
}
void arrive(Shared barrier) {
  MemoryBarrier& state = block().barrier(barrier);
  --state.pending;
  block().complete(state);
  block().dawdle();  // so that the thread's next action may come too late
}
void arrive_expecting(Shared barrier, int bytes) {
  block().barrier(barrier).bytes += bytes;
  arrive(barrier);
}
void wait(Shared barrier, int parity) {
  MemoryBarrier& state = block().barrier(barrier);
  if (state.arrivals == 0) refuse("waits at an mbarrier that nobody made");
  while (state.phase % 2 == parity) block().wait_while(state.phase, state.phase);
}

TensorMap emulated_map(const Matrix& matrix, const Problem& problem, int box_rows) {
  TensorMap map{};
  const std::int64_t values[] = {
      static_cast<std::int64_t>(std::bit_cast<std::uintptr_t>(matrix.data)),
      matrix.batch_stride,
      matrix.head_stride,
      matrix.row_stride,
      problem.head_dim,
      problem.sequence,
      problem.heads,
      problem.batch,
      box_rows};
  std::memcpy(map.opaque, values, sizeof values);
  return map;
}

void load_box(Shared to, const TensorMap& map, Shared barrier, int column, int row, int head,
              int batch) {
  const Box box(map, to, column, row, head, batch);
  Block& here = block();
  const int thread = here.thread;
  here.transfers.emplace_back([=, &here] {
    here.thread = thread;
    box.each([&](const std::uint16_t* from, Shared at) {
      const std::uint16_t bits = from == nullptr ? 0 : *from;
      std::memcpy(here.memory(at, 2), &bits, 2);
    });
    MemoryBarrier& state = here.barrier(barrier);
    state.bytes -= box.bytes();
    here.complete(state);
  });
}

void store_box(const TensorMap& map, Shared from, int column, int row, int head, int batch) {
  const Box box(map, from, column, row, head, batch);
  Block& here = block();
  now_or_later([=, &here] {
    box.each([&](std::uint16_t* to, Shared at) {
      const unsigned char* bits = here.memory_read_async(at, 2);
      if (to != nullptr) std::memcpy(to, bits, 2);
    });
  });
}

void load_bytes(Shared to, const void* from, int bytes, Shared barrier) {
  if (to % 16 != 0 || bytes % 16 != 0 || reinterpret_cast<std::uintptr_t>(from) % 16 != 0) {
    refuse("a bulk copy that is not aligned");
  }
  Block& here = block();
  const int thread = here.thread;
  here.transfers.emplace_back([=, &here] {
    here.thread = thread;
    std::memcpy(here.memory(to, bytes), from, static_cast<std::size_t>(bytes));
    MemoryBarrier& state = here.barrier(barrier);
    state.bytes -= bytes;
    here.complete(state);
  });
}

void add_bulk(float* to, Shared from, int bytes) {
  if (from % 16 != 0 || bytes % 16 != 0 || reinterpret_cast<std::uintptr_t>(to) % 16 != 0) {
    refuse("a bulk addition that is not aligned");
  }
  Block& here = block();
  now_or_later([=, &here] {
    const unsigned char* data = here.memory_read_async(from, bytes);
    for (int i = 0; i < bytes / 4; ++i) {
      float value = 0;
      std::memcpy(&value, data + i * 4, 4);
      to[i] += value;
    }
  });
}
void wait_for_bulk_reads() {
  for (const auto& operation : block().fiber().bulk) operation();
  block().fiber().bulk.clear();
}
void wait_for_bulk() {
  wait_for_bulk_reads();
}

void fence_for_async() {
  Block& here = block();
  for (const auto& [at, bytes] : here.fiber().unfenced) {
    std::memset(&here.unfenced[at], 0, static_cast<std::size_t>(bytes));
  }
  here.fiber().unfenced.clear();
}

void sync_threads(int id, int threads) {
  NamedBarrier& barrier = block().named(id);
  const int generation = barrier.generation;
  block().arrive_named(id, threads);
  block().wait_while(barrier.generation, generation);
}
void arrive_threads(int id, int threads) {
  block().arrive_named(id, threads);
}

void store_matrices(Shared row, const std::uint32_t (&from)[4]) {
  struct Lane {
    Shared row;
    const std::uint32_t* from;
  } mine{row, from};
  block().meet("stmatrix", 32, &mine, [](const std::vector<void*>& lanes) {
    Block& here = block();
    const int last = here.thread;
    for (std::size_t t = 0; t < 32; ++t) {
      for (std::size_t i = 0; i < 4; ++i) {
        const Shared at = static_cast<Lane*>(lanes[8 * i + t / 4])->row;
        if (at % 16 != 0) refuse("stmatrix of a row at " + std::to_string(at));
        here.thread = last / 32 * 32 + static_cast<int>(t);  // the thread whose fence counts
        store_shared(at + static_cast<Shared>(4 * (t % 4)), static_cast<Lane*>(lanes[t])->from[i]);
      }
    }
    here.thread = last;
  });
}

void begin_products() {
  block().meet("wgmma.fence", 128, nullptr, [](const auto&) {});
}
void commit_products() {
  block().meet("wgmma.commit", 128, nullptr, [](const auto&) {
    Products& products = block().products();
    products.groups.emplace_back();
    if (block().chance()) finish_groups(products, 0);
  });
}
void emulated_wait_for_products(int pending) {
  block().meet("wgmma.wait", 128, nullptr,
               [pending](const auto&) { finish_groups(block().products(), pending); });
}

void emulated_product(Element type, int columns, float* d, const std::uint32_t* left_registers,
                      std::uint64_t left, Major left_major, std::uint64_t right, Major right_major,
                      bool add) {
  struct Lane {
    float* d;
    const std::uint32_t* a;
    std::uint64_t left, right;
  } mine{d, left_registers, left, right};
  block().meet("wgmma", 128, &mine, [&](const std::vector<void*>& lanes) {
    Product product{type,       columns,     left, right,
                    left_major, right_major, add,  left_registers != nullptr,
                    {},         {}};
    for (std::size_t t = 0; t < 128; ++t) {
      const auto* lane = static_cast<Lane*>(lanes[t]);
      if (lane->left != left || lane->right != right) refuse("threads differ in a descriptor");
      product.d[t] = lane->d;
      if (lane->a != nullptr) std::memcpy(product.a[t], lane->a, sizeof product.a[t]);
    }
    block().products().groups.back().emplace_back([product] { product.run(); });
  });
}

}  // namespace sweepd::gpu
