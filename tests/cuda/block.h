// A block under emulation: its fibers and their waits. Only the emulator's files include it.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <exception>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/cuda/emulator.h"

namespace sweepd::gpu {

// The place where all threads of a group come to execute one instruction together.
struct Meeting {
  const char* instruction = nullptr;
  int arrived = 0, generation = 0;
  std::vector<void*> arguments;  // by member; they point to the fibers' stacks
};
using Together = std::function<void(const std::vector<void*>&)>;

struct NamedBarrier {
  int arrived = 0, expected = 0, generation = 0;
};

struct MemoryBarrier {
  int arrivals = 0, pending = 0, bytes = 0, phase = 0;
};

struct Copy {
  int group;
  std::function<void()> run;
};

struct Fiber {
  ucontext_t entry{};  // for the start; later `here`, which costs no system call
  jmp_buf here{};
  bool begun = false;
  const int* watched = nullptr;  // runnable once *watched is no longer `seen`
  int seen = 0;
  int asleep_until = 0;  // in draws of the scheduler
  bool done = false;
  std::vector<Copy> copies;                      // cp.async that is not done yet
  int copy_groups = 0;                           // committed
  std::vector<std::function<void()>> bulk;       // bulk operations that it did not wait for yet
  std::vector<std::pair<Shared, int>> unfenced;  // stored since the last proxy fence
};

// Products that a warpgroup issued, by group; the last group is not committed yet.
struct Products {
  std::vector<std::vector<std::function<void()>>> groups{1};
};

class Block {
 public:
  Block(const Launch& launch, int x, int y, int z, std::mt19937& random,
        const std::function<void()>& kernel);
  void run();

  Fiber& fiber() { return fibers_[static_cast<std::size_t>(thread)]; }
  void wait_while(const int& value, int seen);  // yields until `value` has changed
  void dawdle();                                // sometimes sleeps for some draws
  // All `size` threads of group thread / size execute `instruction`; the last one runs `together`.
  void meet(const char* instruction, int size, void* argument, const Together& together);
  void arrive_named(int id, int threads);
  NamedBarrier& named(int id) { return named_[static_cast<std::size_t>(id)]; }
  MemoryBarrier& barrier(Shared at);
  void complete(MemoryBarrier& barrier);  // ends its phase if nothing is missing
  Products& products() { return products_[static_cast<std::size_t>(thread / 128)]; }
  unsigned char* memory(Shared at, int bytes);             // checked
  unsigned char* memory_read_async(Shared at, int bytes);  // also that the bytes were fenced
  bool chance() { return random_() % 2 == 0; }

  const Launch launch;
  const int x, y, z;
  int thread = 0;                                // the one that runs
  std::vector<std::function<void()>> transfers;  // TMA transfers in progress
  std::vector<unsigned char> unfenced;           // a flag per byte of shared memory

 private:
  friend void enter_fiber();
  bool runnable(const Fiber& fiber) const;
  std::vector<int> ready_warps() const;
  bool wake_all();
  std::size_t choose(const std::vector<int>& ready, std::size_t choices);
  void run_warp(int warp);
  [[gnu::noinline]] void resume(Fiber& fiber);
  [[gnu::noinline]] void give_way(Fiber& fiber);
  void run_transfer();
  void check_end();

  std::mt19937& random_;
  const std::function<void()>& kernel_;
  std::vector<Fiber> fibers_;
  std::vector<unsigned char> storage_;
  unsigned char* shared_ = nullptr;
  jmp_buf scheduler_{};
  std::exception_ptr error_;
  int draws_ = 0;
  int favourite_ = 0;                // the warpgroup that runs ahead of the others for now
  std::map<int, Meeting> meetings_;  // warps by number, warpgroups from 1000
  std::vector<NamedBarrier> named_{16};
  std::map<Shared, MemoryBarrier> barriers_;
  std::vector<Products> products_;
};

Block& block();  // the one that runs
[[noreturn]] void refuse(const std::string& what);

}  // namespace sweepd::gpu
