// A test that hangs shows where. Shortly before ctest would end it silently, this prints the stack
// of every thread, those of torch, Gloo and OpenMP included, and aborts the program. A listener
// that registers itself arms it for every test of this program.
#include <dirent.h>
#include <execinfo.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace sweepd {
namespace {

// Most of ctest's TIMEOUT 120 (tests/workloads/CMakeLists.txt). A program that runs many tests in a
// row has this long for each.
constexpr std::chrono::seconds kDeadline{100};
constexpr int kMaxFrames = 64;
constexpr int kSignal = SIGUSR2;

std::atomic<bool> printed{false};

void print_own_stack(int) {
  void* frames[kMaxFrames];
  const int count = backtrace(frames, kMaxFrames);
  backtrace_symbols_fd(frames, count, STDERR_FILENO);
  printed = true;
}

std::vector<pid_t> threads_of_this_process() {
  std::vector<pid_t> threads;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/task"), &closedir);
  while (const dirent* entry = folder ? readdir(folder.get()) : nullptr) {
    const pid_t thread = std::atoi(entry->d_name);
    if (thread > 0) threads.push_back(thread);
  }
  return threads;
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Prints the stacks of all threads but the calling one, one after the other, to standard error.
void print_all_stacks() {
  struct sigaction action {};
  action.sa_handler = &print_own_stack;
  action.sa_flags = SA_RESTART;
  sigaction(kSignal, &action, nullptr);
  void* warm[1];
  backtrace(warm, 1);  // loads libgcc here, not in a handler
  const auto self = static_cast<pid_t>(syscall(SYS_gettid));
  for (const pid_t thread : threads_of_this_process()) {
    if (thread == self) continue;
    const std::string folder = "/proc/self/task/" + std::to_string(thread);
    std::cerr << "\nthread " << thread << " (" << first_line(folder + "/comm")
              << "), system call: " << first_line(folder + "/syscall") << std::endl;
    printed = false;
    if (syscall(SYS_tgkill, getpid(), thread, kSignal) != 0) continue;
    for (int wait = 0; wait < 200 && !printed; ++wait) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    if (!printed) std::cerr << "(does not take the signal)" << std::endl;
  }
}

class StacksAtDeadline final : public ::testing::EmptyTestEventListener {
 public:
  void OnTestStart(const ::testing::TestInfo& test) override {
    name_ = std::string(test.test_suite_name()) + "." + test.name();
    ended_ = false;
    watcher_ = std::thread([this] { watch(); });
  }
  void OnTestEnd(const ::testing::TestInfo&) override {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    watcher_.join();
  }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, kDeadline, [this] { return ended_; })) return;
    std::cerr << "\n"
              << name_ << " has not ended after " << kDeadline.count()
              << " s. What its threads are at:" << std::endl;
    print_all_stacks();
    std::abort();
  }

  std::string name_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::thread watcher_;
};

// Death tests fork. Their children have no watcher and need none.
[[maybe_unused]] const bool registered = [] {
  ::testing::UnitTest::GetInstance()->listeners().Append(new StacksAtDeadline);
  return true;
}();

// The output on a waiting thread names where it waits.
TEST(StacksAtDeadline, NamesWhereAThreadWaits) {
  std::mutex mutex;
  std::condition_variable changed;
  bool there = false, go = false;
  std::thread waiting([&] {
    std::unique_lock lock(mutex);
    there = true;
    changed.wait(lock, [&] { return go; });
  });
  for (bool waits = false; !waits;) {  // it releases the mutex when it waits
    const std::lock_guard lock(mutex);
    waits = there;
  }
  ::testing::internal::CaptureStderr();
  print_all_stacks();
  const std::string stacks = ::testing::internal::GetCapturedStderr();
  {
    const std::lock_guard lock(mutex);
    go = true;
  }
  changed.notify_all();
  waiting.join();
  EXPECT_NE(stacks.find("pthread_cond_wait"), std::string::npos) << stacks;
}

}  // namespace
}  // namespace sweepd
