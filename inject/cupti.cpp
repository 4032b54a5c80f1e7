#include "inject/cupti.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "inject/activity.h"
#include "inject/background.h"
#include "inject/cupti_records.h"
#include "inject/find_cupti.h"
#include "inject/recorder.h"

namespace sweepd::inject {
namespace {

// cupti_result.h
constexpr int kSuccess = 0;
constexpr int kHardwareBusy = 26, kOldProfilerApi = 36, kMultipleSubscribers = 39;
constexpr int kOwnUnknown = 999;  // CUPTI_ERROR_UNKNOWN

// What is used of CUPTI. Handles (CUcontext) are pointers.
using Request = void (*)(std::uint8_t**, std::size_t*, std::size_t*);
using Complete = void (*)(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t);
struct Cupti {
  int (*get_version)(std::uint32_t*);
  int (*register_callbacks)(Request, Complete);
  int (*enable)(std::uint32_t);
  int (*disable)(std::uint32_t);
  int (*flush_all)(std::uint32_t);
  int (*next_record)(std::uint8_t*, std::size_t, const void**);
  int (*dropped)(void*, std::uint32_t, std::size_t*);
  int (*timestamp)(std::uint64_t*);
  CallName call_name;
  int (*error_text)(int, const char**);
  int (*thread_id_type)(int);  // may be absent
};
Cupti cupti;
int started;  // atomic: `cupti` is complete and records

// CUPTI's advice is 1 to 10 MB. Small ones are full, and so written, sooner.
constexpr std::size_t kBufferBytes = 1U << 20;
constexpr std::size_t kMostBuffers = 256;
// Those that CUPTI has. It could return another profiler's, which are not ours to free.
std::uint8_t* lent[kMostBuffers];
int lent_count, returned_count;  // atomic
int foreign_count;               // atomic

// Without the first five there is nothing to show; older devices and versions lack some others.
constexpr struct {
  CuptiKind kind;
  bool required;
} kKinds[] = {{kCuptiConcurrentKernel, true}, {kCuptiMemcpy, true},
              {kCuptiMemset, true},           {kCuptiRuntime, true},
              {kCuptiDriver, true},           {kCuptiExternalCorrelation, false},
              {kCuptiMemory2, false},         {kCuptiDevice, false}};

bool is_started() {
  return __atomic_load_n(&started, __ATOMIC_ACQUIRE) != 0;
}

template <class Function>
bool load(void* library, const char* name, Function& to) {
  to = reinterpret_cast<Function>(::dlsym(library, name));
  return to != nullptr;
}

bool load_all(void* library, Cupti& to) {
  load(library, "cuptiSetThreadIdType", to.thread_id_type);
  return load(library, "cuptiGetVersion", to.get_version) &&
         load(library, "cuptiActivityRegisterCallbacks", to.register_callbacks) &&
         load(library, "cuptiActivityEnable", to.enable) &&
         load(library, "cuptiActivityDisable", to.disable) &&
         load(library, "cuptiActivityFlushAll", to.flush_all) &&
         load(library, "cuptiActivityGetNextRecord", to.next_record) &&
         load(library, "cuptiActivityGetNumDroppedRecords", to.dropped) &&
         load(library, "cuptiGetTimestamp", to.timestamp) &&
         load(library, "cuptiGetCallbackName", to.call_name) &&
         load(library, "cuptiGetResultString", to.error_text);
}

void on_request(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
  *buffer = nullptr;
  *bytes = 0;
  *most_records = 0;  // as many as fit
  const Entry entry;
  if (!entry.entered) return;
  for (std::uint8_t*& slot : lent) {
    if (slot != nullptr) continue;
    slot = static_cast<std::uint8_t*>(std::malloc(kBufferBytes));
    if (slot == nullptr) return;
    *buffer = slot;
    *bytes = kBufferBytes;
    __atomic_add_fetch(&lent_count, 1, __ATOMIC_RELAXED);
    return;
  }
}

bool take_back(std::uint8_t* buffer) {
  const Entry entry;
  for (std::uint8_t*& slot : lent) {
    if (slot != buffer || buffer == nullptr) continue;
    slot = nullptr;
    __atomic_add_fetch(&returned_count, 1, __ATOMIC_RELAXED);
    return true;
  }
  return false;
}

// On a thread of CUPTI, or on the one that fetches. The lock is taken for each record, so that
// ranges of the program never wait for a whole buffer.
void on_complete(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                 std::size_t valid_bytes) {
  if (!take_back(buffer)) {
    __atomic_add_fetch(&foreign_count, 1, __ATOMIC_RELAXED);
    return;
  }
  const void* activity = nullptr;
  while (valid_bytes > 0 && records_here() &&
         cupti.next_record(buffer, valid_bytes, &activity) == kSuccess) {
    const Entry entry;
    if (entry.entered) record_activity(activity, cupti.call_name);
  }
  std::size_t lost = 0;
  if (cupti.dropped(context, stream, &lost) == kSuccess) {
    const Entry entry;
    if (entry.entered) count_lost(lost);
  }
  std::free(buffer);
}

enum class Tried : std::uint8_t { kStarted, kNext, kOtherProfiler };

struct Trial {
  int code = kSuccess;
  char reason[512] = "";
};

Tried failed(Trial& trial, const char* path, const char* call, int code) {
  const char* text = nullptr;
  if (cupti.error_text == nullptr || cupti.error_text(code, &text) != kSuccess) text = nullptr;
  trial.code = code;
  std::snprintf(trial.reason, sizeof trial.reason, "%s: %s: %s", path, call,
                text != nullptr ? text : "unknown error");
  const bool other =
      code == kHardwareBusy || code == kOldProfilerApi || code == kMultipleSubscribers;
  return other ? Tried::kOtherProfiler : Tried::kNext;
}

Tried enable_kinds(Trial& trial, const char* path) {
  for (const auto& [kind, required] : kKinds) {
    const int code = cupti.enable(kind);
    if (code == kSuccess || !required) continue;
    for (const auto& enabled : kKinds) {
      if (enabled.kind == kind) break;
      cupti.disable(enabled.kind);
    }
    return failed(trial, path, "cuptiActivityEnable", code);
  }
  return Tried::kStarted;
}

Tried try_cupti(void* library, Trial& trial, const char* path) {
  Cupti loaded{};
  if (!load_all(library, loaded)) return failed(trial, path, "functions are missing", kOwnUnknown);
  cupti = loaded;
  std::uint32_t version = 0;
  if (const int code = cupti.get_version(&version); code != kSuccess) {
    return failed(trial, path, "cuptiGetVersion", code);
  }
  if (version < kOldestCupti) return failed(trial, path, "older than CUDA 12", kOwnUnknown);
  std::uint64_t time = 0;
  ClockRecord clock{{0, RecordKind::kClock, 0, 0}, host_clock_ns(), 0};
  if (const int code = cupti.timestamp(&time); code != kSuccess) {
    return failed(trial, path, "cuptiGetTimestamp", code);
  }
  clock.cupti_ns = static_cast<std::int64_t>(time);
  if (cupti.thread_id_type != nullptr) cupti.thread_id_type(1);  // the system's, as for ranges
  if (const int code = cupti.register_callbacks(&on_request, &on_complete); code != kSuccess) {
    return failed(trial, path, "cuptiActivityRegisterCallbacks", code);
  }
  const Tried tried = enable_kinds(trial, path);
  if (tried != Tried::kStarted) return tried;
  const Entry entry;
  set_cupti_version(version);
  append(clock);
  return Tried::kStarted;
}

Tried try_path(const char* path, int flags, Trial& trial) {
  void* library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL | flags);
  if (library == nullptr) {
    std::snprintf(trial.reason, sizeof trial.reason, "%s", ::dlerror());
    return Tried::kNext;
  }
  return try_cupti(library, trial, path);  // never closed: the driver may still call it
}

Tried try_all(Trial& trial) {
  static Candidate candidates[32];  // too large for a small stack
  Tried tried = Tried::kNext;
  if (find_loaded_cupti(candidates[0])) {
    tried = try_path(candidates[0].path, RTLD_NOLOAD, trial);
  }
  const char* list = ::secure_getenv("SWEEPD_INJECT_CUPTI");
  const std::size_t count =
      list != nullptr
          ? find_installed_cupti(list, candidates, sizeof candidates / sizeof *candidates)
          : 0;
  for (std::size_t i = 0; i < count && tried == Tried::kNext; ++i) {
    tried = try_path(candidates[i].path, 0, trial);
  }
  return tried;
}

}  // namespace

