// A libcupti whose records a test dictates (fake_cupti.h). Records have the sizes and offsets of
// cupti_activity.h in CUDA 12.1, 12.8, 13.0 and 13.5, by FAKE_CUPTI_VERSION; bytes that no test
// sets are 0xA5, as fields that a version has and sweepd does not know.
#include "tests/inject/traced/fake_cupti.h"

#include <dlfcn.h>
#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

constexpr int kMaxLimitReached = 12;  // CUPTI_ERROR_MAX_LIMIT_REACHED

struct Sizes {
  std::uint32_t version;
  std::size_t kernel, memcpy, memset, memory, device;
};
constexpr Sizes kSizes[] = {{18, 208, 88, 88, 120, 176},
                            {26, 208, 96, 88, 128, 184},
                            {130001, 216, 96, 88, 128, 184},
                            {130500, 248, 112, 104, 128, 192}};

const Sizes& sizes() {
  const char* version = std::getenv("FAKE_CUPTI_VERSION");
  for (const Sizes& each : kSizes) {
    if (version != nullptr && each.version == std::strtoul(version, nullptr, 10)) return each;
  }
  return kSizes[2];
}

std::size_t size_of(std::uint32_t kind) {
  switch (kind) {
    case 1:
      return sizes().memcpy;
    case 2:
      return sizes().memset;
    case 8:
      return sizes().device;
    case 10:
      return sizes().kernel;
    case 39:
      return 24;
    case 49:
      return sizes().memory;
    default:
      return 40;  // CUpti_ActivityAPI
  }
}

using Request = void (*)(std::uint8_t**, std::size_t*, std::size_t*);
using Complete = void (*)(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
Request request = nullptr;
Complete complete = nullptr;
bool enabled[64];
std::uint8_t* buffer = nullptr;
std::size_t buffer_bytes = 0, used = 0, dropped = 0;
std::uint32_t thread_id_type = 0;

// FAKE_CUPTI_REFUSES=CALL:CODE or CALL:CODE:FILE, where FILE is the name of one of several copies.
int refusal_of(const char* call) {
  const char* rule = std::getenv("FAKE_CUPTI_REFUSES");
  const std::size_t length = std::strlen(call);
  if (rule == nullptr || std::strncmp(rule, call, length) != 0 || rule[length] != ':') return 0;
  char* end = nullptr;
  const long code = std::strtol(rule + length + 1, &end, 10);
  Dl_info self{};
  dladdr(reinterpret_cast<void*>(&refusal_of), &self);
  return *end != ':' || std::strstr(self.dli_fname, end + 1) != nullptr ? static_cast<int>(code)
                                                                        : 0;
}

// Without the lock, as CUPTI does: the callback may call CUPTI.
void deliver() {
  pthread_mutex_lock(&lock);
  std::uint8_t* full = buffer;
  const std::size_t bytes = buffer_bytes, valid = used;
  buffer = nullptr;
  used = 0;
  pthread_mutex_unlock(&lock);
  if (full != nullptr) complete(nullptr, 0, full, bytes, valid);
}

// Puts a record into the buffer, which another thread may deliver at any time.
void append(const std::uint8_t* record, std::size_t bytes) {
  for (int tries = 0; tries < 2; ++tries) {
    pthread_mutex_lock(&lock);
    if (buffer == nullptr) {
      std::size_t most = 0;
      request(&buffer, &buffer_bytes, &most);
      used = 0;
    }
    const bool fits = buffer != nullptr && used + bytes <= buffer_bytes;
    if (fits) {
      std::memcpy(buffer + used, record, bytes);
      used += bytes;
    }
    const bool full = !fits && buffer != nullptr;
    dropped += !fits && !full ? 1 : 0;
    pthread_mutex_unlock(&lock);
    if (!full) return;
    deliver();
  }
}

// A record of a kind, which is in the buffer at the end of its life, if the kind is enabled.
class Record {
 public:
  explicit Record(std::uint32_t kind) : kind_(kind) {
    std::memset(bytes_, 0xA5, sizeof bytes_);
    put(0, kind);
  }
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;
  ~Record() {
    if (enabled[kind_]) append(bytes_, size_of(kind_));
  }
  template <class Value>
  void put(std::size_t offset, Value value) {
    std::memcpy(bytes_ + offset, &value, sizeof value);
  }

 private:
  const std::uint32_t kind_;
  std::uint8_t bytes_[256];
};

// The callbacks of another client, which gets the buffers from now on.
std::uint8_t others_buffer[4096];
void others_request(std::uint8_t** to, std::size_t* bytes, std::size_t*) {
  *to = others_buffer;
  *bytes = sizeof others_buffer;
}
void others_complete(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t) {}

}  // namespace

