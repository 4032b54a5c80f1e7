#include "tests/cuda/block.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace sweepd::gpu {
namespace {

constexpr std::size_t kStackBytes = 256 * 1024;
Block* current = nullptr;

// The stacks are kept from block to block, because making them is most of a small block's time.
void* stack(std::size_t thread) {
  static std::vector<std::unique_ptr<char[]>> stacks;
  while (stacks.size() <= thread) stacks.emplace_back(new char[kStackBytes]);
  return stacks[thread].get();
}

[[gnu::noinline]] void prepare(ucontext_t& entry, void* own_stack);

}  // namespace

Block& block() {
  return *current;
}

void refuse(const std::string& what) {
  throw std::runtime_error("block " + std::to_string(block().x) + ", thread " +
                           std::to_string(block().thread) + ": " + what);
}

void enter_fiber() {
  Block& self = block();
  try {
    self.kernel_();
  } catch (...) {
    if (!self.error_) self.error_ = std::current_exception();
  }
  self.fiber().done = true;
  self.give_way(self.fiber());
}

namespace {

void prepare(ucontext_t& entry, void* own_stack) {
  getcontext(&entry);
  entry.uc_stack.ss_sp = own_stack;
  entry.uc_stack.ss_size = kStackBytes;
  makecontext(&entry, enter_fiber, 0);
}

}  // namespace

void Block::resume(Fiber& fiber) {
  if (_setjmp(scheduler_) != 0) return;
  if (fiber.begun) _longjmp(fiber.here, 1);
  fiber.begun = true;
  setcontext(&fiber.entry);
}

void Block::give_way(Fiber& fiber) {
  if (_setjmp(fiber.here) == 0) _longjmp(scheduler_, 1);
}

Block::Block(const Launch& launch_, int x_, int y_, int z_, std::mt19937& random,
             const std::function<void()>& kernel)
    : launch(launch_),
      x(x_),
      y(y_),
      z(z_),
      random_(random),
      kernel_(kernel),
      fibers_(static_cast<std::size_t>(launch.threads)),
      storage_(static_cast<std::size_t>(launch.shared_bytes) + 1024, 0xff),
      products_(static_cast<std::size_t>(launch.threads + 127) / 128) {
  unfenced.resize(static_cast<std::size_t>(launch.shared_bytes));
  const auto address = reinterpret_cast<std::uintptr_t>(storage_.data());
  shared_ = storage_.data() + (1024 - address % 1024) % 1024;
}

bool Block::runnable(const Fiber& fiber) const {
  return !fiber.done && draws_ >= fiber.asleep_until &&
         (fiber.watched == nullptr || *fiber.watched != fiber.seen);
}

std::vector<int> Block::ready_warps() const {
  std::vector<int> ready;
  for (int i = 0; i < launch.threads; ++i) {
    const bool listed = !ready.empty() && ready.back() == i / 32;
    if (!listed && runnable(fibers_[static_cast<std::size_t>(i)])) ready.push_back(i / 32);
  }
  return ready;
}

// Returns whether any thread slept.
bool Block::wake_all() {
  bool woken = false;
  for (Fiber& fiber : fibers_) {
    woken = woken || (!fiber.done && fiber.asleep_until > draws_);
    fiber.asleep_until = 0;
  }
  return woken;
}

// Runs the warp's lanes one after the other, each until it has to wait.
void Block::run_warp(int warp) {
  const int end = std::min(launch.threads, warp * 32 + 32);
  for (thread = warp * 32; thread < end && !error_; ++thread) {
    Fiber& next = fiber();
    if (!runnable(next)) continue;
    next.watched = nullptr;
    resume(next);
  }
}

void Block::run_transfer() {
  const std::size_t index = random_() % transfers.size();
  const auto transfer = std::move(transfers[index]);
  transfers.erase(transfers.begin() + static_cast<std::ptrdiff_t>(index));
  transfer();
}

// A fair draw would keep all warps close together. Instead one warpgroup runs ahead as far as it
// can, until another does, so that an order which only luck ensures is noticed.
std::size_t Block::choose(const std::vector<int>& ready, std::size_t choices) {
  if (random_() % 64 == 0) favourite_ = static_cast<int>(random_() % products_.size());
  if (random_() % 16 != 0) {
    for (std::size_t i = 0; i < ready.size(); ++i) {
      if (ready[i] / 4 == favourite_) return i;
    }
  }
  return random_() % choices;
}