void start_cupti() {
  if (is_started()) return;
  Trial trial;
  if (try_all(trial) != Tried::kStarted) {
    refuse(trial.code, trial.reason[0] != 0
                           ? trial.reason
                           : "no libcupti in this process, and none in SWEEPD_INJECT_CUPTI");
    return stop_recording(false);
  }
  forbid_children();
  __atomic_store_n(&started, 1, __ATOMIC_RELEASE);
  end_at_exit();
}

void fetch_from_cupti(Fetch what) {
  if (!is_started()) return;
  if (what == Fetch::kComplete) {
    cupti.flush_all(0);
    return;
  }
  const int before = __atomic_load_n(&returned_count, __ATOMIC_RELAXED);
  const bool owes = __atomic_load_n(&lent_count, __ATOMIC_RELAXED) > before;
  cupti.flush_all(1);  // CUPTI_ACTIVITY_FLAG_FLUSH_FORCED
  // A buffer that CUPTI asked for has a record, so it comes back unless another profiler has
  // registered its own functions.
  const bool silent = owes && before == __atomic_load_n(&returned_count, __ATOMIC_RELAXED);
  if (silent || __atomic_load_n(&foreign_count, __ATOMIC_RELAXED) > 0) {
    refuse(kMultipleSubscribers, "another profiler took CUPTI while the program ran");
  }
}

Moment now() {
  std::uint64_t time = 0;
  if (is_started() && cupti.timestamp(&time) == kSuccess)
    return {static_cast<std::int64_t>(time), 1};
  return {host_clock_ns(), 0};
}

}  // namespace sweepd::inject