extern "C" {

int cuptiGetVersion(std::uint32_t* version) {
  *version = sizes().version;
  return refusal_of("cuptiGetVersion");
}

int cuptiSetThreadIdType(std::uint32_t type) {
  thread_id_type = type;
  return 0;
}

int cuptiSubscribe(void**, void*, void*) {
  std::abort();  // CUPTI's one subscriber is the program's
}

int cuptiActivityRegisterCallbacks(Request on_request, Complete on_complete) {
  if (const int code = refusal_of("cuptiActivityRegisterCallbacks")) return code;
  request = on_request;
  complete = on_complete;
  return 0;
}

int cuptiActivityEnable(std::uint32_t kind) {
  if (const int code = refusal_of("cuptiActivityEnable")) return code;
  enabled[kind] = true;
  return 0;
}

int cuptiActivityDisable(std::uint32_t kind) {
  enabled[kind] = false;
  return 0;
}

int cuptiActivityFlushAll(std::uint32_t) {
  deliver();
  return 0;
}

int cuptiActivityGetNextRecord(std::uint8_t* from, std::size_t valid, std::uint8_t** record) {
  std::uint8_t* at = from;
  if (*record != nullptr) {
    std::uint32_t kind = 0;
    std::memcpy(&kind, *record, sizeof kind);
    at = *record + size_of(kind);
  }
  if (at >= from + valid) return kMaxLimitReached;
  *record = at;
  return 0;
}

int cuptiActivityGetNumDroppedRecords(void*, std::uint32_t, std::size_t* count) {
  pthread_mutex_lock(&lock);
  *count = dropped;
  dropped = 0;
  pthread_mutex_unlock(&lock);
  return 0;
}

// Another epoch than CLOCK_REALTIME's.
int cuptiGetTimestamp(std::uint64_t* time) {
  if (const int code = refusal_of("cuptiGetTimestamp")) return code;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  *time = 300'000'000'000'000'000U + static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
          static_cast<std::uint64_t>(now.tv_nsec);
  return 0;
}

int cuptiGetCallbackName(int domain, std::uint32_t cbid, const char** name) {
  struct Call {
    int domain;
    std::uint32_t cbid;
    const char* name;
  };
  static constexpr Call kCalls[] = {{1, 307, "cuLaunchKernel"},
                                    {2, 171, "cudaProfilerStart_v4000"},
                                    {2, 172, "cudaProfilerStop_v4000"},
                                    {2, 211, "cudaLaunchKernel_v7000"}};
  for (const Call& each : kCalls) {
    if (each.domain != domain || each.cbid != cbid) continue;
    *name = each.name;
    return 0;
  }
  return 1;  // CUPTI_ERROR_INVALID_PARAMETER
}

int cuptiGetResultString(int code, const char** text) {
  *text = code == 39 ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED" : "CUPTI_ERROR_OTHER";
  return 0;
}

bool fake_records(void) {
  return enabled[10];
}

std::uint32_t fake_thread_id_type(void) {
  return thread_id_type;
}

void fake_drop(unsigned records) {
  pthread_mutex_lock(&lock);
  dropped += records;
  pthread_mutex_unlock(&lock);
}

void fake_other_client(void) {
  request = &others_request;
  complete = &others_complete;
}

void fake_foreign_buffer(void) {
  complete(nullptr, 0, others_buffer, sizeof others_buffer, 24);
}

void fake_kernel(const FakeKernel* kernel) {
  Record to(10);
  to.put(6, static_cast<std::uint16_t>(kernel->registers));
  to.put(16, kernel->begin);
  to.put(24, kernel->end);
  to.put(40, kernel->device);
  to.put(48, kernel->stream);
  for (std::size_t i = 0; i < 3; ++i) {
    to.put(52 + 4 * i, kernel->grid[i]);
    to.put(64 + 4 * i, kernel->block[i]);
  }
  to.put(76, kernel->static_shared);
  to.put(80, kernel->dynamic_shared);
  to.put(92, kernel->correlation);
  to.put(104, kernel->name);
  to.put(156, kernel->graph);
}

void fake_copy(std::uint8_t direction, const FakeMove* move) {
  Record to(1);
  to.put(4, direction);
  to.put(8, move->bytes);
  to.put(16, move->begin);
  to.put(24, move->end);
  to.put(32, move->device);
  to.put(40, move->stream);
  to.put(44, move->correlation);
  to.put(72, move->graph);
}

void fake_fill(const FakeMove* move) {
  Record to(2);
  to.put(8, move->bytes);
  to.put(16, move->begin);
  to.put(24, move->end);
  to.put(32, move->device);
  to.put(40, move->stream);
  to.put(44, move->correlation);
  to.put(72, move->graph);
}

void fake_call(int of_runtime, std::uint32_t cbid, std::uint64_t begin, std::uint64_t end,
               std::uint32_t thread, std::uint32_t correlation) {
  Record to(of_runtime ? 5 : 4);
  to.put(4, cbid);
  to.put(8, begin);
  to.put(16, end);
  to.put(28, thread);
  to.put(32, correlation);
  to.put(36, std::uint32_t{0});
}

void fake_external(std::uint32_t kind, std::uint64_t id, std::uint32_t correlation) {
  Record to(39);
  to.put(4, kind);
  to.put(8, id);
  to.put(16, correlation);
}

void fake_memory(std::uint32_t operation, std::uint32_t kind, std::uint64_t address,
                 std::uint64_t bytes, std::uint64_t time, std::uint32_t correlation) {
  Record to(49);
  to.put(4, operation);
  to.put(8, kind);
  to.put(12, correlation);
  to.put(16, address);
  to.put(24, bytes);
  to.put(32, time);
  to.put(52, std::uint32_t{1});
  to.put(60, std::uint32_t{7});
}

void fake_device(std::uint32_t id, const char* name, std::uint64_t bytes,
                 std::uint32_t multiprocessors) {
  Record to(8);
  to.put(16, bytes);
  to.put(44, multiprocessors);
  to.put(104, std::uint32_t{9});  // compute capability 9.0
  to.put(108, std::uint32_t{0});
  to.put(112, id);
  to.put(136, name);
}

}  // extern "C"