void Block::run() {
  current = this;
  for (std::size_t i = 0; i < fibers_.size(); ++i) prepare(fibers_[i].entry, stack(i));
  for (;; ++draws_) {
    const std::vector<int> ready = ready_warps();
    const std::size_t choices = ready.size() + (transfers.empty() ? 0 : 1);
    if (choices == 0) {
      if (wake_all()) continue;
      break;
    }
    const std::size_t choice = choose(ready, choices);
    if (choice < ready.size()) {
      run_warp(ready[choice]);
    } else {
      run_transfer();
    }
    if (error_) std::rethrow_exception(error_);
  }
  check_end();
}

void Block::check_end() {
  for (thread = 0; thread < launch.threads; ++thread) {
    if (!fiber().done) refuse("waits for ever");
    if (!fiber().copies.empty() || !fiber().bulk.empty()) refuse("ended before its copies");
  }
  thread = 0;
  for (const NamedBarrier& barrier : named_) {
    if (barrier.arrived != 0) refuse("a named barrier was left half arrived");
  }
  for (const Products& products : products_) {
    if (products.groups.size() > 1 || !products.groups[0].empty()) {
      refuse("a warpgroup ended before its products");
    }
  }
}

void Block::wait_while(const int& value, int seen) {
  Fiber& self = fiber();
  while (value == seen) {
    self.watched = &value;
    self.seen = seen;
    give_way(self);
  }
}

void Block::dawdle() {
  if (random_() % 4 != 0) return;
  fiber().asleep_until = draws_ + 50;
  give_way(fiber());
}

void Block::meet(const char* instruction, int size, void* argument, const Together& together) {
  Meeting& meeting = meetings_[size == 32 ? thread / 32 : 1000 + thread / size];
  if (meeting.arrived == 0) {
    meeting.instruction = instruction;
    meeting.arguments.assign(static_cast<std::size_t>(size), nullptr);
  }
  if (std::strcmp(meeting.instruction, instruction) != 0) {
    refuse(std::string("is at ") + instruction + " while others of its warp are at " +
           meeting.instruction);
  }
  meeting.arguments[static_cast<std::size_t>(thread % size)] = argument;
  if (++meeting.arrived < size) {
    wait_while(meeting.generation, meeting.generation);
    return;
  }
  together(meeting.arguments);
  meeting.arrived = 0;
  ++meeting.generation;
}

void Block::arrive_named(int id, int threads) {
  NamedBarrier& barrier = named(id);
  if (barrier.arrived == 0) barrier.expected = threads;
  if (barrier.expected != threads) refuse("a named barrier is given two counts");
  if (++barrier.arrived < threads) return;
  barrier.arrived = 0;
  ++barrier.generation;
}

MemoryBarrier& Block::barrier(Shared at) {
  memory(at, 8);
  if (at % 8 != 0) refuse("an mbarrier at " + std::to_string(at));
  return barriers_[at];
}

void Block::complete(MemoryBarrier& barrier) {
  if (barrier.pending < 0) refuse("more arrivals than the mbarrier has");
  if (barrier.pending > 0 || barrier.bytes != 0) return;
  barrier.pending = barrier.arrivals;
  ++barrier.phase;
}

unsigned char* Block::memory(Shared at, int bytes) {
  if (static_cast<std::int64_t>(at) + bytes > launch.shared_bytes) {
    refuse("shared memory at " + std::to_string(at) + ", of " +
           std::to_string(launch.shared_bytes));
  }
  return shared_ + at;
}

unsigned char* Block::memory_read_async(Shared at, int bytes) {
  unsigned char* data = memory(at, bytes);
  for (int i = 0; i < bytes; ++i) {
    if (unfenced[at + static_cast<Shared>(i)] != 0) {
      refuse("wgmma or TMA reads what was stored without a proxy fence, at " + std::to_string(at));
    }
  }
  return data;
}

void emulate(const Launch& launch, const std::function<void()>& kernel) {
  std::mt19937 random(launch.seed);
  for (int z = 0; z < launch.batch; ++z) {
    for (int y = 0; y < launch.heads; ++y) {
      for (int x = 0; x < launch.blocks; ++x) Block(launch, x, y, z, random, kernel).run();
    }
  }
}

}  // namespace sweepd::gpu
